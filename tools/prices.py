"""Print the price table of `audience.llm` from the published table genai-prices.

pip install genai-prices, then: python tools/prices.py 2026-11-16 > src/audience/llm/prices.toml
"""

from __future__ import annotations

import re
import sys
from datetime import datetime
from importlib import import_module
from importlib.metadata import version
from typing import Any

PROVIDERS = "openai anthropic google deepseek mistral x-ai cohere moonshotai minimax zai".split()
"""Those who sell models of their own, so that a name has one price."""
OTHER = re.compile(
    r"audio|image|tts|transcri|realtime|vision|video|speech|veo|search|computer|^ft:|\.ft-|:|@"
    r"|^(text-)?(ada|babbage|curie|davinci)|/|\s|-$|^codex|live|rerank|ocr|lyria|robotics"
)
"""Models for other things than text, fine-tuned ones, and old ones."""
GOOGLE = re.compile(r"^gemini")
DATED = re.compile(r"-(\d{4}(-\d\d-\d\d)?|\d{6,8}|latest)$")
HEAD = """\
# US dollars per million tokens, from genai-prices {version} (https://github.com/pydantic/genai-prices,
# MIT licence) by tools/prices.py. Prices change: look yours up, and give your own file of this form
# as `[llm] prices`; what it names replaces what stands here.
#   prompt      tokens read (where a price rises with the length of a prompt: of short ones)
#   cached      tokens read from the provider's cache (left out: as prompt)
#   completion  tokens written
#   reasoning   tokens thought (left out: as completion; they are part of those)
# A name also fits its dated versions: gpt-4o-mini fits gpt-4o-mini-2024-07-18.

date = "{date}"
source = "genai-prices {version}"

free = {{ prompt = 0.0, completion = 0.0 }} # a model on your own machine: price = "free"
"""


def main(words: list[str]) -> int:
    """Print the table as of a date."""
    # At noon no provider gives its discount of the night.
    day = datetime.fromisoformat(f"{words[0]}T12:00:00+00:00")
    print(HEAD.format(date=words[0], version=version("genai-prices")), end="")
    for provider in import_module("genai_prices.data").providers:
        if provider.id not in PROVIDERS:
            continue
        rows = rows_of(provider, day)
        print(f"\n# {provider.name}")
        for name, row in sorted(rows.items()):
            plain = DATED.sub("", name)
            if plain == name or rows.get(plain) != row:
                print(f'"{name}" = {row}')
    return 0


def rows_of(provider: Any, day: datetime) -> dict[str, str]:  # noqa: ANN401
    """Return the prices of a provider's models for text, by every name they have."""
    rows: dict[str, str] = {}
    for model in provider.models:
        row = line(model.get_prices(day))
        for name in names(model):
            ours = provider.id != "google" or GOOGLE.match(name)
            if row and ours and not OTHER.search(name):
                rows.setdefault(name, row)
    return rows


def names(model: Any) -> list[str]:  # noqa: ANN401
    """Return the names of a model, its own and those that mean the same."""
    clauses = getattr(model.match, "or_", [model.match])
    also = [getattr(one, "equals", None) or getattr(one, "starts_with", None) for one in clauses]
    return [name for name in (model.id, *also) if name]


def line(prices: Any) -> str:  # noqa: ANN401
    """Return the prices of a model as an inline table; empty if it has none for text."""
    fields = {
        "prompt": prices.input_mtok,
        "cached": prices.cache_read_mtok,
        "completion": prices.output_mtok,
    }
    plain = {name: getattr(value, "base", value) for name, value in fields.items()}
    if plain["prompt"] is None:
        return ""
    plain["completion"] = plain["completion"] or 0
    shown = [f"{name} = {float(value)}" for name, value in plain.items() if value is not None]
    return f"{{ {', '.join(shown)} }}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
