"""`audience eval`: evaluations, one file each."""

from __future__ import annotations

import click

from audience.cli.lazy import LazyGroup

EVALUATIONS = {
    "recommenders": "How well recommenders find what people did next.",
    "verdicts": "What one audience makes of several recommenders, and how sure that is.",
    "discrimination": "Telling what people took up next from what they never did.",
    "taste": "Saying yes to what people took up, one to one up to one to nine.",
    "ratings": "The stars people give: errors, and how far the histogram is off.",
    "generation": "Five and ten steps from a history, beside what people really did.",
    "activity": "Pareto and lognormal fits of how much people do.",
    "calibration": "Fit how minds visit and rate to real people, and check on others.",
    "spread": "A real curve of who hears of something: fitted first, then predicted.",
    "memory": "What each kind of memory keeps and loses, by planted facts.",
    "people": "People as judges, or a model as judge: choices, texts, blind pairs, scores.",
    "knowledge": "What a language model knows by heart, and titles that it should not name.",
    "consistency": "Does a model stay the person it plays, and can it dislike.",
    "prompts": "Places on a page, wordings of a prompt, visits beside real ones.",
    "forgetting": "Draw the forgetting function for chosen beta and delta.",
}


@click.group("eval", cls=LazyGroup, listed=EVALUATIONS, files="audience.cli.eval_")
def command() -> None:
    """Evaluate a part against what is known to be right, with intervals and baselines."""
