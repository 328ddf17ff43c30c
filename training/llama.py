"""SmolLM2 in torch, in the layout of its GGUF file, with a low-rank adapter on every matrix.

Weights keep the order that llama.cpp gives them (rotary pairs lie side by side), so that an adapter
that is trained here is written to a GGUF file as it is.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as f

MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
HEADS, KEYS, WIDTH = 9, 3, 64
THETA, EPSILON = 100_000.0, 1e-5


def read_weights(path: Path) -> dict[str, Tensor]:
    """Return all tensors of a GGUF file as float32."""
    from gguf import GGUFReader, dequantize

    tensors = {}
    for tensor in GGUFReader(path).tensors:
        shape = [int(size) for size in reversed(tensor.shape)]
        values = dequantize(tensor.data, tensor.tensor_type).reshape(shape)
        tensors[tensor.name] = torch.from_numpy(values.copy()).float()
    return tensors


class Matrix(nn.Module):
    """A matrix of the model with its adapter; without one (rank 0) the matrix itself is trained."""

    def __init__(self, weight: Tensor, rank: int, alpha: float) -> None:
        super().__init__()
        self.rank = rank
        if not rank:
            self.weight = nn.Parameter(weight)
            return
        self.register_buffer("weight", weight.bfloat16())
        rows, columns = weight.shape
        self.scale = alpha / rank
        self.lora_a = nn.Parameter(torch.randn(rank, columns) / columns**0.5)
        self.lora_b = nn.Parameter(torch.zeros(rows, rank))

    def forward(self, values: Tensor) -> Tensor:
        out = f.linear(values, self.weight.to(values.dtype))
        if not self.rank:
            return out
        low = f.linear(values, self.lora_a.to(values.dtype))
        return out + f.linear(low, self.lora_b.to(values.dtype) * self.scale)


class Block(nn.Module):
    """One layer: attention, then the feed-forward network."""

    def __init__(self, weights: dict[str, Tensor], layer: int, rank: int, alpha: float) -> None:
        super().__init__()
        for name in MATRICES:
            self.add_module(name, Matrix(weights[f"blk.{layer}.{name}.weight"], rank, alpha))
        for name in ("attn_norm", "ffn_norm"):
            scale = weights[f"blk.{layer}.{name}.weight"]
            if rank:
                self.register_buffer(name, scale)
            else:
                self.register_parameter(name, nn.Parameter(scale))

    def forward(self, hidden: Tensor, turns: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        batch, length, _ = hidden.shape
        normed = rms(hidden, self.attn_norm)
        shape = (batch, length, -1, WIDTH)
        query = turned(self.attn_q(normed).view(shape).transpose(1, 2), turns)
        key = turned(self.attn_k(normed).view(shape).transpose(1, 2), turns)
        value = self.attn_v(normed).view(shape).transpose(1, 2)
        key, value = (part.repeat_interleave(HEADS // KEYS, dim=1) for part in (key, value))
        seen = f.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        hidden = hidden + self.attn_output(seen.transpose(1, 2).reshape(batch, length, -1))
        normed = rms(hidden, self.ffn_norm)
        return hidden + self.ffn_down(f.silu(self.ffn_gate(normed)) * self.ffn_up(normed))


class Llama(nn.Module):
    """The model up to the last hidden states; `logits` turns some of these into tokens."""

    def __init__(self, weights: dict[str, Tensor], rank: int, alpha: float) -> None:
        super().__init__()
        layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blk."))
        self.blocks = nn.ModuleList(Block(weights, n, rank, alpha) for n in range(layers))
        words, norm = weights["token_embd.weight"], weights["output_norm.weight"]
        if rank:
            self.register_buffer("words", words.bfloat16())
            self.register_buffer("norm", norm)
        else:
            self.words, self.norm = nn.Parameter(words), nn.Parameter(norm)

    def forward(self, tokens: Tensor, places: Tensor, mask: Tensor) -> Tensor:
        hidden = f.embedding(tokens, self.words).bfloat16()
        turns = rotations(places)
        for block in self.blocks:
            hidden = block(hidden, turns, mask)
        return rms(hidden, self.norm)

    def logits(self, hidden: Tensor) -> Tensor:
        return f.linear(hidden, self.words.to(hidden.dtype)).float()


def rms(hidden: Tensor, scale: Tensor) -> Tensor:
    full = hidden.float()
    full = full * torch.rsqrt(full.square().mean(-1, keepdim=True) + EPSILON)
    return (full * scale).to(hidden.dtype)


def rotations(places: Tensor) -> tuple[Tensor, Tensor]:
    """Return cosine and sine of each place, for pairs that lie side by side."""
    steps = torch.arange(0, WIDTH, 2, device=places.device, dtype=torch.float32)
    angles = places[..., None].float() * THETA ** (-steps / WIDTH)
    angles = angles[:, None]
    return angles.cos(), angles.sin()


def turned(states: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
    cosine, sine = turns
    first, second = states[..., ::2].float(), states[..., 1::2].float()
    pairs = (first * cosine - second * sine, first * sine + second * cosine)
    return torch.stack(pairs, -1).flatten(-2).to(states.dtype)


def mask_of(document: Tensor, branch: Tensor) -> Tensor:
    """Return who sees whom: what came before in the same document, on its stem or own branch."""
    length = document.shape[1]
    before = torch.ones(length, length, dtype=torch.bool, device=document.device).tril()
    same = document[:, :, None] == document[:, None, :]
    near = (branch[:, None, :] == 0) | (branch[:, :, None] == branch[:, None, :])
    return (before & same & near)[:, None]
