"""Probing a recommender service: each part of its contract checked, and timed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import msgspec

from audience.recommenders.service import BATCH, Service
from audience.recommenders.service_wire import (
    Health,
    RankAnswer,
    RankedUser,
    RankRequest,
    Unserved,
    decoded,
)

RUN = "audience-doctor"
"""The run name of a probe, from whose feedback a service should not learn."""
_MOMENT = 1_735_732_800
_K, _MANY_K = 5, 25
_TIMED = ((1, 20), (100, 10))
"""Users per request, and how many such requests are timed."""

Check = tuple[str, bool, str]
"""What was checked, whether it is fine, and what was found."""


class _Wrong(Exception):
    """An answer breaks the contract."""


def probe(service: Service, users: Sequence[str], items: Collection[str] = ()) -> list[Check]:
    """Return the check of each part of the contract; `items` are those it may recommend.

    Without `items` the existence of recommended items is not checked.
    """
    trial = _Trial(service, users, items)
    health = _tried("health", trial.health)
    checks = [health]
    if health[1]:
        checks += [
            _tried("rank", trial.rank),
            _tried("exclusions", trial.exclusions),
            _tried("unknown user", trial.stranger),
            _tried("big batch", trial.big_batch),
            _tried("feedback", trial.feedback),
            *(_tried(f"speed, {count} user{'s' * (count > 1)}", trial.speed(count, times))
              for count, times in _TIMED),
        ]  # fmt: skip
    service.close()
    return [(what, fine, service.wire.hidden(told)) for what, fine, told in checks]


def _tried(what: str, attempt: Callable[[], str]) -> Check:
    try:
        return what, True, attempt()
    except (Unserved, _Wrong) as fault:
        return what, False, str(fault)


@dataclass(frozen=True, eq=False)
class _Trial:
    """The requests of a probe."""

    service: Service
    users: Sequence[str]
    items: Collection[str]

    def health(self) -> str:
        found = decoded(self._send("GET", "/health"), Health)
        count = "" if found.items is None else f", {found.items:,} items"
        return f"{found.name} {found.version}".strip() + count

    def rank(self) -> str:
        some = self.users[:3]
        slates = self._slates(some, _K)
        again = self._slates(some, _K)
        steady = "the same" if slates == again else "others (it draws, or learns meanwhile)"
        return f"{_K} items for each of {len(some)} users; asked again: {steady}"

    def exclusions(self) -> str:
        some = self.users[:3]
        slates = self._slates(some, _K)
        self._slates(some, _K, exclude=slates)
        return f"of {_K} items that were to be left out, none came"

    def stranger(self) -> str:
        self._slates(["nobody-ever-heard-of-this-one"], _K)
        return "is served too"

    def big_batch(self) -> str:
        many = [self.users[place % len(self.users)] for place in range(BATCH)]
        began = perf_counter()
        self._slates(many, _MANY_K)
        return f"{_MANY_K} items for each of {BATCH:,} users in {perf_counter() - began:.2f} s"

    def feedback(self) -> str:
        user, slate = self.users[0], self._slates(self.users[:1], _K)[0]
        about = {"user": user, "at": _MOMENT}
        events: list[dict[str, Any]] = [
            {"kind": "impression", "surface": "recommender", "page": 0, "items": slate},
            {"kind": "pick", "impression": "1.0.0", "item": slate[0], "position": 0},
            {"kind": "watch", "item": slate[0], "fraction": 0.5},
            {"kind": "rating", "item": slate[0], "stars": 3},
        ]
        told = [{"id": f"1.0.{place}", **about, **event} for place, event in enumerate(events)]
        body = msgspec.json.encode({"run": RUN, "round": 1, "events": told})
        for _ in range(2):
            self._send("POST", "/feedback", body)
        return f"{len(told)} events taken, and again with the same ids"

    def speed(self, count: int, times: int) -> Callable[[], str]:
        def timed() -> str:
            some = [self.users[place % len(self.users)] for place in range(count)]
            body = self._body(some, _MANY_K, ())
            took = []
            for _ in range(times):
                began = perf_counter()
                self._send("POST", "/rank", body)
                took.append(perf_counter() - began)
            return f"{told_speed(took)} over {times} requests"

        return timed

    def _slates(
        self, users: Sequence[str], k: int, exclude: Sequence[Sequence[str]] = ()
    ) -> list[list[str]]:
        answer = decoded(self._send("POST", "/rank", self._body(users, k, exclude)), RankAnswer)
        if len(answer.slates) != len(users):
            raise _Wrong(f"{len(answer.slates)} slates came for {len(users)} users")
        slates = [[str(name) for name in row] for row in answer.slates]
        for place, (user, slate) in enumerate(zip(users, slates, strict=True)):
            self._check(user, slate, k, exclude[place] if exclude else ())
        return slates

    def _check(self, user: str, slate: list[str], k: int, barred: Sequence[str]) -> None:
        needed = min(k, self.service.fewest) if self.service.fewest else k
        if self.items:
            needed = min(needed, len(self.items) - len(barred))
        if not needed <= len(slate) <= k:
            raise _Wrong(f"user {user!r} got {len(slate)} items where {k} were asked for")
        if len(set(slate)) < len(slate):
            raise _Wrong(f"user {user!r} got an item twice: {slate[:8]}")
        if shown := set(slate) & set(barred):
            raise _Wrong(f"user {user!r} got item {min(shown)!r}, which was to be left out")
        strange = [name for name in slate if self.items and name not in self.items]
        if strange:
            raise _Wrong(f"user {user!r} got item {strange[0]!r}, which is not in the catalogue")

    def _body(self, users: Sequence[str], k: int, exclude: Sequence[Sequence[str]]) -> bytes:
        asked = [
            RankedUser(user, _MOMENT, "recommender", 0, "", list(exclude[place]) if exclude else [])
            for place, user in enumerate(users)
        ]
        return msgspec.json.encode(RankRequest(RUN, k, asked))

    def _send(self, method: str, path: str, body: bytes | None = None) -> bytes:
        self.service.wire.recover()
        return self.service.wire.wait(self.service.wire.send(method, path, body))


def told_speed(seconds: Sequence[float]) -> str:
    """Return the median and the 95th percentile of some times."""
    ordered = sorted(seconds)
    middle, late = (
        ordered[len(ordered) // 2],
        ordered[min(len(ordered) - 1, 95 * len(ordered) // 100)],
    )
    return f"p50 {1000.0 * middle:.1f} ms, p95 {1000.0 * late:.1f} ms"
