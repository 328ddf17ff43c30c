"""A pool that is a Ray cluster: its nodes do whole runs, and what they made comes back here.

A task works in a folder of its own on its node. When it is done, the folder is sent to this
process, which writes it at once, so that a node that dies loses no finished run. Ray gives the task
of a dead process or node to another one.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import tarfile
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
from threadpoolctl import threadpool_limits

from audience.engine import cores
from audience.errors import BadInput, Interrupted
from audience.llm import Budget, SharedBudget
from audience.log import Log
from audience.runs.lifecycle import Stopping
from audience.runs.ray_crew import RayCrew
from audience.runs.task import (
    Attendant,
    Counted,
    PoolTask,
    Purse,
    TaskFault,
    fault_of,
    perform,
    plain_fault,
)
from audience.world import World

LOCAL = "local"
"""The address of a cluster that is started here and ends with the command."""
RETRIES = 5
"""How often Ray gives a task of a dead process or node to another one."""
IN_FLIGHT = 256
"""The most tasks that Ray holds at a time."""
_PATIENCE = 5.0
"""Seconds until an address counts as unreachable."""


class Sent(msgspec.Struct, frozen=True):
    """What a node sends back: what the task returned and the folders it filled, or a fault."""

    result: bytes = b""
    folders: bytes = b""
    fault: dict[str, str] | None = None


def perform_there(body: bytes, begun: bytes, of: str, budget: Any = None) -> bytes:  # noqa: ANN401
    """Do a task on a node, going on from what was begun; return a `Sent` as bytes.

    `budget` is the actor that keeps a shared budget.
    """
    task = msgspec.json.decode(body, type=PoolTask)
    own = version("audience")
    if own != of:
        told = f"this node has audience {own} and the driver {of}; install the same everywhere"
        return msgspec.msgpack.encode(Sent(fault={"kind": "BadInput", "error": told}))
    with tempfile.TemporaryDirectory(prefix="audience-") as folder, threadpool_limits(limits=1):
        root = Path(folder)
        unpack(begun, root)
        try:
            purse = None if budget is None else purse_of(task, budget)
            result = perform(task, root, Attendant(None, lambda: False, purse))
        except Exception as error:
            return msgspec.msgpack.encode(Sent(fault=plain_fault(error)))
        return msgspec.msgpack.encode(Sent(result, pack(root, task.places)))


def purse_of(task: PoolTask, budget: Any) -> Purse:  # noqa: ANN401
    """Return how a task asks the actor of a shared budget; it may have died before."""
    ray, name = import_module("ray"), task.name
    ray.get(budget.lose.remote(name))
    return Purse(
        lambda spent: ray.get(budget.lend.remote(name, spent)),
        lambda spent: ray.get(budget.settle.remote(name, spent)),
    )


def pack(root: Path, places: Sequence[str]) -> bytes:
    """Return the folders below a root as one archive; those that do not exist are left out."""
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as archive:
        for place in places:
            if (root / place).is_dir():
                archive.add(root / place, place, filter=_kept)
    return body.getvalue()


def _kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if entry.name.endswith(("/lock", ".part")) else entry


def unpack(body: bytes, root: Path) -> None:
    """Write the folders of an archive below a root, where they take the place of others."""
    if not body:
        return
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".arriving-", dir=root) as folder:
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            archive.extractall(folder, filter="data")
            places = [entry.name for entry in archive.getmembers() if entry.isdir()]
        for place in places:
            target = root / place
            if not any(place.startswith(f"{other}/") for other in places):
                target.parent.mkdir(parents=True, exist_ok=True)
                if target.exists():
                    shutil.rmtree(target)
                os.replace(Path(folder) / place, target)


class RayPool:
    """A pool of the nodes of a Ray cluster; connected until its block ends."""

    is_here = False

    def __init__(self, address: str, workers: int) -> None:
        """Connect to `HOST:PORT`, or start a cluster here if `local`.

        `workers` is how many processes that has, and the most actors of a run; 0: one per core.
        """
        self._ray = _connected(address, workers)
        options = {"num_cpus": 1, "max_retries": RETRIES, "retry_exceptions": False}
        self._most = workers
        self._perform: Any = self._ray.remote(**options)(perform_there)

    @property
    def size(self) -> int:
        """How many tasks the cluster does at once, now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def recruit(self, log: Log, world: World) -> RayCrew:
        """Return actors that live the visits of a single run, one per core."""
        most = self._most
        return RayCrew(self._ray, log, world, lambda: min(self.size, most) if most else self.size)

    def work(
        self,
        tasks: Sequence[PoolTask],
        counted: Counted,
        stopping: Stopping,
        budget: Budget | None = None,
    ) -> Iterator[tuple[PoolTask, bytes]]:
        """Yield each task with what it returned, once its folders are written here."""
        shared = None if budget in (None, Budget()) else self._kept_by_actor(budget)
        left = deque(task for task in tasks if not task.after)
        later = [task for task in tasks if task.after]
        done: set[str] = set()
        running: dict[Any, PoolTask] = {}
        try:
            while left or running:
                while left and len(running) < IN_FLIGHT:
                    task = left.popleft()
                    running[self._sent_out(task, shared)] = task
                for ref in self._next(list(running), stopping):
                    task = running.pop(ref)
                    result = self._fetched(ref, task)
                    done.add(task.name)
                    counted(0, task.runs)
                    yield task, result
                    for other in [each for each in later if done.issuperset(each.after)]:
                        later.remove(other)
                        yield other, self._here(other)
            for other in later:
                yield other, self._here(other)
        finally:
            for ref in running:
                self._ray.cancel(ref, force=True)
            if shared is not None:
                self._ray.kill(shared)

    def _kept_by_actor(self, budget: Budget | None) -> Any:  # noqa: ANN401
        """Return an actor beside this process that lends a budget to tasks on all nodes."""
        strategies = import_module("ray.util.scheduling_strategies")
        node = self._ray.get_runtime_context().get_node_id()
        here = strategies.NodeAffinitySchedulingStrategy(node_id=node, soft=False)
        actor = self._ray.remote(num_cpus=0, scheduling_strategy=here)(SharedBudget)
        return actor.remote(budget, self.size)

    def _sent_out(self, task: PoolTask, shared: Any) -> Any:  # noqa: ANN401
        begun = pack(Path(task.root), task.places)
        sending = self._perform.options(name=task.name)
        return sending.remote(msgspec.json.encode(task), begun, version("audience"), shared)

    def _next(self, refs: list[Any], stopping: Stopping) -> list[Any]:
        while True:
            if stopping():
                raise Interrupted("stopped")
            ready, _ = self._ray.wait(refs, timeout=0.2)
            if ready:
                return list(ready)

    def _fetched(self, ref: Any, task: PoolTask) -> bytes:  # noqa: ANN401
        """Return what a task returned, with its folders written."""
        try:
            sent = msgspec.msgpack.decode(self._ray.get(ref), type=Sent)
        except self._ray.exceptions.RayError as error:
            why = str(error).strip().splitlines()[0]
            raise TaskFault(
                f"{task.name}: the cluster lost it {RETRIES + 1} times ({type(error).__name__}: "
                f"{why}); look at the nodes with `ray status`, then give the same command again"
            ) from error
        if sent.fault:
            raise fault_of(task, sent.fault)
        unpack(sent.folders, Path(task.root))
        return sent.result

    def _here(self, task: PoolTask) -> bytes:
        """Do a task that reads what others made, which is here."""
        return perform(task, Path(task.root), Attendant(None, lambda: False))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ray.shutdown()


def _connected(address: str, workers: int) -> Any:  # noqa: ANN401
    """Return Ray's module, connected; raise with what to do if it cannot be."""
    if not find_spec("ray"):
        raise BadInput(
            "--cluster: Ray is not installed; on every machine: pip install 'audience[ray]'"
        )
    ray: Any = import_module("ray")
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        ray.init(num_cpus=workers or cores(), include_dashboard=False, **quiet)
        return ray
    _reach(address)
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        why = str(error).strip().splitlines()[0]
        raise BadInput(
            f"--cluster {address}: Ray cannot connect: {why}; start it with "
            "`ray start --head --port=6379` on the same version of Ray and Python"
        ) from None
    return ray


def _reach(address: str) -> None:
    """Raise unless something listens at `HOST:PORT`."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal():
        raise BadInput(f"--cluster {address}: give HOST:PORT of its head node, or `local`")
    try:
        with suppress(ConnectionResetError), socket.create_connection((host, int(port)), _PATIENCE):
            return
    except (OSError, OverflowError) as error:
        raise BadInput(
            f"--cluster {address} cannot be reached ({error}); start it there with "
            f"`ray start --head --port={port}`, and let this machine through its firewall"
        ) from None
