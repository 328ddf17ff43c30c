"""What the tuned model is trained on: nobody of the test part, and the product's own prompts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from audience.agents import LLMMind
from audience.lab.evaluation import Real, part_of_user
from audience.llm import EmbeddedGateway
from audience.llm.embedded import packaged_file
from audience.world import (
    MENUS,
    Agent,
    Catalogue,
    Domain,
    Item,
    Lived,
    Observation,
    Profile,
    Situation,
)

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
ITEMS, USERS = 120, 90
BASE = packaged_file()
pytestmark = pytest.mark.skipif(BASE is None, reason="the embedded model is not installed")


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from training.tokens import tokenizer_of

    assert BASE is not None
    return tokenizer_of(BASE)


@pytest.fixture(scope="module")
def real() -> Real:
    """Return made-up people who mostly take films of one of three kinds, 12 each."""
    draws = np.random.default_rng(4)
    tags = ("Drama", "Sci-Fi", "Children's")
    items = tuple(
        Item(n, f"Film {n}: The Return", "", (tags[n % 3],), 1990 + n % 9, key=str(n))
        for n in range(ITEMS)
    )
    people = [Profile(n, "", "female", 20 + n, key=f"u{n}") for n in range(USERS)]
    people[3] = replace(people[3], gender="", age=None)
    lives = []
    for user in range(USERS):
        own = np.arange(user % 3, ITEMS, 3)
        lives += [(user, int(item)) for item in draws.choice(own, 12, replace=False)]
    users, taken = np.array(lives).T
    columns = (users, taken, np.arange(len(users)), np.zeros(len(users)))
    keys = tuple(who.key for who in people)
    films = Domain("film", "films", "watched")
    return Real("made", Catalogue(items), USERS, *columns, films, keys, True, tuple(people))


@pytest.fixture(scope="module")
def material(real: Real, tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from training.material import material_of

    path = tmp_path_factory.mktemp("material") / "material.npz"
    np.savez_compressed(path, **material_of(real, tokenizer))
    return path


def test_nobody_of_the_test_part_is_in_the_material(real: Real, material: Path) -> None:
    arrays = np.load(material)
    parts = {
        part: [key for key in real.keys if part_of_user(key) == part] for part in ("train", "valid")
    }
    assert 0 < len(parts["train"]) < USERS
    for part, keys in parts.items():
        assert arrays[f"{part}_keys"].tolist() == keys
        flat, ends = arrays[f"{part}_items"], arrays[f"{part}_items_ends"]
        lives = {tuple(each) for each in np.split(flat, ends[1:-1])} if keys else set()
        for user, key in enumerate(real.keys):
            own = tuple(real.items[real.users == user].tolist())
            assert (own in lives) == (key in keys)


def test_counts_hold_what_training_users_took_alone(real: Real, material: Path) -> None:
    train = [user for user, key in enumerate(real.keys) if part_of_user(key) == "train"]
    taken = real.items[np.isin(real.users, train)]
    assert np.load(material)["counts"].tolist() == np.bincount(taken, minlength=ITEMS).tolist()


def seen_by(
    real: Real, user: int, history: Sequence[int], page: Sequence[int], likes: Any
) -> Observation:
    who = replace(real.profiles[user], interests=likes)
    here = Situation(len(history), "recommender", tuple(page), 0, 1, tuple(page))
    lived = tuple(Lived(item, place, 1.0, 0) for place, item in enumerate(history))
    me = Agent(who, b"", here, lived)
    return Observation(me, 1, 0, "recommender", MENUS["recommender"], real.catalogue, real.domain)


def test_some_histories_have_what_was_taken_in_the_visit_besides(
    material: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from training import pages

    monkeypatch.setattr(pages, "HISTORY", 4)
    dealer, stem = pages.PageDealer(material), pages.PageDealer.stem
    lengths: list[int] = []

    def noted(self: Any, user: int, history: np.ndarray) -> np.ndarray:
        lengths.append(len(history))
        made: np.ndarray = stem(self, user, history)
        return made

    monkeypatch.setattr(pages.PageDealer, "stem", noted)
    for number in range(120):
        dealer.row(number)
    assert set(range(5, 8)) <= set(lengths)
    assert max(lengths) == 7
    assert np.mean(np.array(lengths) <= 4) > 0.6


@pytest.mark.parametrize("cut", [0, 1, 5, 11])
def test_what_is_trained_is_what_is_asked(
    real: Real, material: Path, tokenizer: Any, cut: int
) -> None:
    from training.pages import PageDealer
    from training.tokens import chat

    dealer = PageDealer(material)
    names = np.load(material)["train_keys"].tolist()
    mind = LLMMind(EmbeddedGateway(), model="audience-135m", deciding="score")
    for number, key in enumerate(names[:12]):
        user = real.keys.index(key)
        items = dealer.lives[number].astype(np.int64)
        history = items[:cut]
        page = sorted(
            (n for n in range(7, 27) if n not in history), key=lambda n: real.catalogue[n].title
        )
        taken = np.zeros(len(page), np.bool_)
        ours = [*dealer.stem(number, history), *dealer.written(np.array(page), taken)[0]]
        likes = tuple(real.catalogue.tags[tag] for tag in dealer.interests(history))
        seen = seen_by(real, user, history.tolist(), page, likes)
        system, asked = mind.messages(seen, (), "page", form="_choice")
        theirs = tokenizer.encode(chat(system.content, asked.content), add_special_tokens=False).ids
        assert ours == theirs


def test_a_row_is_a_stem_with_pages_that_do_not_see_each_other(material: Path) -> None:
    from training.pages import LENGTH, PageDealer

    dealer = PageDealer(material)
    for number in range(20):
        row, again = dealer.row(number), dealer.row(number)
        assert row.tokens.tolist() == again.tokens.tolist()
        assert row.labels == again.labels
        used = int((row.document == 0).sum())
        stem = int(((row.branch == 0) & (row.document == 0)).sum())
        assert stem < used <= LENGTH
        for branch in range(1, int(row.branch.max()) + 1):
            places = row.places[row.branch == branch]
            assert places.tolist() == list(range(stem, stem + len(places)))
        weights: dict[int, float] = {}
        for place, token, weight in row.labels:
            assert token in dealer.letters
            assert place + 1 == used or row.branch[place + 1] == row.branch[place] + 1
            weights[place] = weights.get(place, 0.0) + weight
        assert list(weights.values()) == pytest.approx([1.0] * len(weights))
        assert len(weights) == row.branch.max()


def test_pages_hold_what_is_taken_next_and_nothing_else_that_the_person_took(
    material: Path,
) -> None:
    from training.pages import AHEAD, PageDealer

    dealer = PageDealer(material)
    draws = np.random.default_rng(1)
    none = 0
    for number in range(200):
        items = dealer.lives[number % len(dealer.lives)].astype(np.int64)
        cut = 1 + number % (len(items) - 1)
        ahead = items[cut : cut + AHEAD]
        page, taken = dealer.page(draws, items[:cut], ahead, items)
        assert len(set(page.tolist())) == len(page)
        assert set(page[taken].tolist()) <= set(ahead.tolist())
        assert not set(page[~taken].tolist()) & set(items.tolist())
        none += not taken.any()
    assert 30 <= none <= 95


def test_only_answers_of_texts_are_learnt(tokenizer: Any, tmp_path: Path) -> None:
    from training.pages import TextDealer
    from training.texts import END, tokens_of

    pairs = [("Say it.", f"I liked it.{END}"), ("Say more.", f"I loved every minute.{END}")]
    np.savez_compressed(tmp_path / "texts.npz", **tokens_of(tokenizer, pairs, {}))
    row = TextDealer(tmp_path / "texts.npz").row(3)
    learnt = tokenizer.decode([token for _, token, _ in row.labels], skip_special_tokens=False)
    assert set(filter(None, learnt.split(END))) == {"I liked it.", "I loved every minute."}
    for place, token, _ in row.labels:
        after = row.document[place] == row.document[place + 1]
        assert not after or row.tokens[place + 1] == token
