from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.judging.sheets import (
    choices_of,
    key_of,
    memories_of,
    pairs_of,
    texts_of,
    walks,
    write,
)

from audience.errors import BadInput
from audience.lab.judging import Sources, make, notes
from audience.lab.judging.tasks import Pair, Score, Write, sheet_id


def test_all_kinds_of_tasks_kind_by_kind(real: Path, mindful: Path, tmp_path: Path) -> None:
    sequences = write(tmp_path, "s.json", walks(3))
    sources = Sources(data=real, run=mindful, sequences=sequences)
    key = make(sources, cases=2, behaviours=3, seed=5)
    kinds = [type(task).__name__ for task in key.sheet.tasks]
    assert list(dict.fromkeys(kinds)) == ["Choose", "Write", "Pair", "Score"]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "Choose": 8, "Write": 6, "Pair": 12, "Score": 12
    }  # fmt: skip
    assert [task.id for task in key.sheet.tasks] == [f"t{n}" for n in range(1, len(kinds) + 1)]
    assert list(key.tasks) == [task.id for task in key.sheet.tasks]
    assert key.page == key.sheet.id == sheet_id(key.sheet.tasks)
    assert make(sources, cases=2, behaviours=3, seed=5) == key


def test_the_order_says_nothing() -> None:
    key = key_of(memories_of(20))
    variants = [key.tasks[task.id].variant for task in key.sheet.tasks]  # type: ignore[union-attr]
    assert variants[:4] != variants[4:8] or variants[8:12] != variants[:4]
    assert sorted(set(variants)) == ["full", "no-long", "no-reflection", "no-short"]


def test_nothing_sealed_is_on_the_sheet() -> None:
    key = key_of(choices_of(2), texts_of(2), pairs_of("T1", 3), memories_of(2))
    for task in key.sheet.tasks:
        names = set(task.__struct_fields__)
        assert not names & {"truth", "variant", "author", "case", "user", "key", "agent"}


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ("a", "give --data PATH"),
        ("b", "give --run RUN"),
        ("c", "give --run RUN for memories, --sequences FILE"),
    ],
)
def test_what_a_task_needs_is_asked_for(tasks: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make(Sources(), tasks)


def test_a_run_without_memories_has_nothing_to_sum_up(tmp_path: Path) -> None:
    from audience.runs import start
    from audience.scenario import parse

    start(parse("agents = 3\nrounds = 1\n"), 1, tmp_path / "run")
    with pytest.raises(BadInput, match="run it with --memory recagent"):
        make(Sources(run=tmp_path / "run"), "b")


def test_thin_pages_are_said_to_be_thin() -> None:
    alike = key_of(
        texts_of(1), [(Score("", "", ("x",), ("same",)), seal) for _, seal in memories_of(2)]
    )
    told = notes(alike, "bc")
    assert told[0].startswith("no T2 and no T3")
    assert "no-short: recalls the same as the full memory in 2 of 2 behaviours" in told
    assert not notes(key_of(memories_of(2), pairs_of("T1", 1)), "c")
    (told_pairs,) = notes(key_of(memories_of(2)), "c")
    assert told_pairs.startswith("no blind pairs: --references FILE")


def test_pairs_show_both_sides_and_no_more() -> None:
    key = key_of(pairs_of("T1", 2))
    for task in key.sheet.tasks:
        assert isinstance(task, Pair)
        assert not isinstance(task, Write)
        seal = key.tasks[task.id]
        assert (task.first, task.second) == ((seal.first,), (seal.second,))  # type: ignore[union-attr]
