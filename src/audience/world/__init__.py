"""What exists and what happened: items, people, ties, clock, actions, events and their fold."""

from audience.world.actions import AnyAction as AnyAction, Say as Say
from audience.world.agent import (
    FOLDS as FOLDS,
    HABITUAL as HABITUAL,
    HUMAN as HUMAN,
    INBOX as INBOX,
    LONGEST_VISIT as LONGEST_VISIT,
    START_SATISFACTION as START_SATISFACTION,
    Agent as Agent,
    Heard as Heard,
    Laws as Laws,
    Lived as Lived,
    Situation as Situation,
    fold_agent as fold_agent,
    letter_of as letter_of,
    with_letter as with_letter,
)
from audience.world.agent_change import changed as changed, with_change as with_change
from audience.world.changes import (
    AddItem as AddItem,
    AddPerson as AddPerson,
    AnyChange as AnyChange,
    Raise as Raise,
    Remind as Remind,
    SwapRecommender as SwapRecommender,
)
from audience.world.clock import Clock as Clock, moment_of_day as moment_of_day, shown as shown
from audience.world.events import (
    CLOSING as CLOSING,
    CONVERSATIONS as CONVERSATIONS,
    COUNTED as COUNTED,
    MEMORY as MEMORY,
    OPENING as OPENING,
    PHASES as PHASES,
    VISITS as VISITS,
    AnyEvent as AnyEvent,
    Chapter as Chapter,
    Delivered as Delivered,
    Entered as Entered,
    Entry as Entry,
    Failed as Failed,
    Felt as Felt,
    Followed as Followed,
    Forwarded as Forwarded,
    Gathered as Gathered,
    Intervened as Intervened,
    Left as Left,
    Parted as Parted,
    Picked as Picked,
    Posted as Posted,
    Rated as Rated,
    Record as Record,
    Refused as Refused,
    RoundEnded as RoundEnded,
    RoundStarted as RoundStarted,
    Said as Said,
    Searched as Searched,
    SlateAnnotated as SlateAnnotated,
    SlateShown as SlateShown,
    Unfollowed as Unfollowed,
    Unfounded as Unfounded,
    Watched as Watched,
    Wished as Wished,
    Woke as Woke,
)
from audience.world.genesis import Domain as Domain, Genesis as Genesis, Past as Past
from audience.world.graph import SocialGraph as SocialGraph, Tie as Tie, Ties as Ties
from audience.world.impressions import Impressions as Impressions
from audience.world.interactions import Interactions as Interactions
from audience.world.items import (
    Catalogue as Catalogue,
    Item as Item,
    covers as covers,
    mentioned as mentioned,
    same as same,
    tag_weights as tag_weights,
    titled as titled,
)
from audience.world.observation import (
    LAST_PAGE as LAST_PAGE,
    LAST_RESULTS as LAST_RESULTS,
    MENUS as MENUS,
    Friend as Friend,
    Observation as Observation,
    in_company as in_company,
    observe as observe,
    overhear as overhear,
)
from audience.world.profile import (
    HABITS as HABITS,
    INDIFFERENT as INDIFFERENT,
    INTERESTED as INTERESTED,
    NO_HABITS as NO_HABITS,
    Habits as Habits,
    Profile as Profile,
    taste_of as taste_of,
    tastes as tastes,
)
from audience.world.randomness import (
    Bools as Bools,
    Dice as Dice,
    Floats as Floats,
    Generator as Generator,
    Ints as Ints,
    bells as bells,
    dice as dice,
    key as key,
    keys as keys,
    rank as rank,
    rng as rng,
)
from audience.world.shared_changes import SharedChanges as SharedChanges
from audience.world.snapshot import (
    NOTHING as NOTHING,
    Shared as Shared,
    Snapshot as Snapshot,
    SnapshotMark as SnapshotMark,
    capture as capture,
    mark as mark,
    restore as restore,
)
from audience.world.thoughts import Thought as Thought, Thoughts as Thoughts
from audience.world.topics import (
    CALM as CALM,
    INTENSE as INTENSE,
    LEVELS as LEVELS,
    MODERATE as MODERATE,
    MUTUAL as MUTUAL,
    ONE_WAY as ONE_WAY,
    OWN as OWN,
    SYSTEM as SYSTEM,
    Message as Message,
    Spread as Spread,
    SpreadView as SpreadView,
    Standing as Standing,
    Topic as Topic,
    influence as influence,
    post_id as post_id,
    sent as sent,
)
from audience.world.world import View as View, World as World
