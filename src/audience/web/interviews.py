"""Endpoints of interviews: ask people a question, answered in the background and kept."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path as InPath, Query
from starlette.responses import Response

from audience.agents.language import Answer
from audience.errors import AudienceError, BadInput
from audience.results import csv_text
from audience.runs import (
    Closed,
    InterviewRecord,
    Respondents,
    close_interview,
    hold_interview,
    interviews_in,
    open_interview,
    read_interview,
    reminders,
)
from audience.web.changes import ChangeDesk
from audience.web.receipts import Acknowledged
from audience.web.replies import Conflict, Missing, file_reply, json_reply, to_json
from audience.web.requests import Ask, RunId, Whole
from audience.web.run_registry import RunRegistry
from audience.web.scenarios import Offer
from audience.web.voice_types import (
    InterviewReply,
    InterviewRow,
    InterviewState,
    StartedInterview,
)

AT_ONCE = 2
log = logging.getLogger(__name__)
RecordId = Annotated[str, InPath(pattern=r"^[1-9]\d{0,8}$")]
_COLUMNS = ("person", "name", "choice", "answer", "answered by", "failure", "segments")


class InterviewJob:
    """An interview under way."""

    def __init__(self, record: InterviewRecord) -> None:
        self.record = record
        self.answers: list[Answer] = []
        self.is_cancelled = False

    @property
    def so_far(self) -> InterviewRecord:
        """The interview with the answers that have arrived."""
        return msgspec.structs.replace(self.record, answers=list(self.answers))


class Jobs:
    """The interviews under way on this server, a few at a time."""

    def __init__(self, registry: RunRegistry, desk: ChangeDesk) -> None:
        self._registry, self._desk = registry, desk
        self._jobs: dict[tuple[Path, str], InterviewJob] = {}
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._closing = False

    def begin(self, folder: Path, record: InterviewRecord, *, remember: bool) -> None:
        """Ask the people of an interview in the background."""
        job = self._jobs[folder, record.id] = InterviewJob(record)
        # A daemon, so that an interview under way does not keep the server from ending.
        args = (folder, job, remember)
        threading.Thread(target=self._do, args=args, name="ask", daemon=True).start()

    def find(self, folder: Path, id_: str) -> InterviewJob | None:
        """Return an interview that is under way."""
        return self._jobs.get((folder, id_))

    def cancel(self, folder: Path, id_: str) -> None:
        """Wait for no further answers; those that arrived are kept."""
        job = self.find(folder, id_)
        if job is None:
            raise Conflict("this interview is over")
        job.is_cancelled = True

    def close(self) -> None:
        """Begin no further interviews, and wait for no more answers."""
        self._closing = True

    def _do(self, folder: Path, job: InterviewJob, remember: bool) -> None:
        try:
            with self._free:
                record = hold_interview(
                    folder,
                    job.record,
                    spending=self._registry.spending_left(folder),
                    listener=job.answers.append,
                    stopping=lambda: self._closing or job.is_cancelled,
                )
            if remember:
                for change in reminders(record.asked.question, record.answers):
                    self._desk.change(folder, change)
        except AudienceError as error:
            close_interview(folder, job.record.id, Closed(error=str(error)))
        except Exception as error:
            log.exception("an interview failed")
            why = f"the interview failed: {error}"
            close_interview(folder, job.record.id, Closed(error=why))
        finally:
            del self._jobs[folder, job.record.id]


def router(registry: RunRegistry, jobs: Jobs, offer: Offer) -> APIRouter:
    """Return the endpoints of interviews."""
    api = APIRouter()

    @api.post("/runs/{run}/ask", response_class=Response, status_code=202)
    def begin(run: RunId, body: Ask) -> Response:
        """Ask people a question; the reply names the interview under which answers arrive."""
        folder = registry.folders.folder_of(run)
        with registry.readers.reading(folder) as reader:
            offer.check_asked(reader.scenario.llm)
            at = reader.round_of(body.at)
        record = open_interview(folder, _wanted(body), body.question, at, body.options)
        jobs.begin(folder, record, remember=body.remember)
        return json_reply(StartedInterview(record.id), 202)

    @api.get("/runs/{run}/interviews", response_class=Response)
    def listed(run: RunId) -> Response:
        """Return the interviews kept beside a run, newest first."""
        folder = registry.folders.folder_of(run)
        records = interviews_in(folder)
        return json_reply([_row(record, jobs.find(folder, record.id)) for record in records])

    @api.get("/runs/{run}/interviews/{id}", response_class=Response)
    def one(run: RunId, id: RecordId, after: Annotated[Whole, Query()] = 0) -> Response:  # noqa: A002
        """Return an interview so far: the table, and the answers after so many."""
        folder = registry.folders.folder_of(run)
        return json_reply(_reply(folder, id, jobs, after))

    @api.post("/runs/{run}/interviews/{id}/cancel", response_class=Response)
    def cancel(run: RunId, id: RecordId) -> Response:  # noqa: A002
        """Cancel an interview; what was answered is kept."""
        jobs.cancel(registry.folders.folder_of(run), id)
        return json_reply(Acknowledged())

    @api.get("/runs/{run}/interviews/{id}/interview.json", response_class=Response)
    def whole(run: RunId, id: RecordId) -> Response:  # noqa: A002
        """Return an interview as a file."""
        reply = _reply(registry.folders.folder_of(run), id, jobs)
        return file_reply(to_json(reply), f"interview-{id}.json", "application/json")

    @api.get("/runs/{run}/interviews/{id}/answers.csv", response_class=Response)
    def answers(run: RunId, id: RecordId) -> Response:  # noqa: A002
        """Return the answers of an interview as CSV."""
        record = _record(registry.folders.folder_of(run), id, jobs)
        return file_reply(_answers_csv(record), f"interview-{id}.csv")

    @api.get("/runs/{run}/interviews/{id}/table.csv", response_class=Response)
    def table(run: RunId, id: RecordId) -> Response:  # noqa: A002
        """Return how many chose each option, overall and by segment, as CSV."""
        record = _record(registry.folders.folder_of(run), id, jobs)
        return file_reply(_table_csv(record), f"interview-{id}-table.csv")

    return api


def _wanted(body: Ask) -> Respondents:
    """Return the people a question goes to."""
    ways = (body.agents is not None, body.everyone, body.segment is not None, body.absent)
    if sum(ways) != 1:
        raise BadInput("name whom to ask: agents, everyone, a segment or those who stay away")
    by_id = None if body.agents in (None, "everyone") else tuple(map(int, body.agents or ()))
    return Respondents(by_id, body.segment or {}, body.absent, body.sample, body.seed)


def _record(folder: Path, id_: str, jobs: Jobs) -> InterviewRecord:
    job = jobs.find(folder, id_)
    record = job.so_far if job else read_interview(folder, id_)
    if record is None:
        raise Missing(f"there is no interview {id_} beside this run")
    return record


def _reply(folder: Path, id_: str, jobs: Jobs, after: int = 0) -> InterviewReply:
    job = jobs.find(folder, id_)
    record = _record(folder, id_, jobs)
    row = msgspec.structs.asdict(_row(record, job))
    return InterviewReply(**row, answers=record.answers[after:], table=record.table)


def _row(record: InterviewRecord, job: InterviewJob | None) -> InterviewRow:
    answers = list(job.answers) if job else record.answers
    asked, closed = record.asked, record.closed
    state: InterviewState = "interrupted"
    if job is not None and closed is None:
        state = "asking"
    elif closed is not None:
        state = "done" if len(answers) == len(asked.agents) else "cancelled"
        state = "failed" if state == "cancelled" and closed.error else state
    return InterviewRow(
        record.id,
        asked.question,
        asked.options,
        asked.at,
        asked.whom,
        len(asked.agents),
        len(answers),
        sum(not answer.text or bool(answer.failure) for answer in answers),
        sum(answer.by == "rule" for answer in answers),
        state,
        closed.error if closed else "",
    )


def _answers_csv(record: InterviewRecord) -> str:
    segments = record.asked.segments
    rows = (
        [
            str(answer.agent),
            answer.name,
            answer.choice,
            answer.text,
            answer.by,
            answer.failure,
            "; ".join(f"{by} {name}" for by, name in segments.get(answer.agent, ())),
        ]
        for answer in record.answers
    )
    return csv_text(_COLUMNS, rows)


def _table_csv(record: InterviewRecord) -> str:
    table = record.table
    if table is None:
        raise Missing("this question had no options, so there is nothing to count")
    heads = ("by", "segment", "asked", "answered", "option", "count", "share", "low", "high")
    rows = (
        [
            *(counts.by, counts.name, str(counts.asked), str(counts.answered)),
            *(row.option, str(row.count), *map(_number, (row.share, row.low, row.high))),
        ]
        for counts in (table.all, *table.segments)
        for row in counts.options
    )
    return csv_text(heads, rows)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
