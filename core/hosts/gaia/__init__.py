"""A Gaia database as a host: read, pulled and pushed in place (gaia/SPEC; DESIGN 7)."""

from __future__ import annotations

from .link import GaiaKind, GaiaLink

__all__ = ["GaiaKind", "GaiaLink"]
