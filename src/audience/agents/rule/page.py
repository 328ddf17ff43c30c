"""How a rule mind reads a page: what it picks, how much it enjoys that, whether it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from audience.agents.mind import Mark
from audience.agents.rule.parameters import RuleParameters
from audience.agents.rule.person import Bearings, bearings, leanings
from audience.agents.rule.recollection import Recalled, is_remembering, remembered
from audience.world import Bools, Dice, Floats, Ints, Observation, bells, tastes

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
    tells: list[list[float]]
    """Draws for what is said, and for where to go."""
    rates: list[list[float]]
    """Draws for whether each pick is rated, and with words."""
    recalled: Recalled = []
    """The thoughts that came to mind; empty if nobody has any."""


class Wishes(msgspec.Struct, frozen=True):
    """What replaces taste and quality on a page, [agents, positions]."""

    utility: Floats
    """Replaces taste and quality in the utility."""
    enjoyment: Floats | None = None
    """Replaces the enjoyment expected from taste and quality, 0 to 1."""


class _Pages(NamedTuple):
    """The pages of agents: one row per agent, one column per position."""

    items: Ints
    """Padded with 0."""
    real: Bools
    """Which positions hold an item."""
    weights: list[Floats]
    """[agents, tags] of each position."""
    quality: Floats


class _Draws(NamedTuple):
    """All that a rule mind draws for its pages, [agents, draws], except whether it leaves."""

    pick: Floats
    enjoy: Floats
    stay: Floats
    stars: Floats
    tell: Floats
    rate: Floats

    @classmethod
    def of(cls, dice: Dice, picks: int) -> _Draws:
        counts = (picks, 4 * picks, picks, picks, 2, 2 * picks)
        return cls(*dice.several(tuple(zip(cls._fields, counts, strict=True))))


def read_page(
    p: RuleParameters, seen: Sequence[Observation], dice: Dice, wishes: Wishes | None = None
) -> PageDecisions:
    """Return the decisions of each agent on its page."""
    pages, draws = _pages(seen), _Draws.of(dice, p.most_picks)
    match, quality = _match(p, seen, pages), pages.quality
    habits = [view.me.profile.habits for view in seen]
    critic, explorer, chatter = np.array([(h.critic, h.explorer, h.chatter) for h in habits]).T
    people = bearings(seen)
    begin = (
        p.taste * match + p.quality * (2.0 * quality - 1.0) if wishes is None else wishes.utility
    )
    curious = p.novelty * explorer + p.traits * people.openness
    utility = _utility(p, seen, pages, begin, curious, chatter)
    recalled: Recalled = []
    if p.remembered and is_remembering(seen):
        said, recalled = remembered(seen, pages.items)
        utility = utility + p.remembered * said
    weights = np.where(pages.real & ~_lived_now(seen, pages.items), np.exp(utility), 0.0)
    picky = p.critic * critic + p.traits * people.strictness
    picked = _choose(p, seen, weights, picky, draws.pick)
    expected = wishes.enjoyment if wishes is not None else None
    if expected is None:
        expected = _expected(p, match, quality, critic, people)
    leave = dice.uniform("leave")
    return _after(p, seen, pages, picked, expected, people, draws, leave, recalled)


def read_picked(
    p: RuleParameters, seen: Sequence[Observation], picked: Ints, dice: Dice
) -> PageDecisions:
    """Return the decisions of agents whose picks are made: [agents, picks], then -1."""
    pages, draws = _pages(seen), _Draws.of(dice, p.most_picks)
    critic = np.array([view.me.profile.habits.critic for view in seen])
    people = bearings(seen)
    expected = _expected(p, _match(p, seen, pages), pages.quality, critic, people)
    return _after(p, seen, pages, picked, expected, people, draws, dice.uniform("leave"), [])


def _after(
    p: RuleParameters,
    seen: Sequence[Observation],
    pages: _Pages,
    picked: Ints,
    expected: Floats,
    people: Bearings,
    draws: _Draws,
    leave: Floats,
    recalled: Recalled,
) -> PageDecisions:
    """Return what follows from picks: how much is watched and liked, and who leaves."""
    is_picked, column = picked >= 0, np.maximum(picked, 0)
    rows = np.arange(len(seen))[:, None]
    enjoyed = _clipped(expected[rows, column] + p.enjoy_noise * bells(draws.enjoy))
    if p.conform:
        enjoyed = _swayed(p, seen, pages.items, picked, enjoyed)
    turned = np.array([view.me.situation.pages for view in seen], np.float64)
    satisfaction = _satisfaction(p, seen, turned, is_picked, enjoyed)
    minutes = np.where(is_picked, seen[0].catalogue.minutes[pages.items[rows, column]], 0.0)
    wish = _wish_to_leave(p, seen, turned, minutes, satisfaction, people)
    return PageDecisions(
        picked.tolist(),
        _fraction(p, enjoyed, draws.stay).round(3).tolist(),
        _stars(p, enjoyed, draws.stars).tolist(),
        (leave < 1.0 / (1.0 + np.exp(-wish))).tolist(),
        satisfaction.round(4).tolist(),
        draws.tell.tolist(),
        draws.rate.tolist(),
        recalled,
    )


def _clipped(numbers: Floats) -> Floats:
    """Return numbers between 0 and 1; `np.clip` takes ten times as long for a few."""
    return np.minimum(np.maximum(numbers, 0.0), 1.0)


def _pages(seen: Sequence[Observation]) -> _Pages:
    rows, catalogue = [view.me.situation.slate for view in seen], seen[0].catalogue
    width = max(1, *map(len, rows))
    if all(len(row) == width for row in rows):
        items: Ints = np.array(rows, np.int64)
        real: Bools = np.ones(items.shape, np.bool_)
    else:
        padded = np.array([row + (-1,) * (width - len(row)) for row in rows], np.int64)
        items, real = np.maximum(padded, 0), padded >= 0
    weights = [catalogue.weights[column] for column in items.T]
    return _Pages(items, real, weights, catalogue.quality[items])


def _lived_now(seen: Sequence[Observation], slates: Ints) -> Bools:
    """Return which positions hold an item already picked in this visit."""
    lived = np.zeros(slates.shape, np.bool_)
    for row, view in enumerate(seen):
        if view.me.situation.picks:
            done = {past.item for past in view.me.lived_now()}
            for column, item in enumerate(view.me.situation.slate):
                lived[row, column] = item in done
    return lived


def _match(p: RuleParameters, seen: Sequence[Observation], pages: _Pages) -> Floats:
    taste: Floats = tastes([view.me.taste for view in seen])
    if p.demography:
        taste = taste + p.demography * leanings(seen)
    return _fitting(taste, pages.weights)


def _fitting(people: Floats, weights: list[Floats]) -> Floats:
    """Return [agents, positions]: how well each item fits a row of tags.

    Position by position, so that a large batch stays in the cache of the processor.
    """
    fit = np.empty((len(people), len(weights)))
    for place, tags in enumerate(weights):
        (people * tags).sum(axis=1, out=fit[:, place])
    return fit


def _utility(
    p: RuleParameters,
    seen: Sequence[Observation],
    pages: _Pages,
    begin: Floats,
    curious: Floats,
    chatter: Floats,
) -> Floats:
    searched = np.array([view.surface == "search" for view in seen], np.float64)
    place = np.arange(pages.items.shape[1], dtype=np.float64)
    first = (place == 0.0).astype(np.float64)
    trust = 0.4 + 0.6 * chatter
    utility: Floats = (
        begin
        + curious[:, None] * _new(seen, pages.weights)
        + p.friends * trust[:, None] * _heard(seen, pages.items)
        - p.position * place[None, :]
        + p.search * searched[:, None] * first[None, :]
    )
    return utility + p.reason * _explained(seen, pages.items) if p.reason else utility


def _explained(seen: Sequence[Observation], slates: Ints) -> Floats:
    """Return 1 where the page gives a reason for an item, 0 elsewhere."""
    given = np.zeros(slates.shape)
    for row, view in enumerate(seen):
        for column, reason in enumerate(view.me.situation.reasons):
            given[row, column] = bool(reason)
    return given


def _new(seen: Sequence[Observation], offered: list[Floats]) -> Floats:
    """Return the share of each item's tags that the last few watched items did not have."""
    weights = seen[0].catalogue.weights
    recent = [[lived.item for lived in view.me.history[-_RECENT:]] for view in seen]
    owners = np.repeat(np.arange(len(seen)), [len(items) for items in recent])
    rows, tags = (weights[[item for items in recent for item in items]] > 0.0).nonzero()
    unknown = np.ones((len(seen), weights.shape[1]))
    unknown[owners[rows], tags] = 0.0
    return _fitting(unknown, offered)


