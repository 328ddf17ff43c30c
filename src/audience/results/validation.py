"""What a backtest on real people validated: a file that scenarios name and reports tell."""

from __future__ import annotations

from pathlib import Path

import msgspec

from audience.errors import BadInput
from audience.results.interval import Interval
from audience.toml_reader import read_toml

UNVALIDATED = (
    "Nothing was validated: no backtest on real people is attached to this scenario. Make one with "
    '`audience eval backtest` and name its validation.json with validated = "FILE".'
)


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """One backtest in short."""

    dataset: str
    ranking: str
    """What was ranked, and by what."""
    audience: str
    tau: Interval
    right: int
    """Pairs of policies that really differ and were put in the right order."""
    pairs: int
    not_for: str
    holds: bool
    """Whether the order agrees beyond chance: the interval of tau is above zero."""

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        lead = "Validated" if self.holds else "Not validated"
        tau = f"tau {self.tau.mean:.2f} [{self.tau.low:.2f}, {self.tau.high:.2f}]"
        signs = f"{self.right} of {self.pairs} real differences in the right direction"
        return (
            f"{lead} for ranking {self.ranking} on {self.dataset} with {self.audience}: {tau}, "
            f"{signs}; not for {self.not_for}."
        )


def write_validation(validation: Validation) -> str:
    """Return the text of a validation file."""
    return msgspec.json.format(msgspec.json.encode(validation)).decode() + "\n"


def read_validation(path: Path) -> Validation:
    """Return the validation in a file; raise BadInput if it holds none."""
    remedy = "name the validation.json that `audience eval backtest` wrote"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Validation)
    except OSError as error:
        raise BadInput(f"validated: {path} cannot be read: {error.strerror}; {remedy}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"validated: {path} is no validation: {error}; {remedy}") from None


def validation_line(scenario: str) -> str:
    """Return what was validated for a scenario's text, or that nothing was."""
    try:
        path = read_toml(scenario, "scenario").get("validated", "")
    except BadInput:
        path = ""
    if not isinstance(path, str) or not path:
        return UNVALIDATED
    try:
        return read_validation(Path(path)).sentence
    except BadInput as error:
        return f"Nothing can be said about validation: {error}."
