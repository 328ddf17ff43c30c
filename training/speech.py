"""Lines that people may say, written by a larger model from facts of ours and kept if they pass.

    python -m training.speech --llm URL --count 12000 --out lines.jsonl

Facts are drawn: a film of the embedded catalogue with the story in our own words, a person, an
occasion and an opinion. A line is kept if it passes the checks that the product applies to what the
tuned model says. Films of the test part are left out, so that speech can be measured on films of
which the model never spoke.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from audience.agents.voiced import Facts, Titles, facts_about, line_fault, say
from audience.lab.evaluation import part_of_user
from audience.llm import ChatMessage, Endpoint, Gateway, Request, open_gateway
from audience.scenario import from_tree, genesis_of
from audience.world import Genesis, Item, Profile

KINDS = ("feeling", "post", "opening", "reply", "interview")
SHARES = (0.35, 0.2, 0.15, 0.2, 0.1)
STARS = (0.15, 0.2, 0.2, 0.25, 0.2)
"""Opinions are drawn nearly evenly, so that blame is learnt as well as praise."""
QUESTIONS = (
    "What did you watch last?",
    "Which film did you like best?",
    "What disappointed you?",
    "How did you like it?",
    "Would you recommend it?",
    "What do you remember of it?",
)
FIRST = (
    "I",
    "I",
    "I",
    "Honestly,",
    "The",
    "What",
    "It",
    "That",
    "My",
    "Not",
    "For me,",
    "Somehow",
    "Well,",
)
ANGLES = (
    "what you liked or disliked most",
    "one moment of the story",
    "somebody in the story",
    "the mood it leaves you in",
    "whether it was worth the evening",
    "what you had expected",
)
EXAMPLES = (
    (
        "Say how it was for you.\n<The Lamp Room>: A miner's daughter keeps the light burning "
        "after a collapse.\nYou: 52, teacher, patient\nOpinion: loved it",
        "I held my breath whenever the lamp flickered in <The Lamp Room>.",
    ),
    (
        "Write to Ines about it.\n<Paper Kings>: Two clerks forge a fortune and cannot spend it.\n"
        "You: 23, student, sociable\nOpinion: disliked it, gave up before the end",
        "Ines, I switched <Paper Kings> off halfway, those clerks bored me to tears.",
    ),
    (
        "Post about it.\n<Salt Road>: A caravan loses its guide in a desert storm.\n"
        "You: 41, nurse\nOpinion: found it all right",
        "<Salt Road> was decent, though the storm went on far too long for me.",
    ),
    (
        "Answer Tom about it.\n<Late Swim>: Siblings meet at the lake where their father "
        "drowned.\nYou: 36, cook, sceptical\nOpinion: has not seen it, heard bad things",
        "I have not seen <Late Swim>, Tom, and after what I heard I will skip it.",
    ),
)
RULES = (
    "You write what ordinary people say about films: one plain spoken sentence of 7 to 25 words, "
    "in the first person, that fits the opinion and says something of the story. The title stands "
    "in it exactly once as <title>. No other titles, no actors, no numbers, no hashtags, no "
    "questions, no advertising language."
)
AT_ONCE = 512


def main() -> None:
    """Write lines until all facts were asked about."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llm", required=True)
    parser.add_argument("--count", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("lines.jsonl"))
    given = parser.parse_args()
    genesis = genesis_of(from_tree({"agents": 1000}, "speech"), given.seed)
    facts = drawn_facts(genesis, given.count, given.seed)
    gateway = open_gateway([Endpoint(url=given.llm, price="free", concurrency=AT_ONCE)])
    faults = asyncio.run(written(gateway, facts, genesis, given.out))
    kept = faults.pop("", 0)
    print(f"{given.out}: {kept} of {kept + faults.total()} lines kept; {dict(faults)}")


def drawn_facts(genesis: Genesis, count: int, seed: int) -> list[Facts]:
    """Return facts about films of the training part."""
    draws = np.random.default_rng([seed, 3])
    films = [
        item for item in genesis.catalogue.items if part_of_user(f"film {item.title}") != "test"
    ]
    return [_fact(draws, films, genesis.profiles) for _ in range(count)]


def _fact(draws: np.random.Generator, films: Sequence[Item], people: Sequence[Profile]) -> Facts:
    item, who, friend = (pool[int(draws.integers(len(pool)))] for pool in (films, people, people))
    if draws.random() < 0.15:
        item = msgspec.structs.replace(item, about="")
    kind = str(draws.choice(KINDS, p=SHARES))
    stars = int(draws.choice(5, p=STARS)) + 1
    known: dict[str, object] = {"stars": stars, "dropped": stars < 3 and draws.random() < 0.4}
    if kind == "reply" and draws.random() < 0.3:
        known = {"lived": False, "stance": float(draws.choice([-0.6, 0.0, 0.6]))}
    if kind in ("opening", "reply"):
        known["friend"] = friend.name.split(" ")[0]
    if kind == "interview":
        known["question"] = str(draws.choice(QUESTIONS))
    return facts_about(kind, item, who, past="watched", draw=float(draws.random()), **known)  # type: ignore[arg-type]


async def written(
    gateway: Gateway, facts: Sequence[Facts], genesis: Genesis, out: Path
) -> Counter[str]:
    """Ask for a line about each of some facts, keep those that pass, and count what was wrong."""
    titles = Titles(item.title for item in genesis.catalogue.items)
    faults: Counter[str] = Counter()
    room = asyncio.Semaphore(AT_ONCE)
    with out.open("w") as file:

        async def ask(number: int, each: Facts) -> None:
            async with room:
                reply = await gateway.ask(request_of(each, number))
            for text in dict.fromkeys(text.strip().strip('"') for text in reply.texts):
                fault = line_fault(text, each, titles)
                faults[fault] += 1
                if not fault:
                    kept = {"facts": msgspec.to_builtins(each), "line": text}
                    file.write(json.dumps(kept, ensure_ascii=False) + "\n")

        await asyncio.gather(*(ask(number, each) for number, each in enumerate(facts)))
    await gateway.close()
    return faults


def request_of(facts: Facts, number: int) -> Request:
    """Return the request for a line: the tuned model's own prompt, with rules and examples."""
    draws = np.random.default_rng([number, 5])
    first, angle = str(draws.choice(FIRST)), str(draws.choice(ANGLES))
    asked = say(facts).messages[-1].content
    examples = [
        message
        for place in draws.permutation(len(EXAMPLES)).tolist()
        for message in (
            ChatMessage("user", EXAMPLES[place][0]),
            ChatMessage("assistant", EXAMPLES[place][1]),
        )
    ]
    hint = f'Speak of {angle}. Begin with "{first}" if it fits.'
    messages = (ChatMessage("system", RULES), *examples, ChatMessage("user", f"{asked}\n{hint}"))
    return Request(
        "speech",
        messages,
        max_tokens=60,
        temperature=0.9,
        candidates=2,
        stop=("\n",),
        salt=str(number),
    )


if __name__ == "__main__":
    main()
