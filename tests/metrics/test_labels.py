from __future__ import annotations

from audience.metrics import LABELS, Metrics, builtin
from audience.metrics.spread import NUMBERS


def test_every_built_in_number_has_a_label(measured: Metrics) -> None:
    told = set(Metrics(builtin()).value()) | set(measured.per_agent())
    assert told | set(NUMBERS) == set(LABELS)


def test_labels_are_complete() -> None:
    for label, _, better in LABELS.values():
        assert label
        assert better in {"higher", "lower", ""}
    assert len({label_and_unit[:2] for label_and_unit in LABELS.values()}) == len(LABELS)
