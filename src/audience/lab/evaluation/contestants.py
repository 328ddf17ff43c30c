"""All contestants: baselines, rule and grounded minds, and language models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from audience.agents.language import mind_prompts
from audience.agents.rule import RuleParameters
from audience.errors import BadInput, unknown
from audience.grounding import Grounds, fit_grounds
from audience.lab.evaluation import baselines as b, language as asking
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import Case, Contestant
from audience.lab.evaluation.contest import Entrant, Progress, joined, quiet
from audience.lab.evaluation.language import Words
from audience.lab.evaluation.run_mind import RunMind
from audience.llm import TUNED as TUNED_MODEL, GatewayStack, MiniLM, tuned_missing
from audience.recommenders import Markov
from audience.scenario import Models, SpendingOptions, door_of, name_of
from audience.world import INDIFFERENT, INTERESTED, Domain, Floats, Profile

_RECENT = 5
_EXPLORER = 0.5


class RuleChoice:
    """The utility of an item to a rule mind, with the taste that its genesis would have.

    Interests are the tags a person has more of than others, as for people made from data;
    position on the page and what friends say play no part.
    """

    name = "rule"

    def __init__(self, ground: Ground, parameters: RuleParameters | None = None) -> None:
        self.p = parameters or RuleParameters()
        self.weights = ground.lives.catalogue.weights
        self.quality = ground.quality
        self.ground = ground

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        return [self._score(case) for case in cases]

    def _score(self, case: Case) -> Floats:
        lived = self.weights[list(case.history)]
        taste = np.full(lived.shape[1], INDIFFERENT)
        taste[self.ground.dearest(case.history)] = INTERESTED
        page = self.weights[list(case.candidates)]
        unknown = ~(lived[-_RECENT:] > 0).any(axis=0)
        quality = self.quality[list(case.candidates)]
        utility: Floats = (
            self.p.taste * (page * taste).sum(axis=1)
            + self.p.quality * (2.0 * quality - 1.0)
            + self.p.novelty * _EXPLORER * (page * unknown).sum(axis=1)
        )
        return np.round(utility, 6)


class Grounded:
    """Scores candidates as a grounded mind picks: evidence, weighted by its chooser."""

    name = "grounded"

    def __init__(self, ground: Ground, held: str = "last") -> None:
        self.grounds = _grounds(ground, held)

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        histories, candidates = _columns(cases)
        return self.grounds.log_odds(histories, candidates, owners=[case.user for case in cases])


def evidence_words(ground: Ground, held: str = "last") -> Words:
    """Return a function that puts the evidence about candidates into plain words."""
    grounds = _grounds(ground, held)

    def describe(cases: Sequence[Case]) -> Sequence[Sequence[str]]:
        return [grounds.words(case.history, case.candidates) for case in cases]

    return describe


def _grounds(ground: Ground, held: str) -> Grounds:
    return fit_grounds(ground.lives, seed=ground.seed, held=held, weighed=ground.weighed)


def _columns(cases: Sequence[Case]) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    return [case.history for case in cases], [case.candidates for case in cases]


RECSIM, GROUNDED, RULE, LLM = "recsim", "grounded", "rule", "llm"
EVIDENCE, PLAIN = "llm+evidence", "llm-plain"
TUNED = "tuned"
"""A mind of a run that asks the model tuned for it."""
SCORED = {TUNED: "score", "llm+score": "score", "llm+glance": "glance"}
"""Minds of a run that decide by scoring, and how."""
STACKS = {f"{GROUNDED}+{kind}": (GROUNDED, kind) for kind in SCORED}
"""What a model adds to evidence: the scores of both, weighed, and popularity with them."""
KINDS = (
    GROUNDED,
    RULE,
    RECSIM,
    LLM,
    EVIDENCE,
    *SCORED,
    PLAIN,
    "llm-plain+evidence",
    "llm+scores",
    "llm+evidence+scores",
)
"""`llm` decides on a page as in a run; `llm-plain` answers a question made for evaluations."""
_TEMPERATURES = {TUNED: 1.0}
"""At which a mind of a run decides, where it is not the usual one."""
REGULARISATION = 1000.0
"""Of EASE; the best of 250 to 4,000 on MovieLens 1M, so that the baseline is strong."""


class Doors:
    """The gateway to language models, opened on first use and closed at the end."""

    def __init__(self, models: Models, spending: SpendingOptions, folder: Path) -> None:
        self.models = models
        self.spending = spending
        self.folder = folder
        self._door: GatewayStack | None = None

    def open(self) -> GatewayStack:
        """Return the gateway; its calls are stored in the evaluation's folder."""
        if self._door is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._door = door_of(self.models, self.spending, self.folder)
        return self._door

    @property
    def fresh(self) -> bool:
        """Whether stored answers are ignored."""
        return self.spending.calls == "fresh"

    @property
    def calls(self) -> int:
        """Calls that were made, without those reused."""
        return self._door.meter.total().calls if self._door else 0

    async def close(self) -> None:
        """Close the gateway if it was opened."""
        if self._door is not None:
            await self._door.close()


