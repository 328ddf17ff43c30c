"""The types of all options, and what an offer lets through."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from audience.datasets import Mixture
from audience.errors import BadInput
from audience.outside import (
    KindOf,
    OptionsOf,
    Outside,
    PartOf,
    file_options,
    marks_in,
    option_types,
)
from audience.parts import OFFERED
from audience.plugins import find, known
from audience.scenario import (
    DEEDS,
    Offered,
    Scenario,
    admitted,
    arm,
    from_tree,
    load_offer,
    masked,
    parse,
    text_of,
)

GROUPS = {
    "dataset": "datasets",
    "mind": "minds",
    "memory": "memories",
    "recommender": "recommenders",
}
PLAIN = {
    "title", "clock.start", "clock.step", "activation.method", "run.order", "run.dialogue",
    "time.kind", "time.gaps",
    "platform.feed", "groups.kinds", "groups.rule", "llm.drop", "llm.reasoning", "llm.price",
    "played.way", "llm.endpoints.drop", "llm.endpoints.reasoning", "llm.endpoints.price",
    "spread.topics.name", "spread.topics.text", "spread.topics.about", "spread.topics.seeds",
    "spread.topics.among", "spread.topics.appeals",
    "dataset.fill", "dataset.traits", "dataset.taste", "dataset.ties", "dataset.ignore",
    "dataset films.activity", "dataset books.activity", "dataset folder.activity",
    "dataset folder.noun", "dataset folder.plural", "dataset folder.past",
    "mind assisted.way", "mind touched.way",
    "mind llm.prompting", "mind llm.context", "mind llm.also", "mind llm.words",
    "mind llm.deciding",
    "memory agent4rec.consolidation", "memory recagent.consolidation", "memory recagent.suited",
    "recommender http.header", "recommender http.run", "recommender implicit.method",
    "recommender lenskit.scorer", "recommender mix.by",
    "add_item.item.about", "add_item.item.key", "add_item.item.tags", "add_item.item.title",
    "add_person.profile.career", "add_person.profile.gender", "add_person.profile.interests",
    "add_person.profile.key", "add_person.profile.name", "add_person.profile.traits",
    "add_tie.kind", "advertise.career", "advertise.gender", "advertise.interest",
    "advertise.text", "advertise.trait", "announce.text", "raise.topic.about",
    "raise.topic.appeals", "raise.topic.name", "raise.topic.text", "remind.text",
}  # fmt: skip
"""Options that are texts and nothing else. Before you add one: is it neither a path, an address, a
variable, a model nor a kind? Those have types in `audience.outside`."""


def fields(kind: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every key of a table and of the tables inside, with its type."""
    for name, each in typing.get_type_hints(kind, include_extras=True).items():
        where = f"{place}.{name}" if place else name
        inner = [one for one in _inside(each) if isinstance(one, type)]
        structs = [one for one in inner if issubclass(one, msgspec.Struct)]
        if structs and not marks_in(each):
            yield from fields(structs[0], where)
        elif name not in ("arms", "interventions"):
            yield where, each


def _inside(kind: Any) -> Iterator[Any]:
    """Yield a type and those inside it, without the keys of tables."""
    yield kind
    arguments = typing.get_args(kind)
    is_table = typing.get_origin(kind) in (dict, Mapping)
    for each in arguments[1:] if is_table else arguments:
        yield from _inside(each)


def options() -> Iterator[tuple[str, str, str, Any]]:
    """Yield key, kind, option and type for every option of every part."""
    for key, group in GROUPS.items():
        for kind in known(group):
            types = option_types(find(group, kind))
            for name, each in types.named.items():
                yield key, kind, name, each
            if types.others is not None:
                yield key, kind, "*", types.others


def texts() -> set[str]:
    every = dict(fields(Scenario))
    every |= {f"dataset.{name}": each for name, each in fields(Mixture)}
    for deed in DEEDS.keys() - {"swap_recommender"}:
        every |= {f"{deed}.{name}": each for name, each in fields(DEEDS[deed])}
    every |= {f"{key} {kind}.{name}": each for key, kind, name, each in options()}
    return {place for place, each in every.items() if str in _inside(each) and not marks_in(each)}


