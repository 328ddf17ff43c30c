"""The label, unit and preferred direction of each metric."""

from __future__ import annotations

from audience.world import COUNTED

LABELS: dict[str, tuple[str, str, str]] = {
    "visits": ("Visits", "", "higher"),
    "pages": ("Pages", "", ""),
    "shown": ("Items shown", "", ""),
    "picks": ("Picks", "", "higher"),
    "click_rate": ("Click rate", "share of pages", "higher"),
    "pick_rate": ("Pick rate", "share of shown items", "higher"),
    "exit_page": ("Exit page", "pages", "higher"),
    "watch_hours": ("Watch time", "hours", "higher"),
    "watch_minutes": ("Watch time", "minutes", "higher"),
    "minutes_per_visit": ("Watch time per visit", "minutes", "higher"),
    "completion": ("Completion", "share", "higher"),
    "satisfaction": ("Satisfaction", "0 to 1", "higher"),
    "return_rate": ("Return rate", "share of people", "higher"),
    "retention": ("Retention", "share of people", "higher"),
    "ratings": ("Ratings", "", ""),
    "rating_mean": ("Mean rating", "stars", "higher"),
    "rating_1": ("Ratings of 1 star", "share", ""),
    "rating_2": ("Ratings of 2 stars", "share", ""),
    "rating_3": ("Ratings of 3 stars", "share", ""),
    "rating_4": ("Ratings of 4 stars", "share", ""),
    "rating_5": ("Ratings of 5 stars", "share", ""),
    "entropy_exposure": ("Genre entropy of exposure", "bits", "higher"),
    "entropy_exposure_pooled": ("Genre entropy of exposure, pooled", "bits", "higher"),
    "entropy_consumption": ("Genre entropy of consumption", "bits", "higher"),
    "entropy_consumption_pooled": ("Genre entropy of consumption, pooled", "bits", "higher"),
    "entropy_taste": ("Genre entropy of taste", "bits", "higher"),
    "gini": ("Gini of picks", "0 to 1", "lower"),
    "coverage_exposure": ("Coverage of exposure", "share of items", "higher"),
    "coverage_consumption": ("Coverage of consumption", "share of items", "higher"),
    "repeated_exposure": ("Repeated exposure", "share of shown items", "lower"),
    "posts": ("Posts", "", ""),
    "forwards": ("Forwards", "", ""),
    "lines": ("Lines said", "", ""),
    "chats": ("Conversations", "", ""),
    "delivered": ("Messages delivered", "", ""),
    "follows": ("People followed", "", ""),
    "unfollows": ("People no longer followed", "", ""),
    "spoken_model": ("Words by a model", "", ""),
    "spoken_template": ("Words by template", "", "lower"),
    "spoken_human": ("Words by a person", "", ""),
    "group_visits": ("Evenings together", "", ""),
    "group_size": ("People of an evening together", "mean", ""),
    "satisfaction_together": ("Satisfaction together", "0 to 1", "higher"),
    "misery_together": ("Satisfaction of the least satisfied together", "0 to 1", "higher"),
    "rating_alone": ("Mean rating alone", "stars", "higher"),
    "rating_together": ("Mean rating together", "stars", "higher"),
    "mentions": ("Titles named", "", ""),
    "unfounded_mentions": ("Titles named without ground", "", "lower"),
    "unfounded_share": ("Share of titles named without ground", "share", "lower"),
    "remembered": ("Thoughts remembered", "", ""),
    "faded_at_once": ("Observations not kept", "", ""),
    "enhanced": ("Thoughts enhanced", "", ""),
    "settled": ("Thoughts settled in long-term memory", "", ""),
    "reflected": ("Insights and reflections", "", ""),
    "merged": ("Thoughts merged", "", ""),
    "forgotten": ("Thoughts forgotten", "", ""),
    "recalled": ("Thoughts recalled", "per decision", ""),
    "recall_cut": ("Thoughts without room in a prompt", "", "lower"),
    "thoughts": ("Thoughts kept", "per person", ""),
    "memory_failed": ("Memory problems", "", "lower"),
    "reach": ("People who know of a topic", "share", ""),
    "emotion": ("Emotion of those who know", "0 to 1", ""),
    "emotion_words": ("Emotion in their words", "0 to 1", ""),
    "positive": ("For it, of those with a view", "share", ""),
    "told": ("Messages on topics", "", ""),
    "cascades": ("Messages that were passed on", "", ""),
    "cascade_scale": ("Largest cascade", "messages", ""),
    "cascade_depth": ("Deepest cascade", "forwards", ""),
    "cascade_breadth": ("Broadest cascade", "messages", ""),
    "refused": ("Refused", "", "lower"),
    "failed": ("Failed", "", "lower"),
}
"""Name: (label, unit, whether "higher" or "lower" is better, or "" for neither)."""
LABELS |= {name: (label, "", "") for name, label in COUNTED.values() if name not in LABELS}

OPTIONAL = frozenset(
    {"group_size", "satisfaction_together", "misery_together", "rating_alone", "rating_together"}
    | {"unfounded_share"}
)
"""Numbers of optional features: tables skip them if no run has them."""

_MEANS = {
    "exit_page": "visits",
    "minutes_per_visit": "visits",
    "satisfaction": "visits",
    "completion": "picks",
    "rating_mean": "ratings",
    "rating_alone": "ratings",
    "rating_together": "ratings",
    "entropy_exposure": "people",
    "entropy_consumption": "people",
    "entropy_taste": "people",
    "group_size": "groups",
    "satisfaction_together": "people in groups",
    "misery_together": "groups",
    "emotion": "people who know",
    "emotion_words": "messages",
}
"""What a number of a whole round is a mean over, where its unit does not say so."""


def averaged_over(name: str) -> str:
    """Return what the number of a round is a mean over; empty if it is no mean."""
    return _MEANS.get(name, "")


def round_unit(name: str) -> str:
    """Return the unit of a metric of one round: `total` for counts, and what a mean is over."""
    unit = LABELS.get(name, ("", "", ""))[1] or ("total" if name in LABELS else "")
    unit = "" if unit == "mean" else unit
    mean = f"mean over {_MEANS[name]}" if name in _MEANS else ""
    return ", ".join(part for part in (unit, mean) if part)
