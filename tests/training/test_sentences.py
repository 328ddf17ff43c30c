"""Lines of our own that the tuned model learns to speak from."""

from __future__ import annotations

import numpy as np
import pytest

from audience.agents.voiced import Titles, line_fault
from audience.lab.evaluation import part_of_user
from audience.scenario import from_tree, genesis_of

pytest.importorskip("gguf")


def test_they_keep_to_the_facts_and_are_never_in_doubt_about_the_opinion() -> None:
    from training.sentences import sentence
    from training.speech import drawn_facts

    genesis = genesis_of(from_tree({"agents": 50}, "sentences"), 2)
    titles = Titles(item.title for item in genesis.catalogue.items)
    facts = drawn_facts(genesis, 400, 2)
    assert all(part_of_user(f"film {each.title}") != "test" for each in facts)
    lines = [sentence(each, np.random.default_rng([2, n])) for n, each in enumerate(facts)]
    faults = [line_fault(line, each, titles) for line, each in zip(lines, facts, strict=True)]
    assert faults.count("") > 0.9 * len(lines)
    for line, each in zip(lines, facts, strict=True):
        assert not each.friend or each.friend in line
    assert len(set(lines)) > 0.9 * len(lines)
