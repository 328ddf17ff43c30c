"""Fitting minds to real people, and checking the fit on others."""

from audience.lab.calibration.fit import CalibrationOptions as CalibrationOptions
from audience.lab.calibration.fit import calibrate as calibrate
from audience.lab.calibration.fit import write_parameters as write_parameters
