"""The Graph pane under a pilot: the test store with lineages, a part-of tree and what a merge leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

#: (source, kind, target): links that a person made.
LINKS = [
    ("decision_sqlite_for_cache", "supersedes", "negative_no_redis"),
    ("decision_trigram_index", "supersedes", "decision_sqlite_for_cache"),
    ("project_checkout_refunds", "child_of", "project_checkout_retries"),
    ("project_checkout_webhooks", "child_of", "project_checkout_retries"),
    ("project_nasty", "child_of", "project_checkout_refunds"),
]
#: Links that came with a merge: a circle, a second parent, a missing end.
MERGED = [
    ("project_old_dashboard", "supersedes", "project_rate_limits"),
    ("project_rate_limits", "supersedes", "project_old_dashboard"),
    ("project_nasty", "child_of", "project_billing_export"),
    ("user_prefers_short_answers", "related_to", "missing:me/atom_gone"),
]


#: Shortly before the time at which the test desk is looked at.
LINKED_AT = datetime(2025, 6, 15, 11, 50, tzinfo=UTC)


def link_all(desk: Any) -> None:
    """Link the entries of the test store."""
    for source, kind, target in LINKS:
        desk.link(source, kind, target)
    merge(desk, *MERGED)


def merge(desk: Any, *links: tuple[str, str, str]) -> None:
    """Links by name as another machine's events bring them: no rule is asked."""
    from memdesk.core.events import EDGE_ADD

    ids = {e.name: e.id for e in desk.list_entries(status="all").entries()}
    with desk.store.transaction() as tx:
        tx.begin("receive", "Merged", actor="user:bob", role="user")
        for source, kind, target in links:
            tx.write(EDGE_ADD, {"from_id": ids[source], "edge_kind": kind, "to_id": ids.get(target, target)})


def tree(app: Any) -> list[str]:
    """Each row as drawn in its first column: guides, sign, sentence and name."""
    found = []
    for key in list(app.pane.list.keys()):
        (row,) = app.pane._rows.page([key])
        found.append(f"{row.sign}{row.cells[0].lead}{row.cells[0].text}")
    return found


def headers(app: Any) -> list[str]:
    return [section.header for section in app.pane._rows.sections()]


def at(app: Any) -> str:
    """The row at the cursor, as in `tree`."""
    return tree(app)[app.pane.list.position[0] - 1]


def put(app: Any, text: str) -> None:
    """Put the cursor on the first row that holds this text."""
    place = next(n for n, row in enumerate(tree(app)) if text in row)
    app.pane.list.move_to(list(app.pane.list.keys())[place])


def where(app: Any) -> tuple[str, str]:
    """The two lines above the list."""
    return app.pane._where._text.strip(), app.pane._what._text.strip()


def edges(app: Any) -> set[tuple[str, str, str]]:
    """All edges of the store, by name."""
    desk = app.live.desk
    names = {e.id: e.shown_name for e in desk.list_entries(status="all").entries()}
    return {(names.get(e.source, e.source), e.kind, names.get(e.target, e.target)) for e in desk.store.edges()}
