"""Interventions as users write them: `round`, `do`, and the rest by id, key or title."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from audience.errors import BadInput, unknown
from audience.experiments.scenario import Options
from audience.world import Catalogue, Genesis, Profile
from audience.world import changes as c

DEEDS: dict[str, type] = {
    "add_item": c.AddItem,
    "add_person": c.AddPerson,
    "add_tie": c.AddTie,
    "advertise": c.Advertise,
    "announce": c.Announce,
    "change_profile": c.ChangeProfile,
    "cut_tie": c.CutTie,
    "silence": c.Silence,
    "swap_recommender": c.SwapRecommender,
}


def changes_of(
    wanted: Sequence[Options], genesis: Genesis, where: str = "scenario"
) -> dict[int, tuple[c.AnyChange, ...]]:
    """Return the changes by round, with ids given to what is added, in the order of rounds."""
    found: dict[int, list[c.AnyChange]] = {}
    people, items = len(genesis.profiles), len(genesis.catalogue)
    reader = _Reader(genesis)
    for number, one in sorted(enumerate(wanted, 1), key=lambda pair: _round(pair[1])):
        place = f"{where}: intervention {number}"
        fields = {key: value for key, value in one.items() if key not in ("round", "do")}
        deed = str(one.get("do", ""))
        if deed not in DEEDS:
            raise BadInput(f"{place}: {unknown('do', deed, DEEDS)}")
        if _round(one) < 1:
            raise BadInput(f"{place}: give the round it happens in, as in round = 3")
        if deed == "add_person":
            fields = {"profile": {**fields, "id": people}, "friends": fields.pop("friends", [])}
            fields["profile"].pop("friends", None)
            people += 1
        elif deed == "add_item":
            fields = {"item": {**fields, "id": items}}
            items += 1
        elif deed == "swap_recommender":
            kind = fields.pop("kind", "")
            fields = {"kind": kind, "options": fields.pop("options", fields)}
        elif deed == "change_profile":
            fields = {"agent": fields.pop("agent", None), "fields": fields}
        found.setdefault(_round(one), []).append(reader.change(deed, fields, place))
    return {round_: tuple(changes) for round_, changes in found.items()}


def _round(one: Options) -> int:
    round_ = one.get("round", 0)
    return round_ if isinstance(round_, int) else 0


class _Reader:
    """Turns keys and titles into ids and fields into changes."""

    def __init__(self, genesis: Genesis) -> None:
        self.people = {profile.key: profile.id for profile in genesis.profiles if profile.key}
        self.items = _titles(genesis.catalogue)

    def change(self, deed: str, fields: Options, place: str) -> c.AnyChange:
        kind = DEEDS[deed]
        for key in fields:
            if key not in kind.__struct_fields__:  # type: ignore[attr-defined]
                raise BadInput(f"{place} ({deed}): {unknown('key', key, kind.__struct_fields__)}")  # type: ignore[attr-defined]
        resolved = {key: self._resolved(key, value, place) for key, value in fields.items()}
        profile = resolved.get("profile" if deed == "add_person" else "fields")
        if isinstance(profile, dict):
            for key in profile:
                if key not in Profile.__struct_fields__:
                    raise BadInput(f"{place}: {unknown('key', key, Profile.__struct_fields__)}")
        try:
            made: c.AnyChange = msgspec.convert(resolved, kind)
            if isinstance(made, c.ChangeProfile):
                msgspec.convert({"id": 0, **made.fields}, Profile)
        except msgspec.ValidationError as error:
            raise BadInput(f"{place} ({deed}): {str(error).replace('`', chr(39))}") from None
        return made

    def _resolved(self, key: str, value: Any, place: str) -> Any:  # noqa: ANN401
        if key in ("agent", "other"):
            return self._one(value, self.people, "person", place)
        if key in ("agents", "friends"):
            return [self._one(one, self.people, "person", place) for one in value]
        if key == "items":
            return [self._one(one, self.items, "item", place) for one in value]
        return value

    def _one(self, value: object, known: dict[str, int], what: str, place: str) -> object:
        if isinstance(value, str):
            if value not in known:
                near = [name for name in known if value.lower()[:4] in name.lower()][:8]
                raise BadInput(f"{place}: {unknown(what, value, near)}")
            return known[value]
        return value


def _titles(catalogue: Catalogue) -> dict[str, int]:
    return {item.title: item.id for item in reversed(catalogue.items)} | catalogue.by_key
