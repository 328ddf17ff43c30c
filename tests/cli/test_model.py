"""`audience model`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess, Popen

import pytest

from audience.llm.local_models import KNOWN

Cli = Callable[..., CompletedProcess[str]]
Begin = Callable[..., Popen[str]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of models."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "240")
    return tmp_path / "cache"


def test_models_are_listed_with_how_to_get_them(cli: Cli) -> None:
    told = cli("model", "list")
    assert told.returncode == 0
    assert "smollm2-135m" in told.stdout
    assert "audience-135m" in told.stdout
    assert "for research only" in told.stdout
    for one in KNOWN:
        assert f"audience model get {one.name}" in told.stdout


def test_a_model_that_cannot_be_fetched_says_what_to_do(
    begin: Begin, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In a process of its own: urllib keeps the proxies that it met first.
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    child = begin(here, "model", "get", KNOWN[0].name)
    _, err = child.communicate(timeout=150)
    assert child.returncode == 2
    assert "could not be fetched" in err
    assert KNOWN[0].sha256 in err


def test_an_unknown_model_names_the_known_ones(cli: Cli) -> None:
    told = cli("model", "get", "smollm3")
    assert told.returncode == 2
    assert "model 'smollm3' is unknown" in told.stderr
    assert "smollm2-135m" in told.stderr


def test_a_file_of_ones_own_is_checked(cli: Cli, here: Path) -> None:
    (here / "mine.gguf").write_bytes(b"GGUF and so on")
    (here / "other.gguf").write_bytes(b"PK zip")
    good = cli("model", "get", "mine.gguf")
    assert good.returncode == 0
    assert "audience run --mind llm --model mine.gguf" in good.stdout
    assert "other.gguf is not a GGUF file" in cli("model", "get", "other.gguf").stderr
    assert "none.gguf does not exist" in cli("model", "get", "none.gguf").stderr
