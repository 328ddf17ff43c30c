"""Endpoints of judgements: the tasks of the judging page, its answers, and what they come to."""

from __future__ import annotations

import threading
from html import escape
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path as InPath, Query
from msgspec.structs import replace
from starlette.responses import Response

from audience.errors import BadInput, unknown
from audience.files import replace_all, slug_of
from audience.lab.judging import (
    JUDGE,
    WRITE,
    Key,
    Sources,
    answer_problem,
    make,
    notes,
    page_of as judging_page,
    plain_result,
    read_answers,
    read_key,
)
from audience.web.receipts import Acknowledged
from audience.web.replies import Missing, json_reply
from audience.web.requests import JudgementBody, RunId
from audience.web.run_registry import RunRegistry
from audience.web.voice_types import JudgementSheet

FOLDER = "judging"
MOST_JUDGES = 200
_TASKS = (WRITE, JUDGE)
_POLICY = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
"""The page itself forbids every request and every script but its own."""
_RECAGENT = "recagent"
Seed = Annotated[int, Query(ge=0, le=2**31 - 1)]
PageId = Annotated[str, InPath(pattern="^[0-9a-f]{16}$")]


class Judgements:
    """The judging pages of runs: their keys and answers, kept beside each run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def key(self, folder: Path, seed: int) -> Key:
        """Return the key of a run's page; it is made once, and stays as the run goes on."""
        path = folder / FOLDER / f"seed-{seed}.key.json"
        with self._lock:
            if not path.is_file():
                key = make(Sources(run=folder), _TASKS, seed=seed)
                text = msgspec.json.format(msgspec.json.encode(key), indent=1) + b"\n"
                replace_all({path: text})
            return read_key(path)

    def of_page(self, folder: Path, page: str) -> Key:
        """Return the key of a page by its id."""
        for path in sorted((folder / FOLDER).glob("seed-*.key.json")):
            key = read_key(path)
            if key.page == page:
                return key
        raise Missing(f"there is no judging page {page} beside this run")

    def keep(self, folder: Path, page: str, body: JudgementBody) -> None:
        """Keep the answers of a judge, in place of those to the same tasks before."""
        key = self.of_page(folder, page)
        name = " ".join(body.judge.split())
        slug = slug_of(name)
        if not slug:
            raise BadInput("judge: give your name, in letters or digits")
        given = {
            task: answer.model_dump(exclude_none=True) for task, answer in body.answers.items()
        }
        tasks = {task.id: task for task in key.sheet.tasks}
        for id_, answer in given.items():
            why = answer_problem(tasks, id_, answer)
            if why:
                raise BadInput(f"task {id_}: {why}")
        path = _answers_path(folder, page, slug)
        with self._lock:
            if not path.is_file() and len(_answer_files(folder, page)) >= MOST_JUDGES:
                raise BadInput(f"{MOST_JUDGES} people judged this page already")
            before = msgspec.json.decode(path.read_bytes())["answers"] if path.is_file() else {}
            file = {
                "format": "audience-answers",
                "version": 1,
                "page": page,
                "judge": name,
                "answers": {**before, **given},
            }
            replace_all({path: msgspec.json.encode(file)})


def _answer_files(folder: Path, page: str) -> list[Path]:
    return sorted((folder / FOLDER).glob(f"answers-{page}-*.json"))


def _answers_path(folder: Path, page: str, slug: str) -> Path:
    return folder / FOLDER / f"answers-{page}-{slug[:60]}.json"


def router(registry: RunRegistry) -> APIRouter:
    """Return the endpoints of judgements."""
    api = APIRouter()
    judgements = Judgements()

    @api.get("/runs/{run}/judging", response_class=Response)
    def sheet(
        run: RunId, judge: Annotated[str, Query(max_length=80)] = "", seed: Seed = 1
    ) -> Response:
        """Return the tasks to judge about a run, and what a judge answered so far.

        Without anything to judge, `missing` says in words what the run lacks.
        """
        folder = registry.folders.folder_of(run)
        with registry.readers.reading(folder) as reader:
            lacks = _lacks(reader.scenario.memory.kind)
        if lacks:
            return json_reply(JudgementSheet("", [], {}, [], lacks))
        try:
            key = judgements.key(folder, seed)
        except BadInput:
            return json_reply(JudgementSheet("", [], {}, [], _TOO_LITTLE))
        path = _answers_path(folder, key.page, slug_of(judge))
        kept = msgspec.json.decode(path.read_bytes())["answers"] if path.is_file() else {}
        thin = notes(key, _TASKS)
        return json_reply(JudgementSheet(key.page, list(key.sheet.tasks), kept, thin))

    @api.put("/runs/{run}/judging/{page}", response_class=Response)
    def keep(run: RunId, page: PageId, body: JudgementBody) -> Response:
        """Keep the answers of a judge beside the run."""
        judgements.keep(registry.folders.folder_of(run), page, body)
        return json_reply(Acknowledged())

    @api.get("/runs/{run}/judging/{page}/result", response_class=Response)
    def result(run: RunId, page: PageId) -> Response:
        """Return what all judges answered, scored as `audience eval people import` scores it."""
        folder = registry.folders.folder_of(run)
        key = judgements.of_page(folder, page)
        answered, problems = read_answers(_answer_files(folder, page), key)
        # Whoever reads this may be elsewhere, so files go by their names.
        named = [replace(one, path=Path(one.path).name) for one in answered]
        left_out = [replace(one, path=Path(one.path).name) for one in problems]
        return json_reply(plain_result(key, named, left_out))

    _add_page(api, registry)
    return api


def _lacks(memory: str) -> str:
    if memory == _RECAGENT:
        return ""
    return (
        f"People of this run have memory {memory!r}, which writes nothing down. Judges compare and "
        "score summaries, insights and recalled memories, so start a run with memory 'recagent'. "
        "Decisions, talk and people of this run can be scored all the same."
    )


_TOO_LITTLE = (
    "People of this run have not yet remembered enough to judge. Let it run for more rounds: some "
    "dozens, with many visits each."
)


def _add_page(api: APIRouter, registry: RunRegistry) -> None:
    """Add the endpoint of the page as one file, for judges who have no access to this server."""

    @api.get("/judge", response_class=Response)
    def page(
        run: Annotated[str, Query(max_length=1000)] = "",
        tasks: Annotated[str, Query(max_length=20)] = "c",
        cases: Annotated[int, Query(ge=1, le=200)] = 20,
        behaviours: Annotated[int, Query(ge=1, le=200)] = 15,
        seed: Seed = 1,
    ) -> Response:
        """Return a page of tasks about a run with memories: b, texts to write; c, to judge.

        The same run, tasks and seed give the same page; `audience eval people make` writes its
        answer key.
        """
        if not run:
            raise BadInput("run: name the run to judge, as in /api/judge?run=NAME")
        chosen = tuple(task.strip() for task in tasks.split(",") if task.strip())
        for task in chosen or ("",):
            if task not in _TASKS:
                raise unknown("task", task, _TASKS)
        sources = Sources(run=registry.folders.folder_of(run))
        headers = {"content-security-policy": _POLICY}
        try:
            key = make(sources, chosen, cases=cases, behaviours=behaviours, seed=seed)
        except BadInput as error:
            told = _NOTHING.format(escape(str(error)))
            return Response(told, 400, headers, media_type="text/html; charset=utf-8")
        text = judging_page(key.sheet)
        return Response(text, media_type="text/html; charset=utf-8", headers=headers)


_NOTHING = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Nothing to judge</title>"
    "<h1>Nothing to judge yet</h1><p>{}</p><p>You can close this page.</p></html>"
)
