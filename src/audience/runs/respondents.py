"""Respondents: whom a question goes to, and the segments that people belong to."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from audience.errors import BadInput, unknown
from audience.log import Log, last_visits, world_at
from audience.world import HABITS, Profile, World, rng

ABSENT = 5
"""Rounds without a visit after which somebody who came before counts as absent."""
FEWEST = 5
"""Segments with fewer people are left out: what they say in the mean says little."""
KINDS = ("interest", "trait", "age", "gender", "career", "name", "habit")


class Respondents(msgspec.Struct, frozen=True):
    """Whom a question goes to: everybody, or those who fit all that is given."""

    agents: tuple[int, ...] | None = None
    """These people by id, in this order."""
    segment: dict[str, str] = {}
    """Those whose profile has these values: {"gender": "F"} or {"interest": "Drama"}."""
    absent: bool = False
    """Those who came before and stayed away for the last rounds."""
    sample: int | None = None
    """So many of them, drawn by `seed`."""
    seed: int = 1

    @property
    def words(self) -> str:
        """Who is meant, in words."""
        parts = []
        if self.agents is not None:
            parts.append("one person" if len(self.agents) == 1 else "selected people")
        if self.absent:
            parts.append("people who stay away")
        parts += [f"{name} {value}" for name, value in self.segment.items()]
        whole = ", ".join(parts) or "everybody"
        return whole if self.sample is None else f"{self.sample} drawn from {whole}"


def respondents_in(log: Log, wanted: Respondents, at: int, world: World | None = None) -> list[int]:
    """Return the ids of those whom a question goes to at the end of a round."""
    world = world or world_at(log, at)
    there = len(world.agents)
    chosen = list(range(there)) if wanted.agents is None else list(dict.fromkeys(wanted.agents))
    for who in chosen:
        if not 0 <= who < there:
            raise BadInput(
                f"person {who} does not exist at the end of round {at}; "
                f"give an id from 0 to {there - 1}"
            )
    if wanted.segment:
        chosen = [who for who in chosen if _belongs(world.profile(who), wanted.segment)]
    if wanted.absent:
        last = last_visits(log, at)
        chosen = [who for who in chosen if 0 < last.get(who, 0) <= at - ABSENT]
    if not chosen:
        raise BadInput(f"this selects nobody ({wanted.words}); choose others")
    if wanted.sample is None or wanted.sample >= len(chosen):
        return chosen
    drawn = rng(wanted.seed, "interview", "sample").permutation(len(chosen))[: wanted.sample]
    return sorted(chosen[place] for place in drawn.tolist())


def _belongs(profile: Profile, segment: Mapping[str, str]) -> bool:
    return all(_has(profile, name, value) for name, value in segment.items())


def _has(profile: Profile, name: str, value: str) -> bool:
    match name:
        case "interest" | "trait":
            return value in (profile.interests if name == "interest" else profile.traits)
        case "age":
            low, _, high = value.partition("-")
            if not (low.isdecimal() and (high or low).isdecimal()):
                raise BadInput(f"age {value!r} is not a range such as 20-29")
            return profile.age is not None and int(low[:4]) <= profile.age <= int((high or low)[:4])
        case "gender" | "career" | "name":
            return bool(getattr(profile, name) == value)
        case "habit":
            return ("habit", value) in segments_of(profile)
    raise unknown("segment", name, KINDS)


def members_by_segment(world: World) -> dict[tuple[str, str], list[int]]:
    """Return who belongs to each segment of some size, by its kind and name."""
    groups: dict[tuple[str, str], list[int]] = {}
    for who, profile in enumerate(world.profiles()):
        for segment in segments_of(profile):
            groups.setdefault(segment, []).append(who)
    return {segment: members for segment, members in groups.items() if len(members) >= FEWEST}


def segments_of(profile: Profile) -> list[tuple[str, str]]:
    """Return the segments that a person belongs to, by kind and name."""
    names = [("interest", interest) for interest in profile.interests]
    if profile.gender:
        names.append(("gender", profile.gender))
    if profile.age is not None:
        decade = profile.age // 10 * 10
        names.append(("age", f"{decade}-{decade + 9}"))
    strength, habit = max(zip(msgspec.structs.astuple(profile.habits), HABITS, strict=True))
    if strength > 0:
        names.append(("habit", habit))
    return names
