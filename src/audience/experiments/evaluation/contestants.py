"""Who takes part: the baselines of every table, and the minds that are named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from audience.errors import BadInput, unknown
from audience.experiments.evaluation import asking
from audience.experiments.evaluation import baselines as b
from audience.experiments.evaluation.baselines import Ground
from audience.experiments.evaluation.cases import Contestant
from audience.experiments.evaluation.contest import Entry, Progress, quiet
from audience.experiments.evaluation.grounded import Grounded, evidence_words
from audience.experiments.evaluation.keeping import joined
from audience.experiments.evaluation.minds import RuleChoice
from audience.experiments.models import Models, Spending, door_of, name_of
from audience.llm.embedding_minilm import MiniLM
from audience.llm.gateway import Door
from audience.recommenders import Markov
from audience.world.genesis import Domain

RECSIM, GROUNDED, RULE, LLM = "recsim", "grounded", "rule", "llm"
KINDS = (GROUNDED, RULE, RECSIM, LLM, "llm+evidence", "llm+scores", "llm+evidence+scores")
REGULARISATION = 1000.0
"""Of EASE; the best of 250 to 4,000 on MovieLens 1M, so that the baseline is a strong one."""


class Doors:
    """The door to language models, opened by the first who asks and closed at the end."""

    def __init__(self, models: Models, spending: Spending, folder: Path) -> None:
        self.models = models
        self.spending = spending
        self.folder = folder
        self._door: Door | None = None

    def open(self) -> Door:
        """Return the door; its calls are kept in the evaluation's folder."""
        if self._door is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._door = door_of(self.models, self.spending, self.folder)
        return self._door

    @property
    def fresh(self) -> bool:
        """Whether everything shall be answered anew."""
        return self.spending.calls == "fresh"

    @property
    def calls(self) -> int:
        """Calls that were made, not counting those that were kept."""
        return self._door.meter.total().calls if self._door else 0

    async def close(self) -> None:
        """Let go of what was opened."""
        if self._door is not None:
            await self._door.close()


class Rules(msgspec.Struct, frozen=True, eq=False):
    """What minds need to take part in one evaluation."""

    form: str
    """How a model is asked: choose, taste or ratings."""
    domain: Domain
    seed: int
    doors: Doors
    progress: Progress = quiet
    held: str = "last"
    """What grounded minds practise on: the `last` items of lives, or some `spread` over them."""


def kinds_of(text: str) -> tuple[str, ...]:
    """Return the kinds of a list such as `grounded,llm+evidence`."""
    kinds = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not kinds:
        raise BadInput(f"--mind is empty; give one or more of {', '.join(KINDS)}")
    for kind in kinds:
        if kind not in KINDS:
            raise unknown("--mind", kind, KINDS)
    return kinds


def baselines() -> list[Entry]:
    """Return the baselines of every table, the weakest kind first; features come last."""
    made = [
        _plain(b.Chance.name, b.Chance, practises=False),
        _plain(b.Popularity.name, b.Popularity),
        _plain("genre profile", b.genres),
        _plain(b.RecSim.name, b.RecSim),
        _embedding("wordllama"),
    ]
    if _has_minilm():
        made.append(_embedding("minilm"))
    made += [
        _plain("item-knn", b.item_knn),
        _plain("ease", partial(b.ease, regularisation=REGULARISATION)),
        _plain("markov", partial(b.ranked, "markov", Markov())),
    ]
    return [*made, *_features()]


def _features() -> list[Entry]:
    """Return what is only seen in the mixes: so that they are hard to beat."""
    chains = (
        ("near_markov", Markov(recent=3, reach=3, fading=0.6)),
        ("wide_markov", Markov(recent=60, reach=40, fading=0.97)),
    )
    return [
        _plain("recent_genres", b.recent_genres, kind="feature"),
        _plain("recent_years", b.recent_years, kind="feature"),
        *(_plain(name, partial(b.ranked, name, one), kind="feature") for name, one in chains),
    ]


def minds(kinds: Sequence[str], rules: Rules, *, practises: bool = False) -> list[Entry]:
    """Return the minds that are named; `practises` where their scores need a threshold."""
    found = []
    for kind in kinds:
        if kind == RULE:
            found.append(_plain(kind, RuleChoice, kind="mind", practises=practises))
        elif kind == GROUNDED:
            make = partial(Grounded, held=rules.held)
            found.append(_plain(kind, make, kind="mind", practises=practises, recipe=rules.held))
        elif kind.startswith(LLM):
            form = asking.SCORE if "scores" in kind else rules.form
            found.append(asked_entry(kind, rules, form, practises=practises and "scores" in kind))
    return found


def _has_minilm() -> bool:
    try:
        MiniLM()
    except BadInput:
        return False
    return True


def _plain(
    name: str,
    make: Callable[[Ground], Contestant],
    *,
    kind: str = "baseline",
    practises: bool = True,
    recipe: str = "",
) -> Entry:
    async def made(ground: Ground) -> Contestant:
        return make(ground)

    return Entry(name, made, kind, recipe, practises)


def _embedding(kind: str) -> Entry:
    async def made(ground: Ground) -> Contestant:
        return await b.embedding(ground, kind)

    return Entry(f"text embedding ({kind})", made)


def asked_entry(kind: str, rules: Rules, form: str, *, practises: bool = False) -> Entry:
    """Return a language model as contestant; `form` is how it is asked."""
    model = name_of(rules.doors.models)

    async def made(ground: Ground) -> Contestant:
        words = evidence_words(ground, rules.held) if "evidence" in kind else None
        return asking.Asked(
            kind,
            form,
            rules.doors.open(),
            ground.lives,
            domain=rules.domain,
            model=model,
            seed=rules.seed,
            words=words,
            told=lambda done: rules.progress(kind, done, 0),
        )

    pack = asking.evaluation_prompts(model)
    recipe = joined(
        model, rules.doors.models.url, pack.text("eval_rules"), pack.text(f"eval_{form}")
    )
    return Entry(kind, made, "mind", recipe, practises)
