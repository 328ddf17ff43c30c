from __future__ import annotations

from audience.metrics import LABELS, MEANINGS, Metrics, builtin
from audience.metrics.spread import NUMBERS


def test_every_built_in_number_has_a_label(measured: Metrics) -> None:
    told = set(Metrics(builtin()).value()) | set(measured.per_agent())
    assert told | set(NUMBERS) == set(LABELS)


def test_labels_are_complete() -> None:
    for label, _, better in LABELS.values():
        assert label
        assert better in {"higher", "lower", ""}
    assert len({label_and_unit[:2] for label_and_unit in LABELS.values()}) == len(LABELS)


def test_every_metric_is_told_in_a_sentence_and_has_a_formula() -> None:
    assert set(MEANINGS) == set(LABELS)
    for name, (sentence, formula) in MEANINGS.items():
        assert sentence[0].isupper(), name
        assert sentence.endswith("."), name
        assert sentence.count(". ") == 0, f"{name}: one sentence"
        assert formula, name
