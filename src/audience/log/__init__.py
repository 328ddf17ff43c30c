"""The run file: appending, reading, following and branching the log of events."""

from audience.log.branch import fork as fork
from audience.log.check import NotWritten as NotWritten
from audience.log.folder import is_held as is_held
from audience.log.schema import FILE as FILE, Lineage as Lineage
from audience.log.snapshots import Snapshooter as Snapshooter, world_at as world_at
from audience.log.store import Log as Log, Row as Row
