"""The digest: what a session start injects, with the cut and what lies below it (DESIGN 5, gaia/SPEC 6). Pure.

One module a mode; `render` picks the mode, and is the same for what is and for what would be (`changed` rows).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .block import (
    DEFAULT_MAX_CHARS,
    POINTER,
    POINTER_RESERVE,
    WHY_WORDS,
    Below,
    Digest,
    Item,
    Mode,
    Shift,
    Why,
    count_by_why,
    shift,
)
from .by_type import DEFAULT_TYPES, LIMIT, by_type
from .by_type import MAX_CHARS as TYPES_MAX_CHARS
from .initiative import initiative
from .rows import (
    OTHERS,
    Bodies,
    DigestRow,
    PlainRow,
    changed,
    freshness,
    is_pending,
    narrowed,
    newest_first,
    no_bodies,
    oldest_first,
    patched_bodies,
)
from .sections import SECTIONS, sections
from .worklist import Group, groups, worklist

__all__ = [
    "DEFAULT_MAX_CHARS",
    "DEFAULT_TYPES",
    "LIMIT",
    "OTHERS",
    "POINTER",
    "POINTER_RESERVE",
    "SECTIONS",
    "TYPES_MAX_CHARS",
    "WHY_WORDS",
    "Below",
    "Bodies",
    "Digest",
    "DigestRow",
    "Group",
    "Item",
    "Mode",
    "PlainRow",
    "Shift",
    "Why",
    "by_type",
    "changed",
    "count_by_why",
    "freshness",
    "groups",
    "initiative",
    "is_pending",
    "narrowed",
    "newest_first",
    "no_bodies",
    "oldest_first",
    "patched_bodies",
    "render",
    "sections",
    "shift",
    "worklist",
]


def render(
    rows: Iterable[DigestRow],
    *,
    mode: Mode | str = Mode.WORKLIST,
    bodies: Bodies = no_bodies,
    workspace: str | None = None,
    max_chars: int | None = None,
    wanted: Sequence[str] = (),
    key: str | None = None,
    limit: int = LIMIT,
    pointer: bool = True,
    project_ref: str | None = None,
) -> Digest:
    """Render one digest.

    Args:
        rows: the entries of the workspace, or of all of them.
        mode: worklist, sections, initiative or types.
        bodies: gives whole bodies by id; never called in worklist mode.
        workspace: the one the rows are from, None for all.
        max_chars: the budget, 1,500 by default (types: 800); the initiative mode has none.
        wanted: section keys, or types.
        key: the initiative, in initiative mode.
        limit: most entries, in types mode.
        pointer: whether the pointer paragraph is appended.
        project_ref: narrow to one project; notes anchored to another are left out.
    """
    rows = narrowed(rows, project_ref)
    mode = Mode(mode)
    if mode is Mode.INITIATIVE:
        return initiative(rows, key or OTHERS, bodies=bodies, workspace=workspace, pointer=pointer)
    if mode is Mode.TYPES:
        cap = TYPES_MAX_CHARS if max_chars is None else max_chars
        types = wanted or DEFAULT_TYPES
        return by_type(rows, types, bodies=bodies, workspace=workspace, limit=limit, max_chars=cap)
    budget = DEFAULT_MAX_CHARS if max_chars is None else max_chars
    if mode is Mode.SECTIONS:
        return sections(rows, wanted, bodies=bodies, workspace=workspace, max_chars=budget, pointer=pointer)
    return worklist(rows, workspace=workspace, max_chars=budget, pointer=pointer)
