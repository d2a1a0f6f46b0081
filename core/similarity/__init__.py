"""Near-duplicates: exact all-pairs Jaccard on word sets, one text against all, groups, and the evidence on a pair.

Pure, and in two halves. `signatures`, `prepared`, `groups` and `evidence` are plain Python (rapidfuzz is loaded when
a pair is looked at). `corpus`, `join`, `pairs` and `nearest` load numpy: import them only where scoring happens, so
that a command that only reads or adds starts without it. Source: DESIGN 6, SIMILARITY.
"""

from __future__ import annotations

from typing import Final

from .evidence import Aligned, Evidence, align, evidence
from .groups import Group, Member, grouped
from .prepared import VERSION, Prepared, content_hash, prepare
from .signatures import fitting_sizes, jaccard, near_signatures

#: The threshold of DESIGN 6: pairs strictly above it are near-duplicates.
THRESHOLD: Final = 0.3

__all__ = [
    "THRESHOLD",
    "VERSION",
    "Aligned",
    "Evidence",
    "Group",
    "Member",
    "Prepared",
    "align",
    "content_hash",
    "evidence",
    "fitting_sizes",
    "grouped",
    "jaccard",
    "near_signatures",
    "prepare",
]
