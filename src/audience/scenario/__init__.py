"""The typed recipe of a run: its schema, its files, and the parts it describes."""

from audience.scenario.build import (
    Serving as Serving,
    addressed as addressed,
    asks_models as asks_models,
    check_chosen as check_chosen,
    context_of as context_of,
    decides_by_model as decides_by_model,
    genesis_of as genesis_of,
    is_service as is_service,
    made as made,
    parts_of as parts_of,
    reach as reach,
    suited as suited,
    tuned_model as tuned_model,
)
from audience.scenario.interventions import DEEDS as DEEDS, changes_of as changes_of
from audience.scenario.models import (
    AT_CHANCE as AT_CHANCE,
    EMBEDDED as EMBEDDED,
    Models as Models,
    SpendingOptions as SpendingOptions,
    calls_at_once as calls_at_once,
    check_models as check_models,
    cost_of as cost_of,
    door_of as door_of,
    endpoints_of as endpoints_of,
    is_unchosen as is_unchosen,
    models_table as models_table,
    name_of as name_of,
    price_of as price_of,
    spent_in as spent_in,
    store_of as store_of,
)
from audience.scenario.offer import (
    HIDDEN as HIDDEN,
    Offered as Offered,
    admitted as admitted,
    admitted_change as admitted_change,
    admitted_over as admitted_over,
    load_offer as load_offer,
    masked as masked,
    masked_change as masked_change,
)
from audience.scenario.paths import PARTS as PARTS, anchored as anchored
from audience.scenario.preset import PRESETS as PRESETS, preset_text as preset_text
from audience.scenario.recagent_config import imported as imported
from audience.scenario.schema import (
    FILE as FILE,
    PAGE as PAGE,
    TERMINAL as TERMINAL,
    Options as Options,
    Part as Part,
    Played as Played,
    Scenario as Scenario,
    arm as arm,
    arms_of as arms_of,
    changed as changed,
    check_secrets as check_secrets,
    from_tree as from_tree,
    is_address as is_address,
    label as label,
    load as load,
    overlaid as overlaid,
    parse as parse,
    part_of as part_of,
    seated as seated,
    with_round as with_round,
)
from audience.scenario.toml import (
    dump as dump,
    intervene as intervene,
    set_interventions as set_interventions,
    text_of as text_of,
    write_played as write_played,
)
