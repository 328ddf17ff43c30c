"""Endpoints of one's own recommenders: upload a Python file, and try a file or a service."""

from __future__ import annotations

import ast
import hashlib
import re
import shutil
import sys
import threading
from contextlib import suppress
from pathlib import Path

from fastapi import APIRouter
from starlette.responses import Response

from audience.errors import AudienceError, BadInput, Unusable
from audience.files import replace_all
from audience.plugins import find
from audience.runs import try_recommender
from audience.scenario import Part, Scenario, check_secrets, is_address, label
from audience.web.receipts import OwnRecommender, RecommenderCheck, TriedRecommender, Uploaded
from audience.web.replies import Conflict, json_reply
from audience.web.requests import Trial, Upload
from audience.web.run_registry import RunRegistry
from audience.web.scenarios import Offer

UPLOADS = ".uploads"
"""The folder inside that of the runs; each file lies in a folder named after its content."""
MOST = 500
PEOPLE = 50
"""How many people a recommender is tried with."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,58}\.py")
_REMEDY = "fix it and upload it again"


class Uploads:
    """The Python files that were uploaded. One that holds no recommender is not kept."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()

    def keep(self, name: str, text: str) -> Uploaded:
        """Keep a file and return the recommenders in it; nothing is run before it was parsed."""
        if not _NAME.fullmatch(name):
            raise BadInput(
                f"{name[:80]!r} cannot name an uploaded file; use letters, digits, - and _, "
                "and end it in .py"
            )
        names = recommender_classes(name, text)
        content = text.encode()
        with self._lock:
            place = self._place(hashlib.sha256(content).hexdigest()[:12]) / name
            is_new = not place.is_file()
            if is_new:
                replace_all({place: content})
        try:
            found = _loaded(place, names)
        except AudienceError as error:
            if is_new:
                shutil.rmtree(place.parent, ignore_errors=True)
            raise BadInput(_told(error, place)) from None
        return Uploaded(name, [OwnRecommender(f"{place}:{one}", one, name) for one in found])

    def _place(self, digest: str) -> Path:
        """Return the folder of a content; a link or a file in its place is refused."""
        folder = self._root.resolve() / UPLOADS
        for place in (folder, folder / digest):
            if place.is_symlink() or (place.exists() and not place.is_dir()):
                raise Unusable(f"{place.name} in the folder of runs is not a folder; remove it")
            if not place.exists() and place != folder and len(list(folder.iterdir())) >= MOST:
                raise Conflict(f"{MOST} files were uploaded; remove some from {UPLOADS}")
            place.mkdir(exist_ok=True)
        return folder / digest


def recommender_classes(name: str, text: str) -> list[str]:
    """Return the classes of a Python text that may be recommenders, without running it."""
    try:
        tree = ast.parse(text, name)
    except SyntaxError as error:
        where = f"{name}, line {error.lineno}" if error.lineno else name
        raise BadInput(f"{where}: {error.msg}; {_REMEDY}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadInput(f"{name}: is no Python that can be read: {error}; {_REMEDY}") from None
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    found = [node.name for node in classes if node.bases or _has_fit(node)]
    if not found:
        there = ", ".join(node.name for node in classes[:10]) or "none"
        raise BadInput(
            f"{name}: no class in it has a method `fit`; a recommender has "
            f"fit(interactions, rng). Classes there: {there}"
        )
    return found


def _has_fit(node: ast.ClassDef) -> bool:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(one, functions) and one.name == "fit" for one in node.body)


def _loaded(place: Path, names: list[str]) -> list[str]:
    """Run a file as a scenario that names it would; return those classes that have a `fit`."""
    first = find("recommenders", f"{place}:{names[0]}")
    module = sys.modules.get(getattr(first, "__module__", ""))
    classes = {name: getattr(module, name, None) for name in names}
    found = [name for name, kind in classes.items() if callable(getattr(kind, "fit", None))]
    if not found:
        raise BadInput(f"{place}: no class in it has a `fit`; a recommender has one")
    return found


def _told(error: AudienceError, place: Path) -> str:
    """Return an error with the name that the user knows in place of the path here."""
    return str(error).replace(str(place), place.name)


def tried(kind: str) -> TriedRecommender:
    """Ask a recommender as `audience doctor` does; say what is wrong with it."""
    if not is_address(kind) and ".py:" not in kind:
        raise BadInput(
            f"{kind[:80]!r} is no address; give that of the service, as in http://127.0.0.1:8090"
        )
    check_secrets(Scenario(recommender=Part(kind)), "service")
    checks: list[tuple[str, bool, str]] = []
    try:
        checks = try_recommender(kind, PEOPLE)
    except AudienceError as error:
        path = kind.rpartition(":")[0]
        told = str(error).replace(path, Path(path).name) if path.endswith(".py") else str(error)
        checks.append((label(kind), False, told))
    rows = [
        RecommenderCheck(what, ok, told.replace(kind, label(kind))) for what, ok, told in checks
    ]
    return TriedRecommender(kind, label(kind), all(row.ok for row in rows), rows)


def router(registry: RunRegistry, offer: Offer) -> APIRouter:
    """Return the endpoints of one's own recommenders; only for a server of this machine alone."""
    api = APIRouter()
    uploads = Uploads(registry.folders.root)

    def check(what: str) -> None:
        if offer.offered is not None:
            raise Conflict(
                f"{what} only where the page serves this machine alone; whoever serves it can "
                "offer recommenders in the file of `audience serve --offer FILE.toml`"
            )

    @api.post("/recommenders/upload", response_class=Response)
    def upload(body: Upload) -> Response:
        """Keep a Python file and return the recommenders in it."""
        check("files are taken")
        return json_reply(uploads.keep(body.name, body.text))

    @api.post("/recommenders/try", response_class=Response)
    def try_(body: Trial) -> Response:
        """Ask a recommender of one's own once, a file or a service, and say what is wrong."""
        check("services and files are tried")
        with suppress(RecursionError):
            return json_reply(tried(body.kind))
        raise BadInput("the recommender calls itself without end; fix it and try again")

    return api
