"""The words of the probes: questions, invented titles, what others made of an item."""

from __future__ import annotations

DRESSES = ("real", "masked", "invented")
"""How a title is shown: as it is, as a number, or as one that belongs to nothing there is."""
PATTERNS = (
    "The {s} {t} of {p}",
    "{n} and the {s} {t}",
    "{s} {t} at {p}",
    "The {t} Keepers of {p}",
    "{n} {p}'s {s} {t}",
)
SIGHTS = (
    *("Copper", "Hollow", "Silent", "Crooked", "Amber", "Borrowed", "Sunken", "Paper", "Ninth"),
    *("Velvet", "Distant", "Broken", "Winter", "Painted", "Salted", "Lesser", "Woven", "Tin"),
)
THINGS = (
    *("Lantern", "Orchard", "Ferry", "Archive", "Comet", "Staircase", "Harvest", "Mirror"),
    *("Signal", "Carousel", "Tide", "Ledger", "Sparrow", "Kiln", "Almanac", "Causeway"),
)
NAMES = (
    *("Odile", "Tamsin", "Ruprecht", "Ysolde", "Barnaby", "Ingeborg", "Leopold", "Mireille"),
    *("Cosima", "Anselm", "Philippa", "Dragomir"),
)
PLACES = (
    *("Vestby", "Quillmoor", "Harrowick", "Tolmassa", "Brennegard", "Oskarhaven", "Lyndmere"),
    *("Castrovel", "Dunmarrow", "Pellworth", "Ivarsund", "Galdermouth"),
)
SPEECH = (
    "What did you like best lately, and what would you tell a friend to leave alone?",
    "Which {plural} would you talk about with somebody you have just met, and why?",
)
"""Questions that are answered freely; whoever answers should name titles."""
QUESTIONS = {
    "kind": "Which kind of {plural} do you like most?",
    "age": "How old are you?",
    "stars": "How many stars out of 5 do you give <{title}>?",
    "rather": "Which of these two would you rather have on a free evening: <{title}> or <{other}>?",
}
"""Questions that are asked again and again."""
REPUTE = {
    "bad": "It is not of the kinds that $name likes. Nearly everybody who has $past it was let "
    "down: 1.5 of 5 stars on average, called dull, clumsy and far too long.",
    "middling": "Opinions are divided: 3.0 of 5 stars on average, called fair in parts.",
    "good": "It is of the kinds that $name likes best. Nearly everybody who has $past it was "
    "delighted: 4.7 of 5 stars on average, called moving, clever and beautifully made.",
}
"""What is known of an invented item, from bad to good."""
