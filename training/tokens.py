"""The tokenizer of SmolLM2, read from its GGUF file, and the chat template around prompts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

SPECIAL = 17
"""The first tokens of the vocabulary are special ones, such as `<|im_start|>`."""


def tokenizer_of(path: Path) -> Tokenizer:
    """Return the tokenizer that a GGUF file of SmolLM2 describes."""
    reader = GGUFReader(path)
    words = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = [
        tuple(merge.split(" ")) for merge in reader.fields["tokenizer.ggml.merges"].contents()
    ]
    made = Tokenizer(
        models.BPE(vocab={word: number for number, word in enumerate(words)}, merges=merges)
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    special = [AddedToken(word, special=True, normalized=False) for word in words[:SPECIAL]]
    made.add_special_tokens(special)
    return made


def chat(system: str, user: str) -> str:
    """Return the text of a prompt as the model's chat template makes it, up to the answer."""
    return (
        f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n{user}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


def encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each text."""
    return [part.ids for part in tokenizer.encode_batch(list(texts), add_special_tokens=False)]