def _heard(seen: Sequence[Observation], slates: Ints) -> Floats:
    """Return the mean stance of what the agent heard about each item on the page."""
    stance = np.zeros(slates.shape)
    for row, view in enumerate(seen):
        if not view.me.heard:
            continue
        slate = view.me.situation.slate
        about = {heard.item for heard in view.me.heard}.intersection(slate)
        for column, item in enumerate(slate) if about else ():
            if item in about:
                said = [heard.stance for heard in view.me.heard if heard.item == item]
                stance[row, column] = sum(said) / len(said)
    return stance


def _choose(
    p: RuleParameters, seen: Sequence[Observation], weights: Floats, picky: Floats, draws: Floats
) -> Ints:
    """Return [agents, picks]: the positions chosen in order, -1 from the first no-pick on."""
    before = np.array([view.me.situation.picks for view in seen], np.float64)
    picked = np.full((len(seen), p.most_picks), -1, np.int64)
    left, going = weights.copy(), np.ones(len(seen), np.bool_)
    rows = np.arange(len(seen))
    for choice in range(p.most_picks):
        no_pick = np.exp(p.no_pick + picky + p.again * (before + choice))
        sums = np.cumsum(left, axis=1)
        draw = draws[:, choice] * (sums[:, -1] + no_pick)
        going = going & (draw < sums[:, -1])
        if not going.any():
            break
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
    return _clipped(enjoyed + pull * (theirs - enjoyed))


