"""Keeping events: append, read, follow, fork. The log is the truth; snapshots are a cache."""

from audience.log.faults import NotWritten
from audience.log.fork import fork
from audience.log.lock import is_held
from audience.log.schema import Lineage
from audience.log.snapshots import Snapshooter, world_at
from audience.log.store import Log

__all__ = ["Lineage", "Log", "NotWritten", "Snapshooter", "fork", "is_held", "world_at"]
