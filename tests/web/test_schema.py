"""The API as its own schema describes it, asked at random: nothing makes the server fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from tests.web.conftest import Site

AnyCase = schemathesis.Case[Any]
EXAMPLES = 5
SMALL = {"agents": 9, "rounds": 2, "seeds": 1}
"""What a form may ask for here: the schema allows more than a test has time for."""
RUNS = ("one", "done")
UNASKED = ("/stream", "/{seat}", "/report")
"""Streams never end, and a report takes seconds to draw; other tests ask for these."""
usual = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)


def tamed(case: AnyCase, count: int) -> AnyCase:
    """Return a case that meets runs which exist, half of the time, and asks for no large one."""
    parameters: dict[str, Any] = case.path_parameters or {}
    if "run" in parameters and count % 2:
        parameters["run"] = RUNS[count // 2 % 2]
    form = case.body.get("form") if isinstance(case.body, dict) else None
    if isinstance(form, dict):
        form.update({name: number for name, number in SMALL.items() if name in form})
        form.setdefault("agents", 9)
    return case


def test_nothing_that_the_schema_allows_makes_the_server_fail(site: Site, tmp_path: Path) -> None:
    site.begin(paused=True)
    site.begin(toml="agents = 12\nrounds = 2\n", name="done")
    site.until("done", "finished")
    schema = schemathesis.openapi.from_url(f"{site.address}/api/openapi.json")
    asked: dict[str, int] = {}

    def ask(case: AnyCase) -> None:
        name = f"{case.method.upper()} {case.operation.path}"
        asked[name] = asked.get(name, 0) + 1
        case = tamed(case, asked[name])
        answer = case.call(headers={"x-audience-token": site.access.token}, timeout=60)
        case.validate_response(answer, checks=[not_a_server_error])

    for found in schema.get_all_operations():
        operation = found.ok()  # type: ignore[union-attr]
        if operation.method.upper() == "GET" and operation.path.endswith(UNASKED):
            continue
        usual(given(case=operation.as_strategy())(ask))()
    assert len(asked) > 25
    assert sum(asked.values()) > 100
    assert site.ok("/session")["version"]
    assert {one.name for one in tmp_path.iterdir()} == {"runs"}
