"""Emergency: something is announced to everybody; what do they do then?"""

from __future__ import annotations

from audience.experiments.findings import Findings
from audience.experiments.scenario import Options
from audience.experiments.studies.promoted import LABELS, about, by_round, followed, metrics, words
from audience.experiments.studies.sentences import clause, sentence
from audience.experiments.studies.study import Setting, Study, StudyFindings, known

TEXT = "Breaking news: everybody is talking about <{}> tonight."


def changes(setting: Setting) -> list[Options]:
    """Return the announcement of an arm: with the item, with words alone, or none."""
    if setting.arm.startswith("quiet"):
        return []
    told = words(setting, "announce", TEXT)
    return [told if setting.arm.startswith("words") else told | about(setting, 0.8)]


def finding(findings: Findings) -> str:
    """Say what the announcement changed."""
    first = findings.arms[0].name
    return sentence(
        [
            clause(findings, "item_picks", first, "announced"),
            clause(findings, "item_searches", first, "announced"),
            clause(findings, "item_talk", first, "announced"),
            clause(findings, "item_picks", first, "words alone"),
        ]
    )


def remarks(findings: StudyFindings) -> list[str]:
    """Say what rule minds read of an announcement."""
    if not findings.has_rule_minds:
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
        *by_round(),
        followed(
            "social_by_round",
            "social_visits",
            "Visits to friends, per 100 people",
            "Who woke and went to see friends, in each round alone.",
        ),
        followed("talk_by_round", "item_talk", "Lines and posts about the item, per 100 people"),
    ),
    finding,
    metrics=metrics,
    changes=changes,
    options=("at", "text", "stance"),
    remarks=remarks,
)
