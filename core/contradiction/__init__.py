"""Why two texts disagree: sentences aligned, their differences read, each finding in the lane of conflicts or of slots.

Pure but for reading its own word tables once. rapidfuzz is called in `alignment` alone. No model: what it cannot see is
paraphrase without shared words and whatever takes knowledge of the world (benchmarks/pairs/README.md). Source: DESIGN
6 ("Two queues, never one").
"""

from __future__ import annotations

from .comparing import compare
from .finding import VALUE_KINDS, Finding, Kind, Lane, Span, Verdict, offered_as_duplicate, verdict
from .lexicon import Settings
from .retracting import retracts

__all__ = [
    "VALUE_KINDS",
    "Finding",
    "Kind",
    "Lane",
    "Settings",
    "Span",
    "Verdict",
    "compare",
    "offered_as_duplicate",
    "retracts",
    "verdict",
]
