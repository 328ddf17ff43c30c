"""Emergency: something is announced to everybody; what do they do then?"""

from __future__ import annotations

from audience.experiments.findings import Findings
from audience.experiments.scenario import Options
from audience.experiments.studies.promoted import LABELS, Promoted, item_of
from audience.experiments.studies.sentences import clause, sentence
from audience.experiments.studies.study import Chart, Setting, Study, known
from audience.metrics import Metric

TEXT = "Breaking news: everybody is talking about <{}> tonight."


def changes(setting: Setting) -> list[Options]:
    """Return the announcement of an arm: with the item, with words alone, or none."""
    if setting.arm.startswith("quiet"):
        return []
    item = item_of(setting)
    text = str(setting.options.get("text", TEXT)).replace("{}", item.title)
    told: Options = {"round": setting.change_round, "do": "announce", "text": text}
    if not setting.arm.startswith("words"):
        told |= {"items": [item.id], "stance": setting.option("stance", 0.8)}
    return [told]


def metrics(setting: Setting) -> list[Metric]:
    return [Promoted(item_of(setting), setting.change_round)]


def finding(findings: Findings) -> str:
    """Say what the announcement changed."""
    first = findings.arms[0].name
    return sentence(
        [
            clause(findings, "item_picks", first, "announced"),
            clause(findings, "social_visits", first, "announced"),
            clause(findings, "item_picks", first, "words alone"),
        ]
    )


def remarks(findings: Findings) -> list[str]:
    """Say what rule minds read of an announcement."""
    if 'kind = "rule"' not in findings.scenario:
        return []
    return [
        "Rule minds read no words: of an announcement they take that there is news, which item it "
        "is about and how it speaks of it. Fear and doubt need minds that read."
    ]


STUDY = Study(
    "emergency",
    {
        **{name: LABELS[name] for name in LABELS if "reached_" not in name},
        **known("satisfaction", "picks", "visits", "entropy_exposure", "entropy_consumption"),
    },
    (
        Chart(
            "picks_by_round",
            "rounds",
            ("item_picks",),
            "Picks of the item, per 100 people",
            "Consumption of each round alone.",
        ),
        Chart(
            "searches_by_round",
            "rounds",
            ("item_searches",),
            "Searches for the item, per 100 people",
            "Of each round alone.",
        ),
        Chart(
            "social_by_round",
            "rounds",
            ("social_visits",),
            "Ways to friends, per 100 people",
            "Who woke and went to see friends, in each round alone.",
        ),
        Chart(
            "talk_by_round",
            "rounds",
            ("item_talk",),
            "Lines and posts about the item, per 100 people",
            "Of each round alone.",
        ),
    ),
    finding,
    metrics=metrics,
    changes=changes,
    options=("at", "text", "stance"),
    remarks=remarks,
)
