"""Minds grounded in what real people did: evidence, choices, ratings, from training rows alone."""

from audience.grounding.calibration import Bin as Bin
from audience.grounding.calibration import fit_enjoyment as fit_enjoyment
from audience.grounding.calibration import fit_habits as fit_habits
from audience.grounding.calibration import miscalibration as miscalibration
from audience.grounding.calibration import recalibrate as recalibrate
from audience.grounding.calibration import reliability as reliability
from audience.grounding.chooser import TooFew as TooFew
from audience.grounding.chooser import fit_chooser as fit_chooser
from audience.grounding.evidence import fit_evidence as fit_evidence
from audience.grounding.grounds import Grounds as Grounds
from audience.grounding.grounds import fit_grounds as fit_grounds
from audience.grounding.grounds import grounds_of as grounds_of
from audience.grounding.grounds import ratings_of as ratings_of
from audience.grounding.ratings import LEAST as LEAST
from audience.grounding.ratings import fit_ratings as fit_ratings
from audience.grounding.tables import Lives as Lives
from audience.grounding.visits import MINUTES as MINUTES
from audience.grounding.visits import PAGES as PAGES
from audience.grounding.visits import PICKS as PICKS
from audience.grounding.visits import TAKEN as TAKEN
from audience.grounding.visits import Sessions as Sessions
from audience.grounding.visits import VisitStage as VisitStage
from audience.grounding.visits import divergence as divergence
from audience.grounding.visits import live_visits as live_visits
from audience.grounding.visits import sessions_of as sessions_of
from audience.grounding.visits import stage_of as stage_of
