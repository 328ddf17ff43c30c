"""Filter bubble: does refitting on what people did narrow what they are shown next?"""

from __future__ import annotations

from audience.lab.studies.cocoon import LABELS, Windows
from audience.lab.studies.study import FIRST, Chart, Study, answer, comparing, judging, known
from audience.metrics import NAN
from audience.world import Record, View

GROWTH = {
    "page_top_growth": ("Growth of the top genre's share on a page", "", ""),
    "page_genres_growth": ("Growth in the number of genres on a page", "", ""),
}


class Narrowing:
    """`Windows`, with how much pages changed between the first round and the last."""

    watches = Windows.watches

    def __init__(self) -> None:
        self._windows = Windows()
        self._rounds: list[dict[str, float]] = []

    def update(self, record: Record, world: View) -> None:
        self._windows.update(record, world)

    def close(self) -> dict[str, float]:
        values = self._windows.close()
        self._rounds.append(values)
        return values

    def value(self) -> dict[str, float]:
        first, last = (self._rounds[0], self._rounds[-1]) if self._rounds else ({}, {})
        grown = {
            f"{name}_growth": last.get(name, NAN) - first.get(name, NAN)
            for name in ("page_top", "page_genres")
        }
        return self._windows.value() | grown


STUDY = Study(
    "filter-bubble",
    {
        "page_top": LABELS["page_top"],
        "page_genres": LABELS["page_genres"],
        **GROWTH,
        "five_top": LABELS["five_top"],
        "five_genres": LABELS["five_genres"],
        "taste_top": LABELS["taste_top"],
        **known("click_rate", "satisfaction", "picks"),
    },
    (
        Chart(
            "top_genre",
            "rounds",
            ("page_top",),
            "Top genre's share of a page",
            "Exposure, round by round: refits happen at the end of each.",
        ),
        Chart(
            "genres",
            "rounds",
            ("page_genres",),
            "Genres on a page",
            "Exposure, round by round.",
        ),
        Chart(
            "growth",
            "levels",
            ("page_top_growth",),
            caption="The last round less the first: right of zero, pages narrow.",
        ),
        Chart(
            "picks",
            "rounds",
            ("five_top",),
            "Top genre's share of the last five picks",
            "Consumption, at the end of each round.",
        ),
        Chart(
            "taste",
            "rounds",
            ("taste_top",),
            "Top genre's share of taste",
            "Latent interest of those who consumed something.",
        ),
    ),
    answer(
        judging(
            "page_top_growth",
            above="the top genre's share of a page grows over the rounds",
            below="the top genre's share of a page shrinks over the rounds",
            neither="no growth of the top genre's share of a page could be shown",
        ),
        comparing("page_top_growth", "fitted once", FIRST),
        comparing("page_genres_growth", "fitted once", FIRST),
        comparing("page_top_growth", "random", "content"),
    ),
    metrics=lambda setting: [Narrowing()],
)
