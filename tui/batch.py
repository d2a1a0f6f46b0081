"""A batch of requests in the person's editor: kept in a file until it is decided, so that no typing is lost (DESIGN 4).

The command `requests review` and the key E of the desk share it. Nothing here knows Textual.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..core.errors import InputError, MemdeskError
from .batch_text import Batch, Block, Choice, batch_text, read_batch
from .review_words import batch_diffs, batch_notes, head_words
from .widgets.editor import EditorFailed, editor_command, run_editor, saved_text

if TYPE_CHECKING:
    from ..core.desk import Desk
    from ..core.desk.deciding import Outcome
    from ..core.store import RequestRow


#: Of the files of batches: who, when it was begun, and which of those begun in that second.
_NAME: Final = "review-{who}-{when}{nth}.json"


class KeptBatch:
    """The batch of one run: the text being edited, and beside it what each request said when it was written.

    Every run has files of its own and holds a lock on them, so that no two terminals write into one text. The lock goes
    with the process, however that ends.

    Attributes:
        text: the file that the editor opens.
    """

    def __init__(self, text: Path) -> None:
        self.text = text
        self._lock: int | None = None

    @classmethod
    def all_of(cls, desk: Desk) -> tuple[KeptBatch, ...]:
        """The unfinished batches of the desk's actor, in the store's folder for drafts, the newest first."""
        name = re.compile(_NAME.format(who=re.escape(_who(desk)), when=r"\d{8}-\d{6}", nth=r"(-\d+)?"))
        found = []
        for facts in desk.store.drafts.glob("review-*.json"):
            kept = cls(facts.with_suffix(".txt"))
            if name.fullmatch(facts.name) and kept._by() in (None, desk.actor.name):
                if kept.there:
                    found.append((facts.stat().st_mtime_ns, facts.name, kept))
                elif not kept.is_open:
                    kept.done()  # the text was taken away, and nobody is about to write it
        return tuple(kept for *_, kept in sorted(found, key=lambda one: one[:2], reverse=True))

    @classmethod
    def begin(cls, desk: Desk, rows: Sequence[RequestRow], now: datetime) -> tuple[KeptBatch | None, tuple[Block, ...]]:
        """Write a new batch of those that are ready, and hold it; (None, ()) and no file where none is.

        Raises:
            OSError: the file cannot be written.
        """
        blocks = read_blocks(desk, rows, now)
        if not blocks:
            return None, ()
        kept = cls._reserved(desk, now)
        try:
            _write(kept._facts, json.dumps({"by": desk.actor.name, "blocks": [asdict(b) for b in blocks]}), kept._lock)
            _write(kept.text, batch_text(blocks))
        except OSError:
            kept.done()
            raise
        return kept, blocks

    @classmethod
    def _reserved(cls, desk: Desk, now: datetime) -> KeptBatch:
        for nth in count(1):
            name = _NAME.format(who=_who(desk), when=f"{now:%Y%m%d-%H%M%S}", nth="" if nth == 1 else f"-{nth}")
            kept = cls((desk.store.drafts / name).with_suffix(".txt"))
            aside = kept.text.with_name(f"{kept.text.name}.dropped")
            with contextlib.suppress(FileExistsError):
                kept._lock = os.open(kept._facts, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
                _locked(kept._lock, fcntl.LOCK_EX)
                if not aside.exists() and not kept.text.exists():
                    break
                kept._facts.unlink()  # the name was used before: that text is not ours
                kept.release()
        return kept

    @property
    def _facts(self) -> Path:
        return self.text.with_suffix(".json")

    @property
    def there(self) -> bool:
        """Whether it is unfinished."""
        return self.text.exists() and self._facts.exists()

    @property
    def since(self) -> datetime:
        """When it was begun, or last gone on with."""
        return datetime.fromtimestamp(self._facts.stat().st_mtime, UTC)

    @property
    def is_open(self) -> bool:
        """Whether a run that has not ended holds it, this one included."""
        try:
            handle = os.open(self._facts, os.O_RDONLY)
        except FileNotFoundError:
            return False
        try:
            return not _locked(handle, fcntl.LOCK_SH)
        finally:
            os.close(handle)

    def take(self) -> bool:
        """Hold it from now on; False where another run does, or has just finished it."""
        try:
            handle = os.open(self._facts, os.O_RDWR)
        except FileNotFoundError:
            return False
        if not _locked(handle, fcntl.LOCK_EX) or not self.there:
            os.close(handle)
            return False
        self._lock = handle
        os.utime(handle)
        return True

    def release(self) -> None:
        """Let go of it; what was typed stays."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _by(self) -> str | None:
        """Whose it is; None where that cannot be read."""
        try:
            return str(json.loads(self._facts.read_text(encoding="utf-8"))["by"])
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def blocks(self) -> tuple[Block, ...]:
        """The requests as they were shown when the batch was written.

        Raises:
            InputError: the file beside the text is gone or is not what `begin` wrote.
        """
        try:
            rows = json.loads(self._facts.read_text(encoding="utf-8"))["blocks"]
            return tuple(Block(**row | {"notes": tuple(row["notes"]), "after": tuple(row["after"])}) for row in rows)
        except (OSError, ValueError, TypeError, KeyError):
            raise InputError(
                f"The batch kept at {self.text} cannot be gone on with.",
                "Copy what you typed from it, then start a new one with --fresh.", path=str(self.text),
            ) from None  # fmt: skip

    def edit(self) -> Batch:
        """Open the text in the editor and read what came of it. The file stays until `done`.

        Raises:
            EditorFailed: there is no editor, it failed, or what it saved is no text; `there` tells whether any is kept.
        """
        try:
            run_editor(self.text, editor_command(os.environ))
        finally:
            gone = not self.text.exists()
            if gone:
                self.done()  # there is nothing to go on with
        if gone:
            raise EditorFailed("The editor left no file, so nothing of what you typed is there.")
        return self.read()

    def read(self) -> Batch:
        """What the text says as it stands. Raises EditorFailed."""
        return read_batch(saved_text(self.text), self.blocks())

    def done(self) -> None:
        """Remove the files: it is decided."""
        for path in (self.text, self._facts):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        self.release()

    def finish(self, batch: Batch, results: Sequence[Outcome]) -> Path | None:
        """Remove the batch now that it is decided; where a wording of the person's own came to nothing, its text stays
        beside, and that place is returned."""
        failed = {one.request_id for one in results if not one.done}
        if any(c.edited or c.unused for c in batch.choices if c.request_id in failed or c.word != "approve"):
            return self.set_aside()
        self.done()
        return None

    def set_aside(self) -> Path | None:
        """End it without deciding; unless nothing was typed, the text stays beside, and that place is returned."""
        aside = self.text.with_name(f"{self.text.name}.dropped")
        try:
            untouched = saved_text(self.text) == batch_text(self.blocks())
        except (EditorFailed, InputError):
            untouched = False
        if not untouched and self.text.exists():
            os.replace(self.text, aside)
        self.done()
        return None if untouched else aside


