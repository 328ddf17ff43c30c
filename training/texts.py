"""Prompts with written answers, as tokens: lines people say, and pages decided by writing.

    python -m training.texts --base MODEL.gguf --lines lines.jsonl --data PATH --out texts.npz

A line's prompt is that of `say`, a page's that of `mind = "llm"` for this model. What is taken from
a page comes from data; how much of it is watched, how it is liked and whether one goes on is drawn
from laws of ours that agree with public figures, since the data do not tell it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from tokenizers import Tokenizer

from audience.agents import LLMMind
from audience.agents.voiced import Facts, say
from audience.lab.evaluation import Real, read_real
from audience.llm import ChatMessage, EmbeddedGateway
from audience.world import MENUS, Agent, Lived, Observation, Profile, Situation
from training.material import MODEL, items_of, ragged, users_of
from training.tokens import chat, encoded, tokenizer_of

END = "<|im_end|>"
STARS = (0.056, 0.108, 0.261, 0.349, 0.226)
"""MovieLens-1M, a million ratings."""
OPINIONS = ("awful", "weak", "all right", "liked it", "loved it")
FINISHED = (0.2, 0.3, 0.6, 0.75, 0.85)
"""By stars; with their shares, 64 % of films are watched to the end."""
LEAVES = 0.4
"""After a page: people see two or three pages of five titles in a visit."""
PLACES = 5
Pair = tuple[str, str]


def main() -> None:
    """Write the tokens of all texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--lines", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--pages", type=int, default=6000)
    parser.add_argument("--also", type=Path, help="texts made before")
    parser.add_argument("--out", type=Path, default=Path("texts.npz"))
    given = parser.parse_args()
    pairs: list[Pair] = []
    if given.lines:
        pairs += spoken(given.lines)
    if given.data:
        pairs += written(read_real(given.data), given.pages)
    arrays = tokens_of(
        tokenizer_of(given.base), pairs, dict(np.load(given.also)) if given.also else {}
    )
    np.savez_compressed(given.out, **arrays)
    print(f"{given.out}: {len(arrays['prompts_ends']) - 1} texts")


def tokens_of(
    tokenizer: Tokenizer, pairs: Sequence[Pair], also: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return prompts and answers as ragged arrays, behind those made before."""
    made: dict[str, np.ndarray] = {}
    for place, name in enumerate(("prompts", "replies")):
        rows = encoded(tokenizer, [pair[place] for pair in pairs])
        if also:
            flat, ends = also[name], also[f"{name}_ends"]
            rows = [*(part.tolist() for part in np.split(flat, ends[1:-1])), *rows]
        made |= ragged(name, rows, np.uint16)
    return made


def spoken(path: Path) -> list[Pair]:
    """Return the lines that a larger model wrote, below the product's own prompt."""
    pairs = []
    for text in path.read_text("utf-8").splitlines():
        kept = json.loads(text)
        messages = say(msgspec.convert(kept["facts"], Facts)).messages
        pairs.append((_prompt(messages), kept["line"] + END))
    return pairs


def written(real: Real, count: int, seed: int = 1) -> Iterator[Pair]:
    """Yield pages of training users, decided by writing."""
    mind = LLMMind(EmbeddedGateway(), model=MODEL, words="none")
    draws = np.random.default_rng([seed, 11])
    users, pool = users_of(real, "train"), np.unique(real.items)
    for _ in range(count):
        user = users[int(draws.integers(len(users)))]
        items = items_of(real, user)
        cut = int(draws.integers(1, len(items)))
        taken = [] if draws.random() < 0.45 else items[cut : cut + 1]
        others = [item for item in draws.choice(pool, 4 * PLACES).tolist() if item not in items]
        page = [*taken, *dict.fromkeys(others)][:PLACES]
        page = [page[place] for place in draws.permutation(len(page))]
        seen = page_of(real, user, items[:cut], page)
        place = page.index(taken[0]) + 1 if taken else 0
        yield _prompt(mind.messages(seen, (), "page")), reply(draws, place) + END


def page_of(real: Real, user: int, history: Sequence[int], page: Sequence[int]) -> Observation:
    """Return a page as somebody with a history sees it."""
    weights = real.catalogue.weights[list(history)].sum(axis=0)
    liked = [real.catalogue.tags[tag] for tag in np.argsort(-weights, kind="stable")[:3]]
    who = real.profiles[user] if real.profiles else Profile(user)
    who = msgspec.structs.replace(who, interests=tuple(liked))
    here = Situation(len(history), "recommender", tuple(page), 0, 1, tuple(page))
    lived = tuple(Lived(item, place, 1.0, 0) for place, item in enumerate(history))
    me = Agent(who, b"", here, lived)
    return Observation(me, 1, 0, "recommender", MENUS["recommender"], real.catalogue, real.domain)


def reply(draws: np.random.Generator, place: int) -> str:
    """Return the JSON of a decision to take what is at a place; 0: nothing."""
    fits = "well" if place else str(draws.choice(["not at all", "a little"]))
    picks, satisfaction = [], int(np.clip(round(draws.normal(4.0, 1.5)), 1, 10))
    if place:
        stars = int(draws.choice(5, p=STARS))
        ended = draws.random() < FINISHED[stars]
        watched = "all" if ended else str(draws.choice(["most", "half", "start"]))
        picks = [{"place": place, "watched": watched, "opinion": OPINIONS[stars]}]
        satisfaction = int(np.clip(round(2 * stars + 1 + draws.normal(0, 1)), 1, 10))
    after = "leave" if draws.random() < LEAVES else "next_page"
    decided = {"fits": fits, "picks": picks, "next": after, "satisfaction": satisfaction}
    return json.dumps(decided)


def _prompt(messages: Sequence[ChatMessage]) -> str:
    system, user = messages
    return chat(system.content, user.content)


if __name__ == "__main__":
    main()
