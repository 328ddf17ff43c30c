from __future__ import annotations

import pytest

from audience.datasets.loaders.blocks import Gathering, Numbering
from audience.errors import BadInput


@pytest.mark.parametrize(("best", "half"), [(-1.0, 1.0), (0.0, 0.0), (5.0, -2.0)])
def test_scales_that_are_none_are_refused(best: float, half: float) -> None:
    with pytest.raises(BadInput, match=f"best {best:g} and half {half:g} must be positive"):
        Gathering("log.csv", best=best, half=half)


def test_ids_are_numbered_as_they_come() -> None:
    numbering = Numbering()
    assert numbering.places(["b", "a", "b"]).tolist() == [0, 1, 0]
    assert numbering.places(["c", "a"]).tolist() == [2, 1]
