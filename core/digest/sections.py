"""For this session / About you, What we know / Open threads, each with its quota (gaia/SPEC 6, "sections"). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..model import EntryClass, State, Status
from .block import (
    DEFAULT_MAX_CHARS,
    Below,
    Digest,
    Item,
    Mode,
    Why,
    budget_of,
    bullet,
    cut_at_word,
    flat,
    with_pointer,
)
from .rows import Bodies, DigestRow, first, newest_first, oldest_first, on_gaia

CARRY_FORWARD: Final = "carry_forward"
ANCHOR: Final = "anchor"
THREAD_OPEN: Final = "thread_open"
SECTIONS: Final = (CARRY_FORWARD, ANCHOR, THREAD_OPEN)
HEADERS: Final = {
    CARRY_FORWARD: "## Memory — For this session",
    ANCHOR: "## Memory — About you / What I know",
    THREAD_OPEN: "## Memory — Open threads",
}
CARRY_FORWARD_CAP: Final = 8
ANCHOR_CAP: Final = 20
THREAD_OPEN_CAP: Final = 4
TEXT_CHARS: Final = 150
#: An anchor longer than this is not injected whole, so it is not injected.
ANCHOR_BODY_CHARS: Final = 20_000
FOOTER_RESERVE: Final = 70


def sections(
    rows: Iterable[DigestRow],
    wanted: Sequence[str] = (),
    *,
    bodies: Bodies,
    workspace: str | None = None,
    max_chars: int = DEFAULT_MAX_CHARS,
    pointer: bool = True,
) -> Digest:
    """Render the sections.

    Over the budget, the last lines of Open threads go first, then anchors that are not about the user (memdesk's own
    store only), then carry_forward; what is known about the user is never trimmed, so the block may stay over.

    Args:
        rows: entries of the workspace (or of all).
        wanted: section keys; unknown ones are passed over, none valid means all three.
        bodies: called for the anchors about the user, and for entries without a description.
        workspace: for the result only.
        max_chars: the budget, pointer paragraph included.
        pointer: whether the pointer paragraph is appended (and its place reserved).
    """
    active = [s for s in SECTIONS if s in wanted] or list(SECTIONS)
    pools = {key: pool for key, pool in _pools(rows).items() if key in active}
    chosen = {key: _first(key, pool) for key, pool in pools.items()}
    skipped: list[Below] = []
    texts = bodies(_need_bodies(chosen))
    built = {key: _items(key, chosen.get(key, ()), texts, skipped) for key in SECTIONS}
    total = sum(map(len, pools.values()))
    dropped = max(0, len(pools.get(CARRY_FORWARD, ())) - CARRY_FORWARD_CAP)
    if not any(built.values()):
        return Digest(Mode.SECTIONS, workspace, max_chars=max_chars, total=total, _rest=lambda: skipped)
    block, trimmed = _trim(built, budget_of(max_chars, pointer), dropped > 0)
    overflow = dropped + len(trimmed)
    if overflow:
        block += f"\n... ({overflow} more item(s) not shown, see `memdesk search`)"
    return Digest(
        Mode.SECTIONS,
        workspace,
        items=tuple(item for key in SECTIONS for item in built[key]),
        block=with_pointer(block, pointer),
        max_chars=max_chars,
        overflow=overflow,
        carry_forward_dropped=dropped,
        total=total,
        _rest=lambda: [*reversed(trimmed), *_past_quota(pools, chosen), *skipped],
    )


def _pools(rows: Iterable[DigestRow]) -> dict[str, list[DigestRow]]:
    """What may stand in each section, in no order."""
    carried: list[DigestRow] = []
    opened: list[DigestRow] = []
    anchors: list[DigestRow] = []
    for row in rows:
        if row.state != State.ACTIVE:
            continue
        if row.klass == EntryClass.THREAD:
            if row.status == Status.CARRY_FORWARD:
                carried.append(row)
            elif row.status == Status.OPEN:
                opened.append(row)
        elif row.klass == EntryClass.ANCHOR and (row.type == "user" or not on_gaia(row)):
            anchors.append(row)
    return {CARRY_FORWARD: carried, ANCHOR: anchors, THREAD_OPEN: opened}


def _first(key: str, pool: Sequence[DigestRow]) -> list[DigestRow]:
    """The rows of a section within its quota, in order."""
    if key == CARRY_FORWARD:
        return first(pool, CARRY_FORWARD_CAP)
    if key == THREAD_OPEN:
        return first(pool, THREAD_OPEN_CAP, oldest=True)
    about_user = first([r for r in pool if r.type == "user"], ANCHOR_CAP)
    known = first([r for r in pool if r.type != "user"], ANCHOR_CAP)
    return (about_user + known)[:ANCHOR_CAP]


def _past_quota(pools: dict[str, list[DigestRow]], chosen: dict[str, list[DigestRow]]) -> list[Below]:
    rest: list[Below] = []
    for key, pool in pools.items():
        taken = {row.id for row in chosen[key]}
        left = [row for row in pool if row.id not in taken]
        if key == THREAD_OPEN:
            left = oldest_first(left)
        elif key == ANCHOR:
            left = newest_first(r for r in left if r.type == "user") + newest_first(r for r in left if r.type != "user")
        else:
            left = newest_first(left)
        rest += [Below(row, key, Why.QUOTA) for row in left]
    return rest


def _whole(row: DigestRow) -> bool:
    """Whether the entry stands in the block with its whole body."""
    return row.klass == EntryClass.ANCHOR and row.type == "user"


def _need_bodies(chosen: dict[str, list[DigestRow]]) -> list[str]:
    return [
        row.id
        for found in chosen.values()
        for row in found
        if (_whole(row) and row.body_chars <= ANCHOR_BODY_CHARS) or (not _whole(row) and not flat(row.description))
    ]


def _items(key: str, found: Iterable[DigestRow], bodies: Mapping[str, str], below: list[Below]) -> list[Item]:
    items: list[Item] = []
    for row in found:
        body = bodies.get(row.id, "").strip()
        if _whole(row):
            if not body:
                below.append(Below(row, key, Why.TOO_LONG if row.body_chars > ANCHOR_BODY_CHARS else Why.EMPTY))
                continue
            text = body
        else:
            text = cut_at_word(flat(row.description) or flat(body), TEXT_CHARS)
        tag = project_tag(row.project_ref)
        line = bullet(f"{flat(row.name)} [{tag}]" if tag else flat(row.name), text)
        shown_body = body if _whole(row) else None
        items.append(Item(row, key, tag, text, line, len(line) + 1, body=shown_body))
    return items


def project_tag(project_ref: str | None) -> str:
    """The last segment of a project identity, without `.git`; "" for none (gaia/SPEC 6)."""
    if not project_ref:
        return ""
    ref = project_ref.strip().rstrip("/").removesuffix(".git").rstrip("/")
    return flat(ref.rsplit("/", 1)[-1])


def _trim(built: dict[str, list[Item]], budget: int, footer: bool) -> tuple[str, list[Below]]:
    """Take lines off `built` until the block fits; the block, and what went, in the order in which it went."""
    block = _block(built)
    footer = footer or len(block) > budget
    room = max(1, budget - FOOTER_RESERVE) if footer else budget
    trimmed: list[Below] = []
    for key in (THREAD_OPEN, ANCHOR, CARRY_FORWARD):
        while len(block) > room and built[key] and not _whole(built[key][-1].row):
            trimmed.append(Below(built[key].pop().row, key, Why.BUDGET))
            block = _block(built)
    return block, trimmed


def _block(built: dict[str, list[Item]]) -> str:
    parts = ["\n".join([HEADERS[key], "", *(item.text for item in built[key])]) for key in SECTIONS if built[key]]
    return "\n\n".join(parts)
