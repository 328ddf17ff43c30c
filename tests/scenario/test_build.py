from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from audience.agents.rule import RuleMind
from audience.errors import BadInput
from audience.recommenders import Popular
from audience.scenario import Part, Scenario, genesis_of, made, parse, parts_of
from audience.world import SwapRecommender

SMALL = Scenario(agents=12)


def test_a_part_is_made_with_its_options() -> None:
    found = made("recommenders", Part("popular", {"half_life_days": 2.0}))
    assert isinstance(found, Popular)
    assert found.half_life_days == 2.0


@pytest.mark.parametrize(
    ("group", "part", "told"),
    [
        ("recommenders", Part("populr"), "recommender 'populr' is unknown"),
        ("memories", Part("all"), "memory 'all' is unknown"),
        ("minds", Part("rule", {"speed": 3}), "a rule mind: parameter 'speed' is unknown"),
        ("minds", Part("rule", {"tsate": 3}), "(did you mean 'taste'?)"),
        ("minds", Part("rule", {"taste": "much"}), "taste: 'much' is not a number"),
        ("recommenders", Part("popular", {"half_life": 3}), "did you mean 'half_life_days'?"),
        ("datasets", Part("films", {"degree": -1}), "degree"),
        ("recommenders", Part("mine.py"), "name its class too: mine.py:CLASS"),
    ],
)
def test_a_part_that_cannot_be_made_says_why(group: str, part: Part, told: str) -> None:
    with pytest.raises(BadInput) as refused:
        made(group, part)
    assert told in str(refused.value)


def test_arms_share_the_genesis_of_a_seed_and_another_seed_has_another() -> None:
    other = msgspec.structs.replace(SMALL, recommender=Part("random"))
    assert genesis_of(SMALL, 1) is genesis_of(other, 1)
    assert genesis_of(SMALL, 2).digest != genesis_of(SMALL, 1).digest


def test_all_parts_of_a_run_are_made() -> None:
    parts = parts_of(parse("agents = 12\n[platform]\npage_size = 7"), genesis_of(SMALL, 1))
    assert isinstance(parts.mind, RuleMind)
    assert parts.platform.page_size == 7
    assert parts.recommender(None)[0] == "popular"
    assert parts.recommender(SwapRecommender("random"))[0] == "random"
    assert parts.changes == {}


def test_a_recommender_without_fit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine: pass\n")
    wanted = Scenario(agents=12, recommender=Part(f"{tmp_path}/mine.py:Mine"))
    with pytest.raises(BadInput, match="has no `fit`"):
        parts_of(wanted, genesis_of(wanted, 1))


def test_two_files_with_classes_of_one_name_cannot_both_be_swapped_in(tmp_path: Path) -> None:
    swaps: list[dict[str, object]] = []
    for round_, file in ((1, "a.py"), (2, "b.py")):
        (tmp_path / file).write_text("from audience.recommenders import Random as Mine\n")
        kind = f"{tmp_path / file}:Mine"
        swaps.append({"round": round_, "do": "swap_recommender", "kind": kind})
    once = msgspec.structs.replace(SMALL, interventions=(swaps[0],))
    swap = parts_of(once, genesis_of(once, 1)).changes[1][0]
    assert swap == SwapRecommender("Mine")
    both = msgspec.structs.replace(SMALL, interventions=tuple(swaps))
    with pytest.raises(BadInput, match="have the same name; rename one of the classes"):
        parts_of(both, genesis_of(both, 1))
