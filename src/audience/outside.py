"""Types of options that name something outside a run: files, addresses, variables, models, code.

A part or a table declares such an option by its type. Whoever must not reach outside, such as
another machine that sends a scenario, is held to these types, whatever an option is called.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

FILE = "a file or folder"
ADDRESS = "an address"
VARIABLE = "an environment variable"
MODEL = "a model"
PROMPTS = "a folder of prompts"
CODE = "a program"
DATASET = "a dataset"


class Outside(NamedTuple):
    """Marks an option that names something outside the run."""

    what: str
    unless: tuple[str, ...] = ()
    """Words with a meaning of their own, which name nothing outside."""


class KindOf(NamedTuple):
    """Marks an option that is the kind of a part of a group."""

    group: str


class PartOf(NamedTuple):
    """Marks an option that is a part of a group: its kind, or a table of kind and options."""

    group: str


class OptionsOf(NamedTuple):
    """Marks further options, which go to the part whose kind another option gives."""

    group: str
    option: str


FilePath: TypeAlias = Annotated[str, Outside(FILE)]
"""The type of an option that names a file; a relative one starts from the scenario's folder."""
PromptFolder: TypeAlias = Annotated[str, Outside(PROMPTS)]
"""The type of an option that names a folder of prompts; relative as a `FilePath` is."""
Url: TypeAlias = Annotated[str, Outside(ADDRESS)]
VariableName: TypeAlias = Annotated[str, Outside(VARIABLE)]
HeaderText: TypeAlias = Annotated[str, Outside(VARIABLE)]
"""The type of a header's text, in which `${NAME}` stands for a variable."""
ModelName: TypeAlias = Annotated[str, Outside(MODEL)]
DatasetName: TypeAlias = Annotated[str, Outside(DATASET)]
"""The type of an option that names data which this machine has fetched."""
ProgramName: TypeAlias = Annotated[str, Outside(CODE)]
"""The type of an option by which a program is chosen that is run or imported."""


class OptionTypes(NamedTuple):
    """The declared types of options."""

    named: Mapping[str, Any]
    others: Any = None
    """The type of all further options; None if there may be none."""


def option_types(make: Any) -> OptionTypes:  # noqa: ANN401
    """Return the types of the options of a kind of part; what cannot be read has the type Any."""
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return OptionTypes({}, Any)
    scopes = [vars(sys.modules[each.__module__]) for each in _classes(make)]
    types = {one.name: _resolved(one.annotation, scopes) for one in parameters}
    others = [types[one.name] for one in parameters if one.kind is one.VAR_KEYWORD]
    named = {one.name: types[one.name] for one in parameters if one.kind is not one.VAR_KEYWORD}
    return OptionTypes(named, others[0] if others else None)


def _classes(make: Any) -> list[Any]:  # noqa: ANN401
    return [each for each in getattr(make, "__mro__", (make,)) if each.__module__ in sys.modules]


def _resolved(annotation: Any, scopes: list[dict[str, Any]]) -> Any:  # noqa: ANN401
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    for scope in scopes:  # of the class itself, then of those it inherits from
        try:
            return typing.get_type_hints(
                type("Option", (), {"__annotations__": {"option": annotation}}),
                globalns=scope,
                include_extras=True,
            )["option"]
        except Exception:  # noqa: S112 - a name that only a type checker knows
            continue
    return FilePath if "FilePath" in annotation else Any


def marks_in(kind: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """Return the marks anywhere in a type."""
    own = tuple(getattr(kind, "__metadata__", ()))
    return own + tuple(mark for inner in typing.get_args(kind) for mark in marks_in(inner))


def file_options(make: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the options of a kind of part that name files or folders."""
    return tuple(name for name, kind in option_types(make).named.items() if _names_file(kind))


def _names_file(kind: Any) -> bool:  # noqa: ANN401
    marks = (mark for mark in marks_in(kind) if isinstance(mark, Outside))
    return any(mark.what in (FILE, PROMPTS) for mark in marks) or kind is Path
