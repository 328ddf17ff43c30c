"""The small lexicons by which lines are checked."""

from __future__ import annotations

PRAISE = frozenset(
    """adore adored amazing amused beautiful beautifully best brilliant charming charmed classic
    clever comfort delight delighted delightful enjoy enjoyable enjoyed excellent excited exciting
    fabulous fantastic favorite favourite fine fun funny gem glad good gorgeous great gripping happy
    hilarious impressed impressive incredible joy laughed like liked lovely love loved loves
    masterpiece moved moving perfect perfectly pleasant pleased powerful recommend refreshing right
    smiled splendid stunning superb sweet terrific thrilled thrilling touched touching treat
    uplifting warm won wonderful worth""".split()
)
BLAME = frozenset(
    """annoyed annoying awful bad bland bleh bored boring boredom cliche clichéd cold confused
    confusing contrived disappointed disappointing disappointment disliked dreadful dull dumb
    embarrassing empty fail failed fails flat forced forgettable frustrated frustrating hate hated
    hollow horrible lacking lame letdown lifeless lose lost mediocre mess messy miss missed
    nonsense overlong overrated pointless poor poorly predictable regret rubbish ruined sadly
    shallow silly skip slow stupid tedious terrible tired tiresome tiring trash ugly unbearable
    underwhelming unfunny uninspired unimpressed waste wasted weak worse worst wrong""".split()
)
PRAISING = ("made my day", "will not forget")
BLAMING = (
    "gave up",
    "did not finish",
    "stay away",
    "let me down",
    "nobody needs",
    "no patience",
    "wanted to like",
    "never believed",
    "not care",
    "not for me",
    "could not stand",
    "expected more",
)
"""Turns of speech whose weight no single word of theirs carries."""
DENIAL = frozenset(
    """not no never nobody nothing hardly barely least without cannot cant can't don't didn't
    doesn't isn't wasn't won't wouldn't couldn't""".split()
)
COMMON = frozenset(
    """the a an and or but of to in on at by for with from as is are was were be been being it its
    his her hers him he she they them their theirs this that these those who whom whose which what
    when while where why how i me my mine we us our you your not no nor so than then too very just
    only even ever still again all any some more most much many few one two three first last own
    other another such into onto out up down over under off about after before between through
    during without within against if because though although until once there here have has had do
    does did can could will would shall should may might must get gets got go goes going come comes
    came make makes made take takes took see sees saw seen know knows knew think thinks thought
    really quite little big old new young long short same every each both
    story film films movie book books novel scene scenes part parts idea ending end beginning plot
    character characters way time moment moments thing things lot people kind world life""".split()
)
"""Words that say nothing about whether a line keeps to its story."""
ENGLISH = frozenset(
    """the a an and of to in on at by for with from is are was were it its his her he she they their
    this that who when i my you not but so as be been has have had""".split()
)
PRONOUNS = tuple(
    frozenset(family.split())
    for family in (
        """he him his himself man boy father brother son husband king prince grandfather uncle monk
        priest knight widower cowboy swordsman""",
        """she her hers herself woman girl mother sister daughter wife queen princess grandmother
        aunt nun actress widow waitress heiress bride""",
        """they them their theirs themselves two three four five six seven men women boys girls
        brothers sisters friends children parents couple family crew""",
    )
)
DETERMINERS = frozenset(
    """the a an his her its their this that these those every each one two three four five six
    seven eight nine ten eleven twelve sixteen twenty hundred some many
    another something somebody everything everybody""".split()
)
LINKS = frozenset(
    """, and or but of to in on at by for with from as into onto out up down over under off about
    after before between through during without within against across along around among behind
    beside near upon toward towards than like while when until both all who that which""".split()
)
"""Words that may stand before a thing without anything happening to it."""
COLLECTIVES = frozenset("children couple family crew police band group team".split())
AUXILIARIES = frozenset(
    """is are was were has have had do does did can cannot could will would must gets get becomes
    become""".split()
)
RELATIVES = frozenset("who that which whose where when as while".split())
SELF = frozenset("i i'm i'll i'd me my myself we us".split())
"""A line speaks of the story where it speaks of oneself already."""
NO_THING = frozenset(
    """in on at by when while where to is are was were i it he she they if because after as from
    with not""".split()
)
