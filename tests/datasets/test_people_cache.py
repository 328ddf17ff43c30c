"""Tables that models wrote, found again by what was asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.datasets import (
    Draft,
    Films,
    Mixture,
    draft,
    keep,
    kept_at,
    mixed_genesis,
    people_folder,
)
from audience.errors import BadInput
from audience.world import Clock

MIXTURE = Mixture(fill={"name": "llm"})


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def begun(agents: int = 2, seed: int = 1, mixture: Mixture = MIXTURE) -> Draft:
    return draft(Films(), mixture, agents, seed, Clock())


def test_the_place_depends_on_all_that_is_asked() -> None:
    table = Mixture(fill={"name": "llm"}, profiles=[{"age": 30}])
    both = Mixture(fill={"name": "llm", "age": "llm"})
    drafts = [begun(), begun(3), begun(seed=2), begun(mixture=table), begun(mixture=both)]
    places = {kept_at(one, "m") for one in drafts} | {kept_at(begun(), "other")}
    assert len(places) == 6
    assert kept_at(begun(), "m") == kept_at(begun(), "m")
    assert {place.parent for place in places} == {people_folder()}


def test_what_is_kept_is_taken_and_nothing_is_asked() -> None:
    with pytest.raises(BadInput, match="no model has written name of these 2 people yet"):
        mixed_genesis(Films(), MIXTURE, 2, 1, Clock(), "m")
    keep(kept_at(begun(), "m"), [{"name": "Ann"}, {}])
    genesis = mixed_genesis(Films(), MIXTURE, 2, 1, Clock(), "m")
    assert [who.name for who in genesis.profiles] == ["Ann", ""]
    assert [place.suffix for place in people_folder().iterdir()] == [".json"]


def test_without_a_model_nothing_need_be_kept() -> None:
    genesis = mixed_genesis(Films(), Mixture(ties="none"), 2, 1, Clock(), "")
    assert genesis.ties.others.tolist() == []
