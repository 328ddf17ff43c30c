"""What real data say about how people choose and rate, learnt from training rows alone."""

from audience.grounding.calibration import (
    MATCHED as MATCHED,
    RATING as RATING,
    VISITING as VISITING,
    Bin as Bin,
    fit_bounds as fit_bounds,
    fit_completion as fit_completion,
    fit_enjoyment as fit_enjoyment,
    fit_habits as fit_habits,
    miscalibration as miscalibration,
    recalibrate as recalibrate,
    reliability as reliability,
)
from audience.grounding.chooser import TooFew as TooFew, fit_chooser as fit_chooser
from audience.grounding.evidence import fit_evidence as fit_evidence
from audience.grounding.grounds import (
    Grounds as Grounds,
    fit_grounds as fit_grounds,
    grounds_of as grounds_of,
    ratings_of as ratings_of,
)
from audience.grounding.lives import Lives as Lives
from audience.grounding.preference import (
    OTHERS as OTHERS,
    WEIGHTS as WEIGHTS,
    fit_preferences as fit_preferences,
    log_likelihood as log_likelihood,
    steps_of as steps_of,
)
from audience.grounding.ratings import (
    LEAST as LEAST,
    STARS as STARS,
    Rater as Rater,
    fit_ratings as fit_ratings,
)
from audience.grounding.visits import (
    MINUTES as MINUTES,
    PAGES as PAGES,
    PICKS as PICKS,
    TAKEN as TAKEN,
    Sessions as Sessions,
    VisitStage as VisitStage,
    by_person as by_person,
    divergence as divergence,
    live_visits as live_visits,
    sessions_of as sessions_of,
    stage_of as stage_of,
)
