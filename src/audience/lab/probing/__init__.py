"""Probes of a language model: what it knows, whether it stays in character, what sways it."""

from audience.lab.probing.behaviour_figures import (
    FigureFile as FigureFile,
    compared_kinds as compared_kinds,
    figure_kinds as figure_kinds,
    figures_table as figures_table,
    keep_figures as keep_figures,
    measured_figures as measured_figures,
    read_figures as read_figures,
    targets_of as targets_of,
    with_earlier as with_earlier,
)
from audience.lab.probing.behaviour_probe import (
    Deeds as Deeds,
    behaviour as behaviour,
    compared_minds as compared_minds,
    lived_in as lived_in,
    probed_run as probed_run,
)
from audience.lab.probing.choice_calibration import BY_CHANCE as BY_CHANCE
from audience.lab.probing.consistency_probe import consistency as consistency
from audience.lab.probing.demographics_probe import (
    authors_in as authors_in,
    demographics as demographics,
)
from audience.lab.probing.knowledge_probe import knowledge as knowledge
from audience.lab.probing.questions import (
    AT_ONCE as AT_ONCE,
    AT_ONCE_EMBEDDED as AT_ONCE_EMBEDDED,
    Asker as Asker,
)
from audience.lab.probing.result import (
    Probed as Probed,
    ProbeTable as ProbeTable,
    Work as Work,
    keep as keep,
    plain as plain,
    probe as probe,
    table as table,
)
from audience.lab.probing.round_time import (
    EfficiencyGrid as EfficiencyGrid,
    efficiency as efficiency,
    efficiency_table as efficiency_table,
    efficiency_values as efficiency_values,
    endpoints_by_key as endpoints_by_key,
    write_efficiency as write_efficiency,
)
from audience.lab.probing.sensitivity import prompts as prompts
from audience.lab.probing.town import Town as Town, town_of as town_of
from audience.lab.probing.tuned_probe import (
    BAR_WINDOW as BAR_WINDOW,
    TunedOptions as TunedOptions,
    TunedResult as TunedResult,
    keep_tuned as keep_tuned,
    tuned as tuned,
)
from audience.lab.probing.visits import KeptChapters as KeptChapters, real_visits as real_visits
