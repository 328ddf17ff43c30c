from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from tests.lab.judging.sheets import choices_of, key_of, memories_of, pairs_of, texts_of

from audience.errors import BadInput
from audience.lab.judging import page_of, sheet_in

KEY = key_of(choices_of(2), texts_of(2), pairs_of("T1", 2), memories_of(1))


def test_the_tasks_can_be_read_back(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page_of(KEY.sheet), "utf-8")
    assert sheet_in(path) == KEY.sheet


@pytest.mark.parametrize("content", ["", "<html>", '<script type="application/json" id="sheet">{}'])
def test_another_file_is_no_page(tmp_path: Path, content: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(content)
    with pytest.raises(BadInput, match="is not a page of tasks"):
        sheet_in(path)


def test_the_page_names_no_address_and_holds_no_key() -> None:
    page = page_of(KEY.sheet)
    tags = Tags()
    tags.feed(page)
    assert tags.scripts == 2, "a title that closes a script element did so"
    assert not {name for _, names in tags.found for name in names} & {"src", "action", "onclick"}
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page
    for word in ("author", "variant", "truth", "no-short", "uniform"):
        assert f'"{word}"' not in page


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [name for name, _ in attrs]))
        self.scripts += tag == "script"


def colours() -> list[dict[str, str]]:
    style = files("audience.lab.judging").joinpath("page.css").read_text("utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", part)) for part in (light, dark)]


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1])
def test_words_and_borders_stand_out_in_both_schemes(scheme: int) -> None:
    palette = colours()[scheme]
    for words in ("ink", "muted", "accent", "bad", "good"):
        for ground in ("surface", "ground"):
            assert contrast(palette[words], palette[ground]) >= 4.5, (words, ground)
    assert contrast(palette["ink"], palette["wash"]) >= 4.5
    assert contrast(palette["on"], palette["accent"]) >= 4.5
    for ground in ("surface", "ground"):
        assert contrast(palette["edge"], palette[ground]) >= 3.0