def _who(desk: Desk) -> str:
    return re.sub(r"[^\w.-]", "_", desk.actor.name)


def _locked(handle: int, kind: int) -> bool:
    """Take a lock on an open file, if nobody else has one."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        # A file system without locks: runs still have files of their own, they are only not told of each other.
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP):
            raise
    return True


def read_blocks(desk: Desk, rows: Sequence[RequestRow], now: datetime) -> tuple[Block, ...]:
    """The requests that are ready, as the editor shows them."""
    from ..core.desk.asked_before import rationale_by, turned_down, turned_down_words

    states, name = desk.request_states(rows), desk.names_by_id()
    blocks = []
    for row in rows:
        if states[row.request_id] != "ready":
            continue
        review, texts = desk.review(row), dict(desk.request_texts(row))
        before, whose = turned_down(desk.store, row), rationale_by(desk.store, row)
        notes = [*batch_notes(review, texts, now, desk.store.origin, whose)]
        notes += [f"! {turned_down_words(before)}"] if before else []
        blocks.append(Block(
            row.request_id, row.revision_id, head_words(row, name, now),
            tuple(notes), texts, tuple(batch_diffs(review, texts)),
            alone=bool(review.token),
        ))  # fmt: skip
    return tuple(blocks)


def needs_reason(batch: Batch) -> tuple[Choice, ...]:
    """The rejections that carry no reason: ask for one, since the asker reads it."""
    return tuple(c for c in batch.choices if c.word == "reject" and not c.reason.strip())


def decide(
    desk: Desk, blocks: Sequence[Block], batch: Batch, reasons: Mapping[str, str] | None = None
) -> Iterator[Outcome]:
    """Approve and reject what the batch says, one request at a time; one that fails does not stop the rest.

    Args:
        blocks: as they were shown; a request that was worded anew since is not approved.
        batch: without problems, and read.
        reasons: request id -> the reason of a rejection that carries none.
    """
    from ..core.desk.deciding import Outcome

    assert not batch.problems and not batch.unread
    shown = {b.request_id: b.revision for b in blocks}
    for choice in batch.choices:
        if choice.word == "skip":
            continue
        try:
            row = desk.request(choice.request_id)
            if choice.word == "reject":
                reason = choice.reason or (reasons or {}).get(choice.request_id, "")
                receipt = desk.reject(row.request_id, reason)
            else:
                if row.revision_id == shown[row.request_id]:
                    desk.mark_request_shown(row)  # the editor has shown exactly this text whole
                receipt = desk.approve(
                    row.request_id, edited=choice.edited or None, revision=shown[row.request_id]
                )
        except MemdeskError as error:
            yield Outcome(choice.request_id, False, error.message)
        else:
            yield Outcome(choice.request_id, True, f"{receipt.summary}.", receipt)


def _write(path: Path, text: str, handle: int | None = None) -> None:
    """Write a file whole, readable by its owner only; through `handle` where it is open and locked already."""
    if handle is not None:
        with os.fdopen(os.dup(handle), "w", encoding="utf-8") as file:
            file.write(text)
        return
    new = path.with_name(f"{path.name}.new")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(new, path)
