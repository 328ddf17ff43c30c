"""Write trained weights: an adapter as GGUF for llama.cpp, or the merged model for vLLM.

    python -m training.adapter --base MODEL.gguf --weights DIR/best.pt --alpha 64 \
        --gguf audience-135m.gguf --folder DIR/merged
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from training.llama import HEADS, KEYS, MATRICES, WIDTH, read_weights

HUB_NAMES = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
START, END = 1, 2
"""The ids of `<|im_start|>` and `<|im_end|>`."""


def main() -> None:
    """Write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--alpha", type=float, default=64.0)
    parser.add_argument("--gguf", type=Path)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    weights = torch.load(given.weights, map_location="cpu")
    if given.gguf:
        write_adapter(given.gguf, weights, given.alpha)
    if given.folder:
        write_folder(
            given.folder, given.base, merged(read_weights(given.base), weights, given.alpha)
        )


def matrix_names(weights: dict[str, Tensor]) -> list[tuple[str, str]]:
    """Return the name of each adapted matrix in torch and in GGUF."""
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blocks."))
    return [
        (f"blocks.{layer}.{name}", f"blk.{layer}.{name}.weight")
        for layer in range(layers)
        for name in MATRICES
    ]


def write_adapter(path: Path, weights: dict[str, Tensor], alpha: float) -> None:
    """Write a low-rank adapter in half precision."""
    from gguf import GGUFWriter

    writer = GGUFWriter(path, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("general.name", "audience-135m")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for ours, theirs in matrix_names(weights):
        for part in ("lora_a", "lora_b"):
            writer.add_tensor(f"{theirs}.{part}", weights[f"{ours}.{part}"].half().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


def merged(base: dict[str, Tensor], weights: dict[str, Tensor], alpha: float) -> dict[str, Tensor]:
    """Return the tensors of the model with its adapter, or with what was trained instead."""
    made = dict(base)
    for ours, theirs in matrix_names(weights):
        if f"{ours}.weight" in weights:
            made[theirs] = weights[f"{ours}.weight"].float()
            continue
        low, high = weights[f"{ours}.lora_a"].float(), weights[f"{ours}.lora_b"].float()
        made[theirs] = base[theirs] + high @ low * (alpha / low.shape[0])
    return made


def write_folder(folder: Path, base: Path, tensors: dict[str, Tensor]) -> None:
    """Write weights, configuration and tokenizer as vLLM and transformers read them."""
    from gguf import GGUFReader
    from safetensors.numpy import save_file

    from training.tokens import tokenizer_of

    folder.mkdir(parents=True, exist_ok=True)
    named = {hub_name(name): hub_order(name, tensor) for name, tensor in tensors.items()}
    save_file(named, folder / "model.safetensors", {"format": "pt"})
    fields = GGUFReader(base).fields
    files = {
        "config.json": configuration(tensors),
        "generation_config.json": {"eos_token_id": END, "pad_token_id": END, "bos_token_id": START},
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 8192,
            "bos_token": "<|im_start|>",
            "eos_token": "<|im_end|>",
            "pad_token": "<|im_end|>",
            "clean_up_tokenization_spaces": False,
            "chat_template": fields["tokenizer.chat_template"].contents(),
        },
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1))
    tokenizer_of(base).save(str(folder / "tokenizer.json"))


def hub_name(name: str) -> str:
    if name == "token_embd.weight":
        return "model.embed_tokens.weight"
    if name == "output_norm.weight":
        return "model.norm.weight"
    _, layer, part, _ = name.split(".")
    return f"model.layers.{layer}.{HUB_NAMES[part]}.weight"


def hub_order(name: str, tensor: Tensor) -> np.ndarray:
    """Return a tensor in half precision, rotary pairs half a head apart instead of side by side."""
    heads = HEADS if "attn_q." in name else KEYS if "attn_k." in name else 0
    if heads:
        width = tensor.shape[1]
        tensor = tensor.view(heads, WIDTH // 2, 2, width).transpose(1, 2).reshape(-1, width)
    return tensor.half().numpy()


def configuration(tensors: dict[str, Tensor]) -> dict[str, object]:
    words, width = tensors["token_embd.weight"].shape
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": width,
        "intermediate_size": tensors["blk.0.ffn_up.weight"].shape[0],
        "num_hidden_layers": 30,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEYS,
        "head_dim": WIDTH,
        "max_position_embeddings": 8192,
        "rms_norm_eps": 1e-05,
        "rope_theta": 100000.0,
        "rope_parameters": {"rope_type": "default", "rope_theta": 100000.0},
        "tie_word_embeddings": True,
        "vocab_size": words,
        "bos_token_id": START,
        "eos_token_id": END,
        "pad_token_id": END,
        "dtype": "bfloat16",
    }


if __name__ == "__main__":
    main()
