"""Write ui/src/types.gen.ts: events, changes, actions and the server's replies in TypeScript.

`python tools/ui_types.py` writes the file; with --check it only says whether it is up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import get_args

import msgspec
from msgspec import inspect as mi

from audience.metrics import LABELS, MEANINGS, averaged_over
from audience.runs.play import PlayerView
from audience.web import (
    experiment_types,
    lab_types,
    overview_types,
    people_table,
    receipts,
    reply_types,
    run_types,
    voice_types,
)
from audience.world import AnyAction, AnyChange, actions as a, events as e

TARGET = Path(__file__).parent.parent / "ui" / "src" / "types.gen.ts"
_PLAIN = {
    mi.IntType: "number",
    mi.FloatType: "number",
    mi.StrType: "string",
    mi.BoolType: "boolean",
    mi.NoneType: "null",
    mi.AnyType: "unknown",
    mi.BytesType: "string",
}


class Types:
    """Collects types in the order in which they are met, each after what it needs."""

    def __init__(self) -> None:
        self.declared: dict[str, str] = {}
        self.unions: dict[frozenset[type], str] = {}

    def of(self, kind: mi.Type) -> str:
        """Return a type as TypeScript writes it."""
        plain = _PLAIN.get(type(kind))
        if plain:
            return plain
        if isinstance(kind, mi.VarTupleType | mi.ListType | mi.CollectionType):
            inner = self.of(kind.item_type)
            return f"({inner})[]" if "|" in inner else f"{inner}[]"
        if isinstance(kind, mi.TupleType):
            return f"[{', '.join(self.of(inner) for inner in kind.item_types)}]"
        if isinstance(kind, mi.LiteralType):
            return " | ".join(json.dumps(value) for value in kind.values)
        if isinstance(kind, mi.DictType):
            return f"Record<string, {self.of(kind.value_type)}>"
        if isinstance(kind, mi.UnionType):
            return self.alternatives(kind)
        assert isinstance(kind, mi.StructType), kind
        return self.struct(kind)

    def struct(self, kind: mi.StructType) -> str:
        name = kind.cls.__name__
        if name not in self.declared:
            self.declared[name] = self._tuple(kind) if kind.array_like else self._object(kind)
        return name

    def alternatives(self, kind: mi.UnionType) -> str:
        classes = frozenset(part.cls for part in kind.types if isinstance(part, mi.StructType))
        if classes in self.unions:
            return self.unions[classes]
        return " | ".join(dict.fromkeys(self.of(part) for part in kind.types))

    def _tuple(self, kind: mi.StructType) -> str:
        parts = [f'tag: "{kind.tag}"'] if kind.tag is not None else []
        for field in kind.fields:
            mark = "" if field.required else "?"
            parts.append(f"{field.encode_name}{mark}: {self.of(field.type)}")
        return f"export type {kind.cls.__name__} = [{', '.join(parts)}];"

    def _object(self, kind: mi.StructType) -> str:
        lines = [f"export interface {kind.cls.__name__} {{"]
        if kind.tag is not None:
            lines.append(f'  {kind.tag_field}: "{kind.tag}";')
        for field in kind.fields:
            mark = "" if field.required else "?"
            lines.append(f"  {field.encode_name}{mark}: {self.of(field.type)};")
        return "\n".join([*lines, "}"])

    def union(self, name: str, union: object) -> None:
        names = [self.of(mi.type_info(part)) for part in get_args(union)]
        self.unions[frozenset(get_args(union))] = name
        lines = "\n".join(f"  | {part}" for part in names)
        self.declared[name] = f"export type {name} =\n{lines};"


def generated() -> str:
    """Return the whole file."""
    types = Types()
    types.union("AnyChange", AnyChange)
    types.union("AnyEvent", e.AnyEvent)
    types.union("AnyAction", AnyAction)
    types.of(mi.type_info(e.Entry))
    types.declared["Entry"] = (
        "export type Entry = [event: AnyEvent, cause: string, calls: string[]];"
    )
    for module in (
        reply_types,
        run_types,
        lab_types,
        receipts,
        experiment_types,
        people_table,
        overview_types,
        voice_types,
    ):
        for reply in vars(module).values():
            if isinstance(reply, type) and reply.__module__ == module.__name__:
                types.of(mi.type_info(reply))
    types.of(mi.type_info(PlayerView))
    phases = ", ".join(f'"{name}"' for name in e.PHASES)
    rest = [
        f"export const PHASES = [{phases}] as const;",
        "/** What a stream sends for each chapter; `n` is its number in the order of arrival. */",
        "export interface Chapter {\n  n: number;\n  round: number;\n  phase: number;\n"
        "  rank: number;\n  agent: number;\n  entries: Entry[];\n}",
        kinds(),
        phrases(),
        page_fields(),
        meanings(),
    ]
    head = "// Made by tools/ui_types.py from the structs of the server; do not edit by hand."
    return "\n\n".join([head, *types.declared.values(), *rest]) + "\n"


def meanings() -> str:
    """Return what each metric tells, its formula, its unit and what it is a mean over."""
    lines = [
        "/** What metrics tell: a sentence, the formula, the unit, what a round is a mean over. */"
    ]
    lines.append("export const MEANINGS: Record<string, [string, string, string, string]> = {")
    for name, (sentence, formula) in MEANINGS.items():
        told = [sentence, formula, LABELS[name][1], averaged_over(name)]
        lines.append(f"  {name}: {json.dumps(told, ensure_ascii=False)},")
    return "\n".join([*lines, "};"])


def kinds() -> str:
    """Return the fields of each event by name, so that a page need not count them."""
    lines = ["export const FIELDS = {"]
    for event in get_args(e.AnyEvent):
        names = ", ".join(f'"{field.name}"' for field in msgspec.structs.fields(event))
        lines.append(f"  {event.__name__}: [{names}],")
    return "\n".join([*lines, "} as const;"])


def phrases() -> str:
    """Return the phrases of events for which the page has no words of its own."""
    lines = ["export const PHRASES: Record<string, string> = {"]
    phrased = [event for event in e.EVENTS if event.phrase]
    lines += [f"  {event.__name__}: {json.dumps(event.phrase)}," for event in phrased]
    return "\n".join([*lines, "};"])


def page_fields() -> str:
    """Return the actions, besides picking, that take an item of a page."""
    names = ", ".join(f'"{action.__name__}"' for action in a.ACTIONS if action.page_field)
    return f'export const PAGE_ACTIONS: AnyAction["type"][] = [{names}];'


def main() -> int:
    text = generated()
    if "--check" in sys.argv:
        same = TARGET.is_file() and TARGET.read_text("utf-8") == text
        print("up to date" if same else f"run python {Path(__file__).name}")
        return 0 if same else 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
