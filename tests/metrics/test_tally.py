from __future__ import annotations

from audience.metrics.formulas import AgentTally, Sums


def _fed(tally: AgentTally, *pairs: tuple[int, float]) -> None:
    for agent, amount in pairs:
        tally.agents.append(agent)
        tally.amounts[0].append(amount)


def test_a_round_is_counted_alone_and_with_those_before() -> None:
    tally = AgentTally(1)
    _fed(tally, (2, 1.5), (0, 2.0), (2, 0.5))
    assert tally.close() == Sums(3, (4.0,))
    _fed(tally, (1, 4.0))
    assert tally.whole() == Sums(4, (8.0,))
    assert tally.counts(4).tolist() == [1.0, 1.0, 2.0, 0.0]
    assert tally.sums().tolist() == [2.0, 4.0, 2.0]
    assert tally.close() == Sums(1, (4.0,))
    assert tally.close() == Sums(0, (0.0,))


def test_looking_changes_nothing() -> None:
    looked, alone = AgentTally(1), AgentTally(1)
    for amount in (0.1, 0.2, 0.3):
        for tally in (looked, alone):
            _fed(tally, (0, amount), (1, amount))
        looked.whole()
        looked.sums(0, 9)
    assert looked.close() == alone.close()
    assert looked.sums().tolist() == alone.sums().tolist()


def test_a_tally_without_measures_counts() -> None:
    tally = AgentTally()
    tally.agents += [1, 1]
    assert tally.whole() == Sums(2, ())
    assert tally.counts().tolist() == [0.0, 2.0]
