"""Which people were played by somebody, and in which rounds, as a scenario writes it down."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from audience.errors import BadInput, unknown

FILE = "human.db"
"""What people typed or moved: kept at once, and never asked for twice."""
TERMINAL, PAGE = "terminal", "page"
WAYS = (TERMINAL, PAGE)


class Played(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody played a person from one round to another; what it did is in `human.db`."""

    agent: int
    first: int
    last: int
    way: str

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise BadInput(f"played: {unknown('way', self.way, WAYS)}")
        if self.agent < 0 or not 1 <= self.first <= self.last:
            raise BadInput(
                f"played: person {self.agent}, rounds {self.first} to {self.last}: "
                "give an id and two rounds, the first not after the last"
            )


def seated(played: Sequence[Played], round_: int) -> dict[int, str]:
    """Return who was played in a round, and how."""
    return {one.agent: one.way for one in played if one.first <= round_ <= one.last}


def with_round(
    played: Sequence[Played], round_: int, agents: Collection[int], way: str
) -> tuple[Played, ...]:
    """Return the same with a round in which these were played."""
    found = list(played)
    for agent in sorted(agents):
        if seated(found, round_).get(agent) == way:
            continue
        before = [one for one in found if one.agent == agent and one.way == way]
        if before and before[-1].last == round_ - 1:
            place = found.index(before[-1])
            found[place] = msgspec.structs.replace(before[-1], last=round_)
        else:
            found.append(Played(agent, round_, round_, way))
    return tuple(found)
