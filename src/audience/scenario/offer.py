"""What a served page offers to other machines, and holding their scenarios to it.

A scenario from elsewhere may use the parts that come with this package, and name what the operator
offers: endpoints, parts, prompts and scenarios. Keys, headers, addresses and paths stay here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from audience.errors import BadInput, unknown
from audience.llm import TUNED
from audience.outside import MODEL, PROMPTS, Outside
from audience.plugins import find, known, singular
from audience.scenario.build import HTTP, addressed
from audience.scenario.models import EMBEDDED, Models, endpoints_of
from audience.scenario.paths import PARTS, anchored
from audience.scenario.schema import (
    Part,
    Scenario,
    arm,
    from_tree,
    is_address,
    label,
    load,
    overlaid,
    part_of,
    readable,
)
from audience.scenario.typed_tree import Tree, walked_change, walked_options, walked_scenario
from audience.toml_reader import read_toml_file

HIDDEN = "***"
"""Stands for what is not shown to other machines."""
GROUPS = tuple(PARTS.values())
_OURS = "audience"
_NAME = re.compile(r"[A-Za-z][\w.-]{0,59}")
_CHOSEN = ("url", "model", "concurrency", "deadline", "overall")
"""What a scenario from elsewhere may say in its `[llm]` table."""
_REMEDY = "whoever serves the page can offer it in the file of `audience serve --offer FILE.toml`"


class Offered(msgspec.Struct, frozen=True):
    """What other machines may name, besides the parts of this package."""

    endpoints: dict[str, Models] = {}
    models: dict[str, tuple[str, ...]] = {}
    """The models that may be chosen at each endpoint."""
    parts: dict[str, dict[str, Part]] = {}
    """Parts by group and name, with the options that the operator gave."""
    metrics: dict[str, str] = {}
    prompts: dict[str, str] = {}
    scenarios: dict[str, Path] = {}
    studies: tuple[str, ...] = ()
    """The studies that may be started, small ones with minds of this package."""

    def names(self, group: str) -> list[str]:
        """Return the kinds of a group that other machines may name."""
        return sorted({*_built_in(group).values(), *self.parts.get(group, ())})

    def secrets(self) -> dict[str, str]:
        """Return addresses and paths of what is offered, longest first, and what stands for each.

        Texts of errors and calls name them, too.
        """
        names: dict[str, str] = {path: name for name, path in self.prompts.items()}
        for name, models in self.endpoints.items():
            for endpoint in endpoints_of(models):
                names |= dict.fromkeys((endpoint.name, endpoint.root), name)
                names |= dict.fromkeys(_addresses(endpoint.url), name)
            names |= {path: HIDDEN for path in (models.prices, models.ca, models.proxy) if path}
        for parts in self.parts.values():
            for name, part in parts.items():
                for text in _paths_in([part.kind, *part.options.values()]):
                    names |= dict.fromkeys(_addresses(text) if "://" in text else (text,), name)
        names |= {text: name for name, kind in self.metrics.items() for text in _paths_in([kind])}
        return dict(sorted(names.items(), key=lambda pair: -len(pair[0])))


class _OfferFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    endpoints: dict[str, dict[str, Any]] = {}
    recommenders: dict[str, str | dict[str, Any]] = {}
    datasets: dict[str, str | dict[str, Any]] = {}
    minds: dict[str, str | dict[str, Any]] = {}
    memories: dict[str, str | dict[str, Any]] = {}
    metrics: dict[str, str] = {}
    prompts: dict[str, str] = {}
    scenarios: tuple[str, ...] = ()
    studies: tuple[str, ...] = ()


def load_offer(path: Path) -> Offered:
    """Return what a file offers; its relative paths start from its folder."""
    try:
        written = msgspec.convert(read_toml_file(path, f"--offer {path}"), _OfferFile)
    except msgspec.ValidationError as error:
        raise BadInput(readable(error, str(path))) from None
    folder = path.parent
    try:
        endpoints = {name: _endpoint(name, one) for name, one in written.endpoints.items()}
        return Offered(
            {name: models for name, (models, _) in endpoints.items()},
            {name: choice for name, (_, choice) in endpoints.items()},
            {group: _parts(group, getattr(written, group), folder) for group in GROUPS},
            _metrics(written.metrics, folder),
            {name: _prompts(name, one, folder) for name, one in written.prompts.items()},
            {Path(one).stem: _scenario(folder / one) for one in written.scenarios},
            tuple(_study(name) for name in written.studies),
        )
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def _addresses(url: str) -> list[str]:
    """Return an address in the forms in which errors name it; a bare word may mean anything."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    whole = [url, f"{host}:{port}", parts.netloc, host]
    return [text for text in whole if "." in text or ":" in text]


