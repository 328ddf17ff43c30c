"""How a rule mind reads a page: what it picks, how much it enjoys that, whether it leaves."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from audience.agents.mind import Mark
from audience.agents.rule.parameters import RuleParameters
from audience.agents.rule.person import Bearings, bearings, leanings
from audience.agents.rule.recollection import Recalled, is_remembering, remembered
from audience.world import Bools, Dice, Floats, Ints, Observation, tastes

_RECENT = 5
_KINDLY = 0.1
"""How much more a kind person enjoys, per unit of `traits`."""
_LOGARITHMS = np.log(np.maximum(np.arange(1001.0), 1.0))
"""Logarithms of page counts, looked up so that batches equal single decisions bit by bit."""


class PageDecisions(msgspec.Struct, frozen=True):
    """Decisions on pages: one row per agent, with one entry per possible pick."""

    picked: list[list[int]]
    """Positions on the page in the order of picking, then -1."""
    fraction: list[list[float]]
    stars: list[list[int]]
    leaving: list[bool]
    satisfaction: list[float]
    recalled: Recalled = []
    """The thoughts that came to mind; empty if nobody has any."""


class Wishes(msgspec.Struct, frozen=True):
    """What replaces taste and quality on a page, [agents, positions]."""

    utility: Floats
    """Replaces taste and quality in the utility."""
    enjoyment: Floats | None = None
    """Replaces the enjoyment expected from taste and quality, 0 to 1."""


def read_page(
    p: RuleParameters, seen: Sequence[Observation], dice: Dice, wishes: Wishes | None = None
) -> PageDecisions:
    """Return the decisions of each agent on its page."""
    slates, real = _slates(seen)
    match, quality = _match(p, seen, slates), seen[0].catalogue.quality[slates]
    critic = np.array([view.me.profile.habits.critic for view in seen])
    people = bearings(seen)
    begin = (
        p.taste * match + p.quality * (2.0 * quality - 1.0) if wishes is None else wishes.utility
    )
    utility = _utility(p, seen, slates, begin, people)
    recalled: Recalled = []
    if p.remembered and is_remembering(seen):
        said, recalled = remembered(seen, slates)
        utility = utility + p.remembered * said
    weights = np.where(real & ~_lived_now(seen, slates), np.exp(utility), 0.0)
    picky = p.critic * critic + p.traits * people.strictness
    picked = _choose(p, seen, weights, picky, dice)
    expected = wishes.enjoyment if wishes is not None else None
    if expected is None:
        expected = _expected(p, match, quality, critic, people)
    return _after(p, seen, slates, picked, expected, people, dice, recalled)


def read_picked(
    p: RuleParameters, seen: Sequence[Observation], picked: Ints, dice: Dice
) -> PageDecisions:
    """Return the decisions of agents whose picks are made: [agents, picks], then -1."""
    slates, _ = _slates(seen)
    match, quality = _match(p, seen, slates), seen[0].catalogue.quality[slates]
    critic = np.array([view.me.profile.habits.critic for view in seen])
    people = bearings(seen)
    expected = _expected(p, match, quality, critic, people)
    return _after(p, seen, slates, picked, expected, people, dice, [])


def _after(
    p: RuleParameters,
    seen: Sequence[Observation],
    slates: Ints,
    picked: Ints,
    expected: Floats,
    people: Bearings,
    dice: Dice,
    recalled: Recalled,
) -> PageDecisions:
    """Return what follows from picks: how much is watched and liked, and who leaves."""
    enjoyed = _enjoyed(p, expected, picked, dice)
    if p.conform:
        enjoyed = _swayed(p, seen, slates, picked, enjoyed)
    fraction = _fraction(p, enjoyed, dice)
    satisfaction = _satisfaction(p, seen, picked, enjoyed)
    leaving = _leaving(p, seen, picked, satisfaction, people, dice)
    return PageDecisions(
        picked.tolist(),
        np.round(fraction, 3).tolist(),
        _stars(p, enjoyed, dice).tolist(),
        leaving.tolist(),
        np.round(satisfaction, 4).tolist(),
        recalled,
    )


def _slates(seen: Sequence[Observation]) -> tuple[Ints, Bools]:
    """Return [agents, positions] item ids, padded with 0, and which positions are real."""
    rows = [view.me.situation.slate for view in seen]
    width = max(1, *map(len, rows))
    if all(len(row) == width for row in rows):
        slates = np.array(rows, np.int64)
        return slates, np.ones(slates.shape, np.bool_)
    padded = np.array([row + (-1,) * (width - len(row)) for row in rows], np.int64)
    return np.maximum(padded, 0), padded >= 0


def _lived_now(seen: Sequence[Observation], slates: Ints) -> Bools:
    """Return which positions hold an item already picked in this visit."""
    lived = np.zeros(slates.shape, np.bool_)
    for row, view in enumerate(seen):
        if view.me.situation.picks:
            done = {past.item for past in view.me.lived_now()}
            for column, item in enumerate(view.me.situation.slate):
                lived[row, column] = item in done
    return lived


def _match(p: RuleParameters, seen: Sequence[Observation], slates: Ints) -> Floats:
    taste: Floats = tastes([view.me.taste for view in seen])
    if p.demography:
        taste = taste + p.demography * leanings(seen)
    weights = seen[0].catalogue.weights
    columns = [(taste * weights[slates[:, j]]).sum(axis=1) for j in range(slates.shape[1])]
    return np.stack(columns, axis=1)


def _utility(
    p: RuleParameters, seen: Sequence[Observation], slates: Ints, begin: Floats, people: Bearings
) -> Floats:
    habits = [view.me.profile.habits for view in seen]
    explorer = np.array([habit.explorer for habit in habits])
    trust = 0.4 + 0.6 * np.array([habit.chatter for habit in habits])
    searched = np.array([view.surface == "search" for view in seen], np.float64)
    place = np.arange(slates.shape[1], dtype=np.float64)
    first = (place == 0.0).astype(np.float64)
    utility: Floats = (
        begin
        + (p.novelty * explorer + p.traits * people.openness)[:, None] * _new(seen, slates)
        + p.friends * trust[:, None] * _heard(seen, slates)
        - p.position * place[None, :]
        + p.search * searched[:, None] * first[None, :]
    )
    return utility + p.reason * _explained(seen, slates) if p.reason else utility


def _explained(seen: Sequence[Observation], slates: Ints) -> Floats:
    """Return 1 where the page gives a reason for an item, 0 elsewhere."""
    given = np.zeros(slates.shape)
    for row, view in enumerate(seen):
        for column, reason in enumerate(view.me.situation.reasons):
            given[row, column] = bool(reason)
    return given


def _new(seen: Sequence[Observation], slates: Ints) -> Floats:
    """Return the share of each item's tags that the last few watched items did not have."""
    weights = seen[0].catalogue.weights
    recent = [[lived.item for lived in view.me.history[-_RECENT:]] for view in seen]
    owners = np.repeat(np.arange(len(seen)), [len(items) for items in recent])
    rows, tags = (weights[[item for items in recent for item in items]] > 0.0).nonzero()
    unknown = np.ones((len(seen), weights.shape[1]))
    unknown[owners[rows], tags] = 0.0
    columns = [(unknown * weights[slates[:, j]]).sum(axis=1) for j in range(slates.shape[1])]
    return np.stack(columns, axis=1)


