"""Near-duplicates: exact all-pairs Jaccard on word sets, one text against all, groups, and the evidence on a pair.

Pure. Everything is imported from its own module, because they differ in what they cost to load:

- plain Python: `prepared` (a text made ready), `signatures`, `ranking`, `groups`, `running`;
- rapidfuzz, when a pair is looked at: `evidence`;
- numpy: `corpus`, `join` (all pairs), `pairs`, `nearest` (one against all). Import these only where scoring happens, so
  that a command that only reads or adds starts without it.

Source: DESIGN 6, SIMILARITY.
"""

from __future__ import annotations

from typing import Final

#: The threshold of DESIGN 6: pairs strictly above it are near-duplicates.
THRESHOLD: Final = 0.3
