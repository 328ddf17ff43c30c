"""Recommenders of other packages, each by an extra; importing this imports none of them."""

from audience.recommenders.extras.by_implicit import Implicit
from audience.recommenders.extras.by_lenskit import LensKit
from audience.recommenders.extras.by_recbole import RecBole

__all__ = ["Implicit", "LensKit", "RecBole"]
