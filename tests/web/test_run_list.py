"""The list of runs: outcome, failures, date and error of each, read once until its files change."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.web.conftest import SMALL, Site, Sites
from tests.web.test_experiments import BOTH

from audience.log import Log, mean_satisfaction
from audience.runs import conduct, gathered, measured, start
from audience.scenario import Scenario, parse
from audience.web.experiments import short_verdict


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment, a run by itself, and a file that is no run."""
    root = tmp_path_factory.mktemp("listed")
    conduct(parse(BOTH.replace("rounds = 3", "rounds = 2")), root / "both")
    start(parse(SMALL), 1, root / "one")
    (root / "broken").mkdir()
    (root / "broken" / "run.db").write_bytes(b"no run")
    return root


def rows(site: Site) -> dict[str, dict[str, object]]:
    found = site.when(
        lambda: site.ok("/runs"),
        lambda all_: all(one.get("failures", 0) is not None for one in all_),
    )
    return {one["id"]: one for one in found}


def test_a_line_tells_outcome_failures_date_and_where_it_belongs(
    sites: Sites, folder: Path
) -> None:
    found = rows(sites(folder))
    one = found["one"]
    assert one["satisfaction"] == pytest.approx(measured(folder / "one").totals["satisfaction"])
    assert (one["failures"], one["failed_calls"], one["error"], one["group"]) == (0, 0, "", "")
    assert one["changed"] == int((folder / "one" / "run.db").stat().st_mtime)
    assert {one["group"] for id_, one in found.items() if "~" in id_} == {"both"}
    assert found["broken"]["state"] == "failed"
    assert "is not the file of a run" in str(found["broken"]["error"])


def test_satisfaction_from_the_log_is_the_metric(folder: Path) -> None:
    for run in (folder / "both").glob("*/seed-*"):
        with Log.open(run) as log:
            assert mean_satisfaction(log) == pytest.approx(measured(run).totals["satisfaction"])


def test_an_experiment_tells_its_verdict_in_short(sites: Sites, folder: Path) -> None:
    site = sites(folder)
    (row,) = site.when(lambda: site.ok("/experiments"), lambda found: bool(found[0]["verdict"]))
    assert row["verdict"] == short_verdict(gathered(folder / "both"))
    assert row["verdict"].startswith("Satisfaction: popular")


def test_a_line_is_read_again_only_when_its_files_change(
    sites: Sites, folder: Path, tmp_path: Path, small: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = sites(tmp_path / "runs")
    start(small, 1, site.root / "one")
    assert rows(site)["one"]["round"] == 4
    opened: list[Path] = []
    really = Log.open.__func__  # type: ignore[attr-defined]

    def counted(cls: type[Log], place: Path, *, write: bool = False) -> Log:
        opened.append(place)
        log: Log = really(cls, place, write=write)
        return log

    monkeypatch.setattr(Log, "open", classmethod(counted))
    rows(site)
    rows(site)
    assert opened == []
    site.steer("one", "play", rounds=5)
    site.until("one", "finished")
    assert rows(site)["one"]["round"] == 5
    assert opened
