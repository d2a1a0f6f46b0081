"""The commands, one file a family; the screen is imported only by the branch that opens it."""

from __future__ import annotations

from .shell import main

__all__ = ["main"]
