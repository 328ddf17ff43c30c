"""What evaluations ask, word for word: a change of wording shows in the diff.

After a change that is meant: `AUDIENCE_GOLDENS=write pytest` with the path of this file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from audience.lab.evaluation.language import evaluation_prompts

GOLDEN = Path(__file__).parent / "goldens" / "evaluations.txt"


def test_the_prompts_of_evaluations_read_as_kept() -> None:
    prompts, told = evaluation_prompts(), []
    for path in sorted((prompts.ours[0] / "default").glob("*.md")):
        holes = sorted(set(re.findall(r"\$(\w+)", path.read_text("utf-8"))))
        filled = prompts.fill(path.stem, {hole: f"[{hole}]" for hole in holes})
        told.append(f"# {path.stem}\n{filled}\n")
    if os.environ.get("AUDIENCE_GOLDENS") == "write":
        GOLDEN.write_text("".join(told), "utf-8")
    assert GOLDEN.read_text("utf-8") == "".join(told)
