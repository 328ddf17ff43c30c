"""How items are ranked and searched: recommenders, their rankers, and search."""

from audience.recommenders.als import ALS as ALS
from audience.recommenders.bpr import BPR as BPR
from audience.recommenders.content import Content as Content, text_of as text_of
from audience.recommenders.ease import (
    EASE as EASE,
    MOST_EASE_ITEMS as MOST_EASE_ITEMS,
    LinearScorer as LinearScorer,
    products as products,
    solved as solved,
)
from audience.recommenders.lightgcn import LightGCN as LightGCN
from audience.recommenders.markov import ChainScorer as ChainScorer, Markov as Markov
from audience.recommenders.matrix import (
    Sparse as Sparse,
    check_size as check_size,
    known as known,
    lived_matrix as lived_matrix,
    one_thread as one_thread,
)
from audience.recommenders.mix import Explained as Explained, Mix as Mix
from audience.recommenders.multvae import MultVAE as MultVAE
from audience.recommenders.neighbours import (
    MOST_KNN_ITEMS as MOST_KNN_ITEMS,
    ItemKNN as ItemKNN,
    Social as Social,
    nearest as nearest,
)
from audience.recommenders.recommender import (
    AsyncRanker as AsyncRanker,
    Context as Context,
    Learnt as Learnt,
    Ranked as Ranked,
    Ranker as Ranker,
    Recommender as Recommender,
    SelfChecking as SelfChecking,
    learnt_by as learnt_by,
)
from audience.recommenders.scored import Scorer as Scorer, ScoreRanker as ScoreRanker
from audience.recommenders.search import ItemSearch as ItemSearch, search_in as search_in
from audience.recommenders.service import Service as Service
from audience.recommenders.service_probe import (
    Check as Check,
    probe as probe,
    told_speed as told_speed,
)
from audience.recommenders.service_wire import keys_in as keys_in
from audience.recommenders.simple import (
    NoRecommender as NoRecommender,
    Popular as Popular,
    Random as Random,
    Shuffled as Shuffled,
)
from audience.recommenders.view import (
    Follows as Follows,
    HiddenTruth as HiddenTruth,
    ImpressionTable as ImpressionTable,
    ItemFacts as ItemFacts,
    ItemTable as ItemTable,
    RecommenderView as RecommenderView,
    UserFacts as UserFacts,
    UserKeys as UserKeys,
    UserTable as UserTable,
    impressions_seen as impressions_seen,
    seen_by_recommender as seen_by_recommender,
)

# Deprecated names, gone with 0.3.
Nothing = NoRecommender
Search = ItemSearch
