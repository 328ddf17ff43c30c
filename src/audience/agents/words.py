"""Short template words of rule minds. Items are named as `<title>`."""

from __future__ import annotations

from audience.world.genesis import Domain

_FEELINGS = {
    1: ("What a waste of an evening, <{t}>.", "<{t}> lost me within minutes."),
    2: ("<{t}> was not for me.", "I expected more of <{t}>."),
    3: ("<{t}> was all right.", "<{t}> had its moments."),
    4: ("I liked <{t}>.", "<{t}> was time well spent."),
    5: ("I loved <{t}>.", "<{t}> will stay with me."),
}
_POSTS = {
    -1: ("Just {v} <{t}>. I would skip it.", "<{t}> is not worth your time."),
    0: ("Just {v} <{t}>. It has its moments.", "<{t}>: fine, nothing more."),
    1: ("Just {v} <{t}> and want everybody to know it.", "You should not miss <{t}>."),
}
_OPENINGS = {
    -1: ("I {v} <{t}> and it let me down.", "Stay away from <{t}>, I {v} it for you."),
    0: ("I {v} <{t}>, not sure about it.", "Have you heard of <{t}>? It was so-so."),
    1: ("You must try <{t}>, I {v} it and loved it.", "I {v} <{t}>, it is right up your street."),
}
_REPLIES = {
    -1: ("<{t}>? Not my kind of {n}.", "I would not like <{t}>, I think."),
    0: ("<{t}>? Maybe one day.", "I have not made up my mind about <{t}>."),
    1: ("<{t}> sounds just right for me.", "Then I will look for <{t}>."),
}
_ANSWERS = {
    -1: ("I {v} <{t}> too, and it was not for me.", "I {v} <{t}>. Never again."),
    0: ("I {v} <{t}>, it has its moments.", "<{t}> was all right, nothing more."),
    1: ("I would not have missed <{t}>.", "I {v} <{t}> and would again."),
}


_NEWS = {
    (-1, 0): ("Read about {t}. I do not agree with it.", "Not convinced by {t}."),
    (-1, 1): ("{t} worries me.", "I am annoyed about {t}, to be honest."),
    (-1, 2): ("I am furious about {t}! This is outrageous.", "{t} is a disgrace and I am shocked!"),
    (1, 0): ("Read about {t}. Seems reasonable to me.", "{t}: fine by me."),
    (1, 1): ("I am glad about {t}.", "{t} moves me, and I am for it."),
    (1, 2): ("I am thrilled about {t}! At last.", "So proud and overjoyed about {t}!"),
}


def news(name: str, level: int, stance: int, draw: float) -> str:
    """Return words on a topic that fit how one feels and what one thinks of it."""
    choices = _NEWS[stance, level]
    return choices[int(draw * len(choices))].replace("{t}", " ".join(name.split())[:200])


def _fill(choices: tuple[str, ...], draw: float, title: str, domain: Domain) -> str:
    words = choices[int(draw * len(choices))]
    return words.format(t=title, v=domain.past, n=domain.noun)


def side(stance: float) -> int:
    """Return -1, 0 or 1 for against, undecided, for."""
    return (stance > 0.2) - (stance < -0.2)


def feeling(stars: int, draw: float, title: str, domain: Domain) -> str:
    return _fill(_FEELINGS[stars], draw, title, domain)


def post(stance: float, draw: float, title: str, domain: Domain) -> str:
    return _fill(_POSTS[side(stance)], draw, title, domain)


def opening(stance: float, draw: float, title: str, domain: Domain) -> str:
    return _fill(_OPENINGS[side(stance)], draw, title, domain)


def answer(stance: float, draw: float, title: str, domain: Domain) -> str:
    """Return what somebody says of an item that it lived itself."""
    return _fill(_ANSWERS[side(stance)], draw, title, domain)


def reply(stance: float, draw: float, title: str, domain: Domain) -> str:
    """Return what somebody says of an item that it only hears of."""
    return _fill(_REPLIES[side(stance)], draw, title, domain)
