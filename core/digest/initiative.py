"""Everything one initiative still owes, uncapped, with bodies: the sweep before writing (DESIGN 5). Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import normalise_initiative
from .block import Digest, Item, Mode, bullet, flat, with_pointer
from .rows import OTHERS, Bodies, DigestRow, is_pending, newest_first


def belongs(row: DigestRow, key: str) -> bool:
    """Whether the row stands in the initiative `key`, a normalised key; `otros` holds those without one too."""
    return row.initiative == key or (key == OTHERS and not row.initiative)


def initiative(
    rows: Iterable[DigestRow], key: str, *, bodies: Bodies, workspace: str | None = None, pointer: bool = True
) -> Digest:
    """Render every live thread of one initiative, newest first (gaia/SPEC 6, "project mode").

    Args:
        rows: entries of the workspace (or of all).
        key: the initiative in any spelling; what normalises to nothing means "without an initiative".
        bodies: called once, with the ids of all of them.
        workspace: for the result only.
        pointer: whether the pointer paragraph is appended.
    """
    label = normalise_initiative(key) or OTHERS
    found = newest_first(r for r in rows if is_pending(r) and belongs(r, label))
    if not found:
        return Digest(Mode.INITIATIVE, workspace, counter="deliberate")
    texts = bodies([r.id for r in found])
    items = tuple(_item(row, label, texts.get(row.id, "")) for row in found)
    lines = [f"## Memory — Pendientes de {label}", "", *(i.text for i in items)]
    return Digest(
        Mode.INITIATIVE,
        workspace,
        items=items,
        block=with_pointer("\n".join(lines), pointer),
        total=len(items),
        counter="deliberate",
    )


def _item(row: DigestRow, label: str, body: str) -> Item:
    text = bullet(flat(row.name), flat(row.description))
    return Item(row, "project", label, row.description or "", text, len(text) + 1, body=body)
