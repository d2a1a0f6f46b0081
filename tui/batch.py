"""A batch of requests in the person's editor: kept in a file until it is decided, so that no typing is lost (DESIGN 4).

The command `requests review` and the key E of the desk share it. Nothing here knows Textual.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import InputError, MemdeskError
from .batch_text import Batch, Block, Choice, batch_text, read_batch
from .review_words import batch_diffs, batch_notes, head_words
from .widgets.editor import editor_command, run_editor, saved_text

if TYPE_CHECKING:
    from ..core.desk import Desk
    from ..core.desk.deciding import Outcome
    from ..core.store import RequestRow


@dataclass(frozen=True, slots=True)
class KeptBatch:
    """The batch of one person: the text being edited, and beside it what each request said when it was written.

    Attributes:
        text: the file that the editor opens.
    """

    text: Path

    @classmethod
    def of(cls, desk: Desk) -> KeptBatch:
        """The batch of the desk's actor, in the store's folder for drafts."""
        who = re.sub(r"[^\w.-]", "_", desk.actor.name)
        return cls(desk.store.drafts / f"review-{who}.txt")

    @property
    def _facts(self) -> Path:
        return self.text.with_suffix(".json")

    @property
    def there(self) -> bool:
        """Whether an unfinished batch is kept."""
        return self.text.exists() and self._facts.exists()

    def begin(self, desk: Desk, rows: Sequence[RequestRow], now: datetime) -> tuple[Block, ...]:
        """Write a new batch of those that are ready; () and no file where none is.

        Raises:
            OSError: the file cannot be written.
        """
        blocks = read_blocks(desk, rows, now)
        if blocks:
            _write(self._facts, json.dumps([asdict(b) for b in blocks]))
            _write(self.text, batch_text(blocks))
        return blocks

    def blocks(self) -> tuple[Block, ...]:
        """The requests as they were shown when the batch was written.

        Raises:
            InputError: the file beside the text is gone or is not what `begin` wrote.
        """
        try:
            rows = json.loads(self._facts.read_text(encoding="utf-8"))
            return tuple(Block(**row | {"notes": tuple(row["notes"]), "after": tuple(row["after"])}) for row in rows)
        except (OSError, ValueError, TypeError, KeyError):
            raise InputError(
                f"The batch kept at {self.text} cannot be gone on with.",
                "Copy what you typed from it, then start a new one with --fresh.", path=str(self.text),
            ) from None  # fmt: skip

    def edit(self) -> Batch:
        """Open the text in the editor and read what came of it. The file stays until `done`.

        Raises:
            EditorFailed: there is no editor, it failed, or what it saved is no text.
        """
        run_editor(self.text, editor_command(os.environ))
        return self.read()

    def read(self) -> Batch:
        """What the text says as it stands. Raises EditorFailed."""
        return read_batch(saved_text(self.text), self.blocks())

    def done(self) -> None:
        """Remove the files: it is decided."""
        for path in (self.text, self._facts):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()

    def finish(self, batch: Batch, results: Sequence[Outcome]) -> bool:
        """Remove the batch now that it is decided; where a wording of the person's own came to nothing, it stays
        beside, and True is returned."""
        failed = {one.request_id for one in results if not one.done}
        lost = any(c.edited or c.unused for c in batch.choices if c.request_id in failed or c.word != "approve")
        self.set_aside() if lost else self.done()
        return lost

    def set_aside(self) -> None:
        """Make room for a new batch; the text stays beside as `….dropped`."""
        with contextlib.suppress(FileNotFoundError):
            os.replace(self.text, self.text.with_name(f"{self.text.name}.dropped"))
        self.done()


def read_blocks(desk: Desk, rows: Sequence[RequestRow], now: datetime) -> tuple[Block, ...]:
    """The requests that are ready, as the editor shows them."""
    states, name = desk.request_states(rows), desk.names_by_id()
    blocks = []
    for row in rows:
        if states[row.request_id] != "ready":
            continue
        review, texts = desk.review(row), dict(desk.request_texts(row))
        blocks.append(Block(
            row.request_id, row.revision_id, head_words(row, name, now),
            tuple(batch_notes(review, texts, now, desk.store.origin)), texts, tuple(batch_diffs(review, texts)),
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
        batch: without problems.
        reasons: request id -> the reason of a rejection that carries none.
    """
    from ..core.desk.deciding import Outcome

    assert not batch.problems
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
                receipt = desk.approve(row.request_id, edited=choice.edited or None)
        except MemdeskError as error:
            yield Outcome(choice.request_id, False, error.message)
        else:
            yield Outcome(choice.request_id, True, f"{receipt.summary}.", receipt)


def _write(path: Path, text: str) -> None:
    """Write a file whole, readable by its owner only."""
    new = path.with_name(f"{path.name}.new")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(new, path)
