"""Populations: who the people of a genesis are and whom they know."""

from audience.datasets.people.attributes import (
    TRAITS as TRAITS,
    Liking as Liking,
    draw_habits as draw_habits,
    draw_interests as draw_interests,
    draw_names as draw_names,
    draw_temper as draw_temper,
    draw_traits as draw_traits,
)
from audience.datasets.people.drawn import (
    ACTIVITIES as ACTIVITIES,
    CAREERS as CAREERS,
    ActivityLaw as ActivityLaw,
    activity as activity,
    activity_law as activity_law,
    draw_ages as draw_ages,
    draw_careers as draw_careers,
    draw_genders as draw_genders,
    population as population,
)
from audience.datasets.people.follows import (
    GRAPHS as GRAPHS,
    KINDS as KINDS,
    directed as directed,
    edges_in as edges_in,
    impact as impact,
)
from audience.datasets.people.handcrafted import (
    FIELDS as FIELDS,
    Handcrafted as Handcrafted,
    Known as Known,
    known_of as known_of,
    read_people as read_people,
)
from audience.datasets.people.interests import TagWords as TagWords
from audience.datasets.people.ties import (
    check_shape as check_shape,
    no_ties as no_ties,
    small_world as small_world,
)
from audience.datasets.people.traits import (
    POOR as POOR,
    ActivityFit as ActivityFit,
    Traits as Traits,
    draw_levels as draw_levels,
    fit_activity as fit_activity,
    habits_of as habits_of,
    levels_of as levels_of,
    traits_of as traits_of,
)
