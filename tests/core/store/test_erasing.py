"""Erasing: what goes, what stays, and the proof (DESIGN 3.4 "Erase"; CASES "Injection budget, secrets")."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from memdesk.core.events import APPEND, EDGE_ADD, PURGE_EXECUTED, REQUEST
from memdesk.core.model import State
from memdesk.core.store import Store
from memdesk.core.store.erasing import probes

from .writing import act, add, edit

SECRET = 'the token is hunter2-Ünïcode and the host is "db-7"\nsecond line of the very private text'


def on_disk(store: Store) -> bytes:
    files = (store.path, store.path.with_name("memdesk.db-wal"))
    return b"".join(file.read_bytes() for file in files if file.exists())


def ask(store: Store, request_id: str, refs: list[str], body: str) -> None:
    payload = {"request_id": request_id, "verb": "edit", "refs": refs, "args": {"body": body}}
    act(store, "ask", REQUEST, payload)


def erase(store: Store, memory_id: str) -> None:
    act(store, "erase", PURGE_EXECUTED, {"memory_id": memory_id})


def test_an_erase_removes_the_text_from_every_table_and_every_byte(store: Store) -> None:
    memory_id = add(store, "atom_secret", body=SECRET, title="hunter2", tags=["hunter2-tag"])
    edit(store, memory_id, description="hunter2 in an older version")
    edit(store, memory_id, description="clean")
    act(store, "append", APPEND, {"memory_id": memory_id, "text": "hunter2 appended", "base": []})
    ask(store, "req_1", [memory_id], "hunter2")
    store.bump([memory_id], "injection")
    assert b"hunter2" in on_disk(store)
    erase(store, memory_id)
    assert store.residue(SECRET) == store.residue("hunter2") == []
    assert b"hunter2" not in on_disk(store)
    assert store.entry(memory_id) is None and store.search("hunter2") == []
    for table in ("entries", "tags", "counters", "lost_edits", "entries_fts"):
        assert store.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
    kept = store.events_of(memory_id)
    assert [e.erased for e in kept] == [True] * 5 + [False]
    assert store.check() == [] and store.integrity() == []


def test_the_request_about_it_keeps_its_id_and_no_text(store: Store) -> None:
    memory_id = add(store)
    ask(store, "req_1", [memory_id], "hunter2")
    erase(store, memory_id)
    (row,) = store.requests()
    assert (row.request_id, row.status, row.args) == ("req_1", "withdrawn", {})


def test_its_edges_go_and_what_it_replaced_stays_replaced(store: Store) -> None:
    gone, old, friend = add(store, "atom_gone"), add(store, "atom_old"), add(store, "atom_friend")
    act(store, "link", EDGE_ADD, {"from_id": gone, "edge_kind": "supersedes", "to_id": old})
    act(store, "link", EDGE_ADD, {"from_id": friend, "edge_kind": "related_to", "to_id": gone})
    erase(store, gone)
    assert store.edges() == [] and store.check() == []
    entry = store.entry(old)
    assert entry is not None and entry.state is State.SUPERSEDED


def test_an_erased_name_is_free_again(store: Store) -> None:
    first = add(store)
    erase(store, first)
    assert store.name_owner("w", "atom_x") is None
    entry = store.entry(add(store))
    assert entry is not None and entry.shown_name == "atom_x"


def test_what_quotes_the_text_is_named(store: Store) -> None:
    memory_id = add(store, "atom_secret", body=SECRET)
    add(store, "atom_quote", body="As I said: " + SECRET)
    ask(store, "req_new", [], SECRET)
    (store.drafts / "a.md").write_text(SECRET)
    erase(store, memory_id)
    places = store.residue(SECRET)
    assert any("entry w/atom_quote" in p for p in places)
    assert any("request req_new" in p for p in places)
    assert any("draft a.md" in p for p in places)
    assert not any("atom_secret" in p for p in places)


def test_bytes_that_nothing_explains_are_found(store: Store, tmp_path: Path) -> None:
    add(store)
    store.scrub()
    with store.path.open("ab") as file:
        file.write(SECRET.encode())
    (place,) = store.residue(SECRET)
    assert "unused space of the database file" in place


def test_probes_stand_for_the_whole_text() -> None:
    text = "".join(f"word{n} " for n in range(400))
    pieces = probes(text)
    assert len(pieces) == 8 and all(p in text for p in pieces)
    assert pieces[0].startswith("word0") and "word39" in pieces[-1]
    assert probes("  short ") == ["short"] and probes(" \n") == []


OTHER = """
import sys
import subprocess
import sys
from pathlib import Path
from memdesk.core.store import Store
with Store.open(Path(sys.argv[1])) as store:
    print(*sorted(row[0] for row in store.db.execute("SELECT name FROM entries")))
"""


def others_see(store: Store) -> list[str]:
    """The names that a program finds which opens the store and ends."""
    run = subprocess.run(
        [sys.executable, "-c", OTHER, str(store.folder)], capture_output=True, text=True, timeout=50, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def test_looking_for_residue_keeps_the_locks(store: Store) -> None:
    """POSIX: whoever closes a file loses all locks of the process on it, and the next program to end would delete the
    write-ahead log that this one goes on writing to."""
    add(store, "atom_a", body=SECRET)
    assert store.residue(SECRET)
    assert store.residue("no such text anywhere in it") == []
    with Store.open(store.folder):
        pass  # another one of this process
    assert others_see(store) == ["atom_a"]
    assert store.path.with_name("memdesk.db-wal").exists(), "it is in use"
    add(store, "atom_b")
    assert others_see(store) == ["atom_a", "atom_b"]
