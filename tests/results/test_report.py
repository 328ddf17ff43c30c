from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.results.conftest import make_findings

from audience.errors import BadInput
from audience.results import Findings, caption, limits, page, write_report
from audience.results.charts import draw
from audience.results.report import FORMATS

Make = Callable[..., Findings]
VOID = {"meta", "br", "use", "path", "rect", "image", "stop"}


class Reader(HTMLParser):
    """Collects tags, addresses and ids, and whether tags nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for key, value in attrs:
            if key.endswith(("href", "src", "srcset", "action")):
                self.addresses.append(value or "")
            if key == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def html(findings: Findings) -> str:
    drawn = draw(findings)
    captions = {name: caption(name, findings) for name in drawn}
    return page(findings, drawn, captions, limits(findings))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """Every format, drawn once: a folder and its files. To be read only."""
    folder = tmp_path_factory.mktemp("written")
    return folder, write_report(make_findings(rounds=3), folder, FORMATS)


def test_all_formats_are_written_with_their_figures(written: tuple[Path, list[Path]]) -> None:
    folder, paths = written
    assert all(path.stat().st_size for path in paths)
    assert {path.name for path in folder.iterdir()} == {
        "figures", *(f"report.{name}" for name in FORMATS)
    }  # fmt: skip
    figures = list((folder / "figures").iterdir())
    assert len(figures) == 8 * 3
    assert set(figures) < set(paths)
    text = (folder / "report.md").read_text("utf-8")
    for link in re.findall(r"\]\((figures/[^)]+)\)", text):
        assert (folder / link).is_file()
    assert json.loads((folder / "report.json").read_text("utf-8"))["title"] == "Two recommenders"
    table = (folder / "report.csv").read_text("utf-8").splitlines()
    assert len(list(csv.reader(table))) > 20


def test_numbers_alone_draw_nothing(make: Make, tmp_path: Path) -> None:
    assert write_report(make(), tmp_path, ("csv",)) == [tmp_path / "report.csv"]
    assert not (tmp_path / "figures").exists()


def test_the_page_asks_nothing_of_the_network(make: Make) -> None:
    text = html(make(rounds=3))
    read = Reader(text)
    assert not read.open
    assert all(address.startswith("#") for address in read.addresses)
    assert not re.search(r"@import|url\((?!#)", text)
    assert "://" not in text
    assert not {"script", "link", "iframe", "img"} & set(read.tags)
    assert len(read.ids) == len(set(read.ids))
    assert read.tags.count("svg") == 8
    for place in re.findall(r"url\(#([^)]+)\)", text):
        assert place in read.ids


def test_names_and_titles_are_shown_and_never_run(make: Make) -> None:
    evil = "<script>alert(1)</script> $title ${x} \"'&"
    findings = make(title=evil, arms=("a", evil), rounds=2, scenario=f"title = '''{evil}'''")
    text = html(findings)
    read = Reader(text)
    assert "script" not in read.tags
    assert not read.open
    assert "&lt;script&gt;alert(1)&lt;/script&gt; $title" in text


def test_every_file_is_the_same_every_time(
    written: tuple[Path, list[Path]], make: Make, tmp_path: Path
) -> None:
    first, second = written[1], write_report(make(rounds=3), tmp_path, FORMATS)
    assert [path.name for path in first] == [path.name for path in second]
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name


@pytest.mark.parametrize(("seeds", "over"), [(1, "people"), (5, "seeds")])
def test_the_page_says_what_intervals_are_over(make: Make, seeds: int, over: str) -> None:
    findings = make(seeds=seeds, rounds=2)
    text = html(findings)
    assert f"interval over {over}, paired" in text
    assert f"95 % interval of the mean over {over}" in text
    assert "Rule minds: a documented choice model, not people." in text
    assert all(run.digest in text for arm in findings.arms for run in arm.runs)
    assert text.index("serves this audience better") < text.index("Click rate") < text.index("<svg")


def test_one_arm_makes_a_page_without_comparison(make: Make) -> None:
    text = html(make(arms=("only",), seeds=1, rounds=2, lacking=("rating_mean",)))
    assert "What changed" not in text
    assert re.search(r"Mean rating.*<td>–</td>", text)


def test_other_minds_are_named(make: Make) -> None:
    scenario = 'mind = "rule"\n[arms.b.mind]\nkind = "mine"\n'
    assert limits(make(scenario=scenario))[0].startswith("Minds (mine):")


def test_a_failed_write_leaves_everything_as_it_was(make: Make, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("old")
    (tmp_path / "report.csv").mkdir()
    with pytest.raises(BadInput, match=r"report\.csv could not be written: .*nothing was changed"):
        write_report(make(rounds=2), tmp_path, ("json", "csv"))
    assert (tmp_path / "report.json").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"report.json", "report.csv"}


def test_a_full_disk_leaves_everything_as_it_was(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_report(make(rounds=2), tmp_path, ("json", "csv"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    whole = Path.write_bytes

    def write_bytes(self: Path, content: bytes) -> int:
        if "csv" in self.name:
            whole(self, content[:10])
            raise OSError(28, "No space left on device")
        return whole(self, content)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(BadInput, match="No space left on device"):
        write_report(make(rounds=2, seeds=2), tmp_path, ("json", "csv"))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_unknown_format_names_the_nearest(make: Make, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="did you mean 'html'"):
        write_report(make(), tmp_path, ("htm",))
    assert not list(tmp_path.iterdir())


def test_nothing_to_report_is_said(make: Make, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="nothing to report"):
        write_report(make(arms=()), tmp_path)
