"""The bodies and parameters of requests, with bounds on every number."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

MOST = 2**53 - 1
RunId = Annotated[str, InPath(min_length=1, max_length=1000)]
Whole = Annotated[int, Field(ge=0, le=MOST)]
Agent = Annotated[int, Field(ge=0, le=2**31 - 1)]
Round = Annotated[int, Field(ge=0, le=2**31 - 1)]
Text = Annotated[str, Field(max_length=10_000)]


class Body(BaseModel):
    """A request's body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Form(Body):
    """A scenario in the fields of a form."""

    title: str | None = Field(None, max_length=200)
    agents: int | None = Field(None, ge=1, le=10_000_000)
    rounds: int | None = Field(None, ge=1, le=1_000_000)
    seed: int | None = Field(None, ge=0, le=MOST)
    seeds: int | None = Field(None, ge=1, le=1000)
    recommender: str | dict[str, Any] | None = None
    recommenders: list[str] | None = Field(None, min_length=2, max_length=20)
    """Several to compare, each an arm; the first is the reference."""
    mind: str | dict[str, Any] | None = None
    memory: str | dict[str, Any] | None = None
    dataset: str | dict[str, Any] | None = None
    order: str | None = None
    model: str | None = Field(None, max_length=500)
    llm: str | None = Field(None, max_length=2000)
    key_env: str | None = Field(None, max_length=200)
    budget: str | float | None = None
    share: float | None = Field(None, ge=0, le=1)
    scenario: str | None = Field(None, max_length=300)
    """The scenario that the form starts from; `plain` by default."""


class ScenarioBody(Body):
    """A scenario as TOML or as a form."""

    toml: str | None = Field(None, max_length=200_000)
    form: Form | None = None
    like: str | None = Field(None, min_length=1, max_length=1000)
    """A run or an experiment: a form changes its scenario, and differences from it are told."""


class Begin(Body):
    """A scenario to run."""

    toml: str | None = Field(None, max_length=200_000)
    form: Form | None = None
    like: str | None = Field(None, min_length=1, max_length=1000)
    name: str | None = Field(None, max_length=60)
    paused: bool = False
    speed: Literal["full", "watchable"] = "full"
    """`watchable`: a run by itself takes about two seconds a round, and a minute at most."""


class Steer(Body):
    do: Literal["play", "pause", "step_visit", "step_round", "stop", "reset", "speed"]
    speed: float | None = Field(None, ge=0, le=1_000_000)
    rounds: int | None = Field(None, ge=1, le=1_000_000)
    """With `play`: continue to this round if the run would end before it."""


class Upload(Body):
    """A Python file with a recommender."""

    name: str = Field(min_length=1, max_length=100)
    text: str = Field(max_length=200_000)


class Trial(Body):
    """A recommender to try: `file.py:Class` of an uploaded file, or the address of a service."""

    kind: str = Field(min_length=1, max_length=2000)


class LabStart(Body):
    """A study or an evaluation to start, with its main options."""

    kind: Literal["study", "evaluation"]
    name: str = Field(min_length=1, max_length=100)
    quick: bool = False
    agents: int | None = Field(None, ge=1, le=1_000_000)
    people: int | None = Field(None, ge=1, le=100_000)
    rounds: int | None = Field(None, ge=1, le=10_000)
    seeds: int | None = Field(None, ge=1, le=1000)
    seed: int | None = Field(None, ge=0, le=MOST)
    mind: str = Field("", max_length=200)
    data: str = Field("", max_length=1000)
    run: str = Field("", max_length=1000)
    llm: str = Field("", max_length=2000)
    model: str = Field("", max_length=500)
    key_env: str = Field("", max_length=200)


class Deletion(Body):
    """What is to be deleted: the id of a run, an experiment, a study or an evaluation."""

    id: str = Field(min_length=1, max_length=1000)


Short = Annotated[str, Field(max_length=200)]


class Ask(Body):
    agents: list[Agent] | Literal["everyone"] | None = Field(None, max_length=100_000)
    everyone: bool = False
    segment: dict[Short, Short] | None = Field(None, max_length=8)
    """Ask those whose profile has these values: {"gender": "F"} or {"interest": "Drama"}."""
    absent: bool = False
    """Ask those who came before and stay away."""
    sample: int | None = Field(None, ge=1, le=100_000)
    """Ask so many of them, drawn by `seed`."""
    seed: Whole = 1
    question: str = Field(max_length=2000)
    options: list[Short] = Field(default_factory=list, max_length=20)
    """Answers to choose from; a single one such as `1-5` means a scale."""
    at: Round | None = None
    remember: bool = False


class ChatBegin(Body):
    agent: Agent
    at: Round | None = None


class ChatWords(Body):
    text: str = Field(min_length=1, max_length=1000)


class PromptMessage(Body):
    role: Literal["system", "user", "assistant"]
    content: str = Field(max_length=100_000)


class AskAgain(Body):
    messages: list[PromptMessage] = Field(min_length=1, max_length=60)


class NoteBody(Body):
    author: str = Field(min_length=1, max_length=80)
    score: int | None = Field(None, ge=1, le=5)
    text: str = Field("", max_length=4000)


Point = Annotated[int, Field(ge=1, le=5)]


class JudgementAnswer(Body):
    """An answer to a task; only the fields that it asks for are set."""

    text: str | None = Field(None, max_length=2000)
    verdict: Point | None = None
    informative: Point | None = None
    relevant: Point | None = None


class JudgementBody(Body):
    judge: str = Field(min_length=1, max_length=80)
    answers: dict[Annotated[str, Field(max_length=20)], JudgementAnswer] = Field(max_length=2000)


class Play(Body):
    agent: Agent | None = None
    person: dict[str, Any] | None = None
    deadline_s: float | None = Field(None, gt=0, le=86_400)


class Move(Body):
    action: dict[str, Any]
    number: Whole | None = None
    """The question that is answered, so that a late move does not answer the next one."""


class ChangeBody(Body):
    change: dict[str, Any]


class Branch(Body):
    at: Round | None = None
    interventions: list[dict[str, Any]] = Field(default_factory=list, max_length=1000)
    name: str | None = Field(None, max_length=60)
