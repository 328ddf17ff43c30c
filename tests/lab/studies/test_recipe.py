from __future__ import annotations

from pathlib import Path

import pytest

from audience.errors import BadInput
from audience.lab.studies import NAMES, find, read, shipped, with_changes
from audience.lab.studies.recipe import QUICK
from audience.scenario import load

HEAD = '[study]\nkind = "cocoon"\nquestion = "Why?"\n'
ARMS = '[arms.a]\nrecommender = "random"\n[arms.b]\nrecommender = "popular"\n'


@pytest.mark.parametrize("name", NAMES)
def test_every_study_asks_tells_its_method_in_five_lines_and_has_controls(name: str) -> None:
    recipe = find(name)
    assert recipe.study.name == name
    assert recipe.question.endswith("?")
    assert len(recipe.method) == 5
    assert (recipe.scenario.agents, recipe.scenario.rounds) == (300, 10)
    assert recipe.scenario.seeds >= 5
    assert f"audience study {name}" in shipped(name)
    assert recipe.study.labels
    for chart in recipe.study.charts:
        assert set(chart.metrics) <= set(recipe.study.labels), chart.name


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_study_reads_back_as_the_same(name: str) -> None:
    recipe = find(name)
    again = read(recipe.text, "again")
    assert again.text == recipe.text
    assert again.scenario == recipe.scenario
    assert again.options == recipe.options


def test_a_study_file_is_a_scenario_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(shipped("cocoon"))
    assert load(path) == find(str(path)).scenario


def test_flags_and_quick_change_numbers() -> None:
    recipe = with_changes(find("cocoon"), {"agents": 20, "rounds": None}, quick=True)
    scenario = recipe.scenario
    assert (scenario.agents, scenario.rounds) == (20, QUICK["rounds"])
    assert scenario.seeds == QUICK["seeds"]


def test_other_minds_take_the_place_of_rule_minds_in_every_arm() -> None:
    scenario = with_changes(find("conformity"), {"mind": "recsim"}).scenario
    assert scenario.mind.kind == "recsim"
    assert not scenario.mind.options
    assert all(arm.get("mind", "recsim") == "recsim" for arm in scenario.arms.values())
    assert with_changes(find("conformity"), {"mind": "rule"}).scenario.mind.options


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ARMS, "has no table \\[study\\]"),
        (HEAD.replace("cocoon", "cocon") + ARMS, "study 'cocon' is unknown.*cocoon"),
        (HEAD.replace("kind", "knd") + ARMS, "study '' is unknown"),
        (HEAD + 'methd = ["x"]\n' + ARMS, "key 'methd' is unknown.*method"),
        (HEAD + 'method = "x"\n' + ARMS, "give a list of sentences"),
        (HEAD.replace("Why?", " ") + ARMS, "has no question"),
        (HEAD, "two or more arms"),
        (HEAD + ARMS + "agnets = 3\n", "key 'agnets' is unknown"),
        ("[study", "fix the TOML"),
    ],
)
def test_mistakes_in_a_file_are_named(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read(text, "mine.toml")


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        find(str(tmp_path / "no.toml"))
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="UTF-8"):
        find(str(tmp_path / "bad.toml"))
    with pytest.raises(BadInput, match="study 'nonsense' is unknown"):
        find("nonsense")


def test_the_page_on_studies_describes_every_one_and_every_flag() -> None:
    import audience.cli.study

    page = (Path(__file__).parents[3] / "docs" / "how-to" / "studies.md").read_text("utf-8")
    for name in NAMES:
        assert f"| `{name}` |" in page
    flags = {flag for one in audience.cli.study.study_command.params for flag in one.opts}
    for flag in flags - {"name", "-h", "--help"}:
        assert f"`{flag}`" in page


def test_data_of_ones_own_take_the_place_of_films() -> None:
    books = with_changes(find("feedback"), {"dataset": "books"}).scenario.dataset
    assert (books.kind, books.options["of"]) == ("held-out", "books")
    assert with_changes(find("cocoon"), {"dataset": "books"}).scenario.dataset.kind == "books"
    text = HEAD + ARMS + '[arms.c]\ndataset = { kind = "films", homophily = 0.0 }\n'
    mine = read(text, "mine.toml")
    assert set(with_changes(mine, {"dataset": "recsim"}).scenario.arms) == {"a", "b"}
    tied = with_changes(mine, {"dataset": "books"}).scenario.arms["c"]["dataset"]
    assert tied == {"kind": "books", "homophily": 0.0}
