from __future__ import annotations

import numpy as np

from audience.datasets.loaders.blocks import _is_sorted, _ranks


def test_ids_are_ranked_as_numbers_where_they_are_numbers() -> None:
    assert _ranks(("10", "9", "100")).tolist() == [1, 0, 2]
    assert _ranks(("b", "a10", "a9")).tolist() == [2, 0, 1]


def test_histories_sorted_by_id_are_no_order_of_events() -> None:
    users = np.repeat(np.arange(5), 6)
    places = np.zeros(30, np.int64)
    assert _is_sorted(users, np.tile([2, 3, 5, 7, 11, 13], 5), places)
    assert not _is_sorted(users, np.tile([2, 7, 3, 13, 5, 11], 5), places)
    assert not _is_sorted(np.arange(5), np.arange(5), np.zeros(5, np.int64))
