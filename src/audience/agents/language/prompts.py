"""Prompts of minds: files with named holes, filled here from an observation.

Parts that stay the same come first, so that prefix caches hit. Each part has a budget in tokens
(four characters each) and drops its oldest lines when it is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from audience.agents.language.reply_schema import (
    PLAIN,
    Wording,
    distant,
    examples_of,
    fields_of,
    form_of,
    home_ways,
    listed_friends,
    listed_posts,
    may_search,
    page_ways,
)
from audience.llm import CHARACTERS, Prompts, bounded, plain, quoted
from audience.world import (
    HABITS,
    MENUS,
    Agent,
    Friend,
    Item,
    Lived,
    Observation,
    Situation,
    Thought,
    actions as a,
    moment_of_day,
    shown,
)

HISTORY, HEARD, INBOX, MEMORY, FRIENDS = 130, 45, 160, 400, 90
"""Token budgets of the parts."""
HISTORY_RAW = 400
"""The token budget of the history where it alone shows what an agent likes."""
HISTORY_BESIDE = {"home": 0, "page": 60, "social": 40, "talk": 40}
"""Token budgets of the history beside recalled thoughts, by behaviour."""
LATELY = 24
"""Items of a history in a few words each."""
LETTERS = "ABCDEFGHIJKLMNOPQRST"
"""The marks of options, each one token."""
NAME, TITLE, THOUGHT, REASON = 80, 120, 500, 120
"""The most characters of a name, a title, a thought and a reason."""
_HABIT_WORDS = {
    "watcher": "rates and comments on what they see",
    "explorer": "looks for things they heard of",
    "critic": "has high standards",
    "chatter": "likes private talks and trusts friends",
    "poster": "likes to post in public",
}
_YOUR_HABITS = {
    "watcher": "you rate and comment on what you see",
    "explorer": "you look for things you heard of",
    "critic": "you have high standards",
    "chatter": "you like private talks and trust friends",
    "poster": "you like to post in public",
}
ANGLES = (
    "what you liked or disliked most",
    "one moment of it",
    "what it reminds you of",
    "the mood it leaves you in",
    "whether it was worth your time",
    "somebody in it",
    "what you had expected",
    "how it goes on in your mind",
)
"""What a feeling may be about, drawn anew each time, so that people do not all say the same."""
_EYE = ", of which these catch your eye, as people with your history take them"
_BEHAVIOURS = {
    "home": HABITS,
    "page": ("watcher", "explorer", "critic"),
    "social": ("chatter", "poster"),
    "talk": ("chatter", "critic"),
    "interview": HABITS,
}


PROMPTS = Path(__file__).parent / "prompts"
"""The folder of the prompt files of minds."""


def mind_prompts(folder: str = "", model: str = "") -> Prompts:
    """Return the prompt files of minds, overridden by those of a folder."""
    return Prompts(PROMPTS, folder=folder, model=model)


CONTEXTS = ("weekday", "mood", "company")
_COMPANY = ("alone", "alone", "with family around", "with a friend")


def context(seen: Observation, kinds: Sequence[str], draw: float) -> str:
    """Return the moment in words: the time and, if requested, mood and company."""
    now = seen.now
    parts = [f"{moment_of_day(now)} ({shown(now)})" if "weekday" in kinds else shown(now)]
    if "mood" in kinds:
        mood = seen.me.satisfaction
        kind = "a good" if mood > 0.6 else "a bad" if mood < 0.4 else "no special"
        parts.append(f"in {kind} mood")
    if "company" in kinds:
        parts.append(_COMPANY[int(draw * len(_COMPANY))])
    return ", ".join(parts)


def holes_of(
    seen: Observation,
    recalled: Sequence[Thought],
    behaviour: str,
    *,
    contexts: Sequence[str] = ("weekday",),
    draw: float = 0.0,
    told: Sequence[str] | None = None,
    wording: Wording = PLAIN,
) -> dict[str, str]:
    """Return the values of all holes of a prompt of this behaviour.

    `told` is the evidence on each item of the page; with it the raw history replaces the profile.
    """
    me, now = seen.me, seen.me.situation
    domain, raw, slate = seen.domain, told is not None, now.slate
    asked = seen.surface in MENUS and seen.surface != "news"
    return {
        "noun": domain.noun,
        "plural": domain.plural,
        "past": domain.past,
        "name": plain(me.profile.name, NAME) or "this person",
        "person": person(me, behaviour, domain.plural, raw=raw),
        "you": you(me, behaviour, domain.plural, raw=raw),
        "memory": bounded(
            "You remember:", _once(plain(thought.text, THOUGHT) for thought in recalled), MEMORY
        ),
        "history": history(seen, _room(behaviour, bool(recalled), told)),
        "heard": heard(seen),
        "inbox": inbox(seen) if behaviour != "home" else _unread(me),
        "now": context(seen, contexts, draw),
        "surface": a.PAGE_SURFACES.get(now.surface, "recommendations"),
        "searched": _searched(now),
        "page_number": str(max(now.page, 0) + 1),
        "visit": _visit(me),
        "page": _page(seen, told),
        "options": _options(seen, told),
        "titles": _titles(seen),
        "places": _places(seen),
        "brief": _brief(me),
        "lately": _lately(seen),
        "eye": _EYE if raw and slate else "",
        "likes": "" if raw or not slate else _likes(me),
        "form": form_of(fields_of(seen, wording)) if asked else "",
        "examples": examples_of(seen, wording) if behaviour in ("home", "page") else "",
        "topic": ANGLES[int(draw * len(ANGLES))],
        "angle": "",
        "feeling": "",
        "paging": "",
        "searching": "",
        "pause": "",
        "friends": _people(listed_friends(seen), kinds=True),
        "turning": _turning(seen),
    }


def snippets(seen: Observation, wording: Wording) -> tuple[str, ...]:
    """Return the holes that prompt files of their own fill where they apply."""
    if seen.surface == "home":
        return ("searching",) if "search" in home_ways(seen) else ()
    if seen.surface not in a.PAGE_SURFACES:
        return ()
    applies = {
        "feeling": wording.says_feelings(seen),
        "angle": wording.says_feelings(seen),
        "paging": len(page_ways(seen)) > 1,
        "searching": may_search(seen),
        "pause": wording.pause,
    }
    return tuple(name for name, is_there in applies.items() if is_there)


def _searched(now: Situation) -> str:
    """Return the words that the results of a search are for, where they are known."""
    if now.surface != "search" or not now.searched:
        return ""
    return f" for {quoted(now.searched, TITLE)}"


def _room(behaviour: str, remembers: bool, told: Sequence[str] | None) -> int:
    """Return the token budget of the history."""
    if told is not None:
        return HISTORY_RAW
    return HISTORY_BESIDE.get(behaviour, HISTORY) if remembers else HISTORY


def _turning(seen: Observation) -> str:
    """Return whom the agent may follow or unfollow; mostly nobody."""
    lines = [
        f"{words} {_people(people)}."
        for words, people in (
            ("You may follow", seen.strangers),
            ("You may unfollow", distant(seen)),
        )
        if people
    ]
    return " ".join(lines)


def you(me: Agent, behaviour: str, plural: str, *, raw: bool = False) -> str:
    """Return a description of an agent in the second person; `raw`: without its tastes."""
    who = me.profile
    about = [str(who.age)] if who.age is not None else []
    about += [plain(part, NAME) for part in (who.gender, who.career) if part]
    lines = [f"You are {', '.join([plain(who.name, NAME) or 'a person', *about])}."]
    if raw:
        return lines[0]
    if who.traits:
        lines.append(f"You are {_listed(who.traits)}.")
    if who.interests:
        lines.append(f"You like these {plural}: {_listed(who.interests)}.")
    habits = [
        _YOUR_HABITS[name] for name in _BEHAVIOURS[behaviour] if getattr(who.habits, name) >= 0.5
    ]
    if habits:
        lines.append("; ".join(habits).capitalize() + ".")
    return " ".join(lines)


def _likes(me: Agent) -> str:
    """Return what an agent likes, once more where it is asked to choose."""
    return f"You like {_listed(me.profile.interests)}." if me.profile.interests else ""


def person(me: Agent, behaviour: str, plural: str, *, raw: bool = False) -> str:
    """Return a description of an agent for a behaviour; `raw`: without its tastes."""
    who = me.profile
    parts = [plain(who.name, NAME) or "A person"]
    if who.age is not None:
        parts.append(f"{who.age}")
    parts += [plain(part, NAME) for part in (who.gender, who.career) if part]
    if raw:
        return ", ".join(parts) + "."
    traits = f": {_listed(who.traits)}" if who.traits else ""
    lines = [f"{', '.join(parts)}{traits}."]
    if who.interests:
        lines.append(f"Likes {plural}: {_listed(who.interests)}.")
    habits = [
        _HABIT_WORDS[name] for name in _BEHAVIOURS[behaviour] if getattr(who.habits, name) >= 0.5
    ]
    if habits:
        lines.append(f"Habits: {'; '.join(habits)}.")
    return " ".join(lines)


def _listed(words: Iterable[str]) -> str:
    return plain(", ".join(plain(word, NAME) for word in words), 4 * NAME)


def history(seen: Observation, budget: int = HISTORY) -> str:
    """Return what an agent watched, newest last, as raw facts."""
    lines = [lived_line(entry, seen.catalogue[entry.item].title) for entry in seen.me.history]
    return bounded(f"{seen.domain.past.capitalize()} before, newest last:", lines, budget)


def lived_line(lived: Lived, title: str) -> str:
    """Return an item as an agent lived it: its title, the stars, and where it was left."""
    stars = f", {lived.stars} stars" if lived.stars else ""
    dropped = "" if lived.fraction > 0.9 else f", left at {lived.fraction:.0%}"
    return f"<{plain(title, TITLE)}>{stars}{dropped}"


def heard(seen: Observation) -> str:
    """Return what an agent heard of from others and has not watched yet."""
    lived = {entry.item for entry in seen.me.history}
    news = {mention.item: mention for mention in seen.me.heard if mention.item not in lived}
    lines = [
        f"<{plain(seen.catalogue[item].title, TITLE)}> ({_side(mention.stance)})"
        for item, mention in news.items()
    ]
    return bounded("Heard of from others:", lines, HEARD)


def _side(stance: float) -> str:
    return "good" if stance > 0.2 else "bad" if stance < -0.2 else "mixed"


def inbox(seen: Observation, budget: int = INBOX) -> str:
    """Return the newest posts, numbered and quoted."""
    posts = [f"[{n}] {quoted(post.text)}" for n, post in enumerate(listed_posts(seen), 1)]
    return bounded("New posts:", posts, budget)


def _unread(me: Agent) -> str:
    """Return how many posts are new, which is all that is seen of them at home."""
    count = len(me.inbox)
    return f"There {'is 1 new post' if count == 1 else f'are {count} new posts'}." if count else ""


def _page(seen: Observation, told: Sequence[str] | None) -> str:
    """Return the items of the page, numbered by place, one per line."""
    lived = {entry.item for entry in seen.me.lived_now()}
    lines = [
        _offered(seen, told, place, place + 1) + (" (picked already)" if item in lived else "")
        for place, item in enumerate(seen.me.situation.slate)
    ]
    return "\n".join(lines) or "(nothing)"


def _offered(seen: Observation, told: Sequence[str] | None, place: int, mark: int | str) -> str:
    item = seen.catalogue[seen.me.situation.slate[place]]
    return item_line(item, mark) + because(seen, place) + known(told, place)


def optional_places(seen: Observation) -> list[int]:
    """Return the places of a page that may be chosen, in the order in which options list them.

    They are ordered by title, so that a choice cannot depend on the order of the page; nothing that
    was picked in this visit is among them.
    """
    lived = {entry.item for entry in seen.me.lived_now()}
    slate = seen.me.situation.slate
    places = [place for place, item in enumerate(slate) if item not in lived]
    return sorted(places, key=lambda place: (seen.catalogue[slate[place]].title, slate[place]))


def _options(seen: Observation, told: Sequence[str] | None) -> str:
    """Return the items that may be chosen, lettered."""
    pairs = zip(LETTERS, optional_places(seen), strict=False)
    return "\n".join(_offered(seen, told, place, letter) for letter, place in pairs)


def _titles(seen: Observation) -> str:
    """Return the items that may be chosen, lettered, in as few words as tell them apart."""
    pairs = zip(LETTERS, optional_places(seen), strict=False)
    return "\n".join(f"{letter} {_in_brief(seen, place)}" for letter, place in pairs)


def _places(seen: Observation) -> str:
    """Return the items of the page, numbered by place, in as few words as tell them apart."""
    places = range(len(seen.me.situation.slate))
    return "\n".join(f"{place + 1} {_in_brief(seen, place)}" for place in places)


def _in_brief(seen: Observation, place: int) -> str:
    item = seen.me.situation.slate[place]
    stance = next((said.stance for said in reversed(seen.me.heard) if said.item == item), None)
    heard_of = "" if stance is None else f", heard {_side(stance)}"
    return brief_line(seen.catalogue[item]) + heard_of


def brief_line(item: Item) -> str:
    """Return an item in a few words: its title and tags."""
    tags = f" ({_listed(item.tags)})" if item.tags else ""
    return f"{plain(item.title, TITLE)}{tags}"


def _brief(me: Agent) -> str:
    """Return who an agent is in a few words: age, gender, career, interests."""
    who = me.profile
    about = [str(who.age)] if who.age is not None else []
    about += [plain(part, NAME) for part in (who.gender, who.career) if part]
    likes = [f"likes {_listed(who.interests)}"] if who.interests else []
    return "; ".join(filter(None, [", ".join(about), *likes]))


def _lately(seen: Observation) -> str:
    """Return the last items of an agent in a few words each, newest last.

    What is lived in a visit is added and nothing is dropped for it, so that all its prompts begin
    alike and a server reads that once.
    """
    count = LATELY + len(seen.me.lived_now())
    items = [seen.catalogue[entry.item] for entry in seen.me.history[-count:]]
    return "\n".join(map(brief_line, items))


def because(seen: Observation, place: int) -> str:
    """Return the recommender's reason for an item of the page, quoted, if there is one."""
    reasons = seen.me.situation.reasons
    if place >= len(reasons) or not reasons[place]:
        return ""
    return f" (why: {quoted(reasons[place], REASON)})"


