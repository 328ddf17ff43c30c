from __future__ import annotations

from pathlib import Path

from audience.lab.judging.cases import made_in
from audience.log import Log
from audience.world import events as e


def test_summaries_insights_and_reflections_with_what_they_were_made_from(mindful: Path) -> None:
    with Log.open(mindful) as log:
        found = made_in(log, cases=5, seed=1)
        texts: dict[str, str] = {}
        for record in log.records():
            event = record.event
            if isinstance(event, e.Remembered | e.Reflected | e.Merged):
                texts[f"{event.agent}-{event.thought}"] = event.text
    assert all(1 <= len(found[what]) <= 5 for what in ("T1", "T2", "T3"))
    for made in (one for some in found.values() for one in some):
        assert made.text == texts[made.case]
        assert made.person.endswith(".")
    for what in ("T2", "T3"):
        assert all(len(made.lines) > 1 for made in found[what])
        agents = {made.case.partition("-")[0] for made in found[what]}
        for made in found[what]:
            own = {text for case, text in texts.items() if case.partition("-")[0] in agents}
            assert set(made.lines) <= own


def test_a_summary_is_of_the_observation_it_stands_beside(mindful: Path) -> None:
    with Log.open(mindful) as log:
        found = made_in(log, cases=50, seed=1)["T1"]
    assert len(found) > 10
    for made in found:
        (line,) = made.lines
        titles = {part.partition(">")[0] for part in made.text.split("<")[1:]}
        assert all(title in line for title in titles), (made.text, line)
        assert len(line) > len(made.text)


def test_the_seed_draws_the_cases(mindful: Path) -> None:
    with Log.open(mindful) as log:
        first, again, other = (
            [one.case for one in made_in(log, cases=4, seed=seed)["T1"]] for seed in (1, 1, 2)
        )
    assert first == again != other
