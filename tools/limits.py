"""Check the limits of the house: file and function length, inheritance, names. Exits with 1."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

FILE_LINES = 500
FUNCTION_LINES = 60
INHERITANCE = 1
BANNED = {"manager", "handler", "helper", "utils", "base", "process", "info", "data"}
NOUNS = {"forgetting", "grounding", "judging", "probing", "sampling", "testing", "training"}
"""Words of the field that end in -ing and may name a module."""
ROOTS = ("src", "tests", "benchmarks", "tools", "examples")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> int:
    """Print every breach and return how to exit."""
    trees = {path: path.read_text("utf-8") for root in ROOTS for path in Path(root).rglob("*.py")}
    parents: dict[str, list[str]] = {}
    for path, text in trees.items():
        if path.parts[0] == "src":
            parents |= {node.name: bases(node) for node in classes(ast.parse(text))}
    found = [line for path, text in sorted(trees.items()) for line in breaches(path, text, parents)]
    found += [*gerunds(trees), *doubles(trees)]
    for line in found:
        print(line)
    return 1 if found else 0


def gerunds(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the modules of ours that are named after a doing instead of a thing."""
    for path in sorted(paths):
        name = path.parent.name if path.stem == "__init__" else path.stem
        if path.parts[0] == "src" and name.endswith("ing") and name not in NOUNS:
            yield f"{path}: is named after a doing; name it after the thing that it holds"


def doubles(trees: Mapping[Path, str]) -> Iterator[str]:
    """Yield the public class names that stand for more than one class."""
    places: dict[str, list[str]] = {}
    for path, text in sorted(trees.items()):
        if path.parts[0] == "src" and "starter" not in path.parts:
            for node in classes(ast.parse(text)):
                if not node.name.startswith("_"):
                    places.setdefault(node.name, []).append(f"{path}:{node.lineno}")
    for name, where in places.items():
        if len(where) > 1:
            yield f"{where[1]}: {name} is also the name of a class in {where[0]}; rename one"


def breaches(path: Path, text: str, parents: dict[str, list[str]]) -> Iterator[str]:
    """Yield what one file does that the house does not allow."""
    if text.count("\n") > FILE_LINES:
        yield f"{path}: {text.count(chr(10))} lines, at most {FILE_LINES}"
    for node in ast.walk(ast.parse(text)):
        place = f"{path}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, Function):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield f"{place}: {node.name} has {length} lines, at most {FUNCTION_LINES}"
        if path.parts[0] == "src" and isinstance(node, Function | ast.ClassDef):
            if words(node.name) & BANNED:
                yield f"{place}: {node.name} holds a word we do not use in names"
            if isinstance(node, ast.ClassDef) and depth(node.name, parents) > INHERITANCE:
                yield f"{place}: {node.name} inherits from a class of ours that inherits itself"


def depth(name: str, parents: dict[str, list[str]]) -> int:
    """Return how many classes of ours stand above a class, beyond errors and plain shapes."""
    above = [one for one in parents.get(name, []) if one in parents and one != name]
    ours = [one for one in above if not is_shape(one, parents)]
    return max((1 + depth(one, parents) for one in ours), default=0)


def is_shape(name: str, parents: dict[str, list[str]]) -> bool:
    """Say whether a class only marks a kind: an error, or the tag of a union of structs."""
    return (
        name.endswith("Error") or name == "BadInput" or parents[name] in (["Struct"], ["Protocol"])
    )


def classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def bases(node: ast.ClassDef) -> list[str]:
    named = [
        one.id if isinstance(one, ast.Name) else getattr(one, "attr", "") for one in node.bases
    ]
    return [name for name in named if name]


def words(name: str) -> set[str]:
    """Return the words of a name in lower case."""
    spaced = "".join(f" {c.lower()}" if c.isupper() else c for c in name)
    return set(spaced.replace("_", " ").split())


if __name__ == "__main__":
    sys.exit(main())
