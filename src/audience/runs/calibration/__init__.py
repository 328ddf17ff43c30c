"""Fitting minds to real people, and checking the fit on others."""

from audience.runs.calibration.fit import (
    CalibrationOptions as CalibrationOptions,
    calibrate as calibrate,
    write_parameters as write_parameters,
)
from audience.runs.calibration.fitted_people import (
    FittedPeople as FittedPeople,
    with_fitted_people as with_fitted_people,
)
