"""Showing and steering runs in a browser. A run is touched only through its Control."""

from audience.web.security import Limits as Limits
from audience.web.server import make_app as make_app, serve as serve