class ContestRules(msgspec.Struct, frozen=True, eq=False):
    """What minds need to take part in one evaluation."""

    form: str
    """How a model is asked: choose, taste or ratings."""
    domain: Domain
    seed: int
    doors: Doors
    progress: Progress = quiet
    held: str = "last"
    """What grounded minds practise on: the `last` items of lives, or items `spread` over them."""
    profiles: tuple[Profile, ...] = ()
    """The people of the data, as far as the data describe them."""


def kinds_of(text: str, *, stacks: bool = False) -> tuple[str, ...]:
    """Return the kinds in a list such as `grounded,llm+evidence`.

    With `stacks`, a name such as `grounded+tuned` also stands for its parts, which come before it.
    """
    given = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    known = (*KINDS, *STACKS) if stacks else KINDS
    if not given:
        raise BadInput(f"--mind is empty; give one or more of {', '.join(known)}")
    for kind in given:
        if kind not in known:
            raise unknown("--mind", kind, known)
    return tuple(dict.fromkeys(each for kind in given for each in (*STACKS.get(kind, ()), kind)))


def models_for(kinds: Sequence[str], models: Models) -> Models:
    """Return the models to ask: `tuned` names its own, which a server must go by."""
    if TUNED not in kinds or is_tuned(models.model):
        return models
    if models.model:
        raise BadInput(
            f"--mind {TUNED}: asks {TUNED_MODEL}, not {models.model}; leave --model out, or serve "
            f"the model under a name that begins with {TUNED_MODEL}"
        )
    return msgspec.structs.replace(models, model=TUNED_MODEL)


def is_tuned(model: str) -> bool:
    """Return whether a model is the tuned one by its name, in any version."""
    return model.rpartition("/")[2].lower().startswith(TUNED_MODEL)


def check_tuned(kinds: Sequence[str], models: Models, spending: SpendingOptions) -> None:
    """Raise before anything is computed if `tuned` would ask a model that is not installed."""
    is_packaged = TUNED in kinds and not models.address and spending.calls != "stored"
    if is_packaged and (wrong := tuned_missing()):
        raise BadInput(f"--mind {TUNED}: {wrong}; or give a server of {TUNED_MODEL} with --llm")


def baseline_contestants() -> list[Entrant]:
    """Return the baselines of every table, weakest kind first; features come last."""
    made = [
        entrant(b.Chance.name, b.Chance, practises=False),
        entrant(b.PopularityBaseline.name, b.PopularityBaseline),
        entrant("genre profile", b.genres),
        entrant(b.RecSim.name, b.RecSim),
        _embedding("wordllama"),
    ]
    if _has_minilm():
        made.append(_embedding("minilm"))
    made += [
        entrant("item-knn", b.item_knn),
        entrant("ease", partial(b.ease, regularisation=REGULARISATION)),
        entrant("markov", partial(b.ranked, "markov", Markov())),
    ]
    return [*made, *_features()]


def _features() -> list[Entrant]:
    """Return what only takes part in the mixes, to make them hard to beat."""
    chains = (
        ("near_markov", Markov(recent=3, reach=3, fading=0.6)),
        ("wide_markov", Markov(recent=60, reach=40, fading=0.97)),
    )
    return [
        entrant("recent_genres", b.recent_genres, kind="feature"),
        entrant("recent_years", b.recent_years, kind="feature"),
        *(entrant(name, partial(b.ranked, name, chain), kind="feature") for name, chain in chains),
    ]


