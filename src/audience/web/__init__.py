"""Showing and steering runs in a browser. A run is touched only through its Control."""

from audience.web.app import make_app
from audience.web.security import Limits

__all__ = ["Limits", "make_app"]
