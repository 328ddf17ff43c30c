"""The studies and evaluations that the page can start, and the command of each."""

from __future__ import annotations

import sys
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

import msgspec

from audience.errors import BadInput, unknown
from audience.lab.studies import QUICK, find, study_names
from audience.web.lab_types import LabOffer
from audience.web.requests import LabStart

DATA, RUN, MODEL = "data", "run", "model"
STUDY_OPTIONS = ("quick", "agents", "rounds", "seeds", "mind", "data", "model")
_VISITS_A_SECOND, _REPORT_S = 700.0, 12.0


class OfferedEvaluation(msgspec.Struct, frozen=True):
    """An evaluation as the page offers it."""

    question: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    full: str
    out: bool = True
    """Whether it writes its files itself; else what it prints is kept."""


EVALUATIONS: dict[str, OfferedEvaluation] = {
    "verdicts": OfferedEvaluation(
        "Which of several recommenders do the same people prefer, and does an offline score agree?",
        (DATA,),
        ("data", "mind", "agents", "rounds", "seeds", "model"),
        "minutes",
    ),
    "sensitivity": OfferedEvaluation(
        "Would recommenders be ranked the same way before other people than these?",
        (),
        ("data", "mind", "agents", "rounds", "seeds"),
        "a few minutes",
    ),
    "memory": OfferedEvaluation(
        "What does each kind of memory keep and lose of facts that were planted in it?",
        (),
        ("people", "rounds", "seeds"),
        "under a minute",
    ),
    "recommenders": OfferedEvaluation(
        "How well do recommenders find what real people did next?",
        (DATA,),
        ("data", "seed"),
        "minutes",
        out=False,
    ),
    "discrimination": OfferedEvaluation(
        "Can minds tell what real people picked next from what they never did?",
        (DATA,),
        ("data", "mind", "agents", "seed", "model"),
        "minutes; hours with a model",
    ),
    "taste": OfferedEvaluation(
        "Do minds say yes to what real people took up, and no to the rest?",
        (DATA,),
        ("data", "mind", "agents", "seed", "model"),
        "minutes; hours with a model",
    ),
    "ratings": OfferedEvaluation(
        "How far are the stars that minds give from those that people gave?",
        (DATA,),
        ("data", "mind", "agents", "seed", "model"),
        "minutes; hours with a model",
    ),
    "generation": OfferedEvaluation(
        "Do minds that go on from a history do what people really did?",
        (DATA,),
        ("data", "mind", "agents", "seed", "model"),
        "minutes; hours with a model",
    ),
    "activity": OfferedEvaluation(
        "How much do people do, and which law does that follow?",
        (DATA,),
        ("data", "seed"),
        "seconds",
    ),
    "backtest": OfferedEvaluation(
        "Does an audience order policies as real people in a randomised trial did?",
        (DATA,),
        ("data", "seed"),
        "minutes",
    ),
    "spread": OfferedEvaluation(
        "Does the model of spreading news follow a real curve of adoption?",
        (DATA,),
        ("data",),
        "minutes",
    ),
    "knowledge": OfferedEvaluation(
        "What does a language model know by heart of the items that people choose from?",
        (MODEL,),
        ("data", "agents", "seed", "model"),
        "minutes to hours",
    ),
    "consistency": OfferedEvaluation(
        "Does a language model stay the person it plays, and can it dislike something?",
        (MODEL,),
        ("data", "agents", "rounds", "seed", "model"),
        "minutes to hours",
    ),
    "prompts": OfferedEvaluation(
        "Do the place on a page and the wording of prompts move what a model chooses?",
        (MODEL,),
        ("data", "agents", "seed", "model"),
        "minutes to hours",
    ),
    "behaviour": OfferedEvaluation(
        "Do people who are played by a language model do what is known of people?",
        (MODEL,),
        ("data", "agents", "rounds", "seed", "model"),
        "minutes to hours",
    ),
    "demographics": OfferedEvaluation(
        "Can gender, age and occupation be guessed from what people of a run wrote?",
        (RUN, MODEL),
        ("run", "agents", "seed", "model"),
        "minutes to hours",
    ),
}


