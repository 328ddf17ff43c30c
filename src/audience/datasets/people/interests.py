"""Interests in people's own words, as tags of a catalogue: `romantic movies` is Romance."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SYNONYMS = {
    "Action": "action-packed fights martial-arts superhero superheroes",
    "Adventure": "expedition exploration quest quests",
    "Animation": "anime cartoon cartoons pixar",
    "Biography": "biopic biopics",
    "Children's": "child family family-friendly kid kids",
    "Comedy": "funny hilarious humor humorous humour laughs sitcom slapstick",
    "Crime": "criminal gangster gangsters heist heists mafia police",
    "Documentary": "docs docuseries nature-documentaries true-stories",
    "Family": "children children's family-friendly kid kids",
    "Fantasy": "fairy-tale fairy-tales magic",
    "Film-Noir": "noir",
    "History": "historical period-pieces",
    "Horror": "ghost ghosts scary slasher spooky vampire vampires zombie zombies",
    "Musical": "broadway music",
    "Mystery": "detective detectives whodunit whodunits",
    "Noir": "film-noir",
    "Romance": "love love-stories love-story rom-com rom-coms romcom romcoms",
    "Sci-Fi": "science-fiction scifi sf space",
    "Science Fiction": "sci-fi scifi sf space",
    "Thriller": "spy suspense suspenseful",
    "War": "military wartime",
    "Western": "cowboy cowboys",
}
"""Words for a genre that its stem does not give, separated by spaces."""
_SEVERAL = {"rom-com": "Comedy", "rom-coms": "Comedy", "romcom": "Comedy", "romcoms": "Comedy"}
_EMPTY = frozenset({"film", "films", "flick", "flicks", "movie", "movies", "picture", "pictures"})
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_STEM = 5
"""Letters that two forms of one word share at least."""
_ENDING = 4
"""Letters that either form may have after those."""


class TagWords:
    """Finds the tags of a catalogue that an interest means."""

    def __init__(self, tags: Iterable[str]) -> None:
        self._tags = {_joined(tag): tag for tag in tags}
        self._means: dict[str, list[str]] = {}
        for genre, words in _SYNONYMS.items():
            tag = self._tags.get(_joined(genre))
            for word in words.split() if tag else ():
                self._means.setdefault(word, []).append(str(tag))
        for word, genre in _SEVERAL.items():
            if word in self._means and _joined(genre) in self._tags:
                self._means[word].append(self._tags[_joined(genre)])

    def tags_of(self, interest: str) -> tuple[str, ...]:
        """Return the tags that an interest means, by its whole, else by its words; often none."""
        words = [word for word in _WORD.findall(interest.lower()) if word not in _EMPTY]
        tags = self._named("-".join(words))
        if not tags:
            parts = [part for word in words for part in dict.fromkeys((word, *word.split("-")))]
            tags = [tag for part in parts for tag in self._named(part)]
        return tuple(dict.fromkeys(tags))

    def _named(self, word: str) -> list[str]:
        word = _joined(word)
        if word in self._tags:
            return [self._tags[word]]
        return self._means.get(word) or [
            tag for name, tag in self._tags.items() if _is_same_word(name, word)
        ]


def _joined(text: str) -> str:
    words = _WORD.findall(text.lower().replace("’", "'"))
    return "-".join(word.removesuffix("'s") for word in words)


def _is_same_word(first: str, second: str) -> bool:
    """Return whether two words share their stem, as `documentaries` and `documentary` do."""
    shared = 0
    for mine, theirs in zip(first, second, strict=False):
        if mine != theirs:
            break
        shared += 1
    if second in (f"{first}s", f"{first}es"):
        return True
    return shared >= _STEM and max(len(first), len(second)) - shared <= _ENDING
