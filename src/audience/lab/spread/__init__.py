"""Real curves of people who hear of something, fitted and predicted."""

from audience.lab.spread.curves import Curves as Curves
from audience.lab.spread.curves import Network as Network
from audience.lab.spread.curves import correlation as correlation
from audience.lab.spread.curves import curves_of as curves_of
from audience.lab.spread.curves import degroot as degroot
from audience.lab.spread.curves import friedkin_johnsen as friedkin_johnsen
from audience.lab.spread.curves import independent_cascade as independent_cascade
from audience.lab.spread.curves import linear_threshold as linear_threshold
from audience.lab.spread.curves import msed as msed
from audience.lab.spread.curves import nrmse as nrmse
from audience.lab.spread.curves import resampled as resampled
from audience.lab.spread.curves import voter as voter
from audience.lab.spread.real import curve_in as curve_in
from audience.lab.spread.real import models as models
from audience.lab.spread.real import scored as scored
from audience.lab.spread.real import truth_of as truth_of
from audience.lab.spread.real import unmoved as unmoved
from audience.lab.spread.report import foot as foot
from audience.lab.spread.report import plain as plain
from audience.lab.spread.report import table as table
from audience.lab.spread.report import verdict as verdict
from audience.lab.spread.report import write as write
