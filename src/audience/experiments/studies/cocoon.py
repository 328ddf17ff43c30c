"""Cocoon: how narrow what people see and take up becomes, and what opens it again."""

from __future__ import annotations

from audience.experiments.findings import Findings
from audience.experiments.studies.genres import LABELS, Windows
from audience.experiments.studies.sentences import arm_of, clause, sentence
from audience.experiments.studies.study import Chart, Study, known


def finding(findings: Findings) -> str:
    """Say what random items and other friends do to variety, and what random items cost."""
    first = findings.arms[0].name
    levers = [arm.name for arm in findings.arms[1:] if arm.name.startswith("k")]
    most = levers[-1] if levers else ""
    friends = "other friends" if arm_of(findings, "other friends") else ""
    return sentence(
        [
            clause(findings, "five_entropy", "random", first),
            clause(findings, "five_entropy", first, most),
            clause(findings, "click_rate", first, most),
            clause(findings, "five_entropy", first, friends),
        ]
    )


STUDY = Study(
    "cocoon",
    {
        "page_entropy": LABELS["page_entropy"],
        **known("entropy_exposure"),
        "five_entropy": LABELS["five_entropy"],
        **known("entropy_consumption", "entropy_taste"),
        **known("click_rate", "rating_mean", "satisfaction", "picks"),
    },
    (
        Chart(
            "quality_against_entropy",
            "against",
            ("five_entropy", "click_rate"),
            "Quality against variety",
            "Right: more varied picks; up: more pages that please.",
        ),
        Chart(
            "picks_by_round",
            "rounds",
            ("five_entropy",),
            "Variety of the last five picks",
            "Consumption: what people took up, genres weighed 1/n, at the end of each round.",
        ),
        Chart(
            "pages_by_round",
            "rounds",
            ("page_entropy",),
            "Variety of a page",
            "Exposure: what people were shown, page by page.",
        ),
        Chart(
            "taste_by_round",
            "rounds",
            ("entropy_taste",),
            "Variety of tastes",
            "Latent interest: entropy of the positive part of everybody's taste.",
        ),
    ),
    finding,
    metrics=lambda setting: [Windows()],
)
