"""The legacy digest by type (gaia/SPEC 6, "--types"), kept for scripts that ask for it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..model import State
from .block import Below, Digest, Item, Mode, Why, bullet, flat
from .rows import Bodies, DigestRow, newest_first

DEFAULT_TYPES: Final = ("atom", "decision", "negative")
QUOTAS: Final = {"atom": 3, "decision": 3, "negative": 2}
LIMIT: Final = 8
MAX_CHARS: Final = 800
BODY_CHARS: Final = 60
_LABELS: Final = {"atom": "Atoms", "decision": "Decisions", "negative": "Negative"}


def by_type(
    rows: Iterable[DigestRow],
    types: Sequence[str] = DEFAULT_TYPES,
    *,
    bodies: Bodies,
    workspace: str | None = None,
    limit: int = LIMIT,
    max_chars: int = MAX_CHARS,
) -> Digest:
    """Render entries by type, whatever their class and status.

    Replaced and deleted entries never appear (Gaia shows replaced ones here; DESIGN 5 does not).

    Args:
        rows: entries of the workspace (or of all).
        types: the types wanted, in this order.
        bodies: called for entries without a description.
        workspace: named in the header.
        limit: how many entries at most.
        max_chars: the cap; the first entry always stays. No pointer paragraph in this mode.
    """
    wanted = list(dict.fromkeys(types)) or list(DEFAULT_TYPES)
    ordered: dict[str, list[DigestRow]] = {t: [] for t in wanted}
    for row in rows:
        if row.state == State.ACTIVE and row.type in ordered:
            ordered[row.type].append(row)
    ordered = {t: newest_first(found) for t, found in ordered.items()}
    chosen, below = _choose(ordered, limit)
    texts = bodies([r.id for found in chosen.values() for r in found if not flat(r.description)])
    built = {t: [_item(r, texts.get(r.id, "")) for r in found] for t, found in chosen.items()}
    count = sum(map(len, built.values()))
    if not count:
        return Digest(Mode.TYPES, workspace, max_chars=max_chars)
    trimmed: list[Below] = []
    block = _block(built, workspace)
    while len(block) > max_chars and count - len(trimmed) > 1:
        last = next(t for t in reversed(wanted) if built[t])
        trimmed.append(Below(built[last].pop().row, last, Why.BUDGET))
        block = _block(built, workspace)
    if trimmed:
        block += f"\n... ({len(trimmed)} more item(s) not shown, see `memdesk search`)"
    return Digest(
        Mode.TYPES,
        workspace,
        items=tuple(item for t in wanted for item in built[t]),
        block=block,
        max_chars=max_chars,
        overflow=len(trimmed),
        total=sum(map(len, ordered.values())),
        _rest=lambda: [*reversed(trimmed), *below],
    )


def _choose(ordered: dict[str, list[DigestRow]], limit: int) -> tuple[dict[str, list[DigestRow]], list[Below]]:
    """Within the quotas, then by recency up to the limit."""
    even = max(1, limit // len(ordered))
    usual = set(ordered) == set(DEFAULT_TYPES)
    quotas = {t: QUOTAS[t] if usual else even for t in ordered}
    chosen = {t: found[: quotas[t]] for t, found in ordered.items()}
    spare = newest_first(r for t, found in ordered.items() for r in found[quotas[t] :])
    slack = max(0, limit - sum(map(len, chosen.values())))
    for row in spare[:slack]:
        chosen[row.type].append(row)
    return chosen, [Below(row, row.type, Why.QUOTA) for row in spare[slack:]]


def _item(row: DigestRow, body: str) -> Item:
    text = flat(row.description)
    if not text:
        whole = flat(body)
        text = whole[:BODY_CHARS] + ("..." if len(whole) > BODY_CHARS else "")
    line = bullet(flat(row.name), text)
    return Item(row, row.type, row.type, text, line, len(line) + 1)


def _block(built: dict[str, list[Item]], workspace: str | None) -> str:
    parts = [f"## Workspace Memory ({workspace})" if workspace else "## Workspace Memory"]
    for kind, items in built.items():
        if items:
            label = _LABELS.get(kind, kind.replace("_", " ").capitalize())
            parts.append("\n".join([f"{label}:", *(i.text for i in items)]))
    return "\n\n".join(parts)
