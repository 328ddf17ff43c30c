"""Small lexicons for checking lines, and functions on their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

PRAISE = frozenset(
    """well-made well-done relatable thought-provoking intrigued
    absorbed absorbing adore adored amazed amazing amused appreciated astonished astonishing
    awesome beautiful beautifully best breathtaking brilliant captivated captivating charm charmed
    charming cheered cheering classic clever comfort compelling dazzling delight delighted
    delightful delightfully elegant enchanted enchanting engaging engrossed engrossing enjoy
    enjoyable enjoyed enjoying entertained entertaining enthralled enthralling excellent
    exceptional excited exciting extraordinary fabulous fantastic fascinated fascinating favorite
    favorites favourite favourites fine finest fond fun funny gem glad gladly good gorgeous
    grateful great gripping happy heartfelt heartwarming highlight hilarious hooked hypnotic
    impressed impressive incredible inspired inspiring intriguing joy laughed laughing laughs like
    liked love loved lovely loves loving lovingly magical magnificent marvellous marvelous
    masterpiece memorable mesmerised mesmerising mesmerized mesmerizing moved moving outstanding
    perfect perfectly pleasant pleased pleasure poignant powerful praise rave recommend
    recommended refreshing remarkable rewarding right riveted riveting satisfied satisfying smart
    smile smiled smiling spellbinding splendid stirring stunning superb sweet tender terrific
    terrifically thoughtful thrill thrilled thrilling thrills timeless touched touching treasure
    treat triumph unforgettable unmissable uplifting warm winner witty won wonderful wonderfully
    worth wow""".split()
)
BLAME = frozenset(
    """depressing upsetting lackluster lacklustre
    absurd aimless annoyed annoying avoid awful awkward bad bland bleh bored boredom boring
    chore cliche clichéd clumsy clunky cold confused confusing contrived cringe cringed crude
    dated despised detest detested disappointed disappointing disappointment disjointed dislike
    disliked dislikes disliking dozed drag dragged dragging drags dreadful dreary dull dumb
    embarrassing empty endless excruciating exhausting fail failed fails far-fetched flat forced
    forgettable frustrated frustrating gimmicky grating hate hated hates hollow horrible
    incoherent insufferable insulting irritated irritating joyless labored laboured lacked lacking
    lacks lame lazy letdown lifeless lose lost mediocre mess messy miss missed monotonous muddled
    nonsense off-putting overblown overdone overlong overrated painful pathetic plodding pointless
    poor poorly preachy predictable pretentious regret regretted ridiculous rubbish ruined rushed
    sadly sappy senseless shallow silly skip skipped skipping sloppy slow stale struggled
    struggling stupid suffer suffered tacky tasteless tedious tedium terrible tired tiresome
    tiring torture trash turgid ugly unbearable unconvincing underwhelming unfunny unhappy
    unimpressed uninspired uninteresting unpleasant unwatchable vapid waste wasted weak wooden
    worse worst wrong yawn yawned yawning""".split()
)
PRAISING = (
    "made my day",
    "will not forget",
    "won't forget",
    "blew me away",
    "blown away",
    "edge of my seat",
    "held my breath",
    "took my breath",
    "stole my heart",
    "stop thinking about",
    "still thinking about",
    "keep thinking about",
    "kept thinking about",
    "see it again",
    "watch it again",
    "again tomorrow",
    "under my skin",
    "stayed with me",
    "stays with me",
    "stay with me",
    "made me laugh",
    "made me cry",
    "brought me to tears",
    "hit me hard",
    "on my list",
    "glued to",
    "do not miss",
    "don't miss",
    "must see",
    "must-see",
    "my new hero",
    "time flew",
)
BLAMING = (
    "gave up",
    "did not finish",
    "didn't finish",
    "could not finish",
    "couldn't finish",
    "stay away",
    "let me down",
    "nobody needs",
    "no patience",
    "wanted to like",
    "never believed",
    "not care",
    "didn't care",
    "not for me",
    "isn't for me",
    "wasn't for me",
    "not my ",
    "isn't my ",
    "wasn't my ",
    "could not stand",
    "couldn't stand",
    "could not take",
    "couldn't take",
    "my nerves",
    "expected more",
    "hoped for more",
    "wanted more",
    "did not work",
    "didn't work",
    "turned it off",
    "off halfway",
    "walked out",
    "checking the clock",
    "checking my watch",
    "looking at my watch",
    "hours back",
    "did nothing for me",
    "get into it",
    "dozed off",
    "fell asleep",
    "put me to sleep",
    "no sense",
    "i'll pass",
    "i will pass",
    "don't bother",
    "do not bother",
)
"""Phrases whose sentiment no single word carries."""
DENIAL = frozenset(
    """not no never nobody nothing hardly barely least without cannot cant can't don't didn't
    doesn't isn't wasn't won't wouldn't couldn't expect expected expecting hoped hoping""".split()
)
"""What is denied, or was only expected, counts as its contrary: `I expected a gripping story`."""
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
"""Words that do not show whether a line keeps to its story."""
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
"""Words that may precede a noun without a verb."""
COLLECTIVES = frozenset("children couple family crew police band group team".split())
AUXILIARIES = frozenset(
    """is are was were has have had do does did can cannot could will would must gets get becomes
    become""".split()
)
RELATIVES = frozenset("who that which whose where when as while".split())
SELF = frozenset("i i'm i'll i'd me my myself we us".split())
"""First-person words: the beginning of a line already speaks of oneself."""
NO_THING = frozenset(
    """in on at by when while where to is are was were i it he she they if because after as from
    with not""".split()
)


WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*'?|,")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.casefold().removesuffix("'s") for word in WORD.findall(text.replace("’", "'"))]


def mood_of(text: str, story: Iterable[str] = ()) -> int:
    """Return the sentiment of a text, above 0 for praise; the story's own words do not count."""
    told, score = set(story), 0
    parts = re.split(r"[,;:.!?]|\bbut\b|\bthough\b", text.casefold().replace("’", "'"))
    for part in parts:
        denied = False
        for word in words(part):
            denied = denied or word in DENIAL
            weight = 0 if word in told else weight_of(word)
            score += -weight if denied else weight
    whole = text.casefold()
    return score + sum(turn in whole for turn in PRAISING) - sum(turn in whole for turn in BLAMING)