@lru_cache
def study_offers() -> dict[str, LabOffer]:
    """Return every study that is installed, by its name."""
    found = {}
    for name in study_names():
        recipe = find(name)
        scenario = recipe.scenario
        now = {"agents": scenario.agents, "rounds": scenario.rounds, "seeds": scenario.seeds}
        small = {key: min(now[key], most) for key, most in QUICK.items()}
        arms = list(scenario.arms)
        found[name] = LabOffer(
            "study",
            name,
            recipe.question,
            [],
            list(STUDY_OPTIONS),
            _rough(len(arms), **small),
            _rough(len(arms), **now),
            arms,
        )
    return found


def _rough(arms: int, *, agents: int, rounds: int, seeds: int) -> str:
    """Return roughly how long runs of rule minds take, in words."""
    seconds = _REPORT_S + arms * agents * rounds * seeds / _VISITS_A_SECOND
    if seconds < 50:
        return f"about {round(seconds, -1):.0f} s"
    return f"about {max(1, round(seconds / 60))} min"


def evaluation_offers() -> dict[str, LabOffer]:
    """Return every evaluation that the page can start, by its name."""
    return {
        name: LabOffer(
            "evaluation", name, one.question, list(one.needs), list(one.takes), "", one.full, []
        )
        for name, one in EVALUATIONS.items()
    }


def offer_of(kind: str, name: str) -> LabOffer:
    """Return a study or an evaluation by its name."""
    there = study_offers() if kind == "study" else evaluation_offers()
    if name not in there:
        raise unknown(kind, name, there)
    return there[name]


def command_for(asked: LabStart, folder: Path, run: Path | None) -> list[str]:
    """Return the command of a terminal that a request means; its results go to `folder`."""
    offer = offer_of(asked.kind, asked.name)
    _check(asked, offer, run)
    words = [sys.executable, "-m", "audience"]
    words += ["study"] if asked.kind == "study" else ["eval"]
    words.append(asked.name)
    words += [str(run)] if run else []
    words += _flags(asked, offer.takes)
    if asked.kind == "study" or EVALUATIONS[asked.name].out:
        words += ["--out", str(folder)]
    return words


def _flags(asked: LabStart, takes: Collection[str]) -> list[str]:
    words = ["--quick"] if asked.quick and "quick" in takes else []
    for option in ("agents", "rounds", "seeds", "seed", "people"):
        value = getattr(asked, option)
        if value is not None:
            words += [f"--{option}", str(value)]
    for option in ("mind", "data", "llm", "model"):
        text = getattr(asked, option)
        if text:
            words += [f"--{option}={text}"]
    return words + ([f"--key-env={asked.key_env}"] if asked.key_env else [])


def _check(asked: LabStart, offer: LabOffer, run: Path | None) -> None:
    """Raise if something that is needed is missing, or something is given that it does not take."""
    if DATA in offer.needs and not asked.data:
        raise BadInput(f"{offer.name} needs data: give the folder or file, or a published name")
    if RUN in offer.needs and run is None:
        raise BadInput(f"{offer.name} needs a run: choose one")
    if MODEL in offer.needs and not asked.llm:
        raise BadInput(f"{offer.name} asks a language model: choose an endpoint, or `embedded`")
    named = {"llm": "model", "key_env": "model"}
    for option in LabStart.model_fields:
        value = getattr(asked, option)
        is_given = value not in (None, "", False) and option not in ("kind", "name")
        if is_given and named.get(option, option) not in offer.takes:
            raise BadInput(f"{option}: {offer.name} has no such option; leave it out")


def told_options(asked: LabStart) -> str:
    """Return what something was started with, in words."""
    parts = ["quick"] if asked.quick else []
    for option, word in (("agents", "people"), ("people", "people"), ("rounds", "rounds"),
                         ("seeds", "seeds")):  # fmt: skip
        if (value := getattr(asked, option)) is not None:
            parts.append(f"{value:,} {word}")
    parts += [f"seed {asked.seed}"] if asked.seed is not None else []
    for option in ("mind", "data", "run", "model"):
        if text := getattr(asked, option):
            parts.append(f"{option} {text}")
    return ", ".join(parts)
