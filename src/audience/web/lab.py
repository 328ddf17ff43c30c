"""Endpoints of the Lab: studies and evaluations that can be started, go on, or were found."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Path as InPath
from starlette.responses import Response

from audience.files import free_path
from audience.lab.studies import STUDY_FILE
from audience.web.lab_catalogue import (
    command_for,
    evaluation_offers,
    offer_of,
    study_offers,
    told_options,
)
from audience.web.lab_jobs import Job, LabJobs, reply_of
from audience.web.lab_results import REPORT, LabResults
from audience.web.lab_types import LabJob, LabOffer, LabReply, LabRow
from audience.web.measures import REPORT_POLICY
from audience.web.replies import Conflict, Missing, json_reply
from audience.web.requests import LabStart, RunId
from audience.web.run_registry import RunRegistry
from audience.web.scenarios import Offer
from audience.web.trash import Trash

File = Annotated[str, InPath(min_length=1, max_length=120)]
JobId = Annotated[str, InPath(min_length=1, max_length=40)]
OFFERED_MINDS = ("", "rule", "grounded", "recsim")
OFFERED_OPTIONS = {"kind", "name", "quick", "agents", "rounds", "seeds", "mind"}
OFFERED_PEOPLE, OFFERED_ROUNDS, OFFERED_SEEDS = 2000, 50, 20
_FIGURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class Lab:
    """The studies and evaluations of a folder, held to what is offered."""

    def __init__(self, registry: RunRegistry, offer: Offer, trash: Trash) -> None:
        self.registry, self.offer = registry, offer
        self.jobs = LabJobs(trash.put)
        self.results = LabResults(registry)
        trash.is_busy = self.jobs.is_busy

    def close(self) -> None:
        """End what goes on."""
        self.jobs.close()
        self.results.close()

    @property
    def is_offered(self) -> bool:
        return self.offer.offered is not None

    def reply(self) -> LabReply:
        """Return all that the Lab shows."""
        refused = ""
        if self.is_offered:
            refused = (
                "Evaluations read files and ask models of this machine, so they are started by "
                "whoever serves the page; so is every study that is not offered."
            )
        jobs = [self.job_reply(job) for job in self.jobs.all()]
        rows = [self._now(row) for row in self.results.rows(studies_only=self.is_offered)]
        return LabReply(self._offers(), jobs, rows, refused)

    def _now(self, row: LabRow) -> LabRow:
        if row.state == "unfinished" and self.jobs.is_busy(self.results.folder_of(row.id)):
            return LabRow(**{name: getattr(row, name) for name in row.__struct_fields__}
                          | {"state": "running"})  # fmt: skip
        return row

    def _offers(self) -> list[LabOffer]:
        held_to = self.offer.offered
        studies = study_offers()
        if held_to is None:
            return [*studies.values(), *evaluation_offers().values()]
        return [one for name, one in studies.items() if name in held_to.studies]

    def job_reply(self, job: Job) -> LabJob:
        """Return a job as the page shows it."""
        arms = self.results.arms(job.folder)
        result = ""
        if job.folder.is_dir() and job.state in ("running", "finished"):
            result = self.registry.folders.id_of(job.folder)
        return reply_of(job, arms if job.state in ("running", "finished") else [], result)

    def start(self, asked: LabStart) -> LabJob:
        """Start a study or an evaluation, or let it wait for its turn."""
        self._check(asked)
        offer = offer_of(asked.kind, asked.name)
        run = self.registry.folders.folder_of(asked.run) if asked.run else None
        stem = f"study-{asked.name}" if asked.kind == "study" else f"eval-{asked.name}"
        folder = self._free(stem)
        command = command_for(asked, folder, run)
        job = Job(asked.kind, asked.name, offer.question, told_options(asked), folder)
        return self.job_reply(self.jobs.add(job, command))

    def go_on(self, id_: str) -> LabJob:
        """Go on with a study that was stopped."""
        if self.is_offered:
            raise Conflict("a study is continued by whoever serves the page")
        folder = self.results.folder_of(id_)
        row = self.results.result(id_, studies_only=True)
        if row.state == "finished":
            raise Conflict(f"{folder.name} is finished")
        command = [sys.executable, "-m", "audience", "study", str(folder / STUDY_FILE)]
        job = Job("study", row.name, row.title, "continued", folder)
        job.keeps = True
        return self.job_reply(self.jobs.add(job, [*command, "--out", str(folder)]))

    def _free(self, stem: str) -> Path:
        """Return a folder that neither exists nor waits to be made."""
        taken = {job.folder for job in self.jobs.all()}
        root = self.registry.folders.root.resolve()
        folder = free_path(root / stem)
        count = int(folder.name.rpartition("-")[2])
        while folder in taken or folder.exists():
            count += 1
            folder = root / f"{stem}-{count}"
        return folder

    def _check(self, asked: LabStart) -> None:
        """Raise unless a request keeps to what is offered to others."""
        held_to = self.offer.offered
        if held_to is None:
            return
        names = ", ".join(held_to.studies) or "none"
        if asked.kind != "study" or asked.name not in held_to.studies:
            raise Conflict(
                f"{asked.name} is not offered to other machines; offered studies: {names}. Whoever "
                "serves the page can add it as `studies` to the file of `audience serve --offer`"
            )
        given = {name for name in asked.model_fields_set if getattr(asked, name) not in ("", None)}
        if given - OFFERED_OPTIONS or asked.mind not in OFFERED_MINDS:
            raise Conflict(
                "a study that is offered takes people, rounds, seeds, and minds of this package "
                "that ask no model; leave out the rest"
            )
        limits = {"agents": OFFERED_PEOPLE, "rounds": OFFERED_ROUNDS, "seeds": OFFERED_SEEDS}
        for name, most in limits.items():
            if (getattr(asked, name) or 0) > most:
                raise Conflict(f"{name}: others may ask for {most:,} at most")


def router(lab: Lab) -> APIRouter:
    """Return the endpoints of the Lab."""
    api = APIRouter()
    results = lab.results

    @api.get("/lab", response_class=Response)
    def shown() -> Response:
        """Return what can be started, what goes on, and what was found."""
        return json_reply(lab.reply())

    @api.post("/lab/jobs", response_class=Response, status_code=201)
    def start(body: LabStart) -> Response:
        """Start a study or an evaluation."""
        return json_reply(lab.start(body), 201)

    @api.post("/lab/jobs/{job}/cancel", response_class=Response)
    def cancel(job: JobId) -> Response:
        """End a study or an evaluation; what it has written goes into the trash."""
        return json_reply(lab.job_reply(lab.jobs.cancel(job)))

    @api.post("/lab/results/{run}/continue", response_class=Response, status_code=201)
    def go_on(run: RunId) -> Response:
        """Go on with a study that was stopped."""
        return json_reply(lab.go_on(run), 201)

    @api.get("/lab/results/{run}", response_class=Response)
    def result(run: RunId) -> Response:
        """Return what a study or an evaluation found."""
        return json_reply(results.result(run, studies_only=lab.is_offered))

    @api.get("/lab/results/{run}/figures/{file}", response_class=Response)
    def figure(run: RunId, file: File) -> Response:
        """Return a figure."""
        results.result(run, studies_only=lab.is_offered)
        headers = {"content-security-policy": _FIGURE_POLICY}
        return Response(results.figure(run, file), media_type="image/svg+xml", headers=headers)

    @api.get("/lab/results/{run}/report", response_class=Response)
    def report(run: RunId) -> Response:
        """Return the report of a study as a page that opens offline."""
        page = results.folder_of(run) / REPORT
        if lab.is_offered:
            raise Conflict("the report names files of this machine and is not shown to others")
        if not page.is_file() or page.is_symlink():
            raise Missing("this study has no report yet")
        headers = {"content-security-policy": REPORT_POLICY}
        content = page.read_bytes()
        return Response(content, media_type="text/html; charset=utf-8", headers=headers)

    return api
