"""Recommenders of other packages, each by an extra; importing this imports none of them."""

from audience.recommenders.extras.implicit_adapter import Implicit as Implicit
from audience.recommenders.extras.lenskit_adapter import LensKit as LensKit
from audience.recommenders.extras.recbole_adapter import RecBole as RecBole
