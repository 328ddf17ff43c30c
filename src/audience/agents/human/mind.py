"""The human mind: a person plays an agent, at the terminal or on the web page.

The person is a gateway: each typed line is a call, so it is stored at once, and an interrupted run
asks nothing twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol, runtime_checkable

from audience.agents.human.words import understood
from audience.agents.language import as_said, because, item_line, news_in
from audience.agents.mind import Decision, Mind
from audience.llm import ChatMessage, Gateway, Reply, Request
from audience.memory import Memory
from audience.parts import Options, PartContext
from audience.world import HUMAN, Dice, Observation, actions as a, shown

Found = tuple[a.AnyAction, ...] | str
"""What to attempt, or what to show before asking again."""
About = Literal["turn", "watched", "stars", "feeling", "satisfaction", "news"]
"""What a person is asked about: the next action, or one detail of it."""
_MOST_LINES = 60


@runtime_checkable
class Player(Protocol):
    """A person who is also told what a question is about, besides its text."""

    async def answer(self, about: About, request: Request) -> Reply:
        """Return what is typed."""
        ...


class HumanMind:
    """Shows what an agent sees and turns typed lines into actions, asking again if unclear."""

    def __init__(self, gateway: Gateway | Player) -> None:
        self.gateway = gateway

    @classmethod
    def build(cls, context: PartContext, /) -> HumanMind:
        """Return a mind whose person is the gateway of the run."""
        return cls(context.door)

    @staticmethod
    def asks_models(options: Options, suited: str) -> bool:
        del options, suited
        return True

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        del memory
        table = _Table(self.gateway, seen, dice)
        view, read = _VIEWS[seen.surface]
        words = view(seen)
        for _ in range(_MOST_LINES):
            typed = await table.ask(words)
            if typed is None:
                return Decision((), "", tuple(table.calls), failure="nobody answered")
            found = await read(seen, typed, table)
            if not isinstance(found, str):
                return Decision(found, "", tuple(table.calls))
            words = found
        return Decision((), "", tuple(table.calls), failure="no clear answer")


class MixedMind:
    """Some agents have minds of their own; the rest share one."""

    def __init__(self, special: dict[int, Mind], otherwise: Mind) -> None:
        self.special = special
        self.otherwise = otherwise

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        mind = self.special.get(seen.me.profile.id, self.otherwise)
        return await mind.decide(seen, memory, dice)


class _Table:
    """The dialogue with the person during one decision, and the actions so far."""

    def __init__(self, gateway: Gateway | Player, seen: Observation, dice: Dice) -> None:
        self.gateway = gateway
        self.salt = f"human.{int(dice.keys[0]):016x}"
        self.calls: list[str] = []
        self.actions: list[a.AnyAction] = []
        self.seen = seen

    async def ask(self, words: str, about: About = "turn") -> str | None:
        """Return what was typed, or None if nobody answers."""
        request = Request(
            "human", (ChatMessage("user", words),), salt=f"{self.salt}.{len(self.calls)}"
        )
        player = self.gateway
        if isinstance(player, Player):
            reply = await player.answer(about, request)
        else:
            reply = await player.ask(request)
        self.calls.append(reply.key)
        return reply.text.strip() if reply.outcome == "reply" else None


def _home_view(seen: Observation) -> str:
    news = [f"  {message.text}" for message in seen.me.inbox]
    inbox = "\n".join(["New posts:", *news, ""]) if news else ""
    return (
        f"\nIt is {shown(seen.now)}. You are {seen.me.profile.name}.\n{inbox}"
        "[r] recommendations  [s words] search  [f] friends  [n] nothing > "
    )


async def _home(seen: Observation, typed: str, table: _Table) -> Found:
    letter, _, rest = typed.partition(" ")
    ways: dict[str, tuple[a.AnyAction, ...]] = {
        "r": (a.Enter("recommender"), a.Browse()),
        "f": (a.Enter("social"),),
        "n": (a.Nothing(),),
    }
    if letter == "s" and rest.strip():
        return a.Enter("recommender"), a.Search(rest.strip())
    return ways.get(letter, "Type r, s and words, f, or n > ")


def _page_view(seen: Observation) -> str:
    now = seen.me.situation
    named = {**a.PAGE_SURFACES, "recommender": "recommended for you"}
    title = named[now.surface].capitalize()
    lines = [
        f"  {place + 1}. {item_line(seen.catalogue[item])}{because(seen, place)}"
        for place, item in enumerate(now.slate)
    ]
    return "\n".join(["", f"{title}, page {now.page + 1}:", *lines, _page_help(seen)])


def _page_help(seen: Observation) -> str:
    ways = ["[1-9] pick"]
    ways += ["[n] next page"] if "NextPage" in seen.menu else []
    ways += ["[s words] search"] if "Search" in seen.menu else []
    ways += [f"[{field} 1-9]" for field in a.page_fields()]
    return "  ".join([*ways, "[f] friends", "[l] leave > "])


async def _page(seen: Observation, typed: str, table: _Table) -> Found:
    letter, _, rest = typed.partition(" ")
    slate = seen.me.situation.slate
    if letter.isdecimal():
        if not 1 <= int(letter) <= len(slate):
            return f"There is no number {letter} on the page. {_page_help(seen)}"
        return await _pick(slate[int(letter) - 1], table)
    if letter in (fields := a.page_fields()) and rest.strip().isdecimal():
        place = int(rest)
        if 1 <= place <= len(slate):
            table.actions.append(fields[letter](slate[place - 1]))
        return _page_help(seen)
    done = tuple(table.actions)
    if letter == "n" and "NextPage" in seen.menu:
        return *done, a.NextPage()
    if letter == "s" and "Search" in seen.menu and rest.strip():
        return *done, a.Search(rest.strip())
    if letter == "f":
        return *done, a.Enter("social")
    if letter == "l":
        words = "How satisfied are you, 1 to 10 (Enter to skip)? > "
        mark = await _number(table, words, 10, "satisfaction")
        return *done, a.Leave(None if mark is None else round((mark - 1) / 9, 4))
    return _page_help(seen)


async def _pick(item: int, table: _Table) -> Found:
    seen = table.seen
    title = seen.catalogue[item].title
    if any(isinstance(action, a.Pick) and action.item == item for action in table.actions):
        return f"You have picked {title} already. {_page_help(seen)}"
    words = f"How much of {title}, in percent (Enter for all)? > "
    percent = await _number(table, words, 100, "watched")
    stars = await _number(table, "Stars, 1 to 5 (Enter for none)? > ", 5, "stars")
    table.actions.append(a.Pick(item, 1.0 if percent is None else percent / 100))
    if stars:
        words = await table.ask("What did you feel (Enter for nothing)? > ", "feeling") or ""
        table.actions.append(a.Rate(item, stars, words, voice=HUMAN))
    return _page_help(seen)


async def _number(table: _Table, words: str, most: int, about: About) -> int | None:
    """Return a whole number from 1 to `most`, or None if it was skipped."""
    for _ in range(_MOST_LINES):
        typed = await table.ask(words, about)
        if not typed:
            return None
        if typed.isdecimal() and 1 <= int(typed) <= most:
            return int(typed)
        words = f"A number from 1 to {most}, or Enter > "
    return None


def _social_view(seen: Observation) -> str:
    friends = [
        f"  {place}. {friend.name} ({friend.kind})" for place, friend in enumerate(seen.friends, 1)
    ]
    posts = [f"  f{place}. {message.text}" for place, message in enumerate(seen.me.inbox, 1)]
    parts = ["", "Your friends:", *friends] + (["Posts:", *posts] if posts else [])
    return "\n".join([*parts, _SOCIAL_HELP])


_SOCIAL_HELP = (
    "[p words] post  [1-9 words] write to a friend (+ or - first: for or against)  [f1] forward  "
    "[r] recommendations  [l] leave > "
)


async def _social(seen: Observation, typed: str, table: _Table) -> Found:
    letter, _, rest = typed.partition(" ")
    done = tuple(table.actions)
    if letter == "l":
        return *done, a.Leave()
    if letter == "r":
        return *done, a.Enter("recommender"), a.Browse()
    said = _said(seen, letter, rest.strip())
    if said is None:
        return _SOCIAL_HELP
    table.actions.append(said)
    return f"Done. {_SOCIAL_HELP}"


def _said(seen: Observation, letter: str, words: str) -> a.AnyAction | None:
    if letter == "p" and words:
        return a.Post(*understood(seen, words), voice=HUMAN)
    if letter.isdecimal() and words and 1 <= int(letter) <= len(seen.friends):
        friend = seen.friends[int(letter) - 1]
        return a.Say(friend.id, *understood(seen, words), voice=HUMAN)
    number = letter[1:]
    if letter[:1] == "f" and number.isdecimal() and 1 <= int(number) <= len(seen.me.inbox):
        return a.Forward(seen.me.inbox[int(number) - 1].post)
    return None


def _talk_view(seen: Observation) -> str:
    friend = seen.friends[0].name
    me = seen.me.profile.id
    lines = [f"  {'You' if line.agent == me else friend}: {line.text}" for line in seen.lines]
    return "\n".join(["", f"You talk with {friend}:", *lines, "Your words (Enter to end) > "])


async def _talk(seen: Observation, typed: str, table: _Table) -> Found:
    if not typed:
        return (a.Leave(),)
    return (a.Say(seen.friends[0].id, *understood(seen, typed), voice=HUMAN),)


def _news_view(seen: Observation) -> str:
    names = {standing.number: standing.topic.name for standing in seen.news}
    posts = [
        f"  {place}. ({names[message.topic]}) {as_said(message.text)}"
        for place, message in enumerate(news_in(seen), 1)
    ]
    return "\n".join(["", "News:", *posts, _NEWS_HELP])


_NEWS_HELP = "[f1] forward  [p1 words] write about it  [l] leave it > "


async def _news(seen: Observation, typed: str, table: _Table) -> Found:
    letter, _, rest = typed.partition(" ")
    told, number = news_in(seen), letter[1:]
    known = number.isdecimal() and 1 <= int(number) <= len(told)
    last: tuple[a.AnyAction, ...] = ()
    if letter[:1] == "f" and known:
        last = (a.Forward(told[int(number) - 1].post),)
    elif letter[:1] == "p" and known and rest.strip():
        text, items, stance = understood(seen, rest.strip())
        last = (a.Post(text, items, stance, HUMAN, told[int(number) - 1].topic),)
    elif letter != "l":
        return _NEWS_HELP
    for standing in seen.news:
        words = f"{standing.topic.name}: 1 calm, 2 moderate, 3 intense > "
        level = await _number(table, words, 3, "news")
        side = await _number(table, f"{standing.topic.name}: 1 against, 2 for > ", 2, "news")
        table.actions += [a.Feel(standing.number, level - 1)] if level else []
        table.actions += [a.Hold(standing.number, 2 * side - 3)] if side else []
    return *table.actions, *last


_VIEWS: dict[
    str, tuple[Callable[[Observation], str], Callable[[Observation, str, _Table], Awaitable[Found]]]
] = {
    "home": (_home_view, _home),
    **dict.fromkeys(a.PAGE_SURFACES, (_page_view, _page)),
    "social": (_social_view, _social),
    "conversation": (_talk_view, _talk),
    "news": (_news_view, _news),
}
