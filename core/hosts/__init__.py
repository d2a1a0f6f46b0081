"""Memory that already exists, worked on in place: attach, pull, push (DESIGN 7)."""

from __future__ import annotations

from .attached import Hosts
from .host import Episode, HostInfo, HostLink, Pulled, Pushed

__all__ = ["Episode", "HostInfo", "HostLink", "Hosts", "Pulled", "Pushed"]
