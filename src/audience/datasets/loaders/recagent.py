"""RecAgent's files as they are: item.csv, user_1000.csv, relationship_1000.csv, interaction.csv."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from audience.datasets.corpus import Corpus, Edges, SkipTally, friendships, joined
from audience.datasets.loaders.blocks import (
    Block,
    Gathering,
    TableFormat,
    table_blocks,
)
from audience.datasets.people import TagWords
from audience.datasets.source import Source
from audience.errors import BadInput
from audience.files import check_regular
from audience.world import HABITS, Domain, Habits, Item, Profile

_CSV = TableFormat(quoted=True)
ITEM = ("id", "title", "genre", "description")
USER = ("id", "name", "gender", "age", "traits", "status", "interest", "feature")
TIE = ("user_1", "user_2", "relationship", "closeness")
_NAMED = 5
"""Interests without a genre that are named."""
LIVED = ("user_id", "item_id", "rating")


def find_recagent(source: Source) -> tuple[str, str] | None:
    """Return the files of items and people, or None if this is another folder."""
    items = next((n for n in source.ending(".csv") if PurePosixPath(n).name == "item.csv"), None)
    people = [n for n in source.ending(".csv") if PurePosixPath(n).name.startswith("user")]
    return (items, people[0]) if items and people else None


def read_recagent(
    source: Source,
    *,
    item: str = "",
    user: str = "",
    relationship: str = "",
    interaction: str = "",
) -> Corpus:
    """Return RecAgent's items, people, ties and, if there are any, interactions.

    In interaction.csv a rating of 1 says watched; 0 says shown and not watched: that is no
    interaction and is counted.
    """
    names = find_recagent(source) or ("item.csv", "user_1000.csv")
    item, user = item or names[0], user or names[1]
    lived = interaction or ("interaction.csv" if "interaction.csv" in source else "")
    ties = relationship or next(iter(_starting(source, "relationship")), "")
    gathering = Gathering(source.shown(lived or user))
    items = gathering.number_items(_items(source, item), source.shown(item))
    interests = InterestWords(dict.fromkeys(tag for one in items for tag in one.tags))
    who = _people(source, user, interests)
    people = gathering.number_people(who, source.shown(user))
    interests.report(gathering.tally)
    if not items or not people:
        raise BadInput(f"{source.path}: {item} and {user} need at least one line each")
    edges = _ties(source, ties, gathering) if ties else None
    domain = Domain("film", "films", "watched")
    if lived and _interactions(source, lived, gathering):
        return gathering.corpus("RecAgent", items, people, domain, edges)
    nothing, skipped = joined(()), gathering.tally.skipped()
    return Corpus("RecAgent", tuple(items), tuple(people), nothing, edges, domain, skipped=skipped)


def _starting(source: Source, begin: str) -> list[str]:
    return [n for n in source.ending(".csv") if PurePosixPath(n).name.startswith(begin)]


def _items(source: Source, name: str) -> Iterator[Item]:
    for block in table_blocks(source, name, _CSV, ITEM):
        titles, genres, abouts = (block.columns[column] for column in ITEM[1:])
        for row, key in enumerate(block.keys("id")):
            tags = tuple(dict.fromkeys(t.strip() for t in genres[row].split("|") if t.strip()))
            about = " ".join(abouts[row].split())
            yield Item(row, titles[row].strip() or key, about, tags, key=key)


class InterestWords:
    """Turns interests into genres, and counts those that name none."""

    def __init__(self, genres: Iterable[str]) -> None:
        self._words = TagWords(genres)
        self._unknown: Counter[str] = Counter()
        self._without = 0
        self._first = ""

    def genres(self, interests: Sequence[str], where: str) -> tuple[str, ...]:
        """Return genres, each once; an interest that names none stays as it is."""
        named = {interest: self._words.tags_of(interest) for interest in interests}
        unknown = [interest for interest, tags in named.items() if not tags]
        self._unknown.update(unknown)
        self._without += len(unknown) == len(named) > 0
        self._first = self._first or (where if unknown else "")
        return tuple(dict.fromkeys(one for i, tags in named.items() for one in tags or (i,)))

    def report(self, tally: SkipTally) -> None:
        """Count the interests without a genre in the tally, the most common ones by name."""
        most = self._unknown.most_common(_NAMED)
        listed = ", ".join(f"{interest!r} {count}" for interest, count in most)
        more = ", …" if len(self._unknown) > len(most) else ""
        rest = f"{self._without} people have no others"
        reason = f"interests that name no genre: {listed}{more}; {rest}"
        tally.add(reason, self._first, self._unknown.total())


def _people(source: Source, name: str, interests: InterestWords) -> Iterator[Profile]:
    """Yield people; an interest that means a genre, as in `romantic movies`, becomes that genre."""
    for block in table_blocks(source, name, _CSV, USER):
        ages = block.numbers("age", low=0, high=130)
        cells = [block.columns[c] for c in ("name", "gender", "traits", "status", "interest")]
        for row, key in enumerate(block.keys("id")):
            called, gender, traits, career, likes = (cell[row].strip() for cell in cells)
            yield Profile(
                row,
                called,
                gender,
                None if np.isnan(ages[row]) else int(ages[row]),
                _listed(traits),
                career,
                interests.genres(_listed(likes), block.place(row)),
                _habits(block, row),
                key=key,
            )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _habits(block: Block, row: int) -> Habits:
    words = [w.strip().lower() for w in block.columns["feature"][row].split(";") if w.strip()]
    for word in words:
        if word not in HABITS:
            raise block.wrong(
                row, "feature", f"{word!r} is not a feature; known: {', '.join(HABITS)}"
            )
    return Habits(*(float(habit in words) for habit in HABITS))


def _ties(source: Source, name: str, gathering: Gathering) -> Edges:
    known = gathering.people.known

    def pairs() -> Iterator[tuple[int, int, str, float]]:
        for block in table_blocks(source, name, _CSV, TIE):
            closeness = block.numbers("closeness", low=0.0, high=1.0)
            kinds = block.columns["relationship"]
            sides = zip(block.keys("user_1"), block.keys("user_2"), strict=True)
            for row, (first, other) in enumerate(sides):
                if first not in known or other not in known:
                    stranger = first if first not in known else other
                    raise block.wrong(row, "user_1", f"{stranger!r} is not an id of the people")
                kind, close = kinds[row].strip() or "friend", float(closeness[row])
                yield known[first], known[other], kind, 0.5 if np.isnan(close) else close

    return friendships(pairs(), mutual=False)


def _interactions(source: Source, name: str, gathering: Gathering) -> int:
    """Add what was watched, and return how much that is."""
    taken = 0
    for block in table_blocks(source, name, _CSV, LIVED):
        ratings = block.numbers("rating", low=0.0, high=1.0)
        watched = np.flatnonzero(ratings > 0).tolist()
        where = f"{block.where}: line {block.line}"
        gathering.tally.add("shown and not watched", where, len(ratings) - len(watched))
        users, items = block.keys("user_id"), block.keys("item_id")
        gathering.add(block, [users[row] for row in watched], [items[row] for row in watched])
        taken += len(watched)
    return taken


Value = str | int | float | bool | None


def read_yaml(path: Path) -> dict[str, Value | list[Value]]:
    """Return the settings of a flat YAML file; a nested one is refused with its line."""
    import yaml

    check_regular(path)
    try:
        text = path.read_text("utf-8-sig")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        tree = yaml.safe_load(text)
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist; give the path of a config.yaml") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BadInput(f"{path}: line {line}: {error.problem}; fix the YAML there") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BadInput(f"{path}: {error}; write plain lines `key: value`") from None
    if not isinstance(tree, dict):
        raise BadInput(f"{path}: line 1: there is no `key: value`; give a file of settings")
    seen: dict[str, None] = {}
    for key, value in root.value:
        where = f"{path}: line {key.start_mark.line + 1}"
        if key.value in seen:
            raise BadInput(f"{where}: {key.value!r} appears twice; delete one")
        if value.id == "mapping" or any(part.id != "scalar" for part in _parts(value)):
            raise BadInput(f"{where}: {key.value!r} is not flat; write a plain value or a list")
        seen[key.value] = None
    values = [None if value == "None" else value for value in tree.values()]
    return dict(zip(seen, values, strict=True))


def _parts(node: Any) -> list[Any]:  # noqa: ANN401
    """Return the nodes of a list."""
    return list(node.value) if node.id == "sequence" else []