def _heard(seen: Sequence[Observation], slates: Ints) -> Floats:
    """Return the mean stance of what the agent heard about each item on the page."""
    stance = np.zeros(slates.shape)
    for row, view in enumerate(seen):
        if not view.me.heard:
            continue
        said: dict[int, list[float]] = {}
        for heard in view.me.heard:
            said.setdefault(heard.item, []).append(heard.stance)
        for column, item in enumerate(view.me.situation.slate):
            if item in said:
                stance[row, column] = sum(said[item]) / len(said[item])
    return stance


def _choose(
    p: RuleParameters, seen: Sequence[Observation], weights: Floats, picky: Floats, dice: Dice
) -> Ints:
    """Return [agents, picks]: the positions chosen in order, -1 from the first no-pick on."""
    draws = dice.uniforms("pick", p.most_picks)
    before = np.array([view.me.situation.picks for view in seen], np.float64)
    picked = np.full((len(seen), p.most_picks), -1, np.int64)
    left, going = weights.copy(), np.ones(len(seen), np.bool_)
    rows = np.arange(len(seen))
    for choice in range(p.most_picks):
        no_pick = np.exp(p.no_pick + picky + p.again * (before + choice))
        sums = np.cumsum(left, axis=1)
        draw = draws[:, choice] * (sums[:, -1] + no_pick)
        going = going & (draw < sums[:, -1])
        column = np.minimum((sums <= draw[:, None]).sum(axis=1), weights.shape[1] - 1)
        picked[going, choice] = column[going]
        left[rows[going], column[going]] = 0.0
    return picked


def _expected(
    p: RuleParameters, match: Floats, quality: Floats, critic: Floats, people: Bearings
) -> Floats:
    """Return [agents, positions]: the expected enjoyment of each item."""
    return (
        p.enjoy
        + p.enjoy_taste * match
        + p.enjoy_quality * (2.0 * quality - 1.0)
        - (p.strict * critic - _KINDLY * p.traits * people.kindness)[:, None]
    )


def _enjoyed(p: RuleParameters, expected: Floats, picked: Ints, dice: Dice) -> Floats:
    """Return [agents, picks]: the enjoyment of what was picked, 0 to 1."""
    rows, column = np.arange(len(picked))[:, None], np.maximum(picked, 0)
    noise = p.enjoy_noise * dice.bell("enjoy", picked.shape[1])
    return np.clip(expected[rows, column] + noise, 0.0, 1.0)


