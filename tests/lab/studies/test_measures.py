"""Measures of single studies over logs written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.lab.studies.logs import Told, found, lived, visit, world

from audience.lab.studies.causal import VARIABLES, Arrows
from audience.lab.studies.cold_start import ColdStart
from audience.lab.studies.conformity import Opinions
from audience.lab.studies.drift import Drifts
from audience.lab.studies.explanation import Explanations
from audience.lab.studies.homogenisation import Alike
from audience.lab.studies.human_touch import Touches
from audience.lab.studies.intervention import Changed
from audience.lab.studies.popularity import PopularityMeasure
from audience.lab.studies.promotion import Promoted
from audience.lab.studies.recommender_ab import SlateOpinions
from audience.lab.studies.spread import SpreadSpeed
from audience.lab.studies.word_of_mouth import Talks
from audience.world import Item, Profile, Topic, changes as c, events as e, rng


def told(to: int, who: int, item: int, stance: float) -> Told:
    return e.DELIVERY, -1, [e.Delivered("x", who, (to,), "", (item,), stance)]


def opinions(pull: float) -> dict[str, float]:
    """Return what is found where stars are noise, and what was heard pulls them so far."""
    people = 400
    genesis = world(people, items=[("Comedy",), ("Drama",)])
    draw = rng(3, "planted")
    first: list[Told] = []
    second: list[Told] = []
    for who in range(people):
        noise = float(draw.normal(0.0, 0.7))
        heard = float(draw.choice([-0.9, 0.9]))
        alone = int(np.clip(round(3 + 2 * noise), 1, 5))
        first.append(visit(who, *lived(who, 0, alone)))
        first.append(told(who, (who + 1) % people, 1, heard))
        swayed = noise + pull * (heard - noise)
        second.append(visit(who, *lived(who, 1, int(np.clip(round(3 + 2 * swayed), 1, 5)))))
    return found(genesis, Opinions(1), first, second)[0]


def test_a_planted_pull_is_found_and_no_pull_is_a_half() -> None:
    none, some = opinions(0.0), opinions(0.5)
    assert none["heard_ratings"] == 400
    assert abs(none["pull"]) < 0.12
    assert 0.4 < none["moved"] < 0.6
    assert 0.35 < some["pull"] < 0.65
    assert some["moved"] > 0.65
    assert some["moved_1"] == some["moved"]
    assert abs(some["moved_fj_1"] - some["moved_1"]) < 0.12
    assert math.isnan(some["moved_3"])


def test_too_few_heard_ratings_tell_nothing() -> None:
    one, _ = found(world(), Opinions(1), [visit(0, *lived(0, 1, 4))])
    assert one["heard_ratings"] == 0.0
    assert math.isnan(one["pull"])


def test_what_was_praised_and_then_picked_counts_once_and_in_time() -> None:
    genesis = world(3, past=[(0, 2)])
    talk = (e.CONVERSATIONS, 0, [e.Said(0, 1, "see it", (2,), 0.8), e.Said(1, 0, "no", (2,), -0.5)])
    late = [visit(1, *lived(1, 2))]
    soon = found(genesis, Talks(1), [talk], late)[0]
    assert (soon["good_words"], soon["told_pick"]) == (1.0, 1.0)
    assert math.isnan(soon["warned_pick"])  # 0 has lived it
    after = found(genesis, Talks(1), [talk], [], [], [], late)[0]
    assert after["told_pick"] == 0.0


def test_a_search_for_what_was_praised_is_seen() -> None:
    talk = (e.CONVERSATIONS, 0, [e.Said(0, 1, "see it", (2,), 0.8)])
    search = visit(1, e.Searched(1, "Item 2", 1), e.Searched(1, "Item 1", 1))
    one = found(world(3), Talks(1), [talk], [search])[0]
    assert one["told_search"] == 1.0


def test_tastes_that_move_towards_a_friend_are_nearer_than_strangers() -> None:
    ties = [(0, 1)]
    genesis = world(12, likes=("Comedy", "Drama"), ties=ties)
    moved = [visit(0, *[e.TasteShifted(0, 1, 0.8), e.TasteShifted(0, 0, -0.7)])]
    one, rounds = found(genesis, Drifts(1), [], moved)
    assert rounds[0]["taste_moved"] == pytest.approx(0.0, abs=1e-6)
    assert one["taste_moved"] > 0.05
    assert one["nearer_friends"] > 1.0
    assert one["nearer_than_strangers"] == one["nearer_friends"] - one["nearer_strangers"]


def test_neighbours_who_take_up_the_same_are_alike() -> None:
    genesis = world(4, likes=("Comedy", "Drama"))
    same = [visit(who, *lived(who, who % 2)) for who in range(4)]
    one = found(genesis, Alike(1), same)[0]
    assert one["alike_picks"] == 1.0
    assert one["alike_strangers"] == 0.0
    assert one["alike_ideal"] == 1.0
    assert one["alike_excess"] == 0.0
    other = found(genesis, Alike(1), [visit(who, *lived(who, who)) for who in range(4)])[0]
    assert other["alike_picks"] == 0.0
    assert other["alike_excess"] == -1.0


def test_popularity_is_held_against_the_past() -> None:
    past = [(0, 0), (1, 0), (2, 0), (3, 1)]
    genesis = world(4, past=past)
    one = found(genesis, PopularityMeasure(), [visit(3, e.SlateShown(3, (0,), 0), *lived(3, 0))])[0]
    before = (0.75 * 3 + 0.25) / 4
    assert one["gap_shown"] == pytest.approx(0.75 / before - 1.0)
    assert one["gap_picked"] == one["gap_shown"]
    assert one["tail_picked"] == 0.0
    tail = found(genesis, PopularityMeasure(), [visit(3, e.SlateShown(3, (2,), 0), *lived(3, 2))])[
        0
    ]
    assert tail["gap_picked"] == -1.0
    assert tail["tail_shown"] == 1.0


def test_new_items_and_newcomers_are_counted_from_when_they_come() -> None:
    item = c.AddItem(Item(4, "New", tags=("Noir",)))
    person = c.AddPerson(Profile(4, "Nova", interests=("Noir",)))
    opening = (e.OPENING, -1, [e.Intervened(item), e.Intervened(person)])
    one = found(
        world(past=[(0, 1)] * 4),
        ColdStart(),
        [visit(0, e.SlateShown(0, (0, 1), 0))],
        [
            opening,
            visit(0, e.SlateShown(0, (0, 4), 0), *lived(0, 4)),
            visit(4, e.SlateShown(4, (0, 1), 0)),
        ],
    )[0]
    assert one["new_shown"] == pytest.approx(1.0 / (4 / 5))
    assert one["new_picked"] == pytest.approx(5.0)
    assert one["new_reached"] == 1.0
    assert (one["newcomer_clicks"], one["old_clicks"], one["newcomer_gap"]) == (0.0, 1.0, -1.0)
    assert one["clicks_0"] == 0.0
    assert one["clicks_4"] == 0.5


def test_an_announced_item_is_followed_from_its_round_on() -> None:
    item = world().catalogue[2]
    reached = (e.DELIVERY, -1, [e.Delivered("a", -1, (0, 1), "news", (2,), 0.5)])
    one, rounds = found(
        world(),
        Promoted(item, 2),
        [visit(3, *lived(3, 2))],
        [reached, visit(0, e.Searched(0, "Item 2", 1), *lived(0, 2)), visit(2, *lived(2, 2))],
    )
    assert one["reached"] == 0.5
    assert one["item_picks"] == 50.0
    assert one["item_reached_picks"] == 50.0
    assert one["item_unreached_picks"] == 50.0
    assert one["item_searches"] == 25.0
    assert [row["item_picks"] for row in rounds] == [25.0, 50.0]


def test_those_who_change_are_followed_into_their_new_interests() -> None:
    genesis = world(3, likes=("Comedy",), ties=[(1, 0)])
    one, rounds = found(
        genesis,
        Changed({0: ("Noir",)}, 2),
        [visit(0, *lived(0, 2))],
        [visit(0, e.SlateShown(0, (1, 2), 0), *lived(0, 2)), visit(1, *lived(1, 2))],
    )
    assert (one["new_picks"], one["new_pages"], one["friends_picks"]) == (1.0, 0.5, 1.0)
    assert one["changed_picks"] == 1.0
    assert one["new_answers"] == 0.0
    assert [row["new_picks"] for row in rounds] == [1.0, 1.0]
    shift = visit(0, e.TasteShifted(0, 2, 1.0), e.TasteShifted(0, 0, -1.0))
    assert found(genesis, Changed({0: ("Noir",)}, 1), [shift])[0]["new_answers"] == 1.0


def test_reasons_are_held_against_what_is_picked() -> None:
    slate, why = e.SlateShown(0, (0, 1), 0), e.SlateAnnotated(0, (), ("because", ""))
    one = found(world(), Explanations(), [visit(0, slate, why, *lived(0, 0))])[0]
    assert (one["explained_shown"], one["explained_picked"]) == (0.5, 1.0)
    assert one["explained_lift"] == 0.5
    silent = found(world(), Explanations(), [visit(0, slate, *lived(0, 0))])[0]
    assert math.isnan(silent["explained_lift"])


def test_visits_without_a_hand_are_told_apart_by_their_reasons() -> None:
    one = found(world(likes=("Comedy",)), Touches(), [visit(0, *lived(0, 0)), visit(1)])[0]
    assert one["touched"] == 0.0
    assert one["match_picked"] == one["untouched_match"] == pytest.approx(0.6, abs=1e-6)


def test_everybody_who_leaves_says_what_suits() -> None:
    page = e.SlateShown(0, (0, 1), 0)
    one = found(world(likes=("Comedy",)), SlateOpinions(), [visit(0, page), visit(1)])[0]
    assert (one["says_suits"], one["says_some"], one["says_mark"]) == (0.5, 1.0, 5.5)


def test_a_run_without_topics_has_no_speed() -> None:
    one = found(world(), SpreadSpeed(1), [])[0]
    assert all(math.isnan(value) for value in one.values())


def test_who_comes_to_know_is_followed_and_classical_models_stand_beside() -> None:
    ring = [((who + 1) % 8, who) for who in range(8)]
    raised = (e.OPENING, -1, [e.Intervened(c.Raise(Topic("news", "News!"), (0,)))])
    told = [
        (e.DELIVERY, -1, [e.Delivered(f"p{who}", who, (who + 1,), "News!", topic=0)])
        for who in range(4)
    ]
    one, _ = found(world(8, ties=ring), SpreadSpeed(1), [raised], *([one] for one in told))
    assert one["reach_early"] == pytest.approx(2 / 8)
    assert one["half_round"] == 3.0
    assert one["reach_peak"] == pytest.approx(1 / 8)
    assert math.isfinite(one["ic_msed"])
    assert math.isfinite(one["lt_msed"])


def test_the_table_of_rated_items_holds_their_five_variables() -> None:
    arrows = Arrows(1)
    past = [(0, 1), (1, 1)]
    one = found(world(past=past), arrows, [visit(0, e.SlateShown(0, (1, 2), 0), *lived(0, 1, 4))])
    assert one[0]["rated_items"] == 1.0
    assert arrows.table().shape == (1, len(VARIABLES))
    assert arrows.table()[0].tolist() == pytest.approx(
        [0.5, math.log(3), math.log(2), math.log(2), 4.0]
    )
