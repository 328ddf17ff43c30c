"""A person plays one of the people of a run, or joins it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from audience.errors import BadInput, Interrupted
from audience.llm.fake import Fake
from audience.log import Log, world_at
from audience.runs import play_person, prolong, resume, start
from audience.scenario import parse
from audience.world import Chapter, events as e

Serving = Callable[..., AbstractContextManager[Fake]]
SMALL = """
agents = 12
rounds = {rounds}
[activation]
method = "random"
share = 0.5
{rest}
"""
ME = 4


class Terminal:
    """Types the given lines and keeps what was shown; then nobody is there any more."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []

    def __call__(self, words: str) -> str | None:
        self.shown.append(words)
        return self.lines.pop(0) if self.lines else None


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lived") / "run"
    start(parse(SMALL.format(rounds=2, rest="")), 1, folder)
    return folder


@pytest.fixture
def run(lived: Path, tmp_path: Path) -> Path:
    """A finished run of two rounds."""
    shutil.copytree(lived, tmp_path / "run")
    return tmp_path / "run"


def visits(folder: Path, round_: int) -> dict[int, Chapter]:
    with Log.open(folder) as log:
        found = list(log.chapters(begin_round=round_, end_round=round_ + 1))
    return {one.agent: one for one in found if one.phase == e.VISITS}


def events(chapter: Chapter) -> list[e.AnyEvent]:
    return [entry.event for entry in chapter.entries]


def test_a_whole_visit_is_played(serving: Serving, tmp_path: Path) -> None:
    stay = '{"do": "nothing", "query": ""}'
    says = {"What do you do now?": stay, "You chat with": '{"say": "Tell me more.", "stance": 0}'}
    with serving(says=says) as fake:
        text = SMALL.format(rounds=1, rest=f'[mind]\nkind = "llm"\n[llm]\nurl = "{fake.url}"')
        start(parse(text), 1, tmp_path / "run")
        at_home, talk = ["what?", "s night"], ["With pleasure."]
        pages = ["1", "80", "4", "I liked it.", "s the", "n", "2", "", "", "f"]
        friends = ["p See them all.", "1 Shall we go?", "x", "l"]
        terminal = Terminal([*at_home, *pages, *friends, *talk])
        who, done = play_person(tmp_path / "run", ME, terminal)
    assert (who, done.rounds) == (ME, 2)
    assert terminal.lines == []
    mine = events(visits(tmp_path / "run", 2)[ME])
    kinds = [type(one) for one in mine]
    for kind in (e.Searched, e.SlateShown, e.Picked, e.Rated, e.Felt, e.Posted, e.Wished, e.Left):
        assert kind in kinds, kind
    assert kinds.count(e.Picked) == 2
    assert kinds.count(e.Searched) == 2
    assert e.Refused not in kinds
    felt = next(one for one in mine if isinstance(one, e.Felt))
    assert (felt.text, felt.voice) == ("I liked it.", "human")
    with Log.open(tmp_path / "run") as log:
        said = [r.event for r in log.records(begin_round=2) if isinstance(r.event, e.Said)]
    assert [one.text for one in said[:3]] == ["Shall we go?", "Tell me more.", "With pleasure."]
    assert [one.voice for one in said[:3]] == ["human", "model", "human"]
    assert done.measured.totals["spoken_human"] == 4


def test_the_others_live_as_they_would_have(run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / "alone")
    prolong(tmp_path / "alone", 3)
    resume(tmp_path / "alone")
    play_person(run, ME, Terminal(["r", "1", "", "5", "Fine.", "l", "9"]))
    without, with_me = visits(tmp_path / "alone", 3), visits(run, 3)
    assert with_me.keys() - {ME} == without.keys() - {ME}
    assert len(without) > 3
    for agent in without.keys() - {ME}:
        assert with_me[agent] == without[agent]
    picked = [one for one in events(with_me[ME]) if isinstance(one, e.Picked)]
    assert len(picked) == 1


def test_who_is_played_comes_every_round(run: Path) -> None:
    terminal = Terminal(["n"] * 5)
    _, done = play_person(run, ME, terminal, rounds=5)
    assert done.rounds == 7
    for round_ in range(3, 8):
        assert events(visits(run, round_)[ME])[-1] == e.Left(ME, None, "nothing to do")
    assert len(terminal.shown) == 5


