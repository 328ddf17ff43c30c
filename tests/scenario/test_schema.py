from __future__ import annotations

import pytest

from audience.errors import BadInput
from audience.scenario import parse


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n\nagents = 'x'", 3),
        ("[clock]\n[run]\nmax_turns = 0", 3),
        ("[arms.a]\nagents = 3\n[arms.b]\nagents = 0", 4),
        ("[platform]\nrepeat = 3\n[run]\nbatched = true", 2),
    ],
)
def test_the_line_of_a_mistake_is_named(text: str, line: int) -> None:
    with pytest.raises(BadInput, match=rf"\(line {line}\)$"):
        parse(text)
