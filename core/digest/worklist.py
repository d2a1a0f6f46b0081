"""The default digest: live threads, one line an initiative, freshest first (gaia/SPEC 6, "Digest"). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .block import DEFAULT_MAX_CHARS, Below, Digest, Item, Mode, Why, budget_of, bullet, cut, flat, with_pointer
from .rows import OTHERS, DigestRow, freshness, is_pending, newest, newest_first

HEADER: Final = "## Memory — Pendientes vivos por proyecto"
GROUPS_SHOWN: Final = 10
DESCRIPTION_CHARS: Final = 60


class Group(NamedTuple):
    """The live threads of one initiative.

    Attributes:
        initiative: the stored key, None for threads without one.
        top: the freshest thread, the one that stands in the block.
        rows: all of them, in no order.
    """

    initiative: str | None
    top: DigestRow
    rows: Sequence[DigestRow]

    @property
    def label(self) -> str:
        """The key as shown."""
        return self.initiative or OTHERS


def groups(rows: Iterable[DigestRow]) -> list[Group]:
    """Live threads by initiative, the initiative with the freshest thread first."""
    buckets: dict[str | None, list[DigestRow]] = {}
    for row in rows:
        if is_pending(row):
            buckets.setdefault(row.initiative or None, []).append(row)
    found = [Group(key, newest(members), members) for key, members in buckets.items()]
    found.sort(key=lambda g: g.top.id)
    found.sort(key=lambda g: freshness(g.top.updated_at), reverse=True)
    return found


def worklist(
    rows: Iterable[DigestRow],
    *,
    workspace: str | None = None,
    max_chars: int = DEFAULT_MAX_CHARS,
    pointer: bool = True,
) -> Digest:
    """Render the worklist.

    Whole groups drop from the tail while it is over the budget; the first group always stays.

    Args:
        rows: entries of the workspace (or of all); what is not a live thread is passed over.
        workspace: for the result only.
        max_chars: the budget, pointer paragraph included.
        pointer: whether the pointer paragraph is appended (and its place reserved).
    """
    ordered = groups(rows)
    if not ordered:
        return Digest(Mode.WORKLIST, workspace, max_chars=max_chars)
    items = [_item(g) for g in ordered[:GROUPS_SHOWN]]
    budget = budget_of(max_chars, pointer)
    shown = len(items)
    block = _block(items[:shown], len(ordered))
    while len(block) > budget and shown > 1:
        shown -= 1
        block = _block(items[:shown], len(ordered))
    fits = min(len(ordered), GROUPS_SHOWN)
    return Digest(
        Mode.WORKLIST,
        workspace,
        items=tuple(items[:shown]),
        block=with_pointer(block, pointer),
        max_chars=max_chars,
        overflow_projects=len(ordered) - shown,
        total=sum(len(g.rows) for g in ordered),
        _rest=lambda: _below(ordered, shown, fits),
    )


def _item(group: Group) -> Item:
    description = cut(flat(group.top.description), DESCRIPTION_CHARS)
    text = bullet(f"{flat(group.top.name)} [{group.label}]", description)
    if len(group.rows) > 1:
        text += f"\n  +{len(group.rows) - 1} más en {group.label}"
    return Item(group.top, "digest", group.label, description, text, len(text) + 1, pending_count=len(group.rows))


def _block(items: Sequence[Item], total_groups: int) -> str:
    lines = [HEADER, "", *(i.text for i in items)]
    if total_groups > len(items):
        lines += ["", f"+{total_groups - len(items)} proyectos más"]
    return "\n".join(lines)


def _below(ordered: Sequence[Group], shown: int, fits: int) -> list[Below]:
    """First the tops that a larger budget, then those that more places would show; then the rest of every group."""
    rest = [
        Below(g.top, g.label, Why.BUDGET if place < fits else Why.QUOTA)
        for place, g in enumerate(ordered)
        if place >= shown
    ]
    for group in ordered:
        if len(group.rows) > 1:
            members = newest_first(group.rows)
            rest += [Below(row, group.label, Why.NOT_TOP) for row in members if row is not group.top]
    return rest
