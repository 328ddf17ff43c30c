"""A walk over a scenario's tree by the declared types of its keys and of the options of parts."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Protocol, TypeAlias, Union

import msgspec

from audience.datasets import Mixture
from audience.outside import KindOf, OptionsOf, Outside, PartOf, marks_in, option_types
from audience.plugins import find
from audience.scenario.interventions import DEEDS, SWAP
from audience.scenario.schema import Scenario

Tree: TypeAlias = dict[str, Any]
_NUMBERS = (bool, int, float, type(None))


class Visitor(Protocol):
    """What a walk does where a value names something; each method returns what replaces it."""

    def outside(self, mark: Outside, value: Any, place: str) -> Any:  # noqa: ANN401
        """Visit what names something outside the run."""
        ...

    def kind(self, group: str, kind: Any, place: str) -> Any:  # noqa: ANN401
        """Visit the kind of a part that has no options."""
        ...

    def part(self, group: str, kind: Any, options: Tree, place: str) -> tuple[str, Tree]:  # noqa: ANN401
        """Visit a part: its kind and its options as written."""
        ...

    def table(self, kind: type, value: Tree, place: str) -> Tree | None:
        """Visit a table before its fields; None to go on with them."""
        ...

    def text(self, value: str, place: str) -> str:
        """Visit a text that is declared as nothing but a text."""
        ...

    def untyped(self, value: Any, place: str) -> Any:  # noqa: ANN401
        """Visit a value whose type says nothing about it, or does not allow it."""
        ...


def walked_scenario(tree: Tree, visit: Visitor, place: str = "") -> Tree:
    """Return the tree of a scenario, or of some of its keys, as a visitor leaves it."""
    types = typing.get_type_hints(Scenario, include_extras=True)
    return {
        key: _walked_key(key, value, types.get(key, Any), _inside(place, key), visit)
        for key, value in tree.items()
    }


def _walked_key(key: str, value: Any, kind: Any, place: str, visit: Visitor) -> Any:  # noqa: ANN401
    if key == "arms" and isinstance(value, dict):
        return {
            name: walked_scenario(arm, visit, _inside(place, name))
            if isinstance(arm, dict)
            else visit.untyped(arm, _inside(place, name))
            for name, arm in value.items()
        }
    if key == "interventions" and isinstance(value, Sequence) and not isinstance(value, str):
        return [
            walked_change(change, visit, f"{place}[{number}]")
            for number, change in enumerate(value, 1)
        ]
    if key in ("rounds", "order"):  # of `[run]`, as arms and forms write them
        return visit.text(value, place) if isinstance(value, str) else value
    return walked(value, kind, place, visit)


def walked_change(change: Any, visit: Visitor, place: str) -> Any:  # noqa: ANN401
    """Return an intervention as a visitor leaves it: only a swap names a part."""
    deed = change.get("do") if isinstance(change, dict) else None
    if not isinstance(deed, str) or deed not in DEEDS:
        return visit.untyped(change, place)
    fields = {key: value for key, value in change.items() if key not in ("round", "do")}
    when = {key: change[key] for key in ("round", "do") if key in change}
    if deed != SWAP:
        return {**when, **{k: _texts(v, _inside(place, k), visit) for k, v in fields.items()}}
    if "kind" not in fields:
        return change
    kind = fields.pop("kind")
    options = fields.pop("options", fields)
    if not isinstance(options, dict):
        return visit.untyped(change, place)
    kind, options = visit.part("recommenders", kind, options, place)
    return {**when, "kind": kind, "options": options}


def _texts(value: Any, place: str, visit: Visitor) -> Any:  # noqa: ANN401
    """Return the plain fields of a change: texts and numbers, in lists and tables."""
    if isinstance(value, str):
        return visit.text(value, place)
    if isinstance(value, dict):
        return {k: _texts(inner, _inside(place, k), visit) for k, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_texts(inner, place, visit) for inner in value]
    return value if isinstance(value, _NUMBERS) else visit.untyped(value, place)


def walked(value: Any, kind: Any, place: str, visit: Visitor) -> Any:  # noqa: ANN401
    """Return a value as a visitor leaves it, by its declared type."""
    for mark in getattr(kind, "__metadata__", ()):
        if isinstance(mark, Outside | KindOf | PartOf):
            return _walked_mark(mark, value, place, visit)
    origin = typing.get_origin(kind)
    if origin is Annotated:
        return walked(value, typing.get_args(kind)[0], place, visit)
    if origin in (Union, UnionType):
        return walked(value, _member(value, typing.get_args(kind)), place, visit)
    if isinstance(value, _NUMBERS):
        return value
    if isinstance(value, str):
        return _walked_text(value, kind, place, visit)
    if isinstance(value, Mapping):
        return _walked_table(dict(value), kind, place, visit)
    return _walked_list(value, kind, place, visit)


def _walked_mark(
    mark: Outside | KindOf | PartOf,
    value: Any,  # noqa: ANN401
    place: str,
    visit: Visitor,
) -> Any:  # noqa: ANN401
    match mark:
        case Outside():
            return visit.outside(mark, value, place)
        case KindOf(group):
            return visit.kind(group, value, place)
        case PartOf(group):
            return _walked_part(group, value, place, visit)


def _walked_list(value: Any, kind: Any, place: str, visit: Visitor) -> Any:  # noqa: ANN401
    origin = typing.get_origin(kind)
    if isinstance(value, Sequence) and isinstance(origin, type) and issubclass(origin, Sequence):
        inner = typing.get_args(kind)[0]
        return [walked(one, inner, f"{place}[{n}]", visit) for n, one in enumerate(value, 1)]
    return visit.untyped(value, place)


def _walked_text(value: str, kind: Any, place: str, visit: Visitor) -> Any:  # noqa: ANN401
    if typing.get_origin(kind) is Literal and value in typing.get_args(kind):
        return value
    return visit.text(value, place) if kind is str else visit.untyped(value, place)


def _member(value: Any, members: Sequence[Any]) -> Any:  # noqa: ANN401
    """Return the member of a union that a value belongs to; one that names things goes first."""
    shape = list if isinstance(value, list | tuple) else dict if isinstance(value, Mapping) else str
    fitting = [member for member in members if _takes(member, shape)]
    marked = [member for member in fitting if marks_in(member)]
    if shape is str and isinstance(value, _NUMBERS) and not marked:
        return float
    return (marked or fitting or [Any])[0]


def _takes(member: Any, shape: type) -> bool:  # noqa: ANN401
    if typing.get_origin(member) is Annotated:
        return _takes(typing.get_args(member)[0], shape)
    origin = typing.get_origin(member) or member
    if origin is Literal:
        return shape is str
    if not isinstance(origin, type):
        return False
    if shape is dict:
        return issubclass(origin, Mapping | msgspec.Struct)
    if shape is list:
        return issubclass(origin, Sequence) and not issubclass(origin, str)
    return issubclass(origin, str)


def _walked_table(value: Tree, kind: Any, place: str, visit: Visitor) -> Any:  # noqa: ANN401
    origin = typing.get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        replaced = visit.table(kind, value, place)
        if replaced is not None:
            return replaced
        types = typing.get_type_hints(kind, include_extras=True)
        return {
            key: walked(inner, types.get(key, Any), _inside(place, key), visit)
            for key, inner in value.items()
        }
    if isinstance(origin, type) and issubclass(origin, Mapping):
        inner_kind = typing.get_args(kind)[1]
        return {k: walked(v, inner_kind, _inside(place, k), visit) for k, v in value.items()}
    return visit.untyped(value, place) if value else value


def _walked_part(group: str, value: Any, place: str, visit: Visitor) -> Any:  # noqa: ANN401
    """Return a part in the form in which it was written."""
    if isinstance(value, str):
        kind, options = visit.part(group, value, {}, place)
        return {"kind": kind, **options} if options else kind
    if not isinstance(value, Mapping) or "kind" not in value:
        return visit.untyped(value, place)
    nested = isinstance(value.get("options"), Mapping)
    options = dict(value["options"]) if nested else {k: v for k, v in value.items() if k != "kind"}
    kind, options = visit.part(group, value["kind"], options, place)
    return {"kind": kind, "options": options} if nested else {"kind": kind, **options}


def walked_options(group: str, kind: str, options: Tree, place: str, visit: Visitor) -> Tree:
    """Return the options of a part as a visitor leaves them; its class is loaded for that."""
    types = option_types(find(group, kind))
    named = dict(types.named)
    if group == "datasets":
        named = typing.get_type_hints(Mixture, include_extras=True) | named
    further = next((m for m in marks_in(types.others) if isinstance(m, OptionsOf)), None)
    if further is None:
        return {
            key: walked(value, named.get(key, types.others or Any), _inside(place, key), visit)
            for key, value in options.items()
        }
    own = {key: value for key, value in options.items() if key in named and key != further.option}
    rest = {key: value for key, value in options.items() if key not in named}
    own = {key: walked(value, named[key], _inside(place, key), visit) for key, value in own.items()}
    if further.option not in options and not rest:
        return own
    inner = options.get(further.option, _default(group, kind, further.option))
    inner, rest = visit.part(further.group, inner, rest, place)
    return {**own, further.option: inner, **rest}


def _default(group: str, kind: str, option: str) -> Any:  # noqa: ANN401
    return inspect.signature(find(group, kind)).parameters[option].default


def _inside(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
