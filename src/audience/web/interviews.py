"""Endpoints of interviews: ask people a question, answered in the background."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Path as InPath
from starlette.responses import Response

from audience.agents.language import Answer
from audience.errors import AudienceError, BadInput, unknown
from audience.runs import ask, reminders
from audience.web.changes import ChangeDesk
from audience.web.receipts import StartedInterview
from audience.web.replies import Missing, json_reply
from audience.web.reply_types import InterviewStatus
from audience.web.requests import Ask, RunId
from audience.web.run_registry import RunRegistry
from audience.world import Profile, World

KEPT = 100
AT_ONCE = 2
log = logging.getLogger(__name__)


class InterviewJob:
    """An interview under way."""

    def __init__(self, id_: str, total: int) -> None:
        self.id, self.total = id_, total
        self.answers: list[Answer] = []
        self.error: str | None = None
        self.is_over = False

    def status(self) -> InterviewStatus:
        answers = list(self.answers)
        return InterviewStatus(self.id, len(answers), self.total, self.is_over, answers, self.error)


class Jobs:
    """The interviews of this server, a few at a time; the oldest are dropped."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, InterviewJob] = OrderedDict()
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._closing = False
        self._lock = threading.Lock()
        self._made = 0

    def begin(self, total: int, work: Callable[[InterviewJob], None]) -> InterviewJob:
        with self._lock:
            self._made += 1
            job = self._jobs[str(self._made)] = InterviewJob(str(self._made), total)
            while len(self._jobs) > KEPT:
                self._jobs.popitem(last=False)
        # A daemon, so that an interview under way does not keep the server from ending.
        threading.Thread(target=self._do, args=(job, work), name="ask", daemon=True).start()
        return job

    def find(self, id_: str) -> InterviewJob:
        if id_ not in self._jobs:
            raise Missing(f"there is no job {id_!r}")
        return self._jobs[id_]

    def close(self) -> None:
        """Begin no further interviews."""
        self._closing = True

    def _do(self, job: InterviewJob, work: Callable[[InterviewJob], None]) -> None:
        try:
            with self._free:
                if not self._closing:
                    work(job)
        except AudienceError as error:
            job.error = str(error)
        except Exception as error:
            log.exception("an interview failed")
            job.error = f"the interview failed: {error}"
        finally:
            job.is_over = True


def router(registry: RunRegistry, desk: ChangeDesk, jobs: Jobs) -> APIRouter:
    """Return the endpoints of interviews."""
    api = APIRouter()

    @api.post("/runs/{run}/ask", response_class=Response, status_code=202)
    def begin(run: RunId, body: Ask) -> Response:
        """Ask people a question; the reply names the job under which their answers arrive."""
        folder = registry.folders.folder_of(run)
        if not body.question.strip():
            raise BadInput("question: it is empty")
        with registry.readers.reading(folder) as reader:
            at = reader.round_of(body.at)
            agents = _chosen(reader.world(at), body)
        job = jobs.begin(len(agents), lambda job: _interview(folder, agents, body, at, job, desk))
        return json_reply(StartedInterview(job.id), 202)

    @api.get("/jobs/{job}", response_class=Response)
    def status(job: Annotated[str, InPath(max_length=20)]) -> Response:
        """Return the answers so far."""
        return json_reply(jobs.find(job).status())

    return api


def _interview(
    folder: Path, agents: list[int], body: Ask, at: int, job: InterviewJob, desk: ChangeDesk
) -> None:
    answers = ask(folder, agents, body.question, at, listener=job.answers.append)
    job.answers = answers
    if body.remember:
        for change in reminders(body.question, answers):
            desk.change(folder, change)


def _chosen(world: World, body: Ask) -> list[int]:
    """Return the people a question goes to."""
    everybody = range(len(world.agents))
    if sum((body.agents is not None, body.everyone, body.segment is not None)) != 1:
        raise BadInput("name whom to ask: agents, everyone or a segment")
    if body.everyone or body.agents == "everyone":
        return list(everybody)
    if body.segment is not None:
        chosen = [who for who in everybody if _belongs(world.profile(who), body.segment)]
    else:
        assert isinstance(body.agents, list)
        chosen = list(dict.fromkeys(body.agents))
    if not chosen:
        raise BadInput("this selects nobody; choose others")
    for who in chosen:
        if who not in everybody:
            raise BadInput(f"person {who} does not exist; ids go from 0 to {len(everybody) - 1}")
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
                raise BadInput(f"age {value!r} is not a range such as 20-29")
            return profile.age is not None and int(low) <= profile.age <= int(high or low)
        case "gender" | "career" | "name":
            return bool(getattr(profile, name) == value)
    known = ("interest", "trait", "age", "gender", "career", "name")
    raise unknown("segment", name, known)
