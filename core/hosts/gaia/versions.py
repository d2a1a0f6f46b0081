"""History rows -> the chain of versions of each row. Pure.

`memory_history` knows a row only by its key after each change, so moves and renames are followed backwards from the
live rows; what is left over belongs to rows that are gone (gaia/SPEC 8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .database import TRACKED
from .reading import Change, Key, Row, Values


@dataclass(slots=True)
class Chain:
    """The life of one row, oldest change first.

    Attributes:
        row: the live row, or None where it is gone from the host.
        changes: its history rows.
        origin: its key before the first of them.
        displaced: a later tenant of its origin: the row that had this key before moved away, so this one is new.
    """

    row: Row | None
    origin: Key
    changes: list[Change] = field(default_factory=list)
    displaced: bool = False

    @property
    def first(self) -> Values:
        """The row as it was before its first known change (v0)."""
        values: Values = dict(self.row.values) if self.row else {}
        if self.changes:
            values.update(self.changes[0].before)
        return values

    @property
    def key(self) -> Key:
        """Where the row is now, or was last."""
        return self.row.key if self.row else self.changes[-1].key


@dataclass(frozen=True, slots=True)
class Break:
    """A place where the history does not join: a trigger was bypassed, or the name was deleted and used again.

    `columns` differ between what the change before left and what `history_id` (None: the live row) found.
    """

    key: Key
    history_id: int | None
    columns: tuple[str, ...]


def chains(rows: Mapping[Key, Row], history: Sequence[Change]) -> list[Chain]:
    """One chain for each live row, then one for each gone row that still has history.

    Args:
        rows: the live rows by key.
        history: history rows in any order; all of them, or those since the last look.
    """
    living = {key: Chain(row, key) for key, row in rows.items()}
    owners: dict[Key, Chain] = dict(living)
    gone: list[Chain] = []
    for change in sorted(history, key=lambda c: c.id, reverse=True):
        chain = owners.get(change.key)
        if chain is None:
            chain = Chain(None, change.key)
            gone.append(chain)
            owners[change.key] = chain
        chain.changes.append(change)
        if change.old_key != change.key:
            del owners[change.key]
            later = owners.get(change.old_key)
            if later is not None:
                later.displaced = True
            owners[change.old_key] = chain
            chain.origin = change.old_key
    result = [*living.values(), *reversed(gone)]
    for chain in result:
        chain.changes.reverse()
    return result


def breaks(chain: Chain) -> list[Break]:
    """Where a chain does not join: between two changes, and between the last one and the live row."""
    found = []
    for one, other in zip(chain.changes, chain.changes[1:], strict=False):
        columns = _differing(one.after, other.before)
        if columns:
            found.append(Break(other.key, other.id, columns))
    if chain.changes and chain.row is not None:
        columns = _differing(chain.changes[-1].after, chain.row.values)
        if columns:
            found.append(Break(chain.key, None, columns))
    return found


def _differing(one: Mapping[str, str | None], other: Mapping[str, str | None]) -> tuple[str, ...]:
    return tuple(c for c in TRACKED if one.get(c) != other.get(c))


def said(found: Iterable[Break]) -> list[str]:
    """One plain sentence for each break."""
    return [
        f"{b.key[0]}/{b.key[1]}: the history does not join "
        f"{f'at row {b.history_id}' if b.history_id is not None else 'the row as it is now'} ({', '.join(b.columns)})."
        for b in found
    ]
