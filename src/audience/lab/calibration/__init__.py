"""Fitting minds to real people, and checking the fit on others."""

from audience.lab.calibration.fit import (
    CalibrationOptions as CalibrationOptions,
    calibrate as calibrate,
    write_parameters as write_parameters,
)