def _paths_in(values: Collection[object]) -> list[str]:
    """Return the addresses and absolute paths among the options that an operator gave."""
    texts = [value for value in values if isinstance(value, str)]
    paths = [text.rpartition(":")[0] for text in texts if ".py:" in text]
    return [text for text in (*texts, *paths) if "://" in text or Path(text).is_absolute()]


def _endpoint(name: str, table: Tree) -> tuple[Models, tuple[str, ...]]:
    _check_name("endpoints", name, (EMBEDDED,))
    table = dict(table)
    try:
        choice = msgspec.convert(table.pop("models", ()), tuple[str, ...])
        models = msgspec.convert(table, Models)
    except msgspec.ValidationError as error:
        raise BadInput(readable(error, f"endpoints.{name}")) from None
    if not endpoints_of(models):
        raise BadInput(f"endpoints.{name}: give its url")
    own = (models.model, *(endpoint.model for endpoint in models.endpoints))
    return models, tuple(dict.fromkeys(one for one in (*own, *choice) if one))


def _parts(group: str, tables: Mapping[str, str | Tree], folder: Path) -> dict[str, Part]:
    key = next(key for key, each in PARTS.items() if each == group)
    parts: dict[str, Part] = {}
    for name, table in tables.items():
        _check_name(group, name, known(group))
        tree = anchored({key: table}, folder)
        part = addressed(msgspec.convert(part_of(tree[key], f"{group}.{name}"), Part))
        find(group, part.kind)
        parts[name] = part
    return parts


def _metrics(kinds: Mapping[str, str], folder: Path) -> dict[str, str]:
    for name in kinds:
        _check_name("metrics", name, known("metrics"))
    paths: list[str] = anchored({"metrics": list(kinds.values())}, folder)["metrics"]
    for kind in paths:
        find("metrics", kind)
    return dict(zip(kinds, paths, strict=True))


def _prompts(name: str, given: str, folder: Path) -> str:
    _check_name("prompts", name, ())
    place = (folder / given).resolve()
    if not place.is_dir():
        raise BadInput(f"prompts.{name}: {given} is not a folder; give the folder of the prompts")
    return str(place)


def _study(name: str) -> str:
    if name not in known("studies"):
        raise BadInput(f"studies: {unknown('study', name, known('studies'))}")
    return name


def _scenario(path: Path) -> Path:
    load(path)
    return path


def _check_name(table: str, name: str, taken: Collection[str]) -> None:
    if not _NAME.fullmatch(name):
        raise BadInput(f"{table}: {name!r} is no name; use letters, digits, - and _")
    if name.casefold() in {one.casefold() for one in taken}:
        raise BadInput(f"{table}: {name!r} means something else already; choose another name")


def admitted(scenario: Scenario, offered: Offered) -> Scenario:
    """Return a scenario from elsewhere with what it names by the offer; refuse everything else."""
    made = from_tree(walked_scenario(msgspec.to_builtins(scenario), _Admission(offered)))
    _check_embedded(made)
    return made


def admitted_over(scenario: Scenario, changes: Tree, offered: Offered) -> Scenario:
    """Return a scenario that is offered with keys from elsewhere, which are held to the offer."""
    made = overlaid(scenario, walked_scenario(changes, _Admission(offered)))
    if "llm" in changes:
        _check_embedded(made)
    return made


