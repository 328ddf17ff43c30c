"""How news spreads: classical models and rule minds, fitted to real curves."""

from audience.lab.spread.curves import (
    Curves as Curves,
    Network as Network,
    correlation as correlation,
    curves_of as curves_of,
    degroot as degroot,
    friedkin_johnsen as friedkin_johnsen,
    independent_cascade as independent_cascade,
    linear_threshold as linear_threshold,
    msed as msed,
    nrmse as nrmse,
    resampled as resampled,
    voter as voter,
)
from audience.lab.spread.language import LANGUAGE as LANGUAGE, language_minds as language_minds
from audience.lab.spread.moods import (
    MoodFit as MoodFit,
    mood_fits as mood_fits,
    mood_table as mood_table,
    moods_in as moods_in,
    steady as steady,
)
from audience.lab.spread.real import (
    DISCOVERY as DISCOVERY,
    RULE as RULE,
    FittedSpread as FittedSpread,
    Truth as Truth,
    curve_in as curve_in,
    models as models,
    rule_courses as rule_courses,
    scored as scored,
    truth_of as truth_of,
    unmoved as unmoved,
)
from audience.lab.spread.report import (
    foot as foot,
    plain as plain,
    table as table,
    verdict as verdict,
    write as write,
)
