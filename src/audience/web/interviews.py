"""Interviews: one question to one, some or all, answered in the background."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path as InPath
from starlette.responses import Response

from audience.agents.language import Answer
from audience.errors import AudienceError, BadInput, unknown
from audience.runs import ask, reminders
from audience.web.changes import ChangeDesk
from audience.web.replies import Missing, told
from audience.web.requests import Ask, RunId
from audience.web.run_registry import Hall
from audience.world import Profile, World

KEPT = 100
AT_ONCE = 2
log = logging.getLogger(__name__)


class InterviewJob:
    """An interview on its way."""

    def __init__(self, id_: str, total: int) -> None:
        self.id, self.total = id_, total
        self.answers: list[Answer] = []
        self.error: str | None = None
        self.is_over = False

    def plain(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "done": len(self.answers),
            "total": self.total,
            "over": self.is_over,
            "answers": msgspec.to_builtins(self.answers),
            "error": self.error,
        }


class Jobs:
    """The interviews of one server, a few at a time; the oldest are forgotten."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, InterviewJob] = OrderedDict()
        self._workers = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="ask")
        self._lock = threading.Lock()
        self._made = 0

    def begin(self, total: int, work: Any) -> InterviewJob:  # noqa: ANN401
        with self._lock:
            self._made += 1
            job = self._jobs[str(self._made)] = InterviewJob(str(self._made), total)
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
        self._workers.submit(self._do, job, work)
        return job

    def find(self, id_: str) -> InterviewJob:
        if id_ not in self._jobs:
            raise Missing(f"there is no job {id_!r}")
        return self._jobs[id_]

    def close(self) -> None:
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _do(self, job: InterviewJob, work: Any) -> None:  # noqa: ANN401
        try:
            work(job)
        except AudienceError as error:
            job.error = str(error)
        except Exception as error:
            log.exception("an interview broke off")
            job.error = f"it broke off: {error}"
        finally:
            job.is_over = True


def router(hall: Hall, door: ChangeDesk, jobs: Jobs) -> APIRouter:
    """Return the ways to interviews."""
    api = APIRouter()

    @api.post("/runs/{run}/ask", response_class=Response, status_code=202)
    def begin(run: RunId, body: Ask) -> Response:
        """Ask people a question; the answer says under which job theirs come in."""
        folder = hall.shelf.folder_of(run)
        if not body.question.strip():
            raise BadInput("question: there are no words in it")
        with hall.readers.reading(folder) as reader:
            at = reader.round_of(body.at)
            agents = _chosen(reader.world(at), body)
        job = jobs.begin(len(agents), lambda job: _asked(folder, agents, body, at, job, door))
        return told({"job": job.id}, 202)

    @api.get("/jobs/{job}", response_class=Response)
    def one(job: Annotated[str, InPath(max_length=20)]) -> Response:
        """Return the answers that have come."""
        return told(jobs.find(job).plain())

    return api


def _asked(
    folder: Path, agents: list[int], body: Ask, at: int, job: InterviewJob, door: ChangeDesk
) -> None:
    answers = ask(folder, agents, body.question, at, told=job.answers.append)
    job.answers = answers
    if body.remember:
        for change in reminders(body.question, answers):
            door.change(folder, change)


def _chosen(world: World, body: Ask) -> list[int]:
    """Return whom a question goes to."""
    everybody = range(len(world.agents))
    given = [body.agents is not None, body.everyone, body.segment is not None]
    if sum(given) != 1:
        raise BadInput("say whom to ask: agents, everyone or a segment")
    if body.everyone or body.agents == "everyone":
        return list(everybody)
    if body.segment is not None:
        chosen = [who for who in everybody if _belongs(world.profile(who), body.segment)]
    else:
        assert isinstance(body.agents, list)
        chosen = list(dict.fromkeys(body.agents))
    if not chosen:
        raise BadInput("nobody is meant by that; choose others")
    for who in chosen:
        if who not in everybody:
            raise BadInput(f"person {who} does not exist; there are {len(everybody)}, from 0 on")
    return chosen


def _belongs(profile: Profile, segment: dict[str, str]) -> bool:
    return all(_has(profile, name, value) for name, value in segment.items())


def _has(profile: Profile, name: str, value: str) -> bool:
    match name:
        case "interest" | "trait":
            return value in (profile.interests if name == "interest" else profile.traits)
        case "age":
            low, _, high = value.partition("-")
            if not (low.isdecimal() and (high or low).isdecimal()):
                raise BadInput(f"age {value!r} is no range such as 20-29")
            return profile.age is not None and int(low) <= profile.age <= int(high or low)
        case "gender" | "career" | "name":
            return bool(getattr(profile, name) == value)
    known = ("interest", "trait", "age", "gender", "career", "name")
    raise unknown("segment", name, known)
