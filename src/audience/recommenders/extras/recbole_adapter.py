"""The adapter to RecBole, which trains in a worker process."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from audience.errors import AudienceError, BadInput
from audience.outside import ProgramName
from audience.recommenders.extras.scores import settled
from audience.recommenders.matrix import counted
from audience.recommenders.recommender import Context, Ranked, Ranker
from audience.recommenders.scored import Scores, best
from audience.recommenders.simple import FixedOrder, Popular
from audience.recommenders.view import ItemTable, RecommenderView
from audience.world import Generator, Ints

WORKER = Path(__file__).with_name("recbole_worker.py")
LAST = 8
"""Lines of the worker's standard error that are shown when it fails."""
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class WorkerFault(AudienceError):
    """The worker failed; the message has its last output."""


class Worker:
    """A worker process, which ends when it is no longer referenced; starting takes seconds."""

    def __init__(self, python: str) -> None:
        folder = tempfile.TemporaryDirectory(prefix="audience-recbole-")
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(  # noqa: S603
            [python, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=folder.name,
            env=surroundings(),
        )
        self.folder = folder.name
        self.fits = 0
        self.forgotten: list[int] = []
        weakref.finalize(self, stop, self.process, self.errors, folder)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a question; raise if there is none."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        told = msgspec.json.encode({**question, "forget": self.forgotten}) + b"\n"
        self.forgotten.clear()
        try:
            stdin.write(told)
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = b""
        except BaseException:
            # The next question must not get the answer to this one.
            self.process.kill()
            raise
        if not line:
            raise self._fault()
        answer: dict[str, Any] = msgspec.json.decode(line)
        if "mistake" in answer:
            raise BadInput(answer["mistake"])
        return answer

    def _fault(self) -> WorkerFault:
        code = self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode("utf-8", "replace").splitlines()
        said = [line.strip() for line in lines if line.strip()[:1] not in ("", "~", "^")]
        told = " | ".join(said[-LAST:]) or "nothing"
        return WorkerFault(f"the RecBole worker ended with exit code {code}; it said last: {told}")


def surroundings() -> dict[str, str]:
    """Return the environment of a worker: one thread, and a fixed hash seed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | dict.fromkeys(THREADS, "1") | {"PYTHONHASHSEED": "0"}


def stop(
    process: subprocess.Popen[bytes], errors: IO[bytes], folder: tempfile.TemporaryDirectory[str]
) -> None:
    """End a worker and release its resources."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, errors):
        with suppress(BrokenPipeError):
            if pipe is not None:
                pipe.close()
    folder.cleanup()


MOST_CELLS = 500_000_000
NOBODYS = "nothing"
"""An item that nobody watched, so that there is always a negative sample."""
SAME = {"multvae": "MultiVAE", "multdae": "MultiDAE"}
_ROWS = 256


class RecBole:
    """A model of RecBole by its name, such as LightGCN, MultiVAE or SASRec.

    `python` is the interpreter of a virtual environment with RecBole, by default this one;
    `settings` are RecBole's own. Training uses one thread and all interactions so far, without
    items rated below `min_stars`. Sequential models use what a user watched since the fit.
    """

    def __init__(
        self,
        model: ProgramName = "LightGCN",
        epochs: int = 20,
        python: ProgramName = "",
        min_stars: int = 0,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if epochs < 1:
            raise BadInput(f"recommender 'recbole': epochs is {epochs}; give 1 or more")
        self.model = SAME.get(model.lower(), model)
        self.epochs = epochs
        self.python = interpreter(python)
        self.min_stars = min_stars
        self.settings = dict(settings or {})
        self._worker: Worker | None = None

    def fit(self, interactions: RecommenderView, rng: Generator) -> Ranker:
        lives = Histories(interactions, self.min_stars)
        popular = Popular().order(interactions)
        if not lives.people:
            return popular
        lives.check_size()
        if self._worker is None or not self._worker.alive:
            self._worker = Worker(self.python)
        worker = self._worker
        worker.fits += 1
        number = worker.fits
        with tempfile.TemporaryDirectory(dir=worker.folder) as folder:
            lives.write(Path(folder, "audience"), interactions.catalogue)
            scores = str(Path(folder, "scores.npy"))
            wish = self._wish(lives, folder, scores, int(rng.integers(2**31)))
            said = worker.ask({"fit": number, **wish})
            held = np.load(scores) if said["learnt"] else None
        if held is None:
            return popular
        if not said["sequential"]:
            return Held(lives, held, popular)
        return Held(lives, held, popular, RecBoleRanker(worker, number, int(said["length"])))

    def _wish(self, lives: Histories, folder: str, scores: str, seed: int) -> dict[str, Any]:
        return {
            "model": self.model,
            "epochs": self.epochs,
            "settings": self.settings,
            "seed": seed,
            "folder": folder,
            "scores": scores,
            "people": lives.people,
            "items": lives.items,
            "histories": lives.histories,
        }


class Histories:
    """Who watched what in which order, as far as it counts."""

    def __init__(self, interactions: RecommenderView, min_stars: int) -> None:
        kept = counted(interactions, min_stars)
        order = np.argsort(interactions.at[kept], kind="stable")
        self.who = interactions.agents[kept][order]
        self.what = interactions.items[kept][order]
        self.width = len(interactions.catalogue)
        self.people: list[int] = np.unique(self.who).tolist()
        self.items: list[int] = np.unique(self.what).tolist()
        self.rows = {person: row for row, person in enumerate(self.people)}
        self.places = frozenset(self.items)
        self.histories: list[list[int]] = [[] for _ in self.people]
        for person, item in zip(self.who.tolist(), self.what.tolist(), strict=True):
            self.histories[self.rows[person]].append(item)

    def history(self, person: int) -> list[int]:
        """Return what a person watched before the fit, oldest first."""
        return self.histories[self.rows[person]] if person in self.rows else []

    def check_size(self) -> None:
        """Refuse data whose scores for all people and items would not fit in memory."""
        cells = len(self.people) * self.width
        if cells > MOST_CELLS:
            raise BadInput(
                f"recommender 'recbole' keeps at most {MOST_CELLS:,} scores, and "
                f"{len(self.people):,} people with {self.width:,} items make {cells:,}; "
                "use 'als' or 'bpr'"
            )

    def write(self, folder: Path, catalogue: ItemTable) -> None:
        """Write RecBole's atomic files: interactions in their order, items with their tags."""
        folder.mkdir()
        # The position replaces the moment: RecBole stores moments in 32 bits.
        lines = ["user_id:token\titem_id:token\ttimestamp:float"]
        pairs = zip(self.who.tolist(), self.what.tolist(), strict=True)
        lines += [f"{who}\t{what}\t{place}" for place, (who, what) in enumerate(pairs)]
        Path(folder, f"{folder.name}.inter").write_text("\n".join(lines) + "\n", "utf-8")
        lines = ["item_id:token\tclass:token_seq"]
        lines += [f"{item}\t{words(catalogue[item].tags)}" for item in self.items]
        lines.append(f"{NOBODYS}\t{NOBODYS}")
        Path(folder, f"{folder.name}.item").write_text("\n".join(lines) + "\n", "utf-8")


class RecBoleRanker:
    """One fitted model in a worker, which uses the last `length` items of a history."""

    def __init__(self, worker: Worker, number: int, length: int) -> None:
        self.worker = worker
        self.number = number
        self.length = length
        weakref.finalize(self, worker.forgotten.append, number)

    def score(self, people: list[int], histories: list[list[int]]) -> Scores:
        """Return [people, items of the fit]."""
        answer = self.worker.ask({"fit": self.number, "people": people, "histories": histories})
        scores = np.frombuffer(base64.b64decode(answer["scores"]), np.float32)
        return scores.reshape(len(people), -1)


@dataclass(frozen=True, eq=False)
class Held:
    """Ranks by the scores of the fit; asks the model again about users with newer histories."""

    lives: Histories
    scores: Scores
    popular: FixedOrder
    model: RecBoleRanker | None = None

    def learnt(self) -> bytes:
        return np.round(self.scores, 6).tobytes()

    def rank(self, users: Ints, k: int, context: Context) -> Ranked:
        items, scores = np.empty((len(users), k), np.int64), np.empty((len(users), k))
        for start in range(0, len(users), _ROWS):
            rows = np.arange(start, min(start + _ROWS, len(users)))
            part = context.part(rows)
            items[rows], scores[rows] = best(self.score(users[rows], part), self.popular, k, part)
        return Ranked(items, scores)

    def score(self, users: Ints, context: Context) -> Scores:
        """Return [users, items]; zeros for unknown users."""
        raw = np.full((len(users), self.lives.width), np.nan, np.float32)
        for row, user in enumerate(users.tolist()):
            if user in self.lives.rows:
                raw[row, self.lives.items] = self.scores[self.lives.rows[user]]
        if self.model is not None and context.lived is not None:
            self._freshen(raw, users.tolist(), context.lived, self.model)
        for row in range(len(raw)):
            raw[row] = settled(raw[row])
        return raw

    def _freshen(
        self, raw: Scores, users: list[int], lived: Sequence[tuple[int, ...]], model: RecBoleRanker
    ) -> None:
        known = self.lives.places
        tails = [[item for item in history if item in known][-model.length :] for history in lived]
        fresh = [
            row
            for row, tail in enumerate(tails)
            if tail and tail != self.lives.history(users[row])[-model.length :]
        ]
        if fresh:
            scores = model.score([users[row] for row in fresh], [tails[row] for row in fresh])
            raw[np.ix_(fresh, self.lives.items)] = scores


def words(tags: Sequence[str]) -> str:
    """Return tags as RecBole's sequence of tokens, without blanks inside a token."""
    return " ".join("_".join(tag.split()) for tag in tags) or "none"


def interpreter(python: str) -> str:
    """Return the Python that has RecBole; raise BadInput with how to get one."""
    if not python:
        if find_spec("recbole") is None:
            raise BadInput(
                "recommender 'recbole' needs RecBole, which is not installed beside Audience; give "
                "the Python of a virtual environment that has it, as in "
                'python = ".venv-recbole/bin/python" (see docs/how-to/other-libraries.md)'
            )
        return sys.executable
    found = shutil.which(os.path.expanduser(python))
    if found is None:
        raise BadInput(
            f"recommender 'recbole': {python} is no Python that can be run; give the path of "
            "bin/python in the virtual environment that has RecBole"
        )
    return os.path.abspath(found)