def _check_embedded(scenario: Scenario) -> None:
    """Raise if the embedded model is to be another file."""
    for variant in (scenario, *(arm(scenario, name) for name in scenario.arms)):
        if variant.llm.model not in ("", TUNED) and not endpoints_of(variant.llm):
            raise _refusal("llm.model", variant.llm.model, "a file", ())


def admitted_change(change: Tree, offered: Offered) -> Tree:
    """Return an intervention from elsewhere in the same way."""
    written: Tree = walked_change(change, _Admission(offered), "change")
    return written


def masked(scenario: Scenario, offered: Offered) -> Scenario:
    """Return a scenario as other machines may see it: what is offered by its name, nothing else."""
    return from_tree(walked_scenario(msgspec.to_builtins(scenario), _Mask(offered)))


def masked_change(change: Tree, offered: Offered) -> Tree:
    """Return an intervention as other machines may see it."""
    written: Tree = walked_change(change, _Mask(offered), "change")
    return written


def _built_in(group: str) -> dict[str, str]:
    """Return the kinds that come with this package, in lower case and as they are written."""
    points = known(group).items()
    ours = (name for name, point in points if point.dist and point.dist.name == _OURS)
    return {name.casefold(): name for name in ours}


def _refusal(place: str, value: object, what: str, names: Collection[str]) -> BadInput:
    listed = f"; offered: {', '.join(map(repr, sorted(names)))}" if names else ""
    return BadInput(
        f"{place}: {str(value)[:80]!r} names {what}, which is not offered to other "
        f"machines{listed}; {_REMEDY}"
    )


class _Admission:
    """Lets through what is offered, under the name that it has here."""

    def __init__(self, offered: Offered, *, is_foreign: bool = False) -> None:
        """`is_foreign`: the options are those of a part that did not come with this package."""
        self._offered = offered
        self._is_foreign = is_foreign

    def outside(self, mark: Outside, value: Any, place: str) -> Any:  # noqa: ANN401
        if value is None or value == "" or value in mark.unless:
            return value
        names: Collection[str] = ()
        if mark.what == PROMPTS:
            names = self._offered.prompts
            if isinstance(value, str) and value in names:
                return self._offered.prompts[value]
        if mark.what == MODEL:
            names = {name for choice in self._offered.models.values() for name in choice}
            if isinstance(value, str) and value in names:
                return value
        raise _refusal(place, value, mark.what, names)

    def kind(self, group: str, kind: Any, place: str) -> Any:  # noqa: ANN401
        if kind is None or (isinstance(kind, str) and kind.casefold() in _built_in(group)):
            return kind
        own = self._offered.metrics if group == "metrics" else {}
        if isinstance(kind, str) and kind in own:
            return own[kind]
        raise _refusal(place, kind, f"a {singular(group)}", {*_built_in(group).values(), *own})

    def part(self, group: str, kind: Any, options: Tree, place: str) -> tuple[str, Tree]:  # noqa: ANN401
        built_in = _built_in(group)
        own = self._offered.parts.get(group, {}).get(kind) if isinstance(kind, str) else None
        if own is not None:
            for key in options:
                if key in own.options:
                    raise BadInput(f"{place}.{key}: the offer of {kind!r} sets it; leave it out")
            foreign = _Admission(self._offered, is_foreign=own.kind.casefold() not in built_in)
            given = walked_options(group, own.kind, options, place, foreign)
            return own.kind, {**own.options, **given}
        if isinstance(kind, str) and kind.casefold() in built_in:
            name = built_in[kind.casefold()]
            return name, walked_options(group, name, options, place, _Admission(self._offered))
        raise _refusal(place, kind, f"a {singular(group)}", self._offered.names(group))

    def table(self, kind: type, value: Tree, place: str) -> Tree | None:
        return self._models(value, place) if kind is Models else None

    def _models(self, table: Tree, place: str) -> Tree:
        """Return an `[llm]` table, or some of its keys, with the endpoint that it names."""
        usual: Tree = msgspec.to_builtins(Models())
        for key, value in table.items():
            if key not in _CHOSEN and value and value != usual.get(key):
                raise _refusal(f"{place}.{key}", value, "how models are asked", ())
        given = {key: table[key] for key in _CHOSEN if table.get(key, usual[key]) != usual[key]}
        url = given.pop("url", "")
        if url in ("", EMBEDDED) and given.get("model") == TUNED:
            return usual | {"url": url} | given
        if url == EMBEDDED and "model" in given:
            raise _refusal(f"{place}.model", given["model"], "a file", ())
        if url == EMBEDDED:
            return usual | {"url": EMBEDDED} | given
        models = self._offered.endpoints.get(url) if isinstance(url, str) else None
        if url and models is None:
            names = {*self._offered.endpoints, EMBEDDED}
            raise _refusal(f"{place}.url", url, "an endpoint", names)
        model = given.get("model")
        choice = {each for choice in self._offered.models.values() for each in choice}
        choice = set(self._offered.models[url]) if models else choice
        if model is not None and model not in choice:
            raise _refusal(f"{place}.model", model, "a model", choice)
        if models is None:
            return table
        if models.concurrency and "concurrency" in given:
            given["concurrency"] = min(given["concurrency"], models.concurrency)
        resolved: Tree = msgspec.to_builtins(models)
        return resolved | given

    def text(self, value: str, place: str) -> str:
        if self._is_foreign:
            raise _refusal(place, value, "what only its part knows", ())
        return value

    def untyped(self, value: Any, place: str) -> Any:  # noqa: ANN401
        raise _refusal(place, value, "what no type says", ())


