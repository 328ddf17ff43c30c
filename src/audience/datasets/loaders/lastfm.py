"""HetRec 2011 Last.fm: who listens to which artist how often, and who is whose friend."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from audience.datasets.corpus import Corpus, Edges, friendships
from audience.datasets.loaders.blocks import Block, Gathering, TableFormat, table_blocks
from audience.datasets.source import Source
from audience.world import Domain, Item

FILES = ("user_artists.dat", "user_friends.dat", "artists.dat")
HALF = 260.0
"""Plays that count as half consumed: the median of this dataset."""
_MOST_TAGS = 5
_ROW = re.compile(rb"\d+\t\d+")


def read_lastfm(source: Source, *, half: float = HALF) -> Corpus:
    """Return artists as items, plays as the fraction consumed, friends as ties.

    There are no timestamps; a person's artists count as heard in the order of the file.
    """
    gathering = Gathering(source.shown("user_artists.dat"), half=half)
    where = source.shown("artists.dat")
    artists = gathering.number_items(_artists(source), where)
    for block in _tables(source, "user_artists.dat", ("userid", "artistid", "weight")):
        weights = block.numbers("weight", low=0.0)
        gathering.add(block, block.keys("userid"), block.keys("artistid"), weights=weights)
    domain = Domain("artist", "artists", "listened to")
    return gathering.corpus("Last.fm", artists, (), domain, _friends(source, gathering))


def _tables(source: Source, name: str, header: tuple[str, ...]) -> Iterator[Block]:
    """Yield a table that begins with names of columns, with counts, or at once."""
    _, lines = next(source.blocks(name), (1, []))
    skip = 0
    while skip < min(3, len(lines)) and not _ROW.match(lines[skip]):
        skip += 1
    return table_blocks(source, name, TableFormat("\t", header=header, skip=skip), header)


def _artists(source: Source) -> Iterator[Item]:
    tags = _tags(source)
    for block in table_blocks(source, "artists.dat", TableFormat("\t"), ("id", "name")):
        names = block.columns["name"]
        for row, key in enumerate(block.keys("id")):
            yield Item(row, names[row].strip() or key, tags=tags.get(key, ()), key=key)


def _tags(source: Source) -> dict[str, tuple[str, ...]]:
    """Return the most common tags of each artist, if there are tag files."""
    if "tags.dat" not in source or "user_taggedartists.dat" not in source:
        return {}
    words: dict[str, str] = {}
    form = TableFormat("\t", "latin-1")
    for block in table_blocks(source, "tags.dat", form, ("tagid", "tagvalue")):
        words.update(zip(block.keys("tagid"), block.columns["tagvalue"], strict=True))
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for block in table_blocks(source, "user_taggedartists.dat", form, ("artistid", "tagid")):
        for artist, tag in zip(block.keys("artistid"), block.keys("tagid"), strict=True):
            counts[artist][words.get(tag, tag)] += 1
    return {
        artist: tuple(sorted(tags, key=lambda tag: (-tags[tag], tag))[:_MOST_TAGS])
        for artist, tags in counts.items()
    }


def _friends(source: Source, gathering: Gathering) -> Edges:
    known = gathering.people.known
    pairs: list[tuple[int, int, str, float]] = []
    for block in _tables(source, "user_friends.dat", ("userid", "friendid")):
        firsts, others = block.keys("userid"), block.keys("friendid")
        kept = [
            first in known and other in known for first, other in zip(firsts, others, strict=True)
        ]
        strange = len(kept) - int(np.sum(kept))
        gathering.tally.add("a tie of somebody without interactions", block.where, strange)
        pairs += [
            (known[first], known[other], "friend", 0.5)
            for first, other, is_known in zip(firsts, others, kept, strict=True)
            if is_known
        ]
    return friendships(pairs)
