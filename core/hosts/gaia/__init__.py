"""A Gaia database as a host: read, pulled and pushed in place (gaia/SPEC; DESIGN 7)."""

from __future__ import annotations

from .holding import whole_seconds
from .link import KIND, GaiaLink, attach

__all__ = ["KIND", "GaiaLink", "attach", "whole_seconds"]
