"""Conversion of RecAgent's config.yaml to a scenario."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from audience.datasets.loaders import read_yaml
from audience.errors import BadInput
from audience.plugins import known
from audience.scenario.schema import from_tree, is_address

_FILES = {
    "item_path": "item",
    "user_path": "user",
    "relationship_path": "relationship",
    "interaction_path": "interaction",
}
_PLACES = {
    "agent_num": ("agents",),
    "num_agents": ("agents",),
    "epoch": ("run", "rounds"),
    "round": ("run", "rounds"),
    "page_size": ("platform", "page_size"),
    "interval": ("clock", "step"),
    "active_agent_threshold": ("activation", "at_most"),
    "active_method": ("activation", "method"),
    "active_prob": ("activation", "share"),
    "rec_random_k": ("platform", "random_k"),
    "social_random_k": ("ties", "random_k"),
    "temperature": ("mind", "temperature"),
    "max_token": ("mind", "max_tokens"),
}
"""Keys whose value is copied unchanged, and where it goes."""
_WITHOUT = {
    "api_keys": "keys are never written to a file: put one into the environment, see [llm] key_env",
    "index_name": "nothing needs an index of vectors",
    "log_file": "the log of a run is its run.db",
    "max_retries": "failed calls are tried again within [llm] overall seconds",
    "play_role": "`audience play RUN ID` takes anybody's place",
    "simulator_dir": "a run keeps itself in its folder",
    "simulator_restore_file_name": "`audience resume RUN` goes on",
    "verbose": "`audience show RUN` tells the story",
}
_RECOMMENDERS = {
    "random": ("random",),
    "pop": ("popular",),
    "mostpop": ("popular",),
    "mf": ("bpr", "mf", "als"),
    "lightgcn": ("lightgcn", "recbole"),
}
_OPENAI = "https://api.openai.com/v1"
_ADDRESSES = ("api_base", "openai_api_base", "base_url")


class Imported(msgspec.Struct, frozen=True):
    """A scenario as a tree, and a line for each key without an equivalent."""

    tree: dict[str, Any]
    without: tuple[str, ...]


def imported(config: Path, out: Path) -> Imported:
    """Return the scenario of a RecAgent config.yaml; its paths start from the folder of `out`."""
    settings = read_yaml(config)
    tree: dict[str, Any] = {
        "title": "From RecAgent's config.yaml",
        "mind": {"kind": "llm", "prompting": "faithful"},
        "activation": {"loyalty": 0.0},
    }
    without: list[str] = []
    tree["dataset"] = _dataset(config, settings, out, without)
    tree["dataset"]["activity"] = {"law": "pareto", "alpha": _alpha(settings), "minimum": 0.0}
    for key, value in settings.items():
        if key in _FILES or value is None:
            continue
        if key in _PLACES:
            _put(tree, _PLACES[key], value)
        elif key == "llm" or key in _ADDRESSES:
            continue
        elif key in _SPECIAL:
            _SPECIAL[key](tree, str(value), without)
        else:
            without.append(f"{key}: {_WITHOUT.get(key, 'unknown, and so left out')}")
    if settings.get("active_method", "random") != "random":
        people = tree.get("agents")
        share = _share(_alpha(settings), people if isinstance(people, int) else 1000)
        tree["activation"]["share"] = share
    if llm := _endpoint(settings, without):
        tree["llm"] = llm
    from_tree(tree, str(config))
    return Imported(tree, tuple(without))


def _put(tree: dict[str, Any], place: tuple[str, ...], value: object) -> None:
    for table in place[:-1]:
        tree = tree.setdefault(table, {})
    tree[place[-1]] = value


def _dataset(
    config: Path, settings: dict[str, Any], out: Path, without: list[str]
) -> dict[str, Any]:
    """Return the files by name in the folder that holds them all."""
    paths: dict[str, Path] = {}
    for key, option in _FILES.items():
        text = settings.get(key)
        if not text:
            continue
        place = _found(config, str(text))
        if place is not None:
            paths[option] = place
        elif option == "interaction":
            without.append(f"{key}: {text} is not there, so people begin without a past")
        else:
            raise BadInput(
                f"{config}: {key}: {text} is neither below {config.parent} nor below the folder "
                "above it nor here; correct the path"
            )
    if "item" not in paths or "user" not in paths:
        raise BadInput(f"{config}: item_path and user_path are needed; add them")
    folder = os.path.commonpath([place.parent for place in paths.values()])
    path = os.path.relpath(folder, out.resolve().parent)
    return {"kind": "recagent", "path": path} | {key: one.name for key, one in paths.items()}


def _found(config: Path, text: str) -> Path | None:
    """Return a file where RecAgent would look for it: from one folder above its config."""
    folder = config.resolve().parent
    places = (folder.parent / text, folder / text, Path(text).resolve())
    return next((place.resolve() for place in places if place.is_file()), None)


def _recommender(tree: dict[str, Any], name: str, without: list[str]) -> None:
    there = known("recommenders")
    kinds = _RECOMMENDERS.get(name.lower(), (name.lower(),))
    kind = next((kind for kind in kinds if kind in there), None)
    if kind is None:
        near = get_close_matches(name.lower(), there, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        listed = ", ".join(sorted(there))
        without.append(f"rec_model: {name} is not among {listed}{hint}: popular serves")
    tree["recommender"] = {"kind": kind or "popular"}


def _memory(tree: dict[str, Any], name: str, without: list[str]) -> None:
    there, kind = known("memories"), name.lower()
    if kind != "none" and kind not in there:
        without.append(f"recagent_memory: {name} is not among {', '.join(sorted(there))}: none")
    tree["memory"] = {"kind": kind if kind in there else "none"}
    if kind == "recagent":
        tree["memory"]["consolidation"] = "faithful"


def _alpha(settings: dict[str, Any]) -> float:
    """Return the shape of the Pareto law by which the published program draws activity levels."""
    share = settings.get("active_prob")
    return 10.0 * share if isinstance(share, int | float) and share > 0 else 10.0


def _share(alpha: float, people: int) -> float:
    """Return the mean chance to act: levels over the highest one, as the program takes them."""
    ranks = (np.arange(people) + 0.5) / people
    levels = (1.0 - ranks) ** (-1.0 / alpha) - 1.0
    return round(float(levels.mean() / levels[-1]), 4)


def _endpoint(settings: dict[str, Any], without: list[str]) -> dict[str, Any]:
    """Return the `[llm]` table: the address that the config gives, else OpenAI's for its models.

    For models of one's own, the published program takes addresses in place of keys.
    """
    name = str(settings.get("llm") or "")
    keys = settings.get("api_keys")
    listed = [str(key) for key in keys] if isinstance(keys, list) else []
    given = [str(settings[key]) for key in _ADDRESSES if settings.get(key)]
    urls = [url for url in (*given, *listed) if is_address(url)]
    is_openai = name.lower().startswith("gpt")
    if not urls and not is_openai:
        if name:
            without.append(f"llm: set [llm] url to the endpoint that serves {name}")
        return {}
    model = "gpt-3.5-turbo" if name == "gpt-3.5" else name
    table: dict[str, Any] = {"model": model} if name else {}
    if is_openai:
        table["key_env"] = "OPENAI_API_KEY"
    if len(urls) > 1:
        return {"endpoints": [{"url": url, **table} for url in dict.fromkeys(urls)]}
    return {"url": urls[0] if urls else _OPENAI, **table}


def _order(tree: dict[str, Any], mode: str, without: list[str]) -> None:
    if mode not in ("serial", "parallel"):
        without.append(f"execution_mode: {mode} is neither serial nor parallel")
    _put(tree, ("run", "order"), "one-by-one" if mode == "serial" else "together")


_SPECIAL = {
    "rec_model": _recommender,
    "model": _recommender,
    "recagent_memory": _memory,
    "execution_mode": _order,
}
