"""How items are ranked and searched."""

from audience.recommenders.kinds import Context, Ranker, Recommender
from audience.recommenders.search import Search, search_in
from audience.recommenders.simple import Popular, Random

__all__ = ["Context", "Popular", "Random", "Ranker", "Recommender", "Search", "search_in"]
