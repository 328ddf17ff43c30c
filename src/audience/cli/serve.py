"""`audience serve`: the web page."""

from __future__ import annotations

from pathlib import Path

import click

from audience.cli import options as o
from audience.errors import BadInput

DEFAULT = Path("runs")


@click.command("serve")
@click.argument("what", type=o.RUN, required=False, metavar="[RUN|SCENARIO]")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, help="0 takes a free one.")
@click.option("--host", default="127.0.0.1", metavar="ADDR", help="Another address needs a token.")
@click.option("--runs", type=o.RUN, default=None, metavar="DIR", help="The folder of runs.")
@click.option(
    "--offer",
    type=o.RUN,
    default=None,
    metavar="FILE.toml",
    help="What scenarios of others may name: endpoints, parts, prompts, scenarios.",
)
@click.option("--open", "open_", is_flag=True, help="Open the page in a browser.")
def serve_command(
    what: Path | None, port: int, host: str, runs: Path | None, offer: Path | None, open_: bool
) -> None:
    """Watch, steer, ask, play, change, branch and compare runs in a browser."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise BadInput("the page needs FastAPI and uvicorn: pip install 'audience[web]'") from None
    from audience.web import serve

    if what is not None and not what.exists():
        raise BadInput(f"{what} does not exist; give the folder of a run or a scenario file")
    run = what if what is not None and what.is_dir() else None
    scenarios = [what] if what is not None and what.is_file() else []
    if run is not None:
        with o.open_run(run):
            pass
    root = runs or (run.resolve().parent if run is not None else DEFAULT)

    def begun(address: str) -> None:
        click.echo(f"Audience is at {address}\nCtrl-C stops it, and its runs at a commit point.")
        if open_:
            click.launch(address)

    serve(root, host=host, port=port, run=run, scenarios=scenarios, offer=offer, begun=begun)
