"""Adapters to recommenders of other packages, which are imported only when used."""

from audience.recommenders.extras.implicit_adapter import Implicit as Implicit
from audience.recommenders.extras.lenskit_adapter import LensKit as LensKit
from audience.recommenders.extras.recbole_adapter import RecBole as RecBole
