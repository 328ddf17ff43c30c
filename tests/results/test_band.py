from __future__ import annotations

from pathlib import Path

import pytest

from audience.results import (
    Band,
    BandSetting,
    Difference,
    Lead,
    ahead_in,
    band_caption,
    band_csv,
    band_figure,
    band_table,
    lead_in,
    read_band,
    texts,
    write_band,
)


def difference(value: float, half: float = 0.01, other: str = "new") -> Difference:
    bounds = value - half, value + half
    return Difference("satisfaction", "old", other, 0.5, 0.5 + value, value, *bounds, 9, "people")


def band(**values: float) -> Band:
    settings = tuple(
        BandSetting(name.replace("_", " "), name.partition("_")[0], (difference(value),))
        for name, value in values.items()
    )
    return Band("satisfaction", settings, 100, 4, 1, 0.5, ("odd minds",))


TRIED = band(taste_1=0.1, taste_6=-0.04, quality_2=0.005, position_0=-0.005)


def test_the_share_of_settings_in_which_the_leader_stays_ahead() -> None:
    there = lead_in(TRIED, difference(0.2))
    assert there is not None
    assert (there.stays, there.clear, there.settings) == (2, 1, 4)
    assert [setting.name for setting in there.flips] == ["taste 6"]
    assert there.depends_on == "how strongly people follow their taste"


def test_who_leads_decides_what_flips() -> None:
    there = lead_in(TRIED, difference(-0.2))
    assert there is not None
    assert (there.stays, there.clear) == (2, 1)
    assert [setting.name for setting in there.flips] == ["taste 1"]


@pytest.mark.parametrize(
    ("tried", "head"),
    [(None, 0.2), (TRIED, 0.0), (TRIED, float("nan")), (band(), 0.2)],
)
def test_where_nothing_was_tried_or_nobody_leads_nothing_is_said(
    tried: Band | None, head: float
) -> None:
    assert lead_in(tried, difference(head)) is None


def test_a_band_is_kept_and_read_again(tmp_path: Path) -> None:
    assert read_band(tmp_path) is None
    write_band(TRIED, tmp_path)
    assert read_band(tmp_path) == TRIED


def test_the_map_as_a_table_and_in_a_sentence() -> None:
    rows = texts(band_table(TRIED))[1:]
    assert [row[4] for row in rows] == ["new", "old", "unclear", "unclear"]
    assert rows[1][:3] == ["taste 6", "how strongly people follow their taste", "new"]
    assert rows[1][3] == "−8.0 [−10.0, −6.0]"
    assert ahead_in(TRIED) == [
        "new is clearly ahead in 1 of 4 settings, old in 1; 2 are unclear. "
        "It depends on how strongly people follow their taste."
    ]
    assert band_csv(TRIED).splitlines()[2].startswith("taste 6,taste,satisfaction,old,new,0.5,")


def test_the_figure_has_a_line_for_each_setting_and_says_how_much_was_run() -> None:
    axes = band_figure(TRIED).axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["taste 1", "taste 6", "quality 2", "position 0"]
    said = band_caption(TRIED)
    assert "in 4 rounds (50% of the usual visits)" in said
    assert "Not measurable: odd minds." in said


def test_several_causes_are_named_once_each() -> None:
    settings = band(taste_1=1.0, taste_6=1.0, people_x=1.0).settings
    told = Lead(0, 0, 3, settings).depends_on
    assert told == "how strongly people follow their taste and who the people are"
