"""Check the limits of the house: file and function length, inheritance, names. Exits with 1."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

FILE_LINES = 400
FUNCTION_LINES = 60
INHERITANCE = 1
BANNED = {"manager", "handler", "helper", "utils", "base", "process", "info", "data"}
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
    for line in found:
        print(line)
    return 1 if found else 0


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
    ours = [one for one in parents.get(name, []) if one in parents and not is_shape(one, parents)]
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
