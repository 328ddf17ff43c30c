"""Advertisement: whom to tell, and does telling some reach the others?"""

from __future__ import annotations

from audience.experiments.findings import Findings
from audience.experiments.scenario import Options
from audience.experiments.studies.promoted import LABELS, about, by_round, item_of, metrics, words
from audience.experiments.studies.sentences import clause, sentence
from audience.experiments.studies.study import Chart, Setting, Study, StudyFindings, known
from audience.world.rng import rng
from audience.world.taste import taste_of, tastes

TEXT = "Advertisement: have you seen <{}> yet?"
SHARE = 0.2


def changes(setting: Setting) -> list[Options]:
    """Return the advertisement of an arm, to those it is for."""
    if setting.arm.startswith("silent"):
        return []
    item = item_of(setting)
    told = words(setting, "advertise", TEXT) | about(setting, 0.5)
    profiles = setting.genesis.profiles
    some = max(1, round(setting.option("share", SHARE) * len(profiles)))
    if setting.arm.startswith("targeted"):
        catalogue = setting.genesis.catalogue
        own = tastes([taste_of(one, catalogue.tag_ids) for one in profiles])
        match = (own * catalogue.weights[item.id]).sum(axis=1).round(9).tolist()
        order = sorted(range(len(profiles)), key=lambda who: (-match[who], who))
        told["agents"] = sorted(order[:some])
    elif setting.arm.startswith("anybody"):
        drawn = rng(setting.seed, "advertised").choice(len(profiles), some, False)
        told["agents"] = sorted(drawn.tolist())
    return [told]


def finding(findings: Findings) -> str:
    """Say whether advertising is followed, whether choosing whom to tell helps, and beyond."""
    first = findings.arms[0].name
    return sentence(
        [
            clause(findings, "item_picks", first, "everybody"),
            clause(findings, "item_reached_picks", "anybody", "targeted"),
            clause(findings, "item_unreached_picks", first, "targeted"),
        ]
    )


def remarks(findings: StudyFindings) -> list[str]:
    """Say what rule minds make of an advertisement."""
    if not findings.has_rule_minds:
        return []
    return [
        "Rule minds read no words and do not mind that it is an advertisement: they hear that "
        "somebody speaks well of an item, which weighs by their parameter `friends`."
    ]


STUDY = Study(
    "advertisement",
    {**LABELS, **known("satisfaction", "picks", "entropy_exposure", "entropy_consumption")},
    (
        *by_round(),
        Chart(
            "reached",
            "bars",
            ("item_reached_picks", "item_unreached_picks"),
            "Picks of the item, per 100 of them",
            "Those who were sent the advertisement, and all the others.",
            ("reached", "not reached"),
        ),
    ),
    finding,
    metrics=metrics,
    changes=changes,
    options=("at", "text", "stance", "share"),
    remarks=remarks,
)
