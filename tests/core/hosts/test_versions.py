"""History rows to version chains: moves backwards, rows that are gone, places that do not join (gaia/SPEC 8)."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.core.hosts.gaia.database import COLUMNS, TRACKED
from memdesk.core.hosts.gaia.reading import Change, Key, Row
from memdesk.core.hosts.gaia.versions import Break, breaks, chains, said


def values(**fields: Any) -> dict[str, str | None]:
    return {**dict.fromkeys(COLUMNS), "workspace": "me", "name": "atom_x", "type": "atom", "body": "b", **fields}


def row(**fields: Any) -> Row:
    return Row(values(**fields))


def change(number: int, before: dict[str, Any], after: dict[str, Any]) -> Change:
    one, other = values(**before), values(**after)
    return Change(number, {c: one[c] for c in TRACKED}, {c: other[c] for c in TRACKED}, f"2026-09-0{number}T00:00:00Z")


def by_key(*rows: Row) -> dict[Key, Row]:
    return {r.key: r for r in rows}


def test_a_row_without_history_is_its_own_first_version() -> None:
    (chain,) = chains(by_key(row(description="d")), [])
    assert chain.first["description"] == "d"
    assert (chain.origin, chain.changes, chain.displaced) == (("me", "atom_x"), [], False)


def test_the_first_version_is_the_before_side_of_the_first_change() -> None:
    history = [change(2, {"body": "two"}, {"body": "three"}), change(1, {"body": "one"}, {"body": "two"})]
    (chain,) = chains(by_key(row(body="three", audience="executor")), history)
    assert [c.id for c in chain.changes] == [1, 2]
    assert chain.first["body"] == "one"
    assert chain.first["audience"] == "executor", "a column without history is taken from the live row"


def test_a_move_and_a_rename_are_followed_backwards() -> None:
    history = [
        change(1, {"workspace": "lab", "name": "atom_old", "body": "1"}, {"workspace": "lab", "name": "atom_old"}),
        change(2, {"workspace": "lab", "name": "atom_old"}, {"name": "atom_old"}),
        change(3, {"name": "atom_old"}, {"name": "atom_x"}),
    ]
    (chain,) = chains(by_key(row()), history)
    assert [c.id for c in chain.changes] == [1, 2, 3]
    assert chain.origin == ("lab", "atom_old")


def test_a_later_tenant_of_a_name_does_not_inherit_its_history() -> None:
    history = [
        change(1, {"name": "atom_a", "body": "1"}, {"name": "atom_a"}),
        change(2, {"name": "atom_a"}, {"name": "atom_b"}),
        change(3, {"name": "atom_a", "body": "new"}, {"name": "atom_a"}),
    ]
    tenant, moved = chains(by_key(row(name="atom_a"), row(name="atom_b")), history)
    assert (tenant.key, [c.id for c in tenant.changes], tenant.displaced) == (("me", "atom_a"), [3], True)
    assert (moved.key, [c.id for c in moved.changes], moved.displaced) == (("me", "atom_b"), [1, 2], False)


def test_a_row_that_is_gone_keeps_its_chain() -> None:
    (live, gone) = chains(by_key(row()), [change(1, {"name": "atom_gone"}, {"name": "atom_gone", "body": "z"})])
    assert live.changes == []
    assert (gone.row, gone.key, len(gone.changes)) == (None, ("me", "atom_gone"), 1)


def test_what_stood_under_a_name_before_another_row_moved_there_belongs_to_a_row_that_is_gone() -> None:
    history = [
        change(1, {"body": "1"}, {"body": "2"}),
        change(2, {"name": "atom_y", "body": "y"}, {"body": "y"}),
    ]
    live, gone = chains(by_key(row(body="y")), history)
    assert ([c.id for c in live.changes], live.origin) == ([2], ("me", "atom_y"))
    assert ([c.id for c in gone.changes], gone.row) == ([1], None)


@pytest.mark.parametrize(
    ("history", "live", "expected"),
    [
        ([change(1, {"body": "1"}, {"body": "2"}), change(2, {"body": "2"}, {"body": "3"})], {"body": "3"}, []),
        (
            [change(1, {"body": "1"}, {"body": "2"}), change(2, {"body": "X"}, {"body": "3"})],
            {"body": "3"},
            [Break(("me", "atom_x"), 2, ("body",))],
        ),
        (
            [change(1, {"body": "1"}, {"body": "2"})],
            {"body": "2", "status": "open"},
            [Break(("me", "atom_x"), None, ("status",))],
        ),
        ([change(1, {"body": "1"}, {"body": "2"})], {"body": "2", "audience": "executor"}, []),
    ],
    ids=["joins", "between two changes", "at the live row", "unwatched columns never break"],
)
def test_breaks(history: list[Change], live: dict[str, Any], expected: list[Break]) -> None:
    (chain,) = chains(by_key(row(**live)), history)
    assert breaks(chain) == expected
    assert len(said(expected)) == len(expected)