def mind_contestants(
    kinds: Sequence[str], rules: ContestRules, *, practises: bool = False
) -> list[Entrant]:
    """Return the named minds; `practises` where their scores need a threshold."""
    minds = []
    weighed = {part for kind in kinds for part in STACKS.get(kind, ())}
    for kind in kinds:
        needed = practises or kind in weighed
        if kind == RULE:
            minds.append(entrant(kind, RuleChoice, kind="mind", practises=practises))
        elif kind == GROUNDED:
            make = partial(Grounded, held=rules.held)
            minds.append(entrant(kind, make, kind="mind", practises=needed, recipe=rules.held))
        elif kind in STACKS:
            minds.append(stack_entry(kind))
        elif kind in (LLM, EVIDENCE, *SCORED):
            minds.append(run_entry(kind, rules, practises=kind in SCORED and needed))
        elif kind.startswith(LLM):
            form = asking.SCORE if "scores" in kind else rules.form
            minds.append(asked_entry(kind, rules, form, practises=practises and "scores" in kind))
    return minds


def _has_minilm() -> bool:
    try:
        MiniLM()
    except BadInput:
        return False
    return True


def entrant(
    name: str,
    make: Callable[[Ground], Contestant],
    *,
    kind: str = "baseline",
    practises: bool = True,
    recipe: str = "",
) -> Entrant:
    """Return a participant that a plain function makes from the training part."""

    async def made(ground: Ground) -> Contestant:
        return make(ground)

    return Entrant(name, made, kind, recipe, practises)


def _embedding(kind: str) -> Entrant:
    async def made(ground: Ground) -> Contestant:
        return await b.embedding(ground, kind)

    return Entrant(f"text embedding ({kind})", made)


def stack_entry(kind: str) -> Entrant:
    """Return evidence and a model together: they are weighed, and nobody is asked again."""

    async def made(ground: Ground) -> Contestant:
        raise TypeError(f"{kind} is weighed from the scores of its parts")

    return Entrant(kind, made, "mind", parts=(*STACKS[kind], b.PopularityBaseline.name))


def asked_mind(kind: str, rules: ContestRules, ground: Ground) -> RunMind:
    """Return the mind of a run that answers cases of a training part."""
    return RunMind(
        kind,
        rules.doors.open(),
        ground,
        domain=rules.domain,
        profiles=rules.profiles,
        grounds=_grounds(ground, rules.held) if kind == EVIDENCE else None,
        deciding=SCORED.get(kind, "write"),
        temperature=_TEMPERATURES.get(kind, 0.8),
        model=name_of(rules.doors.models),
        seed=rules.seed,
        progress=lambda done: rules.progress(kind, done, 0),
    )


def run_entry(kind: str, rules: ContestRules, *, practises: bool = False) -> Entrant:
    """Return the mind of a run as contestant."""
    model = name_of(rules.doors.models)

    async def made(ground: Ground) -> Contestant:
        return asked_mind(kind, rules, ground)

    pack = mind_prompts(model=model)
    page = {"score": "page_choice", "glance": "page_glance"}.get(SCORED.get(kind, ""), "page")
    texts = [pack.text(name) for name in ("rules", f"{page}_rules", page)]
    recipe = joined(model, rules.doors.models.address, *texts)
    return Entrant(kind, made, "mind", recipe, practises)


def asked_entry(kind: str, rules: ContestRules, form: str, *, practises: bool = False) -> Entrant:
    """Return a language model as contestant; `form` is how it is asked."""
    model = name_of(rules.doors.models)

    async def made(ground: Ground) -> Contestant:
        words = evidence_words(ground, rules.held) if "evidence" in kind else None
        return asking.LanguageContestant(
            kind,
            form,
            rules.doors.open(),
            ground.lives,
            domain=rules.domain,
            model=model,
            seed=rules.seed,
            words=words,
            progress=lambda done: rules.progress(kind, done, 0),
        )

    pack = asking.evaluation_prompts(model)
    recipe = joined(
        model, rules.doors.models.address, pack.text("eval_rules"), pack.text(f"eval_{form}")
    )
    return Entrant(kind, made, "mind", recipe, practises)