def test_every_plain_text_was_reviewed() -> None:
    assert texts() - PLAIN == set(), "give it a type of audience.outside, or a line in PLAIN"
    assert PLAIN - texts() == set(), "remove what is no text any more"


def test_a_plain_text_that_is_new_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Popular:
        def __init__(self, weights_path: str = "") -> None: ...

    point = known("recommenders")["popular"]
    monkeypatch.setattr(type(point), "load", lambda self: Popular)
    assert "recommender popular.weights_path" in texts() - PLAIN


def naming() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a scenario for every key and option whose type says that it names something."""
    yield from naming_keys()
    for name, each in fields(Mixture):
        if marks_in(each):
            yield f"dataset.{name}", {"dataset": {"kind": "films", name: "/etc/passwd"}}
    yield from naming_options()


def naming_keys() -> Iterator[tuple[str, dict[str, Any]]]:
    for place, each in fields(Scenario):
        marks = [mark for mark in marks_in(each) if isinstance(mark, Outside | KindOf)]
        if marks:
            value: Any = "/etc/passwd"
            value = [value] if "tuple" in str(each) else value
            value = {"X": "${HOME}"} if "dict" in str(each) else value
            *tables, last = place.split(".")
            tree: dict[str, Any] = {last: value}
            if tables[-1:] == ["endpoints"]:
                valid = {"url": "http://127.0.0.1:1/v1"}
                value = valid["url"] if last == "url" else "HOME" if last == "key_env" else value
                tree = {"endpoints": [{**valid, last: value}]}
                tables = tables[:-1]
            for table in reversed(tables):
                tree = {table: tree}
            yield place, tree


def naming_options() -> Iterator[tuple[str, dict[str, Any]]]:
    for key, kind, name, each in options():
        marks = [mark for mark in marks_in(each) if mark.__class__ in (Outside, KindOf, PartOf)]
        if marks:
            value: Any = ["/etc/x.py:X"] if name == "parts" else "/etc/x.py:X"
            yield f"{key} {kind}.{name}", {key: {"kind": kind, name: value}}
        if any(isinstance(mark, OptionsOf) for mark in marks_in(each)):
            value = {"kind": kind, "path": "/etc", "parameters": "/etc/passwd"}
            yield f"{key} {kind}.*", {key: value}
        if each is Any or each is object:
            yield f"{key} {kind}.{name}", {key: {"kind": kind, "anything": "/etc/passwd"}}


NAMING = dict(naming())


def test_there_are_many() -> None:
    assert len(NAMING) > 45
    for place in (
        "validated", "metrics", "llm.url", "llm.key_env", "llm.headers", "llm.proxy", "llm.ca",
        "llm.prices", "llm.endpoints.url", "spread.graph", "dataset.profiles",
        "mind rule.parameters", "recommender mix.parts", "recommender http.url",
    ):  # fmt: skip
        assert place in NAMING, place


@pytest.mark.parametrize("place", NAMING)
def test_what_names_something_is_refused(place: str) -> None:
    with pytest.raises(BadInput, match="not offered to other machines"):
        admitted(from_tree(NAMING[place]), Offered())


def test_what_the_run_supplies_is_no_option() -> None:
    for key, group in GROUPS.items():
        for kind in known(group):
            for name in OFFERED & set(option_types(find(group, kind)).named) - {"suited", "run"}:
                tree = {key: {"kind": kind, name: "anything"}}
                with pytest.raises(BadInput, match="offer"):
                    admitted(from_tree(tree), Offered())


PART = """
class Mine:
    def __init__(self, path="", depth: int = 1, note: str = "", words: "unknown" = ""):
        self.path = path
    def fit(self, interactions, rng): ...
