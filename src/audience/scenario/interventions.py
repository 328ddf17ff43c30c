"""Interventions as users write them: `round`, `do`, and the rest by id, key or title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from audience.engine import objection
from audience.errors import BadInput, unknown
from audience.scenario.schema import Options, label
from audience.world import Catalogue, Genesis, Intervened, Item, Profile, Topic, World, changes as c

SWAP = "swap_recommender"
DEEDS: dict[str, type] = {
    "add_item": c.AddItem,
    "add_person": c.AddPerson,
    "add_tie": c.AddTie,
    "advertise": c.Advertise,
    "announce": c.Announce,
    "change_profile": c.ChangeProfile,
    "cut_tie": c.CutTie,
    "raise": c.Raise,
    "remind": c.Remind,
    "silence": c.Silence,
    SWAP: c.SwapRecommender,
}


def changes_of(
    interventions: Sequence[Options], genesis: Genesis
) -> dict[int, tuple[c.AnyChange, ...]]:
    """Return the checked changes by round, with ids for what they add."""
    if not interventions:
        return {}
    by_round: dict[int, list[c.AnyChange]] = {}
    world, reader = World(genesis), _Reader(genesis)
    for number, one in sorted(enumerate(interventions, 1), key=lambda pair: _round(pair[1])):
        place = f"intervention {number}"
        deed = str(one.get("do", ""))
        if deed not in DEEDS:
            raise BadInput(f"{place}: {unknown('do', deed, DEEDS)}")
        if _round(one) < 1:
            raise BadInput(f"{place}: give the round it happens in, as in round = 3")
        change = reader.change(deed, _fields(one, deed, world), f"{place} ({deed})")
        if why := objection(world, change):
            raise BadInput(f"{place} ({deed}): {why}")
        world.apply(Intervened(change))
        reader.learn(change)
        by_round.setdefault(_round(one), []).append(change)
    return {round_: tuple(changes) for round_, changes in by_round.items()}


def _fields(one: Options, deed: str, world: World) -> Options:
    """Return the fields of a change as written, with the next free id if it adds something."""
    fields = {key: value for key, value in one.items() if key not in ("round", "do")}
    match deed:
        case "add_person":
            friends = fields.pop("friends", [])
            return {"profile": {**fields, "id": len(world.agents)}, "friends": friends}
        case "add_item":
            return {"item": {**fields, "id": len(world.catalogue)}}
        case "swap_recommender":
            kind = {"kind": label(str(fields.pop("kind")))} if "kind" in fields else {}
            return {**kind, "options": fields.pop("options", fields)}
        case "raise":
            own: Options = {key: fields.pop(key) for key in ("seeds", "stance") if key in fields}
            return {"topic": fields, **own}
        case "change_profile":
            return {"agent": fields.pop("agent", None), "fields": fields}
    return fields


def _round(one: Options) -> int:
    round_ = one.get("round", 0)
    return round_ if isinstance(round_, int) else 0


class _Reader:
    """Turns keys and titles into ids and fields into changes."""

    def __init__(self, genesis: Genesis) -> None:
        self.people = {profile.key: profile.id for profile in genesis.profiles if profile.key}
        self.items = _titles(genesis.catalogue)

    def learn(self, change: c.AnyChange) -> None:
        """Register what this intervention adds, so that later ones can name it."""
        if isinstance(change, c.AddPerson) and change.profile.key:
            self.people[change.profile.key] = change.profile.id
        if isinstance(change, c.AddItem):
            self.items[change.item.title] = change.item.id

    def change(self, deed: str, fields: Options, place: str) -> c.AnyChange:
        kind = DEEDS[deed]
        _check(fields, kind, place)
        kinds = (("profile", Profile), ("fields", Profile), ("item", Item), ("topic", Topic))
        for key, inner in kinds:
            if isinstance(fields.get(key), dict):
                _check(fields[key], inner, place)
        resolved = {key: self._resolved(key, value, place) for key, value in fields.items()}
        try:
            made: c.AnyChange = msgspec.convert(resolved, kind)
            if isinstance(made, c.ChangeProfile):
                msgspec.convert({"id": 0, **made.fields}, Profile)
        except msgspec.ValidationError as error:
            raise BadInput(f"{place}: {str(error).replace('`', chr(39))}") from None
        return made

    def _resolved(self, key: str, value: Any, place: str) -> Any:  # noqa: ANN401
        if key in ("agent", "other"):
            return self._one(value, self.people, "person", place)
        if key in ("agents", "friends", "seeds") and isinstance(value, list):
            return [self._one(one, self.people, "person", place) for one in value]
        if key == "items" and isinstance(value, list):
            return [self._one(one, self.items, "item", place) for one in value]
        return value

    def _one(self, value: object, known: dict[str, int], what: str, place: str) -> object:
        if isinstance(value, str):
            if value not in known:
                near = [name for name in known if value.lower()[:4] in name.lower()][:8]
                listed = f"; near it: {', '.join(map(repr, near))}" if near else ""
                raise BadInput(
                    f"{place}: {what} {value!r} is unknown{listed}; give an id"
                    f"{' or a title' if what == 'item' else ' or a key'} that exists"
                )
            return known[value]
        return value


def _titles(catalogue: Catalogue) -> dict[str, int]:
    return {item.title: item.id for item in reversed(catalogue.items)} | catalogue.by_key


def _check(fields: Options, kind: type, place: str) -> None:
    known: tuple[str, ...] = kind.__struct_fields__  # type: ignore[attr-defined]
    for key in fields:
        if key not in known:
            raise BadInput(f"{place}: {unknown('key', key, known)}")