def weight_of(word: str) -> int:
    """Return 1 for a word of praise, -1 for one of blame."""
    return (word in PRAISE) - (word in BLAME)


def verbs(said: Sequence[str]) -> int:
    """Return the number of verbs, as far as word order shows."""
    padded = ["", *said, ""]
    return sum(_is_verb(*padded[place - 1 : place + 2]) for place in range(2, len(said) + 1))


def _is_verb(before: str, word: str, after: str) -> bool:
    """Return whether a word reads as a verb between two others."""
    if word in AUXILIARIES:
        return True
    if word in LINKS or word in DETERMINERS or word.endswith(("'s", "s'", "ing")):
        return False
    if before in DETERMINERS or (before in LINKS and before not in RELATIVES):
        return False
    if after in DETERMINERS:
        return True
    loose = after in ("", ",", "and", "or", "of")
    third_person = word.endswith("s") and not word.endswith("ss")
    return (_is_plural(before) or third_person) and not loose


def _is_plural(word: str) -> bool:
    if word in COLLECTIVES or "-" in word:
        return word in COLLECTIVES
    return word.endswith(("s", "men", "people")) and not word.endswith(("ss", "'s", "s'"))


def akin(word: str, known: set[str]) -> bool:
    """Return True if a word is a known one, or another form of one."""
    if word in known:
        return True
    parts = word.split("-")
    if len(parts) > 1 and all(part in known for part in parts):
        return True
    return any(
        _common(word, other) >= max(4, 2 * min(len(word), len(other)) // 3) for other in known
    )


def _common(word: str, other: str) -> int:
    size = 0
    for left, right in zip(word, other, strict=False):
        if left != right:
            break
        size += 1
    return size


def runs_of(said: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Return every run of `size` words."""
    return [tuple(said[place : place + size]) for place in range(len(said) - size + 1)]