"""
OFFER = """
scenarios = ["own.toml"]
[endpoints.house]
url = "http://10.0.0.5:8000/v1"
model = "small"
models = ["large"]
key_env = "HOUSE_KEY"
headers = { X-Team = "${TEAM_KEY}" }
concurrency = 4
[recommenders]
mine = "mine.py:Mine"
[recommenders.shop]
kind = "https://shop.example/rank"
key_env = "SHOP_KEY"
[datasets.ours]
kind = "folder"
path = "data"
[prompts]
formal = "prompts"
[metrics]
loyal = "mine.py:Mine"
"""


@pytest.fixture
def offer(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(PART)
    (tmp_path / "own.toml").write_text("recommender = 'mine.py:Mine'\n")
    for name in ("data", "prompts"):
        (tmp_path / name).mkdir()
    path = tmp_path / "offer.toml"
    path.write_text(OFFER)
    return path


NAMED = """
metrics = ["loyal"]
[recommender]
kind = "mix"
parts = ["mine", { kind = "mine", depth = 3 }, "shop", "popular"]
[dataset]
kind = "held-out"
of = "ours"
[mind]
kind = "llm"
prompts = "formal"
model = "large"
[llm]
url = "house"
concurrency = 100
[arms.a.llm]
url = "embedded"
[arms.b.llm]
model = "large"
[arms.c]
recommender = "mine"
[[interventions]]
round = 2
do = "swap_recommender"
kind = "mine"
"""


def test_what_is_offered_has_a_name(offer: Path) -> None:
    offered, folder = load_offer(offer), offer.parent
    made = admitted(parse(NAMED), offered)
    mine = f"{folder}/mine.py:Mine"
    assert made.recommender.options["parts"] == [
        mine,
        {"kind": mine, "depth": 3},
        {"kind": "http", "url": "https://shop.example/rank", "key_env": "SHOP_KEY"},
        "popular",
    ]
    assert made.dataset.options == {"of": "folder", "path": str(folder / "data")}
    assert made.mind.options == {"prompts": str(folder / "prompts"), "model": "large"}
    assert made.metrics == (mine,)
    assert (made.llm.url, made.llm.key_env) == ("http://10.0.0.5:8000/v1", "HOUSE_KEY")
    assert made.llm.concurrency == 4, "the operator's bound holds"
    assert made.llm.model == "small"
    assert made.arms["a"]["llm"]["url"] == "embedded"
    assert made.arms["a"]["llm"]["headers"] == {}
    assert made.arms["c"]["recommender"] == mine
    assert made.interventions[0]["kind"] == mine


def test_what_is_shown_names_only_names(offer: Path) -> None:
    offered = load_offer(offer)
    made = admitted(parse(NAMED), offered)
    shown = text_of(masked(made, offered))
    for secret in (
        "10.0.0.5",
        "HOUSE_KEY",
        "TEAM_KEY",
        "SHOP_KEY",
        "shop.example",
        str(offer.parent),
    ):
        assert secret not in shown, secret
    assert admitted(parse(shown), offered) == made, "and it can be sent again"


def test_what_the_operator_wrote_himself_is_hidden_too(offer: Path) -> None:
    toml = """
        validated = "/secret/validation.json"
        recommender = "/secret/file.py:Own"
        metrics = ["/secret/file.py:Counted"]
        [dataset]
        kind = "csv"
        path = "/secret/data.csv"
        columns = { user = "secret" }
        [llm]
        url = "http://secret.example/v1"
        key_env = "SECRET_KEY"
        prices = "/secret/prices.json"
        [[interventions]]
        round = 1
        do = "swap_recommender"
        kind = "http://secret.example:80/"
        [arms.a.llm]
        url = ""
        endpoints = [{ url = "http://secret.example/v1", key_env = "SECRET_KEY" }]
    """
    shown = text_of(masked(parse(toml), Offered())).lower()
    assert "/secret" not in shown
    assert "secret_key" not in shown
    assert "http://secret" not in shown


@pytest.mark.parametrize("url", ["", "url = 'embedded'\n"])
def test_the_packaged_model_is_no_file_of_the_machine(offer: Path, url: str) -> None:
    offered = load_offer(offer)
    made = admitted(parse(f"[llm]\n{url}model = 'audience-135m'"), offered)
    assert (made.llm.model, made.llm.address) == ("audience-135m", url[7:15])
    text = f"[llm]\nurl = 'house'\n[arms.a.llm]\n{url}model = 'audience-135m'"
    llm = arm(admitted(parse(text), offered), "a").llm
    assert (llm.model, llm.address, llm.key_env) == ("audience-135m", url[7:15], "")
    with pytest.raises(BadInput, match=r"llm\.model"):
        admitted(parse("[llm]\nurl = 'house'\nmodel = 'audience-135m'"), offered)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[recommender]\nkind = 'mine'\npath = '/etc/passwd'", "recommender.path"),
        ("[recommender]\nkind = 'mine'\nnote = '/etc/passwd'", "recommender.note"),
        ("[recommender]\nkind = 'mine'\nwords = '/etc/passwd'", "recommender.words"),
        ("[recommender]\nkind = 'mine'\nunknown = '/etc/passwd'", "recommender.unknown"),
        ("[recommender]\nkind = 'shop'\nurl = 'http://127.0.0.1/'", "the offer of 'shop' sets it"),
        ("[recommender]\nkind = 'shop'\nkey_env = 'HOME'", "the offer of 'shop' sets it"),
        ("[recommender]\nkind = 'shop'\nca = '/etc/passwd'", "recommender.ca"),
        ("[dataset]\nkind = 'ours'\npath = '/etc'", "the offer of 'ours' sets it"),
        ("[dataset]\nkind = 'held-out'\nof = 'ours'\npath = '/etc'", "the offer of 'ours' sets it"),
        ("[llm]\nurl = 'house'\nmodel = 'dear'", "offered: 'large', 'small'"),
        ("[llm]\nurl = 'house'\nkey_env = 'HOME'", "llm.key_env"),
        ("[llm]\nurl = 'house'\nbody = { model = 'dear' }", "llm.body"),
        ("[llm]\nurl = 'house'\nprice = 'free'", "llm.price"),
        ("[llm]\nurl = 'house'\n[arms.a.llm]\nheaders = { A = '${HOME}' }", "arms.a.llm.headers"),
        ("[llm]\nurl = 'house'\n[arms.a.llm]\nproxy = 'http://a'", "arms.a.llm.proxy"),
        ("[llm]\nurl = 'house'\n[arms.a.llm]\nmodel = 'dear'", "arms.a.llm.model"),
        ("[llm]\nmodel = 'small'", "llm.model"),
        ("[llm]\nurl = 'House'", "'embedded', 'house'"),
        ("[mind]\nkind = 'rule'\nparameters = 'formal'", "mind.parameters"),
    ],
)  # fmt: skip
def test_an_offer_is_no_way_round(offer: Path, toml: str, says: str) -> None:
    with pytest.raises(BadInput) as error:
        admitted(parse(toml), load_offer(offer))
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("endpoint = 1", "endpoint"),
        ("[endpoints.a]\nkey_env = 'A'", "give its url"),
        ("[endpoints.embedded]\nurl = 'http://a/v1'", "choose another name"),
        ("[endpoints.'a b']\nurl = 'http://a/v1'", "letters"),
        ("[endpoints.a]\nurl = 'http://a/v1'\nnonsense = 1", "nonsense"),
        ("[recommenders]\npopular = 'mine.py:Mine'", "choose another name"),
        ("[recommenders]\nother = 'nothing.py:Mine'", "does not exist"),
        ("[prompts]\na = 'nothing'", "not a folder"),
        ("scenarios = ['nothing.toml']", "does not exist"),
        ("[recommenders", "TOML"),
    ],
)
def test_a_wrong_offer_is_refused_with_its_place(offer: Path, toml: str, says: str) -> None:
    offer.write_text(toml)
    with pytest.raises(BadInput) as error:
        load_offer(offer)
    assert says in str(error.value)
    assert str(offer) in str(error.value)


def test_the_example_and_the_page_are_offers(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    example = load_offer(root / "examples" / "served" / "offer.toml")
    assert set(example.scenarios) == {"what-if", "two-recommenders"}
    assert "mine" in example.names("recommenders")
    page = (root / "docs" / "how-to" / "serve-to-others.md").read_text("utf-8")
    body = page.partition("```toml offer\n")[2].partition("```")[0]
    (tmp_path / "offer.toml").write_text(body)
    (tmp_path / "what-if.toml").write_text("agents = 5\n")
    (tmp_path / "my_recommender.py").write_text(PART.replace("Mine", "MyRecommender"))
    (tmp_path / "prompts" / "formal").mkdir(parents=True)
    offered = load_offer(tmp_path / "offer.toml")
    assert offered.models["house"] == ("my-model", "another-model")
    assert "shop" in offered.names("recommenders")


def test_a_type_that_only_a_checker_knows_is_read_by_its_name() -> None:
    class Part:
        def __init__(self, weights: FilePath = "", other: Unknown = "") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert file_options(Part) == ("weights",)
    assert option_types(Part).named["other"] is Any
