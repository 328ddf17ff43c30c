"""The run file: appending, reading, following and branching the log of events."""

from audience.log.branch import fork as fork
from audience.log.check import NotWritten as NotWritten
from audience.log.checksum import row_sum as row_sum
from audience.log.folder import is_held as is_held
from audience.log.queries import (
    arrivals_in as arrivals_in,
    arrivals_of as arrivals_of,
    failed_slates as failed_slates,
    failures_by_person as failures_by_person,
    failures_upto as failures_upto,
    last_arrival as last_arrival,
    last_closing as last_closing,
    last_opened as last_opened,
    last_visits as last_visits,
    mean_satisfaction as mean_satisfaction,
    memory_problems as memory_problems,
    posts_upto as posts_upto,
    rounds_opened_after as rounds_opened_after,
    stored_scenario as stored_scenario,
    talks_upto as talks_upto,
    visits_in as visits_in,
)
from audience.log.schema import FILE as FILE, Lineage as Lineage
from audience.log.snapshots import (
    Snapshooter as Snapshooter,
    world_at as world_at,
    world_from as world_from,
)
from audience.log.store import (
    Log as Log,
    Row as Row,
    SummedRow as SummedRow,
    decoded as decoded,
    encoded as encoded,
)