def _swayed(
    p: RuleParameters, seen: Sequence[Observation], slates: Ints, picked: Ints, enjoyed: Floats
) -> Floats:
    """Return the enjoyment, moved towards the mean of what was heard about the item, if any."""
    said = np.zeros(slates.shape, np.bool_)
    for row, view in enumerate(seen):
        items = {heard.item for heard in view.me.heard}
        said[row, : len(view.me.situation.slate)] = [x in items for x in view.me.situation.slate]
    trust = 0.4 + 0.6 * np.array([view.me.profile.habits.chatter for view in seen])
    rows, column = np.arange(len(picked))[:, None], np.maximum(picked, 0)
    theirs = (_heard(seen, slates)[rows, column] + 1.0) / 2.0
    pull = p.conform * trust[:, None] * said[rows, column]
    return np.clip(enjoyed + pull * (theirs - enjoyed), 0.0, 1.0)


def read_together(
    p: RuleParameters, seen: Sequence[Observation], dice: Dice
) -> list[tuple[Mark, ...]]:
    """Return what each agent expects of the items that a group chooses among."""
    slates, _ = _slates(seen)
    match, quality = _match(p, seen, slates), seen[0].catalogue.quality[slates]
    critic = np.array([view.me.profile.habits.critic for view in seen])
    close: Floats = np.array(
        [sum(friend.closeness for friend in view.friends) / len(view.friends) for view in seen]
    )
    noise = p.enjoy_noise * dice.bell("together", slates.shape[1])
    expected = _expected(p, match, quality, critic, bearings(seen)) + p.company * close[:, None]
    enjoyed: Floats = np.clip(expected + noise, 0.0, 1.0).round(4)
    stars = _stars(p, enjoyed, dice).tolist()
    return [
        tuple(
            Mark(score, mark)
            for score, mark, _ in zip(
                enjoyed[row].tolist(), stars[row], view.me.situation.slate, strict=False
            )
        )
        for row, view in enumerate(seen)
    ]


def _fraction(p: RuleParameters, enjoyed: Floats, dice: Dice) -> Floats:
    draw = dice.uniforms("stay", enjoyed.shape[1])
    dropped = (enjoyed / p.dropped) * (0.15 + 0.75 * draw)
    nearly = 1.0 - 0.25 * draw * (1.0 - enjoyed)
    return np.clip(np.where(enjoyed < p.dropped, dropped, nearly), 0.01, 1.0)


def _stars(p: RuleParameters, enjoyed: Floats, dice: Dice) -> Ints:
    felt = enjoyed + 0.1 * (dice.uniforms("stars", enjoyed.shape[1]) - 0.5)
    stars = np.ones(enjoyed.shape, np.int64)
    for bound in (p.two_stars, p.three_stars, p.four_stars, p.five_stars):
        stars += felt >= bound
    return stars


def _satisfaction(
    p: RuleParameters, seen: Sequence[Observation], picked: Ints, enjoyed: Floats
) -> Floats:
    """Return the satisfaction: mean enjoyment, minus boredom for pages without a pick."""
    total = np.zeros(len(seen))
    count = np.zeros(len(seen))
    pages = np.array([view.me.situation.pages for view in seen], np.float64)
    for row, view in enumerate(seen):
        for lived in view.me.lived_now():
            total[row] += (lived.stars - 0.5) / 5.0 if lived.stars else 0.2 + 0.5 * lived.fraction
            count[row] += 1.0
    for choice in range(picked.shape[1]):
        now = picked[:, choice] >= 0
        total += np.where(now, enjoyed[:, choice], 0.0)
        count += now
    mean = np.where(count > 0.0, total / np.maximum(count, 1.0), 0.45)
    empty = np.maximum(pages - count, 0.0)
    return np.clip(mean - p.boredom * empty, 0.0, 1.0)


def _leaving(
    p: RuleParameters,
    seen: Sequence[Observation],
    picked: Ints,
    satisfaction: Floats,
    people: Bearings,
    dice: Dice,
) -> Bools:
    minutes = seen[0].catalogue.minutes
    pages = np.array([view.me.situation.pages for view in seen], np.float64)
    spent = np.array(
        [sum(minutes[x.item] * x.fraction for x in view.me.lived_now()) for view in seen],
        np.float64,
    )
    slates, _ = _slates(seen)
    rows = np.arange(len(seen))
    for choice in range(picked.shape[1]):
        item = slates[rows, np.maximum(picked[:, choice], 0)]
        spent += np.where(picked[:, choice] >= 0, minutes[item], 0.0)
    wish = (
        p.leave
        + p.fatigue * pages
        + p.sated * spent / 60.0
        - p.content * (2.0 * satisfaction - 1.0)
        - p.career * people.leisure
    )
    if p.settle:
        wish = wish - p.settle * _LOGARITHMS[np.minimum(pages, 1000.0).astype(np.int64)]
    return dice.uniform("leave") < 1.0 / (1.0 + np.exp(-wish))
