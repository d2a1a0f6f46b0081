"""Memory that already exists, worked on in place: attach, pull, push (DESIGN 7)."""

from __future__ import annotations

from .asking import Decided, Handoff, Pending, Touch
from .attached import KINDS, Hosts
from .host import Change, Episode, HostInfo, HostKind, HostLink, Pulled, Pushed, Sent

__all__ = [
    "KINDS", "Change", "Decided", "Episode", "Handoff", "HostInfo", "HostKind", "HostLink", "Hosts", "Pending",
    "Pulled", "Pushed", "Sent", "Touch",
]  # fmt: skip