def known(told: Sequence[str] | None, place: int) -> str:
    """Return the evidence on an item of the page, if there is any."""
    return f" ({told[place]})" if told and told[place] else ""


def _people(people: Sequence[Friend], *, kinds: bool = False) -> str:
    """Return people by number, with the kind of tie if wanted, as many as there is room for."""
    parts: list[str] = []
    room = FRIENDS * CHARACTERS
    for place, friend in enumerate(people, 1):
        kind = f" ({plain(friend.kind, NAME)})" if kinds and friend.kind else ""
        parts.append(f"[{place}] {plain(friend.name, NAME)}{kind}")
        room -= len(parts[-1]) + 2
        if room < 0:
            parts.pop()
            break
    return ", ".join(parts)


def _once(lines: Iterable[str]) -> list[str]:
    """Return lines without duplicates, keeping the last of each."""
    kept = dict.fromkeys(reversed(list(lines)))
    return list(reversed(kept))


def item_line(item: Item, number: int | str | None = None) -> str:
    """Return an item as a page shows it, marked by its place or letter or else by its id."""
    facts = [str(item.year)] if item.year else []
    facts += [_listed(item.tags)] if item.tags else []
    facts += [f"{item.minutes:.0f} min"] if item.minutes else []
    about = plain(item.about, 160)
    listed = f" ({'; '.join(facts)})" if facts else ""
    number = item.id if number is None else number
    return f"[{number}] <{plain(item.title, TITLE)}>{listed}" + (f" {about}" if about else "")


def _visit(me: Agent) -> str:
    lived = len(me.lived_now())
    return f", {lived} picked in this visit so far" if lived else ""
