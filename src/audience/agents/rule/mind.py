"""The rule mind: a documented choice model, fast, and the control of every experiment.

A single decision is a batch of one. Only elementwise numpy and sums over columns in a fixed order
are used, so that a batch of ten thousand equals ten thousand single decisions bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from audience.agents.mind import Decision, Mark
from audience.agents.rule.news import react
from audience.agents.rule.page import PageDecisions, Wishes, read_page, read_picked, read_together
from audience.agents.rule.parameters import RuleParameters, check_parameters, load_parameters
from audience.agents.rule.person import bearings
from audience.agents.rule.social import converse, feeling, socialise
from audience.memory import Memory
from audience.outside import FilePath
from audience.world import Agent, Dice, Observation, actions as a, tastes

_HOME, _PAGE, _SOCIAL, _TALK, _NEWS = range(5)
_PART = {
    "home": _HOME,
    **dict.fromkeys(a.PAGE_SURFACES, _PAGE),
    "social": _SOCIAL,
    "conversation": _TALK,
    "news": _NEWS,
}
_BROWSE = Decision((a.Enter("recommender"), a.Browse()), "came for something to enjoy")
_FRIENDS = Decision((a.Enter("social"),), "came to see friends")
_NOTHING = Decision((a.Nothing(),), "nothing to do here today")
_NEXT, _BACK = a.NextPage(), a.Browse()


class RuleMind:
    """Chooses by utility, leaves by satisfaction and fatigue, speaks by habit."""

    def __init__(self, *, parameters: FilePath = "", **given: float) -> None:
        """Take parameters by name; they override those of the file `parameters`, if given."""
        found = load_parameters(parameters) if parameters else {}
        check_parameters(given, "a rule mind")
        self.parameters = RuleParameters(**{**found, **given})  # type: ignore[arg-type]

    async def decide(self, seen: Observation, memory: Memory, dice: Dice) -> Decision:
        del memory
        return self.decide_many([seen], dice)[0]

    def decide_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[Decision]:
        decisions: list[Decision] = [_NOTHING] * len(seen)
        rows: tuple[list[int], ...] = ([], [], [], [], [])
        for row, view in enumerate(seen):
            rows[_PART[view.surface]].append(row)
        parts = (self._at_home, self._on_page, self._among_friends, self._in_talk, self._told)
        for part, chosen in zip(parts, rows, strict=True):
            if chosen:
                made = part([seen[row] for row in chosen], dice.pick(np.array(chosen)))
                for row, decision in zip(chosen, made, strict=True):
                    decisions[row] = decision
        return decisions

    def score_many(self, seen: Sequence[Observation], dice: Dice) -> Sequence[tuple[Mark, ...]]:
        return read_together(self.parameters, seen, dice)

    def _at_home(self, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
        p = self.parameters
        agents = [view.me for view in seen]
        habits = [me.profile.habits for me in agents]
        outgoing = np.array([max(habit.chatter, habit.poster) for habit in habits])
        news = np.array([bool(me.inbox) for me in agents], np.float64)
        content = np.array([2.0 * me.satisfaction - 1.0 for me in agents])
        recommender = np.exp(p.to_recommender + 1.5 * content)
        sociable = p.traits * bearings(seen).sociability
        social = np.exp(p.to_social + 1.2 * outgoing + 0.5 * news + sociable)
        nothing = np.exp(np.full(len(seen), p.to_nothing))
        draw = dice.uniform("way") * (recommender + social + nothing)
        to_recommender, to_social = draw < recommender, draw < recommender + social
        curious = dice.uniform("curious") < 0.6 * np.array([habit.explorer for habit in habits])
        made = []
        for row, view in enumerate(seen):
            if to_recommender[row]:
                wanted = wanted_by(view) if curious[row] and view.me.heard else None
                made.append(wanted or _BROWSE)
            else:
                made.append(_FRIENDS if to_social[row] else _NOTHING)
        return made

    def wishes(self, seen: Sequence[Observation]) -> Wishes | None:
        """Return what replaces taste and quality on these pages; None for rule minds."""
        del seen
        return None

    def _on_page(self, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
        page = read_page(self.parameters, seen, dice, self.wishes(seen))
        decisions = [self._page_decision(view, row, page) for row, view in enumerate(seen)]
        return self._with_saves(seen, decisions, dice) if self.parameters.save else decisions

    def after_pick(self, seen: Observation, place: int, dice: Dice) -> Decision:
        """Return the decision of somebody who takes the item at a place of the page; -1: none."""
        most = self.parameters.most_picks
        picked = np.full((1, most), -1, np.int64)
        picked[0, 0] = place
        page = read_picked(self.parameters, [seen], picked, dice)
        return self._page_decision(seen, 0, page)

    def _with_saves(
        self, seen: Sequence[Observation], decisions: list[Decision], dice: Dice
    ) -> list[Decision]:
        """Return the decisions with a save for some: the best fitting item they did not pick."""
        saving = dice.uniform("save") < self.parameters.save
        for row in np.flatnonzero(saving).tolist():
            view, decision = seen[row], decisions[row]
            picked = {action.item for action in decision.actions if isinstance(action, a.Pick)}
            gone = {*picked, *view.me.saved, *(lived.item for lived in view.me.lived_now())}
            left = [item for item in view.me.situation.slate if item not in gone]
            if "Save" in view.menu and left:
                fit = (tastes([view.me.taste]) * view.catalogue.weights[left]).sum(axis=1)
                save = a.Save(left[int(fit.argmax())])
                actions = (*decision.actions[:-1], save, decision.actions[-1])
                decisions[row] = replace(decision, actions=actions)
        return decisions

    def _page_decision(self, seen: Observation, row: int, page: PageDecisions) -> Decision:
        actions: list[a.AnyAction] = []
        told, rated = page.tells[row], page.rates[row]
        slate, habits = seen.me.situation.slate, seen.me.profile.habits
        if not slate and seen.me.situation.pages:
            return Decision((a.Leave(page.satisfaction[row]),), "found an empty page")
        for choice, column in enumerate(page.picked[row]):
            if column < 0:
                break
            item = slate[column]
            actions.append(a.Pick(item, page.fraction[row][choice]))
            if rated[2 * choice] < 0.15 + 0.85 * habits.watcher:
                stars, words = page.stars[row][choice], ""
                if rated[2 * choice + 1] < 0.5 * habits.watcher:
                    title = seen.catalogue[item].title
                    words = feeling(stars, told[0], title, seen.domain)
                actions.append(a.Rate(item, stars, words))
        if page.leaving[row] or "Browse" not in seen.menu:
            actions.append(self._way_out(seen.me, page.satisfaction[row], bool(actions), told[1]))
        else:
            actions.append(_NEXT if "NextPage" in seen.menu else _BACK)
        recalled = page.recalled[row] if page.recalled else ()
        return Decision(tuple(actions), recalled=recalled)

    def _way_out(self, me: Agent, satisfaction: float, picked: bool, draw: float) -> a.AnyAction:
        habits = me.profile.habits
        chance = self.parameters.talkative * max(habits.chatter, habits.poster)
        if (picked or me.situation.picks) and draw < chance:
            return a.Enter("social")
        return a.Leave(satisfaction)

    def _among_friends(self, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
        draws = dice.uniforms("social", 8).tolist()
        return [socialise(self.parameters, view, draws[row]) for row, view in enumerate(seen)]

    def _in_talk(self, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
        draws = dice.uniforms("talk", 3).tolist()
        return [converse(view, draws[row]) for row, view in enumerate(seen)]

    def _told(self, seen: Sequence[Observation], dice: Dice) -> list[Decision]:
        return react(self.parameters, seen, dice)


def wanted_by(seen: Observation) -> Decision | None:
    """Return a search for the newest praised item that was not watched yet, if any."""
    lived = {entry.item for entry in seen.me.history}
    for heard in reversed(seen.me.heard):
        if heard.stance > 0.0 and heard.item not in lived:
            title = seen.catalogue[heard.item].title
            return Decision((a.Enter("recommender"), a.Search(title)), "heard of it from a friend")
    return None
