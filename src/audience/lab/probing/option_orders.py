"""Position bias: the same list of options in several orders, by minds that decide by scoring.

A page is asked about with its options in the order of their titles, so the order of the page cannot
matter. Whether the model itself prefers a place shows only if the options are listed otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec
import numpy as np
from msgspec.structs import replace

from audience.agents.language import optional_places
from audience.errors import BadInput
from audience.lab.evaluation import Case, RunMind
from audience.lab.probing.result import Answer, ProbeRow, row
from audience.llm import ChatMessage, Unreadable, choice_in, together
from audience.world import dice, rng

PART = "orders"
ORDERS = 5
AT_ONCE = 128
"""Lists that are asked about at once."""
BAR = 0.85


class OrderedAnswers(msgspec.Struct, frozen=True):
    """What a mind would take from one list in each of several orders."""

    user: int
    size: int
    tops: tuple[int | None, ...]
    """The likeliest candidate in each order; None where the answer was unreadable."""
    first: tuple[bool, ...]
    """Whether that was the option listed first."""
    right: tuple[float | None, ...]
    """Whether the person took it."""
    same_prompt: bool
    """Whether the product asks the same question in whatever order the page is."""


async def order_answers(mind: RunMind, cases: Sequence[Case], seed: int) -> list[OrderedAnswers]:
    """Return the choices from each list in five orders drawn by name."""
    if mind.mind.scored is None:
        raise BadInput(f"--mind {mind.name}: decides by writing; give one that decides by scoring")
    answers: list[OrderedAnswers] = []
    for start in range(0, len(cases), AT_ONCE):
        part = cases[start : start + AT_ONCE]
        answers += await together(_ordered(mind, case, seed) for case in part)
        mind.door.flush()
        mind.progress(len(answers))
    return answers


async def _ordered(mind: RunMind, case: Case, seed: int) -> OrderedAnswers:
    draws = rng(seed, "probe", "option orders", case.user)
    size = len(case.candidates)
    orders = [draws.permutation(size).tolist() for _ in range(ORDERS)]
    tops: list[int | None] = []
    first: list[bool] = []
    for number, order in enumerate(orders):
        place = await _top(mind, case, order, number)
        tops.append(None if place is None else case.candidates[order[place]])
        first.append(place == 0)
    taken = {item for item, yes in zip(case.candidates, case.truth, strict=True) if yes}
    right = tuple(None if top is None else float(top in taken) for top in tops)
    return OrderedAnswers(
        case.user, size, tuple(tops), tuple(first), right, _is_same(mind, case, orders)
    )


async def _top(mind: RunMind, case: Case, order: Sequence[int], number: int) -> int | None:
    """Return the place in the list of the likeliest option, or None if unreadable."""
    seen = mind.seen(case)
    listed = optional_places(seen)
    asked = mind.mind.messages(seen, (), "page", form="_choice")
    messages, marks = relisted(asked, [listed.index(place) for place in order])
    options = ("0", *marks)
    salt = int(dice(mind.seed, "probe", "order", case.user, *case.candidates).keys[0])
    reply = await mind.mind.questions.choose("order", messages, salt, options, nth=number)
    choice = choice_in(reply, options)
    if isinstance(choice, Unreadable):
        return None
    if choice.shares:
        return int(np.argmax(choice.shares[1:]))
    return choice.place - 1 if choice.place else None


def relisted(
    messages: tuple[ChatMessage, ...], order: Sequence[int]
) -> tuple[tuple[ChatMessage, ...], tuple[str, ...]]:
    """Return a prompt with its lettered options in another order, and their letters.

    `order` has the numbers of the options as they are listed now.
    """
    *before, last = messages
    lines = last.content.split("\n")
    letters = [chr(ord("A") + place) for place in range(len(order))]
    for start in range(len(lines) - len(order), -1, -1):
        heads = [_head(lines[start + n], letter) for n, letter in enumerate(letters)]
        if all(heads):
            bodies = [lines[start + n].removeprefix(head) for n, head in enumerate(heads)]
            moved = [f"{head}{bodies[place]}" for head, place in zip(heads, order, strict=True)]
            text = "\n".join([*lines[:start], *moved, *lines[start + len(order) :]])
            return (*before, replace(last, content=text)), tuple(letters)
    raise BadInput(
        f"the prompt of a choice lists no {len(order)} lettered options; leave --prompts out, or "
        "let the hole $options or $titles stand on lines of its own"
    )


def _head(line: str, letter: str) -> str:
    """Return what marks an option at the beginning of its line, or empty."""
    return next((head for head in (f"{letter} ", f"[{letter}] ") if line.startswith(head)), "")


def _is_same(mind: RunMind, case: Case, orders: Sequence[Sequence[int]]) -> bool:
    """Return whether a page in each order leads to the same prompt."""
    prompts = set()
    for order in orders:
        items, truth = (
            [column[place] for place in order] for column in (case.candidates, case.truth)
        )
        turned = replace(case, candidates=tuple(items), truth=tuple(truth))
        prompts.add(mind.mind.messages(mind.seen(turned), (), "page", form="_choice"))
    return len(prompts) == 1


def option_order_rows(answers: Sequence[OrderedAnswers], seed: int) -> list[ProbeRow]:
    """Return how far choices stay the same when the options are listed in another order."""

    def made(what: str, given: Sequence[Answer], chance: float | None = None) -> ProbeRow:
        return row(PART, what, given, seed=seed, chance=chance)

    pairs: list[Answer] = []
    for each in answers:
        for one, other in combinations(each.tops, 2):
            pairs.append((each.user, None if None in (one, other) else float(one == other)))
    whole = [
        (each.user, None if None in each.tops else float(len(set(each.tops)) == 1))
        for each in answers
    ]
    by_title = [(each.user, float(each.same_prompt)) for each in answers]
    first = [(each.user, float(at)) for each in answers for at in each.first]
    right = [(each.user, hit) for each in answers for hit in each.right]
    usual = float(np.mean([1.0 / each.size for each in answers])) if answers else None
    return [
        made(f"page in {ORDERS} orders, as a run asks: the same question", by_title, BAR),
        made(f"options in {ORDERS} orders: the same choice in all", whole, BAR),
        made("options in two orders: the same choice", pairs),
        made("the option listed first is the choice", first, usual),
        made("the choice is what the person took", right),
    ]