class _Mask:
    """Puts names in the place of what is offered, and hides everything else outside."""

    def __init__(self, offered: Offered) -> None:
        self._offered = offered

    def outside(self, mark: Outside, value: Any, place: str) -> Any:  # noqa: ANN401
        if not value or value in mark.unless:
            return value
        known_as = {path: name for name, path in self._offered.prompts.items()}
        if mark.what == PROMPTS and value in known_as:
            return known_as[value]
        return value if mark.what == MODEL and not _is_path(value) else HIDDEN

    def kind(self, group: str, kind: Any, place: str) -> Any:  # noqa: ANN401
        known_as = {each: name for name, each in self._offered.metrics.items()}
        return known_as.get(kind, label(kind)) if isinstance(kind, str) else kind

    def part(self, group: str, kind: Any, options: Tree, place: str) -> tuple[str, Tree]:  # noqa: ANN401
        for name, own in self._offered.parts.get(group, {}).items():
            if own.kind == kind and own.options.items() <= options.items():
                rest = {key: each for key, each in options.items() if key not in own.options}
                return name, walked_options(group, kind, rest, place, self)
        if kind.casefold() in _built_in(group):
            return kind, walked_options(group, kind, options, place, self)
        return HTTP if is_address(kind) else label(kind), {}

    def table(self, kind: type, value: Tree, place: str) -> Tree | None:
        if kind is not Models:
            return None
        same = [key for key in Models.__struct_fields__ if key not in _CHOSEN[1:]]
        for name, models in self._offered.endpoints.items():
            own: Tree = msgspec.to_builtins(models)
            if all(own[key] == value.get(key, own[key]) for key in same) and "url" in value:
                return {key: value[key] for key in _CHOSEN[1:] if key in value} | {"url": name}
        shown = {key: value[key] for key in (*_CHOSEN[2:], "reasoning") if key in value}
        is_away = value.get("endpoints") or value.get("url") not in (None, "", EMBEDDED)
        url = {"url": HIDDEN if is_away else value["url"]} if "url" in value else {}
        model = value.get("model", "")
        return shown | url | ({"model": HIDDEN if _is_path(model) else model} if model else {})

    def text(self, value: str, place: str) -> str:
        return value

    def untyped(self, value: Any, place: str) -> Any:  # noqa: ANN401
        return HIDDEN


def _is_path(name: object) -> bool:
    return str(name).endswith(".gguf") or str(name).startswith(("/", ".", "~"))
