from __future__ import annotations

from importlib.util import find_spec

import pytest

from audience.errors import BadInput
from audience.recommenders.extras import Implicit, LensKit


@pytest.mark.skipif(find_spec("implicit") is not None, reason="implicit is here")
def test_without_implicit_the_message_names_the_extra() -> None:
    with pytest.raises(BadInput, match=r"pip install 'audience\[implicit\]'"):
        Implicit()


@pytest.mark.skipif(find_spec("lenskit") is not None, reason="LensKit is here")
def test_without_lenskit_the_message_names_the_extra() -> None:
    with pytest.raises(BadInput, match=r"pip install 'audience\[lenskit\]'"):
        LensKit()


def test_unknown_methods_and_scorers_are_named_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="did you mean 'bm25'"):
        Implicit("bm52")
    with pytest.raises(BadInput, match="did you mean 'ItemKNN'"):
        LensKit("ItemNKN")
