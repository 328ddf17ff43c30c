"""The parameters of rule minds, each with its meaning, and reading them from a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from audience.errors import BadInput, unknown
from audience.ranges import check_rules
from audience.toml_reader import read_toml_file


class RuleParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The choice model of a rule mind.

    Utility of an item on a page::

        u = taste * match + quality * (2 q - 1) + novelty * explorer * new
            + friends * (0.4 + 0.6 chatter) * heard + remembered * recalled
            - position * place + search * searched + reason * explained

    with `match` in [-1, 1] the taste weighed by the item's tags, `q` its quality, `new` the share
    of its tags that were not among the last five items lived, `heard` the mean stance of what
    friends said of it, `recalled` what its own memories say of it (rule/recollection.py),
    `explained` 1 where the page gives a reason for it. A page is read as a
    repeated multinomial choice: item j with weight exp(u_j), no pick with weight
    exp(no_pick + critic * habit + again * picks so far).
    """

    taste: float = 2.6
    quality: float = 1.2
    novelty: float = 0.5
    friends: float = 1.0
    remembered: float = 1.0
    """Weight of what is remembered of an item and of its kind; 0: memories do not matter."""
    position: float = 0.12
    search: float = 1.5
    reason: float = 0.0
    """Added utility of an item shown with a reason; 0 ignores reasons."""
    no_pick: float = 1.6
    critic: float = 0.8
    again: float = 1.1
    """How much less a further item of the same visit is wanted."""
    most_picks: int = 2
    """Picks per page at most."""
    demography: float = 0.2
    """How far gender and age move the taste for each tag, see rule/person.py; 0 disables it."""
    traits: float = 0.2
    """How far traits move the weight of new tags, of picking nothing, enjoyment and the pull of
    friends; 0 disables it."""
    career: float = 0.2
    """How much less those leave who have no job to go to; 0 disables it."""
    save: float = 0.0
    """Chance to save the item of a page that fits best of those not picked; 0: nobody saves."""

    enjoy: float = 0.5
    """Enjoyment = enjoy + enjoy_taste match + enjoy_quality (2q-1) + noise - strict * critic."""
    enjoy_taste: float = 0.36
    enjoy_quality: float = 0.3
    enjoy_noise: float = 0.13
    strict: float = 0.1
    company: float = 0.0
    """Added enjoyment when watching with fully close people."""
    conform: float = 0.0
    """How far enjoyment moves towards what friends said, times 0.4 + 0.6 chatter; 0 disables it."""
    dropped: float = 0.35
    """Enjoyment below which an item is left before its end, the sooner the lower."""

    two_stars: float = 0.28
    """Enjoyment at which two, three, four and five stars begin."""
    three_stars: float = 0.4
    four_stars: float = 0.57
    five_stars: float = 0.76

    boredom: float = 0.07
    """Satisfaction lost by a page without a pick."""
    leave: float = -2.6
    """Leaving: logistic(leave + fatigue pages - settle log(pages) + sated hours - content (2s-1)).
    """
    fatigue: float = 0.5
    settle: float = 0.0
    """How much longer agents stay who have stayed long; 0 disables it."""
    sated: float = 0.6
    content: float = 2.2

    to_recommender: float = 0.6
    """Where agents go on waking: the recommender (more if satisfied), friends, or nowhere."""
    to_social: float = -0.9
    to_nothing: float = -1.1
    talkative: float = 0.5
    """Share of a chatter's and a poster's chances to speak that are taken."""
    follow: float = 0.0
    """Chance to follow the author of a forwarded message that praises a fitting item."""
    unfollow: float = 0.0
    """Chance to unfollow the least close of the distant ties, except family."""
    distant: float = 0.1
    """Closeness below which a tie is distant."""

    news_stir: float = 0.8
    """The emotion about a topic: arousal = stir (1 - exp(-trust told)) + charge |stance|
    + near relevance + lasting level / 2 - used where it was heard of before + noise; moderate and
    intense from two bounds on."""
    news_charge: float = 0.35
    news_near: float = 0.6
    news_lasting: float = 0.3
    news_used: float = 0.2
    news_noise: float = 0.2
    news_moderate: float = 0.45
    news_intense: float = 0.95
    news_conviction: float = 2.2
    """For it with logistic(conviction view + sway (told + remembered) / 2)."""
    news_sway: float = 1.6
    news_tell: float = -2.5
    """Tells others with logistic(tell + tell_level level + near relevance
    + tell_poster (poster - 0.5) - stale where it was heard of before - wane age)."""
    news_tell_level: float = 0.8
    news_tell_poster: float = 1.0
    news_stale: float = 1.0
    news_wane: float = 0.0
    """Decrease a round since the message was first written: how fast news gets old."""
    news_write: float = 0.15
    """Share of what is told that is in own words, times the level; the rest is passed on."""


def load_parameters(path: str | Path) -> dict[str, float]:
    """Return the parameters that a TOML file holds, such as one `audience eval calibration` wrote.

    Other tables than `[mind]` are for people to read.
    """
    file = Path(path)
    if not file.exists():
        raise BadInput(
            f"parameters {file} does not exist; name a TOML file such as "
            "`audience eval calibration --out params.toml` writes"
        )
    parameters = read_toml_file(file, f"parameters {file}").get("mind")
    if not isinstance(parameters, dict):
        raise BadInput(f"parameters {file}: has no table [mind]; put the numbers under [mind]")
    check_parameters(parameters, f"parameters {file}: [mind]")
    return parameters


def check_parameters(found: Mapping[str, object], where: str) -> None:
    """Raise BadInput for an unknown parameter, or a value that is not a number."""
    fields = {field.name: field for field in msgspec.structs.fields(RuleParameters)}
    for key, value in found.items():
        if key not in fields:
            raise BadInput(f"{where}: {unknown('parameter', key, fields)}")
        whole = isinstance(fields[key].default, int)
        wanted: tuple[type, ...] = (int,) if whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, wanted):
            said = "a whole number" if whole else "a number"
            raise BadInput(f"{where}: {key}: {value!r} is not {said}")
    check_rules(found, where)


@runtime_checkable
class Calibratable(Protocol):
    """A mind whose parameters can be fitted to real sessions."""

    parameters: RuleParameters
