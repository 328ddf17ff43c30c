"""The mind of a run as contestant: the same profile, page and prompt as a run, one page a case."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from audience.agents.language import LLMMind
from audience.errors import BadInput
from audience.lab.evaluation.baselines import Ground
from audience.lab.evaluation.cases import Case, stars_given
from audience.llm import Counts, GatewayStack, Reply, Request, Unreadable, spent_on, together
from audience.memory import NoMemory
from audience.parts import ChoiceEvidence
from audience.world import (
    MENUS,
    Agent,
    Domain,
    Floats,
    Lived,
    Observation,
    Profile,
    Situation,
    actions as a,
    dice,
)

AT_ONCE = 512


class RunMind:
    """Shows each case to an `LLMMind` as a page of a run. A failed decision is NaN throughout."""

    def __init__(
        self,
        name: str,
        door: GatewayStack,
        ground: Ground,
        *,
        domain: Domain,
        profiles: Sequence[Profile] = (),
        grounds: ChoiceEvidence | None = None,
        deciding: str = "write",
        temperature: float = 0.8,
        model: str = "",
        seed: int = 1,
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        """With `grounds`, the page shows their evidence and the history replaces the profile."""
        self.name = name
        self.spent = Counts()
        self.door = door
        self.ground = ground
        self.domain = domain
        self.profiles = profiles
        self.seed = seed
        self.progress = progress
        self.mind = LLMMind(
            self,
            grounds,
            model=model,
            evidence=grounds is not None,
            words="none",
            deciding=deciding,
            temperature=temperature,
        )
        self._replies = self._scored = 0
        self._stars: Mapping[tuple[int, int], float] = stars_given(ground.lives)

    async def ask(self, request: Request) -> Reply:
        """Ask, and count what it cost."""
        reply = await self.door.ask(request)
        self.spent = self.spent.plus(spent_on(reply, self.door.meter.prices))
        self._replies += reply.outcome == "reply"
        self._scored += bool(reply.scores)
        return reply

    async def close(self) -> None: ...

    async def score(self, cases: Sequence[Case]) -> Sequence[Floats]:
        """Return 1 and more, by its stars, for what the mind picked, and less for the rest.

        With evidence the rest is ordered by how readily the mind considers it, else it is 0. A mind
        that decides by scoring gives its log-odds.
        """
        answers: list[Floats] = []
        for start in range(0, len(cases), AT_ONCE):
            answers += await together(self._score(case) for case in cases[start : start + AT_ONCE])
            # An evaluation that is killed resumes here without paying again.
            self.door.flush()
            self._check_scores()
            self.progress(len(answers))
        return answers

    def _check_scores(self) -> None:
        """Raise if a mind that decides by scoring gets nothing to score by."""
        if self.mind.scored and self._replies and not self._scored:
            raise BadInput(
                f"--mind {self.name}: the endpoint gives no log-probabilities of options, by which "
                "it decides; ask one that does (vLLM, llama.cpp). The answers so far are kept"
            )

    async def _score(self, case: Case) -> Floats:
        own = dice(self.seed, "eval", "page", case.user, *case.candidates)
        if self.mind.scored:
            odds = await self.mind.scored.log_odds(self.seen(case), (), own)
            unread = isinstance(odds, Unreadable)
            return np.array([math.nan] * len(case.candidates) if unread else odds)
        decision = await self.mind.decide(self.seen(case), NoMemory(), own)
        if decision.failure:
            return np.full(len(case.candidates), math.nan)
        picked = {act.item: 1.0 for act in decision.actions if isinstance(act, a.Pick)}
        for act in decision.actions:
            if isinstance(act, a.Rate) and act.item in picked:
                picked[act.item] += act.stars / 10.0
        scores = np.array([picked.get(item, 0.0) for item in case.candidates])
        if self.mind.grounds is None:
            return scores
        (known,) = self.mind.grounds.log_odds([case.history], [case.candidates])
        return scores + 1.0 / (1.0 + np.exp(-known))

    def seen(self, case: Case) -> Observation:
        """Return the page of a case as its person would see it in a run."""
        at = len(case.history)
        here = Situation(at, "recommender", case.candidates, 0, 1, case.candidates)
        history = tuple(
            Lived(item, place, 1.0, round(self._stars.get((case.user, item), 0.0)))
            for place, item in enumerate(case.history)
        )
        known = self.profiles[case.user] if self.profiles else Profile(case.user)
        me = Agent(replace(known, interests=self._interests(case)), b"", here, history)
        menu, catalogue = MENUS["recommender"], self.ground.lives.catalogue
        return Observation(me, 1, 0, "recommender", menu, catalogue, self.domain)

    def _interests(self, case: Case) -> tuple[str, ...]:
        """Return the kinds that a person has more of than others, from the history alone."""
        tags = self.ground.lives.catalogue.tags
        return tuple(tags[tag] for tag in self.ground.dearest(case.history))