class Stops:
    """Asks for a stop when looked at once too often."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_playing_ends_after_the_rounds_asked_for_and_the_run_goes_on(tmp_path: Path) -> None:
    text = SMALL.format(rounds=6, rest="")
    with pytest.raises(Interrupted):
        start(parse(text), 1, tmp_path / "run", stopping=Stops(3))
    with Log.open(tmp_path / "run") as log:
        before = log.complete_rounds()
    _, done = play_person(tmp_path / "run", ME, Terminal(["n", "n"]), rounds=2)
    assert done.rounds == before + 2 < 6
    with Log.open(tmp_path / "run") as log:
        assert log.state == "stopped"
        assert parse(log.scenario).rounds == 6
    assert resume(tmp_path / "run").rounds == 6
    with Log.open(tmp_path / "run") as log:
        assert log.state == "finished"


def test_somebody_new_joins(run: Path) -> None:
    terminal = Terminal(["r", "1", "", "5", "Good.", "l", "", "n"])
    who, done = play_person(run, None, terminal, rounds=2, name='Zo"e\n$x', interests=("Drama",))
    assert who == 12
    assert done.agents == 13
    with Log.open(run) as log:
        world = world_at(log, 4)
    assert world.profile(12).name == 'Zo"e\n$x'
    assert world.profile(12).interests == ("Drama",)
    assert len(world.agents[12].history) == 1
    assert 12 in visits(run, 3)
    assert 12 in visits(run, 4)
    again, _ = play_person(run, None, Terminal(["n"]), name="Another")
    assert again == 13
    play_person(run, 12, Terminal(["n"]))
    assert 12 in visits(run, 6)


def test_what_a_newcomer_says_of_a_film_they_never_saw_reaches_their_friends(run: Path) -> None:
    with Log.open(run) as log:
        item = log.genesis().catalogue[40]
    lines = ["f", f"p You must see <{item.title}>, it is wonderful", f"1 - <{item.title}>? No", "l"]
    who, _ = play_person(run, None, Terminal([*lines, "", ""]), name="Zoe", friends=(3, 5))
    with Log.open(run) as log:
        events = [record.event for record in log.records(begin_round=3)]
        world = world_at(log, 3)
    assert {tie.other for tie in world.graph.ties(who)} == {3, 5}
    (post,) = [event for event in events if isinstance(event, e.Posted) and event.agent == who]
    assert (post.items, post.stance, post.voice) == ((item.id,), 1.0, "human"), (
        "two words of praise"
    )
    told = [event for event in events if isinstance(event, e.Delivered) and event.author == who]
    assert [(event.to, event.voice) for event in told] == [((3, 5), "human")]
    said = [event for event in events if isinstance(event, e.Said) and event.agent == who]
    assert (said[0].items, said[0].stance, said[0].text) == (
        (item.id,),
        -1.0,
        f"<{item.title}>? No",
    )
    heard = {mention.stance for mention in world.agents[said[0].to].heard if mention.who == who}
    assert heard == {-1.0, 1.0}
    assert not [event for event in events if isinstance(event, e.Refused | e.Unfounded)]


def test_a_newcomer_has_its_own_id_though_others_will_come_later(tmp_path: Path) -> None:
    rest = '[[interventions]]\nround = 4\ndo = "add_person"\nname = "Late"\n'
    start(parse(SMALL.format(rounds=2, rest=rest)), 1, tmp_path / "run")
    who, _ = play_person(tmp_path / "run", None, Terminal(["n"] * 2), name="Me", rounds=2)
    with Log.open(tmp_path / "run") as log:
        world = world_at(log, 4)
    assert who == 12
    assert [world.profile(one).name for one in (12, 13)] == ["Me", "Late"]


class Crash(KeyboardInterrupt):
    """The machine goes down."""


class Failing(Terminal):
    def __call__(self, words: str) -> str | None:
        if not self.lines:
            raise Crash
        return super().__call__(words)


def test_what_was_typed_before_a_crash_is_not_asked_for_again(run: Path) -> None:
    with pytest.raises(Crash):
        play_person(run, ME, Failing(["r", "1", "50"]))
    terminal = Terminal(["3", "So so.", "l", ""])
    play_person(run, ME, terminal)
    mine = events(visits(run, 3)[ME])
    assert [one.fraction for one in mine if isinstance(one, e.Watched)] == [0.5]
    assert e.Felt in [type(one) for one in mine]
    assert "Stars, 1 to 5" in terminal.shown[0]


def test_nobody_joins_a_round_that_has_begun(run: Path) -> None:
    with pytest.raises(Crash):
        play_person(run, None, Failing(["r"]), name="Zoe")
    with pytest.raises(BadInput, match="round 3 has begun, and nobody can join it"):
        play_person(run, None, Terminal(["n"]), name="Zoe")
    play_person(run, 12, Terminal(["l", ""]))
    assert e.SlateShown in [type(one) for one in events(visits(run, 3)[12])]


def test_when_nobody_answers_the_visit_fails_and_the_run_goes_on(run: Path) -> None:
    _, done = play_person(run, ME, Terminal(["r", "1"]), rounds=2)
    assert done.rounds == 4
    ends = events(visits(run, 3)[ME])[-2:]
    assert ends == [e.Failed(ME, "nobody answered"), e.Left(ME, None, "failed")]
    assert not [one for one in events(visits(run, 3)[ME]) if isinstance(one, e.Picked)]
    assert done.measured.totals["failed"] == 2


def test_a_person_may_take_its_time(tmp_path: Path) -> None:
    text = SMALL.format(rounds=1, rest="[run]\ndeadline = 0.05")
    start(parse(text), 1, tmp_path / "run")

    def slow(words: str) -> str:
        time.sleep(0.15)
        return "n"

    _, done = play_person(tmp_path / "run", ME, slow)
    assert done.measured.totals["failed"] == 0


@pytest.mark.parametrize("agent", [-1, 12, 99])
def test_nobody_can_be_played_who_is_not_there(run: Path, agent: int) -> None:
    with pytest.raises(BadInput, match=f"person {agent} does not exist; give an id from 0 to 11"):
        play_person(run, agent, Terminal([]))
    with pytest.raises(BadInput, match="--rounds 0 is too small"):
        play_person(run, ME, Terminal([]), rounds=0)
