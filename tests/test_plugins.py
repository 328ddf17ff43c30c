"""Parts by the name of a file or a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.plugins import find
from audience.recommenders import Popular


def test_a_class_of_an_installed_module() -> None:
    assert find("recommenders", "audience.recommenders:Popular") is Popular
    with pytest.raises(BadInput, match=r"there is no module 'nowhere'"):
        find("recommenders", "nowhere.at_all:Class")
    with pytest.raises(BadInput, match=r"class 'Populr' is unknown \(did you mean 'Popular'\?\)"):
        find("recommenders", "audience.recommenders:Populr")


def test_a_file_may_import_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "beside_it_lies.py").write_text("LIKED = 7\n")
    (tmp_path / "mine.py").write_text(
        "from beside_it_lies import LIKED\n\nclass Mine:\n    liked = LIKED\n"
    )
    assert find("recommenders", f"{tmp_path}/mine.py:Mine").liked == 7
