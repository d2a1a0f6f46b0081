"""Restoring versions, blame, breaks of a host's history; and that versions replay every stored text (issue 4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gaia_fixture import Gaia, build

from memdesk.core.desk import Actor, Desk
from memdesk.core.desk.versions import blamed
from memdesk.core.errors import InvalidValue, NotFound, Stale
from memdesk.core.history import FIELDS, as_of, snapshot
from memdesk.core.model import State, Status

SAMPLE = Path(__file__).resolve().parents[4] / "shared" / "gaia" / "make_sample.py"


@pytest.fixture
def storied(desk: Desk) -> Desk:
    desk.add(
        name="project_x", body="One.\nTwo.", description="Why", klass="thread", status="open", workspace="lab",
        tags=["a"],
    )  # fmt: skip
    desk.edit("project_x", fields={"body": "One.\n2.", "title": "T"}, add_tags=["b"], rm_tags=["a"])
    desk.reclassify("project_x", status="closed")
    desk.append("project_x", "Three.")
    return desk


def ids(desk: Desk) -> list[str]:
    return [v.event_id for v in desk.history("project_x")[1]]


def test_a_whole_version_is_written_again_as_one_edit_that_undo_takes_back(storied: Desk) -> None:
    before = storied.store.lookup("project_x")[0]
    receipt = storied.restore_version("project_x", ids(storied)[0])
    entry = receipt.entry
    assert (entry.body, entry.title, entry.tags, entry.status) == ("One.\nTwo.", None, ("a",), Status.OPEN)
    assert receipt.verb == "edit" and len(ids(storied)) == 5
    storied.undo()
    after = storied.store.lookup("project_x")[0]
    assert (after.body, after.title, after.tags, after.status) == (
        before.body, before.title, before.tags, before.status,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("body", ("One.\nTwo.", "T", ("b",), Status.CLOSED)),
        ("title", ("One.\n2.\n\nThree.", None, ("b",), Status.CLOSED)),
        ("tags", ("One.\n2.\n\nThree.", "T", ("a",), Status.CLOSED)),
        ("status", ("One.\n2.\n\nThree.", "T", ("b",), Status.OPEN)),
    ],
)
def test_one_field_of_a_version_is_written_again(storied: Desk, field: str, expected: Any) -> None:
    entry = storied.restore_version("project_x", ids(storied)[0], fields={field}).entry
    assert (entry.body, entry.title, entry.tags, entry.status) == expected


def test_a_deleted_entry_comes_back_with_its_version(storied: Desk) -> None:
    storied.delete("project_x")
    entry = storied.restore_version("project_x", ids(storied)[0]).entry
    assert entry.state is State.ACTIVE and entry.body == "One.\nTwo."


def test_what_moved_since_it_was_looked_at_is_not_overwritten(storied: Desk) -> None:
    with pytest.raises(Stale):
        storied.restore_version("project_x", ids(storied)[0], expected={"title": "Another"})
    assert storied.store.lookup("project_x")[0].title == "T"


def test_a_version_that_holds_nothing_else_and_one_that_is_not_there_are_refused(storied: Desk) -> None:
    with pytest.raises(InvalidValue):
        storied.restore_version("project_x", ids(storied)[-1])
    with pytest.raises(InvalidValue):
        storied.restore_version("project_x", ids(storied)[0], fields={"name"})
    with pytest.raises(NotFound):
        storied.restore_version("project_x", "evt_01JABCDEFG")


def test_blame_of_a_version_names_who_brought_each_line(storied: Desk) -> None:
    versions = storied.history("project_x")[1]
    last = [(v.kind, line) for v, line in blamed(versions, versions[-1].event_id)]
    assert last == [("create", "One."), ("edit", "2."), ("append", ""), ("append", "Three.")]
    assert [line for _, line in blamed(versions, versions[0].event_id)] == ["One.", "Two."]


def test_a_version_says_from_which_machine_it_comes(storied: Desk) -> None:
    assert {v.origin for v in storied.history("project_x")[1]} == {storied.store.origin}


# -- a Gaia database --------------------------------------------------------------------------------------------------


def replayed(desk: Desk) -> int:
    """Every version leads on from the one before it, and the last equals the live row; how many versions there are."""
    total = 0
    for (entry_id,) in desk.store.db.execute("SELECT id FROM entries").fetchall():
        entry, versions = desk.history(entry_id)
        fields: dict[str, Any] = {"tags": (), **dict.fromkeys(n for n in FIELDS if n != "tags")}
        for version in versions:
            for change in version.changes:
                assert fields.get(change.field) == change.before
                fields[change.field] = change.after
        assert fields == snapshot(entry) == as_of(versions, versions[-1].event_id)
        total += len(versions)
    return total


def test_versions_of_a_gaia_database_replay_to_its_rows(tmp_path: Path) -> None:
    build(tmp_path / "gaia.db")
    with Desk.open(tmp_path / "store", Actor("user:ana")) as desk:
        desk.attach("gaia", str(tmp_path / "gaia.db"))
        assert replayed(desk) > 5
        for row in Gaia(tmp_path / "gaia.db").rows():
            (entry,) = desk.store.lookup(f"{row['workspace']}/{row['name']}")
            assert snapshot(entry)["body"] == row["body"]


@pytest.mark.skipif(not SAMPLE.exists(), reason="the Gaia sample lies beside the repository, not in it")
def test_versions_of_the_gaia_sample_replay_every_text_that_its_history_holds(tmp_path: Path) -> None:
    scope: dict[str, Any] = {"__name__": "sample", "__file__": str(SAMPLE)}
    exec(compile(SAMPLE.read_text(encoding="utf-8"), str(SAMPLE), "exec"), scope)
    path = tmp_path / "gaia.db"
    scope["build"](path)
    with Desk.open(tmp_path / "store", Actor("user:ana")) as desk:
        desk.attach("gaia", str(path))
        assert replayed(desk) > 0
        texts = {c.after for e in desk.list_entries(status="all").entries() for v in desk.history(e.id)[1]
                 for c in v.changes if c.field == "body"}  # fmt: skip
        for body in _bodies(path):
            assert body in texts


def _bodies(path: Path) -> set[str]:
    """Every text that the host holds of the rows it has; of a row that it purged only the log of that remains."""
    import sqlite3

    with sqlite3.connect(path) as conn:
        live = {b for (b,) in conn.execute("SELECT body FROM memory")}
        sql = (
            "SELECT h.after_body FROM memory_history h JOIN memory m ON m.workspace = h.after_workspace "
            "AND m.name = h.after_name WHERE h.after_body IS NOT NULL"
        )
        return live | {b for (b,) in conn.execute(sql)}


def test_a_history_that_a_bypassed_trigger_broke_is_shown_as_a_break(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "gaia.db"
    build(path)
    with sqlite3.connect(path) as conn:
        row = conn.execute("SELECT workspace, name FROM memory WHERE deleted_at IS NULL LIMIT 1").fetchone()
        conn.execute("UPDATE memory SET body = 'Edited.' WHERE workspace = ? AND name = ?", row)
        # The change in between left no history row: whoever made it went round the trigger.
        triggers = conn.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            conn.execute(f"DROP TRIGGER {name}")
        conn.execute("UPDATE memory SET body = 'Unseen.' WHERE workspace = ? AND name = ?", row)
        for _, sql in triggers:
            conn.execute(sql)
        conn.execute("UPDATE memory SET body = 'Seen again.' WHERE workspace = ? AND name = ?", row)
    with Desk.open(tmp_path / "store", Actor("user:ana")) as desk:
        desk.attach("gaia", str(path))
        entry, versions = desk.history(f"{row[0]}/{row[1]}")
        found = desk.breaks(versions)
        assert entry.body == "Seen again." == versions[-1].change("body").after  # type: ignore[union-attr]
        assert found and all("does not join" in sentence for sentence in found.values())
        assert set(found) <= {v.event_id for v in versions}
