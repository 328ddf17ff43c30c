"""How news spreads: classical models and rule minds, fitted to real curves."""

from audience.lab.spread.cascade_fits import (
    AT_ONCE as AT_ONCE,
    CurveSource as CurveSource,
    curves_at as curves_at,
    fit_curves as fit_curves,
)
from audience.lab.spread.cascades import (
    CascadeFits as CascadeFits,
    RealCascade as RealCascade,
    cascades_in as cascades_in,
    is_one_curve as is_one_curve,
    wins as wins,
)
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
    Society as Society,
    Truth as Truth,
    curve_in as curve_in,
    models as models,
    models_on as models_on,
    rule_courses as rule_courses,
    scored as scored,
    truth_of as truth_of,
    unmoved as unmoved,
)
from audience.lab.spread.reference_curves import reference_fits as reference_fits
from audience.lab.spread.report import (
    foot as foot,
    plain as plain,
    plain_cascades as plain_cascades,
    table as table,
    verdict as verdict,
    write as write,
    write_cascades as write_cascades,
)
