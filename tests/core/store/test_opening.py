"""Opening, permissions, journals, locks, and files that are no store (CASES "SQLite"; DESIGN 10)."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from memdesk.core.errors import StoreLocked, StoreUnusable
from memdesk.core.store import Store, opening

from .conftest import FakeClock


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write(store: Store, name: str = "atom_x", body: str = "text") -> str:
    with store.transaction() as tx:
        tx.begin("add", f"Added {name}", actor="user:ana")
        memory_id = tx.new_id()
        payload = {"memory_id": memory_id, "workspace": "w", "name": name, "type": "atom", "body": body}
        tx.write("memory.create", payload)
    return memory_id


# -- the place ----------------------------------------------------------------------------------------------------


def test_only_the_owner_can_read_the_store(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "memdesk"
    with Store.open(folder) as store:
        write(store)
        assert mode(folder) == 0o700
        assert mode(store.drafts) == 0o700
        assert {file.name: mode(file) for file in folder.glob("memdesk.db*")} == {
            "memdesk.db": 0o600, "memdesk.db-wal": 0o600, "memdesk.db-shm": 0o600,
        }  # fmt: skip


def test_loose_permissions_are_tightened(tmp_path: Path) -> None:
    folder = tmp_path / "memdesk"
    Store.open(folder).close()
    folder.chmod(0o755)
    (folder / "memdesk.db").chmod(0o644)
    with Store.open(folder):
        assert (mode(folder), mode(folder / "memdesk.db")) == (0o700, 0o600)


def test_the_origin_stays(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s") as store:
        origin = store.origin
    with Store.open(tmp_path / "s") as store:
        assert store.origin == origin and origin.startswith("d_") and len(origin) == 28
    with Store.open(tmp_path / "s", read_only=True) as store:
        assert store.origin == origin


def test_names_with_signs_of_a_uri(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%41 d"
    with Store.open(folder) as store:
        write(store)
    assert (folder / "memdesk.db").stat().st_size > 0


# -- the journal --------------------------------------------------------------------------------------------------

MOUNTS = """\
/dev/root / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb /home/ana/local xfs rw 0 0
C:\\134 /mnt/c 9p rw 0 0
host /mnt/shared\\040folder fuse.sshfs rw 0 0
/dev/sdc /mnt/usb fuseblk rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib", None), ("/home/ana", "nfs4"), ("/home/ana/local/x", None), ("/homely", None),
        ("/mnt/c/Users", "9p"), ("/mnt/shared folder/x", "fuse.sshfs"), ("/mnt/usb", None),
    ],
)  # fmt: skip
def test_network_mounts_are_told_apart(path: str, kind: str | None) -> None:
    assert opening.network_mount(Path(path), MOUNTS) == kind


def test_a_network_mount_gets_a_rollback_journal_and_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store.open(tmp_path / "s").close()  # a file that was made elsewhere, in WAL mode
    monkeypatch.setattr(opening, "_system_mounts", lambda: f"server:/x {tmp_path.resolve()} nfs4 rw 0 0\n")
    with Store.open(tmp_path / "s") as store:
        write(store)
        assert store.journal == "delete"
        assert "network mount (nfs4)" in store.notes[0]
        assert not (tmp_path / "s" / "memdesk.db-wal").exists()


def test_an_ordinary_disk_gets_wal_and_no_note(store: Store) -> None:
    assert (store.journal, store.notes) == ("wal", [])


# -- files that are no store --------------------------------------------------------------------------------------


def text_file(path: Path) -> None:
    path.write_text("not a database at all\n" * 400)


def foreign(path: Path) -> None:
    conn = sqlite3.connect(path)
    conn.execute("CREATE TABLE memory (name TEXT)")
    conn.commit()
    conn.close()


def damaged(path: Path) -> None:
    with Store.open(path.parent) as store:
        for number in range(60):
            write(store, f"atom_{number}", "text " * 200)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [(text_file, "is not a database"), (foreign, "database of another program"), (damaged, "is damaged")],
)
def test_a_file_that_is_no_store_is_refused_untouched(tmp_path: Path, spoil: Callable[[Path], None], says: str) -> None:
    path = tmp_path / "memdesk.db"
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(StoreUnusable, match=says) as caught, Store.open(tmp_path) as store:
        store.counts()
    assert caught.value.hint and caught.value.stable_code == "store_unusable"
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnusable, match="cannot be opened for writing"):
        Store.open(tmp_path / "file" / "memdesk")
    (tmp_path / "s" / "memdesk.db").mkdir(parents=True)
    with pytest.raises(StoreUnusable, match="cannot be opened for writing"):
        Store.open(tmp_path / "s")


def test_read_only_reads_and_never_writes(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="There is no store"):
        Store.open(tmp_path / "none", read_only=True)
    with Store.open(tmp_path / "s") as store:
        memory_id = write(store)
    with Store.open(tmp_path / "s", read_only=True) as store:
        assert store.entry(memory_id) is not None
        with pytest.raises(StoreUnusable, match="read-only"):
            write(store)
        with pytest.raises(StoreUnusable, match="read-only"), opening.plainly(store.path, 0):
            store.db.execute("DELETE FROM counters")


