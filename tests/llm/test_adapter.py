"""The adapter that makes `audience-135m` of the embedded model."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest
from tests.llm.adapter_file import write_adapter

from audience.cli import main
from audience.errors import BadInput
from audience.llm import (
    TUNED,
    ChatMessage,
    EmbeddedGateway,
    Reply,
    Request,
    adapter,
    embedded,
    list_models,
    tuned_file,
    tuned_missing,
)
from audience.llm.adapter import tuned_model
from audience.llm.local_models import find_model
from audience.scenario import Models, SpendingOptions, door_of

needs_model = pytest.mark.skipif(
    bool(embedded.missing()), reason=embedded.missing() or "it is here"
)
LETTERS = ("0", "A", "B", "C")
PERSON = "You watched, newest last:\n" + "\n".join(
    f"- <The {word} Harbour>, 4 stars" for word in ("Quiet", "Long", "Salt", "Second", "Old") * 4
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache in which the same adapter is merged once for all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def made(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an adapter at random where the package holds its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setattr(adapter, "FOLDER", tmp_path / "tuned")
    return write_adapter(tmp_path / "tuned")


def page(model: str, person: str = PERSON, shown: str = "Heat Up Jaws") -> Request:
    titles = "\n".join(
        f"{letter} <{title}>" for letter, title in zip("ABC", shown.split(), strict=True)
    )
    asked = f"{person}\nNow you see:\n{titles}\nYou take:"
    messages = (ChatMessage("system", "Answer with a letter."), ChatMessage("user", asked))
    return Request("page", messages, model, options=LETTERS, max_tokens=1, temperature=1.0)


def asked(*requests: Request, model: str = "") -> list[Reply]:
    async def work() -> list[Reply]:
        gateway = EmbeddedGateway(model)
        try:
            return [await gateway.ask(request) for request in requests]
        finally:
            await gateway.close()

    return asyncio.run(work())


def test_its_file_is_found_and_checked(made: Path) -> None:
    assert tuned_file() == made
    assert find_model(TUNED) == made
    assert tuned_missing() == embedded.missing()


@pytest.mark.parametrize("name", ["audience-135m.gguf", "audience-135m.gguf.sha256"])
def test_a_lost_file_is_named_with_its_remedy(made: Path, name: str) -> None:
    (made.parent / name).unlink()
    with pytest.raises(BadInput, match=f"{name} is missing.*install Audience again.*`voiced`"):
        tuned_file()
    assert "install Audience again" in tuned_missing()


def test_a_changed_file_is_refused(made: Path) -> None:
    made.write_bytes(made.read_bytes()[:-1] + b"x")
    with pytest.raises(BadInput, match=r"audience-135m\.gguf is not the published adapter"):
        tuned_file()
    (made.parent / "audience-135m.gguf.sha256").write_text("\n")
    with pytest.raises(BadInput, match="is not the published adapter"):
        tuned_file()


def test_it_is_listed_with_its_terms_or_with_what_is_missing(made: Path, tmp_path: Path) -> None:
    listed = {model.name: model for model in list_models(tmp_path)}
    assert "research only" in listed[TUNED].about
    if not embedded.missing():
        assert listed[TUNED].path == made
        assert listed[TUNED].size == made.stat().st_size
    made.unlink()
    listed = {model.name: model for model in list_models(tmp_path)}
    assert listed[TUNED].path is None
    assert "is missing" in listed[TUNED].remedy


@pytest.mark.parametrize(
    ("words", "place"),
    [(["--mind", "tuned"], "mind tuned"), (["--mind", "llm", "--model", TUNED], "mind llm")],
)
def test_a_run_without_it_does_not_start(
    made: Path,
    words: list[str],
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    made.unlink()
    with pytest.raises(SystemExit) as stopped:
        main(["run", "--agents", "3", "--rounds", "1", "--no-report", *words, "--out", "out"])
    assert stopped.value.code == 2
    told = capsys.readouterr().err
    assert f"{place}: the adapter of audience-135m is not here" in " ".join(told.split())


@needs_model
def test_options_have_log_probabilities_which_the_adapter_changes(
    made: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "audience.llm"):
        tuned, again, plain = asked(page(TUNED), page(TUNED), page(""))
    assert [reply.outcome for reply in (tuned, again, plain)] == ["reply"] * 3
    assert len(tuned.scores) == len(plain.scores) == len(LETTERS)
    assert max(abs(a - b) for a, b in zip(tuned.scores, plain.scores, strict=True)) > 0.05
    assert tuned.scores == pytest.approx(
        again.scores, abs=0.5
    )  # a cached prefix changes the last bits
    assert (tuned.model, tuned.endpoint) == (TUNED, "embedded")
    assert plain.model != TUNED
    (terms,) = [record.getMessage() for record in caplog.records]
    assert "for research, no commercial use" in terms
    assert "\n" not in terms


@needs_model
def test_the_next_page_of_a_person_reuses_what_both_prompts_begin_with(made: Path) -> None:
    other = PERSON.replace("Harbour", "Valley")
    requests = [
        page("", PERSON),
        page("", other),
        page("", PERSON, "Alien Brazil Casino"),
        page("", other, "Alien Brazil Casino"),
    ]
    first, second, *later = asked(*requests, model=TUNED)
    assert first.usage.cached < 0.2 * first.usage.prompt
    assert second.usage.cached < 0.2 * second.usage.prompt
    for reply in later:
        assert reply.usage.cached > 0.7 * reply.usage.prompt


@needs_model
def test_an_adapter_of_another_model_is_told_apart(made: Path) -> None:
    write_adapter(made.parent, width=512)
    with pytest.raises(BadInput, match=r"audience-135m\.gguf is no adapter to .*SmolLM2"):
        asked(page(TUNED))


@needs_model
def test_it_is_made_once_and_made_again_if_it_is_not_whole(made: Path) -> None:
    write_adapter(made.parent, strength=0.1)
    said: list[str] = []
    path = tuned_model(said.append)
    whole = path.read_bytes()
    assert tuned_model(said.append) == path
    assert len(said) == 1
    path.write_bytes(whole[:-1000])
    assert tuned_model(said.append).read_bytes() == whole
    assert len(said) == 2
    write_adapter(made.parent)
    assert tuned_model(said.append) != path


@needs_model
def test_where_there_is_no_room_for_it_the_remedy_is_told(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(BadInput, match="set XDG_CACHE_HOME to a folder that has it"):
        tuned_model(print)


@needs_model
def test_the_table_of_a_scenario_names_it(made: Path, tmp_path: Path) -> None:
    async def work() -> Reply:
        async with door_of(Models(model=TUNED), SpendingOptions(), tmp_path) as door:
            return await door.ask(page(TUNED))

    reply = asyncio.run(work())
    assert (reply.model, len(reply.scores)) == (TUNED, len(LETTERS))


@pytest.mark.skipif(
    not (adapter.FOLDER / "audience-135m.gguf").is_file(), reason="a clone without the adapter"
)
def test_the_packaged_adapter_is_whole_small_and_has_its_papers() -> None:
    assert tuned_file().stat().st_size <= 40_000_000
    for name in ("LICENSE.md", "CARD.md"):
        assert "research" in (adapter.FOLDER / name).read_text("utf-8")


@needs_model
def test_getting_it_says_how_to_use_it(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["model", "get", TUNED])
    assert stopped.value.code == 0
    told = capsys.readouterr().out
    assert str(made) in told
    assert "audience run --mind tuned" in told
