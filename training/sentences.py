"""Lines of our own that people may say: an opinion and a reason for it, put together by kind.

    python -m training.sentences --count 4000 --out sentences.jsonl

They are plainer than those of a larger model (`speech.py`) and never in doubt about the opinion.
Films of the test part are left out, as there.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import msgspec
import numpy as np

from audience.agents.voiced import Facts, Titles, line_fault
from audience.scenario import from_tree, genesis_of
from training.speech import drawn_facts

OPINIONS = (
    (
        "I hated <{title}>",
        "<{title}> was awful",
        "I could not stand <{title}>",
        "<{title}> was a waste of an evening",
        "I regret every minute of <{title}>",
        "<{title}> was terrible",
    ),
    (
        "I did not like <{title}>",
        "<{title}> was rather weak",
        "<{title}> disappointed me",
        "I found <{title}> dull",
        "<{title}> was not for me",
        "I expected more of <{title}>, it was poor",
    ),
    (
        "<{title}> was all right",
        "<{title}> was decent",
        "I found <{title}> fair enough",
        "<{title}> was neither good nor bad",
        "I am in two minds about <{title}>",
        "<{title}> passed the time",
    ),
    (
        "I liked <{title}>",
        "<{title}> was really good",
        "I enjoyed <{title}>",
        "<{title}> was great fun",
        "I had a good time with <{title}>",
        "<{title}> won me over",
    ),
    (
        "I loved <{title}>",
        "<{title}> was wonderful",
        "<{title}> is one of the best {plural} I know",
        "I adored <{title}> from the first minute",
        "<{title}> was a delight",
        "I would gladly see <{title}> again, I loved it",
    ),
)
"""By stars, from one to five."""
REASONS = {
    "good": (
        "the story carried me along",
        "I believed everybody in it",
        "it kept me up until the end",
        "it stayed with me for days",
        "the ending was lovely",
        "I laughed and was touched as well",
        "it looked beautiful too",
        "I cared how it would turn out",
        "it was worth the evening",
    ),
    "mixed": (
        "it had good moments and slow ones",
        "I would not go out of my way for it",
        "the first half was better than the rest",
        "some of it worked for me and some did not",
        "I had already forgotten half of it the next day",
        "it was fine for a rainy evening",
    ),
    "bad": (
        "the story bored me",
        "I did not care for anybody in it",
        "it dragged on and on",
        "nothing in it felt true",
        "I kept looking at the clock",
        "it was tedious from the start",
        "I was glad when it was over",
    ),
}
DROPPED = ("I gave up before the end", "I switched it off halfway", "I stopped before it was over")
UNHEARD = {
    "good": (
        "I have not seen <{title}> yet, but I heard good things about it",
        "<{title}> is on my list, people say it is great",
        "Not yet, but everybody praises <{title}>, so I want to see it",
    ),
    "mixed": (
        "I have not seen <{title}>, and what I heard about it goes both ways",
        "I do not know <{title}> yet, some like it and some do not",
    ),
    "bad": (
        "I have not seen <{title}>, and I heard bad things about it",
        "I will skip <{title}>, everybody tells me that it is boring",
        "No, and after what I heard, <{title}> sounds dull to me",
    ),
}
JOINTS = ("; ", ", ", ": ", ", and ")


def main() -> None:
    """Write sentences that pass the product's checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("sentences.jsonl"))
    given = parser.parse_args()
    genesis = genesis_of(from_tree({"agents": 1000}, "sentences"), given.seed)
    titles = Titles(item.title for item in genesis.catalogue.items)
    facts = drawn_facts(genesis, given.count, given.seed)
    kept = 0
    with given.out.open("w") as file:
        for number, each in enumerate(facts):
            line = sentence(each, np.random.default_rng([given.seed, number, 13]))
            if not line_fault(line, each, titles):
                kept += 1
                file.write(json.dumps({"facts": msgspec.to_builtins(each), "line": line}) + "\n")
    print(f"{given.out}: {kept} of {given.count} sentences kept")


def sentence(facts: Facts, draws: np.random.Generator) -> str:
    """Return a sentence about given facts."""
    if facts.lived:
        reasons = DROPPED if facts.dropped else REASONS[facts.mood]
        joint, reason = str(draws.choice(JOINTS)), str(draws.choice(reasons))
        said = f"{draws.choice(OPINIONS[facts.stars - 1])}{joint}{reason}"
    else:
        said = str(draws.choice(UNHEARD[facts.mood]))
    said = said.format(title=facts.title, plural=facts.plural)
    if not facts.friend:
        return f"{said}."
    if draws.random() < 0.5:
        return f"{said}, {facts.friend}."
    keeps = said.startswith(("I ", "<"))
    return f"{facts.friend}, {said if keeps else said[0].lower() + said[1:]}."


if __name__ == "__main__":
    main()
