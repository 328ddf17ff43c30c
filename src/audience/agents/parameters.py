"""The numbers of the rule mind, each with its meaning."""

from __future__ import annotations

import msgspec


class RuleParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The choice model of a rule mind.

    Utility of an item on a page::

        u = taste * match + quality * (2 q - 1) + novelty * explorer * new
            + friends * (0.4 + 0.6 chatter) * heard - position * place + search * searched
            + reason * explained

    with `match` in [-1, 1] the taste weighed by the item's tags, `q` its quality, `new` the share
    of its tags that were not among the last five items lived, `heard` the mean stance of what
    friends said of it, `explained` 1 where the page gives a reason for it. A page is read as a
    repeated multinomial choice: item j with weight exp(u_j), no pick with weight
    exp(no_pick + critic * habit + again * picks so far).
    """

    taste: float = 2.6
    quality: float = 1.2
    novelty: float = 0.5
    friends: float = 1.0
    position: float = 0.12
    search: float = 1.5
    reason: float = 0.0
    """How much more one wants what comes with a reason; 0 lets reasons be."""
    no_pick: float = 1.6
    critic: float = 0.8
    again: float = 1.1
    """How much less one wants a second item of the same visit."""
    most_picks: int = 2
    """Picks per page at most."""

    enjoy_taste: float = 0.36
    """Enjoyment = 0.5 + enjoy_taste match + enjoy_quality (2q-1) + noise - strict * critic."""
    enjoy_quality: float = 0.3
    enjoy_noise: float = 0.13
    strict: float = 0.1
    dropped: float = 0.35
    """Enjoyment below which an item is left before its end, the sooner the lower."""

    boredom: float = 0.07
    """Satisfaction lost by a page without a pick."""
    leave: float = -2.6
    """Leaving: logistic(leave + fatigue pages + sated hours - content (2 s - 1))."""
    fatigue: float = 0.5
    sated: float = 0.6
    content: float = 2.2

    to_recommender: float = 0.6
    """What draws somebody who woke: the recommender (more when satisfied), friends, nothing."""
    to_social: float = -0.9
    to_nothing: float = -1.1
    talkative: float = 0.5
    """Share of a chatter's and a poster's chances to speak that are taken."""
