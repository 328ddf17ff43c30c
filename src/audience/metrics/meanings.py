"""What each metric tells, in one sentence, and its formula; for the page and the documentation."""

from __future__ import annotations

from audience.world import COUNTED

_STARS = "How many of the ratings gave this many stars."

MEANINGS: dict[str, tuple[str, str]] = {
    "visits": ("How often people came to the platform.", "number of visits"),
    "pages": ("How many pages of items people looked at.", "number of pages shown"),
    "shown": ("How many items stood on those pages.", "sum of items over all pages"),
    "picks": ("How many items people took from a page.", "number of picks"),
    "click_rate": (
        "How often a page held something that was picked.",
        "pages with at least one pick / pages",
    ),
    "pick_rate": ("How many of the items shown were picked.", "picks / items shown"),
    "exit_page": (
        "How many pages people looked at before they left.",
        "pages / visits that saw a page",
    ),
    "watch_hours": (
        "How long people spent with what they picked.",
        "Σ minutes of an item × fraction taken up / 60",
    ),
    "watch_minutes": (
        "How long a person spent with what they picked.",
        "Σ minutes of an item × fraction taken up",
    ),
    "minutes_per_visit": (
        "How long people spent with items in one visit.",
        "Σ minutes of an item × fraction taken up / visits",
    ),
    "completion": (
        "How much of an item people took up once they had picked it.",
        "mean fraction taken up",
    ),
    "satisfaction": (
        "How content people were when they left; the first number to judge a recommender by.",
        "mean of what visits report at their end",
    ),
    "return_rate": (
        "How many of those who came in one round came in the next one too.",
        "Σ |came in r and in r + 1| / Σ |came in r|",
    ),
    "retention": (
        "How many of those who came in the first round still come.",
        "|came in the first and in this round| / |came in the first round|",
    ),
    "ratings": ("How many items people rated.", "number of ratings"),
    "rating_mean": ("How many stars people gave.", "mean stars, 1 to 5"),
    **{
        f"rating_{stars}": (_STARS, f"ratings with {stars} stars / ratings")
        for stars in range(1, 6)
    },
    "entropy_exposure": (
        "How varied the genres are that a person is shown: 0 is a single genre, 1 bit is as varied "
        "as two equally frequent ones, 2 bits as four.",
        "mean over people of H = −Σ p log₂ p, with p the share of a genre",
    ),
    "entropy_exposure_pooled": (
        "How varied the genres are that all people together are shown.",
        "H = −Σ p log₂ p, with p the share of a genre in all that was shown",
    ),
    "entropy_consumption": (
        "How varied the genres are that a person picks: 0 is a single genre, 1 bit is as varied as "
        "two equally frequent ones, 2 bits as four.",
        "mean over people of H = −Σ p log₂ p, with p the share of a genre",
    ),
    "entropy_consumption_pooled": (
        "How varied the genres are that all people together pick.",
        "H = −Σ p log₂ p, with p the share of a genre in all picks",
    ),
    "entropy_taste": (
        "How many genres a person likes, and how evenly.",
        "mean over people of H = −Σ p log₂ p, with p the share of a genre in their taste",
    ),
    "gini": (
        "How unequally picks fall on items: 0 if all are picked equally often, 1 if one takes all.",
        "G = 2 Σ i x_i / (n Σ x) − (n + 1) / n, with x the picks of each item in rising order",
    ),
    "coverage_exposure": (
        "How much of the catalogue anybody was shown.",
        "different items shown / items",
    ),
    "coverage_consumption": (
        "How much of the catalogue anybody picked.",
        "different items picked / items",
    ),
    "repeated_exposure": (
        "How many of the items shown the same person had been shown before.",
        "items shown again to a person / items shown",
    ),
    "posts": ("How many messages people posted to their followers.", "number of posts"),
    "forwards": ("How many messages people passed on.", "number of forwards"),
    "lines": ("How many lines were said in conversations.", "number of lines"),
    "chats": ("How many conversations took place.", "conversations with at least one line"),
    "delivered": (
        "How many inboxes messages reached.",
        "sum of recipients over all messages",
    ),
    "follows": ("How many people were followed anew.", "number of new ties"),
    "unfollows": ("How many people were no longer followed.", "number of cut ties"),
    "spoken_model": ("How many texts a language model wrote.", "texts by a model"),
    "spoken_template": (
        "How many texts came from a template because the model gave none that could be used.",
        "texts by template",
    ),
    "spoken_human": ("How many texts a human typed.", "texts by people who take part"),
    "group_visits": (
        "How often people met to choose and watch something together.",
        "number of evenings together",
    ),
    "group_size": ("How many people met.", "mean number of people of an evening together"),
    "satisfaction_together": (
        "How content people were after an evening together.",
        "mean satisfaction when a group parts",
    ),
    "misery_together": (
        "How content the least content person of an evening together was.",
        "mean over groups of the lowest score",
    ),
    "rating_alone": ("How many stars people gave when alone.", "mean stars in visits"),
    "rating_together": ("How many stars people gave when together.", "mean stars in groups"),
    "mentions": ("How often people named a title in their words.", "titles named, once a text"),
    "unfounded_mentions": (
        "How often people named a title that they had neither seen nor heard of.",
        "titles named without ground",
    ),
    "unfounded_share": (
        "How many of the titles named the speaker had neither seen nor heard of.",
        "titles named without ground / titles named",
    ),
    "remembered": (
        "How many thoughts people kept in memory.",
        "thoughts that entered short-term or long-term memory",
    ),
    "faded_at_once": (
        "How many observations were too unimportant to be kept.",
        "observations that never left sensory memory",
    ),
    "enhanced": (
        "How often a thought was strengthened by a similar one.",
        "number of strengthened short-term thoughts",
    ),
    "settled": (
        "How many thoughts moved into long-term memory.",
        "moves from short-term to long-term memory",
    ),
    "reflected": (
        "How many conclusions people drew from their memories.",
        "number of insights, reflections and emotions",
    ),
    "merged": ("How often thoughts that say the same became one.", "number of merged thoughts"),
    "forgotten": ("How many thoughts people lost.", "thoughts that faded or were crowded out"),
    "recalled": (
        "How many memories came to mind for a decision.",
        "thoughts recalled / decisions with any to recall",
    ),
    "recall_cut": (
        "How many memories had no room in a prompt.",
        "thoughts left out of prompts",
    ),
    "thoughts": ("How much people remember now.", "thoughts kept / people"),
    "memory_failed": (
        "How often a model's reply about memories could not be used.",
        "number of failures while memories were sorted",
    ),
    "reach": (
        "How many people have heard of what is spread.",
        "people who know of a topic / people",
    ),
    "emotion": (
        "How strongly those who know of a topic feel about it: 0 is calm, 1 is intense.",
        "mean level / 2 over those who know",
    ),
    "emotion_words": (
        "How emotional the messages on topics are: 0 is calm, 1 is intense.",
        "mean tone of the words of messages",
    ),
    "positive": (
        "How many of those with a view are in favour.",
        "people in favour / people with a view",
    ),
    "told": ("How many messages were about what is spread.", "messages written or passed on"),
    "cascades": (
        "How many messages were passed on at least once.",
        "messages with at least one forward",
    ),
    "cascade_scale": (
        "How large the largest cascade is: a message with all that came of passing it on.",
        "messages of the largest cascade",
    ),
    "cascade_depth": (
        "How often in a row one message was passed on.",
        "forwards from the first to the furthest message",
    ),
    "cascade_breadth": (
        "How many people passed on the same message at the same distance from its author.",
        "largest number of messages at one depth of a cascade",
    ),
    "refused": (
        "How often somebody wanted to do what the rules of the platform do not allow.",
        "number of refused actions",
    ),
    "failed": (
        "How often no usable decision came from a model or a recommender.",
        "number of failed decisions",
    ),
}
"""Name: (one sentence, its formula in words or symbols)."""
MEANINGS |= {
    name: (f"{label} in all.", f"number of {event.__name__}")
    for event, (name, label) in COUNTED.items()
    if name not in MEANINGS
}
