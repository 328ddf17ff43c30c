from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import msgspec
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from audience.errors import BadInput
from audience.files import replace_all
from audience.results import Findings, caption, figure_files
from audience.results.charts import BY_ROUND, draw
from audience.results.figure import _LOOK

Make = Callable[..., Findings]
ALL = {"differences", "ratings", "concentration"} | {f"{metric}_by_round" for metric in BY_ROUND}


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    return replace_all({folder / file: body for file, body in figure_files(figure, name).items()})


def heights(line: Line2D) -> list[float]:
    return [float(height) for height in np.array(line.get_ydata())]


@pytest.mark.parametrize("seeds", [1, 2, 5])
def test_every_figure_is_drawn_and_has_a_caption(make: Make, seeds: int) -> None:
    findings = make(seeds=seeds, rounds=3)
    drawn = draw(findings)
    assert set(drawn) == ALL
    over = {1: "over people", 2: "over seeds", 5: "over seeds"}[seeds]
    assert over in caption("differences", findings)
    said = {1: "no interval", 2: "lowest to the highest", 5: "5 seeds with its 95 % interval"}
    assert all(said[seeds] in caption(name, findings) for name in ALL - {"differences"})


def test_lines_and_bands_are_the_means_over_seeds(make: Make) -> None:
    findings = make(seeds=5, rounds=4)
    axes = draw(findings)["picks_by_round"].axes[0]
    assert len(axes.lines) == len(axes.collections) == 2
    wanted = [sum(run.rounds[r]["picks"] for run in findings.arms[1].runs) / 5 for r in range(4)]
    assert heights(axes.lines[1]) == pytest.approx(wanted)
    assert np.array(axes.lines[1].get_xdata()).tolist() == [1, 2, 3, 4]


def test_what_is_undefined_is_left_out(make: Make) -> None:
    stars = tuple(f"rating_{stars}" for stars in range(1, 6))
    drawn = draw(make(lacking=(*stars, "satisfaction", "gini")))
    assert set(drawn) == ALL - {"ratings", "satisfaction_by_round"}
    labels = [label.get_text() for label in drawn["differences"].axes[0].get_yticklabels()]
    assert "Satisfaction" not in labels
    assert "Click rate" in labels


def test_one_arm_and_one_round_leave_what_they_can_show(make: Make) -> None:
    assert set(draw(make(arms=("only",), rounds=1))) == {"ratings", "concentration"}


def test_a_run_that_ended_early_does_not_hide_the_others(make: Make) -> None:
    findings = make(seeds=2, rounds=4)
    first, second = findings.arms[0].runs
    short = msgspec.structs.replace(second, rounds=second.rounds[:2])
    arm = msgspec.structs.replace(findings.arms[0], runs=(first, short))
    findings = msgspec.structs.replace(findings, arms=(arm, findings.arms[1]))
    line = draw(findings)["picks_by_round"].axes[0].lines[0]
    assert heights(line)[2:] == [row["picks"] for row in first.rounds[2:]]


def test_saved_files_are_whole_and_the_same_every_time(make: Make, tmp_path: Path) -> None:
    written = {}
    figure = draw(make(arms=("a $x$ <b>", "推薦"), rounds=2))["differences"]
    for name in ("one", "two"):
        paths = save(figure, tmp_path / name, "figure")
        written[name] = [path.read_bytes() for path in paths]
    assert written["one"] == written["two"]
    svg, pdf, png = written["one"]
    hrefs = [
        value
        for element in ElementTree.fromstring(svg).iter()
        for key, value in element.attrib.items()
        if key.endswith("href")
    ]
    assert hrefs
    assert all(value.startswith("#") for value in hrefs)
    assert pdf.startswith(b"%PDF")
    assert b"CreationDate" not in pdf
    assert png.startswith(b"\x89PNG")


def test_letters_in_a_pdf_are_those_of_a_font(
    make: Make, monkeypatch: pytest.MonkeyPatch, pdf_fonts: int
) -> None:
    monkeypatch.setitem(_LOOK, "pdf.fonttype", pdf_fonts)
    (pdf,) = figure_files(draw(make(rounds=2))["ratings"], "ratings", ["pdf"]).values()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


def test_a_folder_that_is_a_file_is_refused(make: Make, tmp_path: Path) -> None:
    (tmp_path / "here").write_text("mine")
    with pytest.raises(BadInput, match="could not be written"):
        save(draw(make(rounds=2))["ratings"], tmp_path / "here", "ratings")
    assert (tmp_path / "here").read_text() == "mine"


def test_matplotlib_keeps_its_settings(make: Make) -> None:
    before = dict(matplotlib.rcParams)
    draw(make(rounds=2))
    assert dict(matplotlib.rcParams) == before


def test_importing_does_not_import_matplotlib() -> None:
    code = "import sys, audience.results.report; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
