"""Opening memdesk.db: the file and its permissions, the journal, the schema, and errors in plain words.

Source: CASES "SQLite"; DESIGN 10.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ..errors import StoreLocked, StoreUnusable
from ..schema import APPLICATION_ID, VERSION, migrate, version_of
from ..search_text import search_text

FILE_NAME: Final = "memdesk.db"
#: File systems on which WAL's shared memory or POSIX locks cannot be trusted.
NETWORK_MOUNTS: Final = frozenset({
    "nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "davfs", "davfs2", "9p", "drvfs",
    "vboxsf", "vmhgfs", "prl_fs", "virtiofs", "fakeowner", "osxfs", "grpcfuse", "ceph", "glusterfs", "lustre", "gfs2",
    "ocfs2", "afs", "beegfs", "gpfs", "ncpfs", "coda",
})  # fmt: skip
_LOCAL_FUSE: Final = frozenset({"fuseblk", "fuse.ext4", "fuse.ntfs", "fuse.ntfs-3g", "fuse.encfs", "fuse.gocryptfs"})


def _make_file(path: Path) -> None:
    """Create the file. One that is there is not even opened: closing it again would drop every lock that SQLite holds
    on it for another store of this process (POSIX)."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600))
    elif not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def make_place(folder: Path) -> Path:
    """Create the folder (0700) and the file (0600) where they are missing; -wal and -shm take the file's mode.

    Raises:
        StoreUnusable: the folder or the file cannot be made, or is not what it should be.
    """
    path = folder / FILE_NAME
    try:
        if not folder.is_dir():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_file(path)
        for place, mode in ((folder, 0o700), (path, 0o600)):
            status = place.stat()
            if status.st_mode & 0o077 and status.st_uid == os.geteuid():
                place.chmod(mode)
    except OSError as error:
        raise StoreUnusable(
            f"The store {path} cannot be opened for writing: {error.strerror or error}.",
            "Check the folder's owner and permissions, or point MEMDESK_HOME at another folder.",
            path=str(path),
        ) from None
    return path


def is_there(folder: Path) -> bool:
    """Whether a folder holds a store.

    Raises:
        StoreUnusable: what stands there is no folder, so that it is a mistake and not a memory that is not begun yet.
    """
    if folder.exists() and not folder.is_dir():
        raise StoreUnusable(f"{folder} is a file, no folder of a store.", "Point MEMDESK_HOME or --store at a folder.")
    return (folder / FILE_NAME).is_file()


def at_rest(path: Path) -> bool:
    """Whether nobody has the store open and all of it stands in its one file."""
    return path.is_file() and not any(Path(f"{path}{end}").exists() for end in ("-wal", "-journal"))


def connect(path: Path, *, read_only: bool, wait_ms: int, at_rest: bool = False) -> sqlite3.Connection:
    """A connection of this store, with its settings and SQL function. It may be closed from any thread.

    Args:
        at_rest: read-only: take the file as one that nobody changes, so that nothing at all is put beside it. The
            caller looks afterwards whether that was so.
    """
    mode = "ro&immutable=1" if read_only and at_rest else "ro" if read_only else "rw"
    # Everything that ends a URI path or starts a query must be escaped.
    name = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    conn = sqlite3.connect(
        f"file:{name}?mode={mode}", uri=True, timeout=wait_ms / 1000, isolation_level=None, check_same_thread=False
    )
    conn.create_function("search_text", 1, search_text, deterministic=True)
    conn.execute("PRAGMA secure_delete = ON")
    conn.execute("PRAGMA cache_size = -16000")
    conn.execute("PRAGMA temp_store = MEMORY")
    return conn


def prepare(path: Path, *, wait_ms: int, network: str | None) -> tuple[sqlite3.Connection, str]:
    """Check the file, choose its journal, make or migrate its tables.

    Args:
        path: the file; may be empty.
        wait_ms: how long to wait for another process, milliseconds.
        network: the kind of network mount it lies on, or None.

    Returns:
        The connection, to be used further (closing the last one costs a checkpoint), and the journal mode: "wal" or
        "delete".

    Raises:
        StoreUnusable: foreign, damaged, newer, or read-only.
        StoreLocked: another process held it past the wait.
    """
    with plainly(path, wait_ms):
        conn = connect(path, read_only=False, wait_ms=wait_ms)
        try:
            check_identity(conn, path)
            mode = _set_journal(conn, "delete" if network else "wal", wait_ms)
            if version_of(conn) < VERSION:
                migrate(conn)
        except BaseException:
            conn.close()
            raise
    return conn, mode


