"""Metrics kept beside a run: equal to what its log gives, and ignored where they may not be."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from audience.log import Log
from audience.results import Measured
from audience.runs import Kept, gathered, kept_of, packed, resume, start, unpacked
from audience.runs.kept_measures import KEPT
from audience.runs.measures import measured, measured_log, measurement
from audience.scenario import Scenario, parse

SMALL = "agents = 30\nrounds = 4\n"


def ran(folder: Path, toml: str = SMALL) -> Measured:
    scenario: Scenario = parse(toml)
    return start(scenario, 3, folder).measured


def kept_in(folder: Path) -> Kept | None:
    with Log.open(folder) as log:
        return kept_of(log)


def folded(folder: Path) -> Measured:
    with Log.open(folder) as log:
        return measurement(log, measured_log(log, parse(log.scenario)))


def same(one: Measured, two: Measured) -> bool:
    assert one.agents.keys() == two.agents.keys()
    for name, numbers in one.agents.items():
        np.testing.assert_array_equal(numbers, two.agents[name])
    plain = [msgspec.structs.replace(each, agents={}) for each in (one, two)]
    return packed(plain[0]) == packed(plain[1])


def test_what_is_kept_is_what_the_log_gives(tmp_path: Path) -> None:
    told = ran(tmp_path / "run")
    kept = kept_in(tmp_path / "run")
    assert kept is not None
    assert same(kept.measured, folded(tmp_path / "run"))
    assert same(kept.measured, told)


def test_a_run_that_was_moved_is_told_with_its_new_folder(tmp_path: Path) -> None:
    ran(tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / "moved")
    assert measured(tmp_path / "moved").folder == str(tmp_path / "moved")


def test_a_log_that_went_on_is_folded_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ran(folder)
    before = (folder / KEPT).read_bytes()
    with Log.open(folder, write=True) as log:
        log.set_scenario(log.scenario.replace("rounds = 4", "rounds = 6"))
    resume(folder)
    after = (folder / KEPT).read_bytes()
    (folder / KEPT).write_bytes(before)
    assert kept_in(folder) is None
    assert len(measured(folder).rounds) == 6
    (folder / KEPT).write_bytes(after)
    assert kept_in(folder) is not None


@pytest.mark.parametrize("body", [b"", b"\xc1", b"junk", packed({"of": 1})])
def test_a_damaged_file_is_folded_again(tmp_path: Path, body: bytes) -> None:
    told = ran(tmp_path / "run")
    (tmp_path / "run" / KEPT).write_bytes(body)
    assert kept_in(tmp_path / "run") is None
    assert same(measured(tmp_path / "run"), told)


def test_numbers_of_other_metrics_are_ignored(tmp_path: Path) -> None:
    ran(tmp_path / "run")
    place = tmp_path / "run" / KEPT
    kept = unpacked(place.read_bytes(), Kept)
    place.write_bytes(packed(msgspec.structs.replace(kept, of="other")))
    assert kept_in(tmp_path / "run") is None


def test_numbers_of_another_log_are_found_out_by_a_report(tmp_path: Path) -> None:
    ran(tmp_path / "run")
    place = tmp_path / "run" / KEPT
    kept = unpacked(place.read_bytes(), Kept)
    wrong = msgspec.structs.replace(kept.measured, totals={"visits": 1.0}, digest="0" * 32)
    place.write_bytes(packed(msgspec.structs.replace(kept, measured=wrong)))
    assert gathered(tmp_path / "run").arms[0].runs[0].totals["visits"] > 1.0


def test_nothing_is_kept_of_metrics_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "class Ends:\n"
        "    watches = ()\n"
        "    def update(self, record, world): pass\n"
        "    def value(self): return {'ends': 1.0}\n"
    )
    ran(tmp_path / "run", f'{SMALL}metrics = ["{own}:Ends"]\n')
    assert not (tmp_path / "run" / KEPT).exists()


def test_a_folder_that_cannot_be_written_to_ends_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(files: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("audience.runs.kept_measures.replace_all", full)
    assert ran(tmp_path / "run").totals["visits"]
    assert not (tmp_path / "run" / KEPT).exists()