def read_together(
    p: RuleParameters, seen: Sequence[Observation], dice: Dice
) -> list[tuple[Mark, ...]]:
    """Return what each agent expects of the items that a group chooses among."""
    pages = _pages(seen)
    match, slates = _match(p, seen, pages), pages.items
    critic = np.array([view.me.profile.habits.critic for view in seen])
    close: Floats = np.array(
        [sum(friend.closeness for friend in view.friends) / len(view.friends) for view in seen]
    )
    noise = p.enjoy_noise * dice.bell("together", slates.shape[1])
    expected = _expected(p, match, pages.quality, critic, bearings(seen))
    enjoyed: Floats = _clipped(expected + p.company * close[:, None] + noise).round(4)
    stars = _stars(p, enjoyed, dice.uniforms("stars", slates.shape[1])).tolist()
    return [
        tuple(
            Mark(score, mark)
            for score, mark, _ in zip(
                enjoyed[row].tolist(), stars[row], view.me.situation.slate, strict=False
            )
        )
        for row, view in enumerate(seen)
    ]


def _fraction(p: RuleParameters, enjoyed: Floats, draw: Floats) -> Floats:
    dropped = (enjoyed / p.dropped) * (0.15 + 0.75 * draw)
    nearly = 1.0 - 0.25 * draw * (1.0 - enjoyed)
    return np.minimum(np.maximum(np.where(enjoyed < p.dropped, dropped, nearly), 0.01), 1.0)


def _stars(p: RuleParameters, enjoyed: Floats, draw: Floats) -> Ints:
    felt = enjoyed + 0.1 * (draw - 0.5)
    stars = np.ones(enjoyed.shape, np.int64)
    for bound in (p.two_stars, p.three_stars, p.four_stars, p.five_stars):
        stars += felt >= bound
    return stars


def _satisfaction(
    p: RuleParameters,
    seen: Sequence[Observation],
    turned: Floats,
    is_picked: Bools,
    enjoyed: Floats,
) -> Floats:
    """Return the satisfaction: mean enjoyment, minus boredom for pages without a pick."""
    total = np.zeros(len(seen))
    before = np.array([view.me.situation.picks for view in seen], np.float64)
    for row, view in enumerate(seen):
        for lived in view.me.lived_now():
            total[row] += (lived.stars - 0.5) / 5.0 if lived.stars else 0.2 + 0.5 * lived.fraction
    for now in np.where(is_picked, enjoyed, 0.0).T:
        total += now
    count = before + is_picked.sum(axis=1)
    mean = np.where(count > 0.0, total / np.maximum(count, 1.0), 0.45)
    empty = np.maximum(turned - count, 0.0)
    return _clipped(mean - p.boredom * empty)


def _wish_to_leave(
    p: RuleParameters,
    seen: Sequence[Observation],
    turned: Floats,
    minutes: Floats,
    satisfaction: Floats,
    people: Bearings,
) -> Floats:
    """Return the log-odds of leaving after these pages and the minutes of what is picked now."""
    each = seen[0].catalogue.minutes
    spent = np.array(
        [sum(each[x.item] * x.fraction for x in view.me.lived_now()) for view in seen], np.float64
    )
    for now in minutes.T:
        spent += now
    wish: Floats = (
        p.leave
        + p.fatigue * turned
        + p.sated * spent / 60.0
        - p.content * (2.0 * satisfaction - 1.0)
        - p.career * people.leisure
    )
    if p.settle:
        wish = wish - p.settle * _LOGARITHMS[np.minimum(turned, 1000.0).astype(np.int64)]
    return wish
