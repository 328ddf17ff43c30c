"""Pages of the documentation site that follow from the code: mkdocs calls the functions `on_…`.

The command line is described by its own commands, the map of the source by the docstrings of its
modules. Design notes, examples and the changelog stay where they are in the repository and are
shown on the site as well.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
SHOWN = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "design/*.md",
    "examples/*.toml",
    "examples/*.py",
    "examples/plugin/*.toml",
    "examples/plugin/*.py",
    "src/audience/llm/tuned/*.md",
)
MARK = re.compile(r"^<!-- generated: ([a-z-]+) -->$", re.MULTILINE)
FENCE = re.compile(r"^```(\w+) \w+$", re.MULTILINE)
"""A block whose second word tells the tests not to take it for a scenario."""
FILE = re.compile(r"^<!-- file: (\S+) -->$", re.MULTILINE)
LINK = re.compile(r"(\]\()((?:\.\./)*)(docs|design|examples|src|CHANGELOG|CONTRIBUTING)([/.])")

REMOTE = re.compile(r'<(?:script|img|iframe|link)\b[^>]*(?:src|href)="(?:https?:)?//[^"]*"')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what lies outside `docs/`."""
    for path in (path for pattern in SHOWN for path in sorted(ROOT.glob(pattern))):
        name = path.relative_to(ROOT).as_posix()
        files.append(File(name, str(ROOT), config.site_dir, config.use_directory_urls))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in what is generated, and lead links between folders to their place on the site."""
    in_docs = not any(Path(page.file.src_uri).match(pattern) for pattern in SHOWN)
    markdown = MARK.sub(lambda mark: GENERATED[mark[1]](), markdown)
    markdown = FENCE.sub(r"```\1", markdown)
    markdown = FILE.sub(lambda mark: quoted(ROOT / mark[1]), markdown)
    return LINK.sub(lambda link: moved(link, in_docs=in_docs), markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Refuse a page that would load something from another machine."""
    if remote := REMOTE.search(output):
        raise PluginError(f"{page.file.src_uri} loads {remote[0]}")
    return output


def moved(link: re.Match[str], *, in_docs: bool) -> str:
    """Return a link as it is on the site, where `docs/` is the root."""
    begin, up, folder, end = link.groups()
    if in_docs:
        return f"{begin}{up.removesuffix('../')}{folder}{end}"
    return f"{begin}{up}" if folder == "docs" else link[0]


def quoted(path: Path) -> str:
    """Return a file as a block of code."""
    kind = {".py": "python", ".toml": "toml"}[path.suffix]
    return f"```{kind}\n{path.read_text('utf-8').strip()}\n```"


def commands() -> str:
    """Return a section for each command, with its arguments, options and defaults."""
    from audience.cli.commands import audience

    with click.Context(audience, info_name="audience") as context:
        return "\n".join(section(audience, context))


def section(command: click.Command, context: click.Context, depth: int = 2) -> Iterator[str]:
    """Yield the lines that describe a command and those below it."""
    if depth > 2:
        yield f"\n{'#' * (depth - 1)} `{context.command_path}` {{: #{anchor(context)} }}\n"
        yield f"{command.help or command.get_short_help_str(200)}\n"
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"```text\n{context.command_path} {usage}\n```\n"
        yield from options(command, context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                with click.Context(below, context, info_name=name) as inner:
                    yield from section(below, inner, depth + 1)


def anchor(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield a table of a command's options."""
    rows = [
        (record[0], record[1])
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts
        if (record := parameter.get_help_record(context)) is not None
    ]
    if rows:
        yield "| option | meaning |\n|---|---|"
        yield from (f"| `{name}` | {cell(meaning)} |" for name, meaning in rows)
        yield ""


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def source_map() -> str:
    """Return one line for each room of the package and each file in it."""
    package = ROOT / "src" / "audience"
    lines: list[str] = []
    for room in sorted(path.parent for path in package.rglob("__init__.py")):
        depth = len(room.relative_to(package).parts)
        name = "audience" if room == package else room.relative_to(package).as_posix()
        lines += [f"\n{'#' * (2 + bool(depth > 1))} {name}\n", contract(room / "__init__.py"), ""]
        files = [path for path in sorted(room.glob("*.py")) if path.name != "__init__.py"]
        lines += ["| file | holds |", "|---|---|"] if files else []
        lines += [f"| `{path.name}` | {cell(contract(path))} |" for path in files]
    return "\n".join(lines)


def contract(path: Path) -> str:
    """Return the first line of a module's docstring."""
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return docstring.partition("\n\n")[0].replace("\n", " ")


GENERATED: dict[str, Callable[[], str]] = {"commands": commands, "source-map": source_map}