def check_identity(conn: sqlite3.Connection, path: Path) -> None:
    """Refuse a file of another program and one that a newer memdesk wrote.

    Raises:
        StoreUnusable: with a plain sentence.
    """
    application = int(conn.execute("PRAGMA application_id").fetchone()[0])
    version = version_of(conn)
    tables = int(conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if tables and application != APPLICATION_ID:
        raise StoreUnusable(
            f"{path} is a database of another program, not a memdesk store.",
            "Point MEMDESK_HOME at another folder; a Gaia database is worked on with `memdesk attach gaia`.",
            path=str(path),
        )
    if version > VERSION:
        raise StoreUnusable(
            f"{path} was written by a newer memdesk (store version {version}, this program knows {VERSION}).",
            "Update memdesk; nothing was changed.",
            path=str(path), found=version, known=VERSION,
        )  # fmt: skip


def _set_journal(conn: sqlite3.Connection, wanted: str, wait_ms: int) -> str:
    """Switch the journal. The switch ignores the busy timeout, so it is tried again until the wait is over."""
    deadline = time.monotonic() + wait_ms / 1000
    pause = 0.002
    while True:
        try:
            mode = str(conn.execute("PRAGMA journal_mode").fetchone()[0])
            if mode != wanted:
                mode = str(conn.execute(f"PRAGMA journal_mode = {wanted}").fetchone()[0])
            if mode == wanted or time.monotonic() > deadline:
                return mode
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


# -- where it lies ------------------------------------------------------------------------------------------------


def network_mount(path: Path, mounts: str | None = None) -> str | None:
    """The kind of network or shared mount that `path` lies on, or None for a local disk.

    Args:
        path: a file or folder.
        mounts: text of /proc/mounts; read from the system when None.
    """
    if mounts is None:
        mounts = _system_mounts()
    where = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        point = parts[1].encode().decode("unicode_escape") if "\\" in parts[1] else parts[1]
        inside = where == point or where.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, parts[2].lower()
    if kind in NETWORK_MOUNTS or (kind.startswith("fuse") and kind not in _LOCAL_FUSE and kind != "fuse.portal"):
        return kind
    return None


def _system_mounts() -> str:
    try:
        if sys.platform == "darwin":
            return _darwin_mounts()
        return Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _darwin_mounts() -> str:
    import subprocess

    said = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5, check=False).stdout
    lines = []
    for line in said.splitlines():  # //host/share on /Volumes/share (smbfs, nodev)
        device, _, rest = line.partition(" on ")
        point, _, options = rest.rpartition(" (")
        lines.append(f"{device.replace(' ', '_')} {point} {options.partition(',')[0].rstrip(')')}")
    return "\n".join(lines)


# -- errors in plain words ----------------------------------------------------------------------------------------


_SENTENCES: Final = {
    sqlite3.SQLITE_NOTADB: (
        "{path} is not a database.",
        "Move the file away, or point MEMDESK_HOME at another folder.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "The store {path} is damaged ({error}).",
        "Keep a copy of the file, then put a backup in its place (or save what it holds with `sqlite3 FILE .recover`).",
    ),
    sqlite3.SQLITE_READONLY: (
        "The store {path} is read-only here.",
        "Check the owner and permissions of the file and its folder.",
    ),
    sqlite3.SQLITE_FULL: (
        "The disk that holds {path} is full; nothing was written.",
        "Make room and do it again.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "The store {path} cannot be opened ({error}).",
        "Check that the folder exists and that you may read and write it.",
    ),
    sqlite3.SQLITE_IOERR: (
        "The disk failed while the store {path} was used ({error}).",
        "Check the disk; a write that was under way is rolled back.",
    ),
    sqlite3.SQLITE_PERM: ("Access to {path} is denied.", "Check its owner and permissions."),
    sqlite3.SQLITE_NOLFS: ("{path} is too large for this file system.", "Move the store to another disk."),
}


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process holds a lock."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@contextmanager
def plainly(path: Path, wait_ms: int) -> Iterator[None]:
    """Turn SQLite's errors into StoreLocked and StoreUnusable; anything else (a mistake of ours) passes."""
    started = time.monotonic()
    try:
        yield
    except sqlite3.Error as error:
        translated = translate(error, path, time.monotonic() - started, wait_ms)
        if translated is None:
            raise
        raise translated from error


def translate(error: sqlite3.Error, path: Path, waited_s: float, wait_ms: int) -> StoreLocked | StoreUnusable | None:
    """The error as one of ours, or None when it is a mistake in a statement.

    Args:
        error: what SQLite raised.
        path: the store's file.
        waited_s: seconds spent in the call that failed.
        wait_ms: the bounded wait, milliseconds.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        holder = lock_holder(path)
        who = f"{holder} holds" if holder else "Another process holds"
        return StoreLocked(
            f"{who} the store's write lock; waited {waited_s:.1f} s of at most {wait_ms / 1000:.1f} s, wrote nothing.",
            "Try again in a moment; if it stays, look for a memdesk that hangs and end it.",
            path=str(path), waited_ms=round(waited_s * 1000), holder=holder,
        )  # fmt: skip
    if code not in _SENTENCES:
        return None
    sentence, hint = _SENTENCES[code]
    return StoreUnusable(sentence.format(path=path, error=error), hint, path=str(path))


def lock_holder(path: Path) -> str | None:
    """`process 1234 (memdesk)` of whoever holds a write lock on the store, where the system tells (Linux)."""
    try:
        inodes = {Path(f"{path}{end}").stat().st_ino for end in ("", "-shm") if Path(f"{path}{end}").exists()}
        locks = Path("/proc/locks").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    for line in locks.splitlines():  # 1: POSIX  ADVISORY  WRITE 2047 08:01:1234 120 120
        parts = line.split()
        if len(parts) < 6 or parts[3] != "WRITE" or not parts[4].isdigit() or int(parts[4]) in (0, os.getpid()):
            continue
        if parts[5].rpartition(":")[2].isdigit() and int(parts[5].rpartition(":")[2]) in inodes:
            return f"Process {parts[4]}{_command_of(parts[4])}"
    return None


def _command_of(pid: str) -> str:
    try:
        return f" ({Path('/proc', pid, 'comm').read_text(encoding='utf-8', errors='replace').strip()})"
    except OSError:
        return ""