def test_a_full_disk_writes_nothing(store: Store) -> None:
    write(store)
    pages = store.db.execute("PRAGMA page_count").fetchone()[0]
    store.db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreUnusable, match="full"):
        write(store, "atom_big", "word " * 40_000)
    assert store.check() == []
    assert store.counts().entries == 1
    store.db.execute(f"PRAGMA max_page_count = {pages + 1000}")
    write(store, "atom_big", "word " * 40_000)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (sqlite3.SQLITE_BUSY, "write lock"), (sqlite3.SQLITE_NOTADB, "not a database"),
        (sqlite3.SQLITE_CORRUPT, "damaged"), (sqlite3.SQLITE_READONLY, "read-only"), (sqlite3.SQLITE_FULL, "full"),
        (sqlite3.SQLITE_CANTOPEN, "cannot be opened"),
        (sqlite3.SQLITE_IOERR | 10 << 8, "disk failed"), (sqlite3.SQLITE_PERM, "denied"),
    ],
)  # fmt: skip
def test_every_failure_of_sqlite_has_a_plain_sentence(tmp_path: Path, code: int, says: str) -> None:
    error = sqlite3.OperationalError("raw")
    error.sqlite_errorcode = code
    translated = opening.translate(error, tmp_path / "memdesk.db", 1.0, 5000)
    assert translated is not None and says in translated.message and translated.hint


def test_a_mistake_of_ours_is_not_dressed_up(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"), store.transaction() as tx:
        tx.db.execute("SELECT * FROM nowhere")


# -- other processes ----------------------------------------------------------------------------------------------

HOLD = """
import sqlite3, sys
conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
conn.execute("COMMIT")
print("free", flush=True)
"""

OPEN = """
import sys
from pathlib import Path
from memdesk.core.store import Store
print("ready", flush=True)
sys.stdin.readline()
name = "atom_" + sys.argv[2]
with Store.open(Path(sys.argv[1])) as store:
    with store.transaction() as tx:
        tx.begin("add", "x", actor="user:ana")
        tx.write("memory.create", {"memory_id": tx.new_id(), "workspace": "w", "name": name, "type": "atom"})
    print(store.origin, store.journal, flush=True)
"""


@contextmanager
def process(code: str, *args: str) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    run = subprocess.Popen([sys.executable, "-c", code, *args], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    try:
        yield run
    finally:
        run.kill()
        run.communicate()


def say(run: subprocess.Popen[str]) -> None:
    assert run.stdin is not None
    run.stdin.write("\n")
    run.stdin.flush()


def hear(run: subprocess.Popen[str]) -> str:
    assert run.stdout is not None
    return run.stdout.readline().strip()


def test_a_lock_held_too_long_says_who_and_loses_nothing(tmp_path: Path, blank: Path) -> None:
    shutil.copytree(blank, tmp_path / "s")
    with Store.open(tmp_path / "s", wait_ms=150) as store, process(HOLD, str(store.path)) as holder:
        assert hear(holder) == "held"
        with pytest.raises(StoreLocked) as caught:
            write(store)
        assert f"Process {holder.pid}" in caught.value.message
        assert "waited 0." in caught.value.message and caught.value.hint
        assert caught.value.extra["waited_ms"] >= 100
        assert store.counts().entries == 0  # reading goes on meanwhile
        say(holder)
        assert hear(holder) == "free"
        write(store)
        assert store.counts().entries == 1


def test_a_lock_within_the_wait_is_waited_for(tmp_path: Path, blank: Path) -> None:
    shutil.copytree(blank, tmp_path / "s")
    with Store.open(tmp_path / "s", wait_ms=20_000) as store, process(HOLD, str(store.path)) as holder:
        assert hear(holder) == "held"
        writer = threading.Thread(target=write, args=(store,))
        writer.start()
        say(holder)
        writer.join(20)
        assert store.counts().entries == 1


def test_processes_that_open_a_new_store_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with ExitStack() as stack:
        runs = [stack.enter_context(process(OPEN, str(folder), name)) for name in "abc"]
        assert [hear(run) for run in runs] == ["ready"] * 3
        for run in runs:
            say(run)
        said = {hear(run) for run in runs}
    with Store.open(folder) as store:
        assert said == {f"{store.origin} wal"}
        assert sorted(e.name for e in store.entries()) == ["atom_a", "atom_b", "atom_c"]
        assert store.check() == []


def test_data_version_tells_of_every_write(make_store: Callable[..., Store]) -> None:
    store = make_store()
    other = Store.open(store.folder, clock=FakeClock(seed=9))
    seen = [store.data_version()]
    assert store.data_version() == seen[0]
    for writer in (store, other, store):
        write(writer, f"atom_{len(seen)}")
        seen.append(store.data_version())
    assert len(set(seen)) == 4
    other.close()


def test_each_thread_has_its_connection(store: Store) -> None:
    memory_id = write(store)
    found: list[object] = []

    def read() -> None:
        found.extend((store.db, store.entry(memory_id)))

    thread = threading.Thread(target=read)
    with store.transaction() as tx:
        tx.begin("edit", "x", actor="user:ana")
        tx.write("memory.edit", {"memory_id": memory_id, "patch": {"body": "changed"}})
        thread.start()
        thread.join(10)
        mine = store.entry(memory_id)
    assert found[0] is not store.db
    assert getattr(found[1], "body") == "text"  # noqa: B009 - the other thread sees what is committed
    assert mine is not None and mine.body == "changed"


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "s")
    store.close()
    store.close()
    with pytest.raises(StoreUnusable, match="closed"):
        store.counts()
