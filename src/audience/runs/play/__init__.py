"""A person takes the place of an agent in a run."""

from audience.runs.play.moves import Seating as Seating
from audience.runs.play.session import (
    InboxCard as InboxCard,
    PlayerView as PlayerView,
    PlayTable as PlayTable,
    Seat as Seat,
)
