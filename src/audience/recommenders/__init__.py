"""How items are ranked and searched."""

from audience.recommenders.als import ALS
from audience.recommenders.bpr import BPR
from audience.recommenders.content import Content
from audience.recommenders.ease import EASE
from audience.recommenders.explained import Explained
from audience.recommenders.kinds import (
    AsyncRanker,
    Context,
    Learnt,
    Ranked,
    Ranker,
    Recommender,
    SelfChecking,
    learnt_by,
)
from audience.recommenders.knn import ItemKNN
from audience.recommenders.lightgcn import LightGCN
from audience.recommenders.markov import Markov
from audience.recommenders.mix import Mix
from audience.recommenders.multvae import MultVAE
from audience.recommenders.search import Search, search_in
from audience.recommenders.service import Service
from audience.recommenders.simple import Nothing, Popular, Random
from audience.recommenders.social import Social

__all__ = [
    "ALS",
    "BPR",
    "EASE",
    "AsyncRanker",
    "Content",
    "Context",
    "Explained",
    "ItemKNN",
    "Learnt",
    "LightGCN",
    "Markov",
    "Mix",
    "MultVAE",
    "Nothing",
    "Popular",
    "Random",
    "Ranked",
    "Ranker",
    "Recommender",
    "Search",
    "SelfChecking",
    "Service",
    "Social",
    "learnt_by",
    "search_in",
]
