"""Memory that already exists, worked on in place: attach, pull, push (DESIGN 7)."""

from __future__ import annotations

from .attached import Hosts
from .host import Change, Episode, HostInfo, HostLink, Pulled, Pushed, Sent

__all__ = ["Change", "Episode", "HostInfo", "HostLink", "Hosts", "Pulled", "Pushed", "Sent"]
