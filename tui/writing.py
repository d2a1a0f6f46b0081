"""The queue of writes: keys are typed faster than a locked file answers, and none of them may be lost.

Each write carries what was on screen when its key was pressed. When its turn comes, that becomes the `expected` of the
verb, so a change by somebody else in between is refused and shown, never overwritten (DESIGN 9 rule 6). A value that
our own earlier write in the queue put there is expected as that write left it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.desk import Desk, Receipt
from ..core.errors import MemdeskError, Stale
from ..core.model import STATE_LABELS, Entry, State, role_label
from ..core.text import one_line
from .actions import Seen
from .live import background
from .widgets.drafts import Draft, text_hash, write_draft
from .widgets.rows import Key
from .words import ago, number

if TYPE_CHECKING:
    from .app import MemdeskApp
    from .panes.pane import Pane

_SENTENCE = re.compile(r"\S.*?[.!?](?=\s|$)|\S.+$")
_OPTION = re.compile(r"(?<!\S)[`“]?--\w")
#: entry id -> {field: value as it was on screen}
Expected = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text somebody typed, the file to keep it in, and the text it started from."""

    path: Path
    text: str
    base: str = ""


@dataclass(frozen=True)
class Write:
    """One write that waits for its turn.

    Attributes:
        doing: "Closing project_x", shown while it runs.
        call: the desk verb; gets the desk and what is expected of `targets`.
        targets: the rows it changes, as they were on screen.
        fields: which fields of them must still be as they were.
        pane: whose key it was, or None for the desk's own.
        then: called on the screen's thread with the receipt.
        draft: the typed text to keep if the write does not land.
        step: where the cursor stood when the key was pressed, and where it went then; None if it stayed.
    """

    doing: str
    call: Callable[[Desk, Expected], Receipt]
    targets: Sequence[Seen] = ()
    fields: Sequence[str] = ()
    pane: Pane | None = None
    then: Callable[[Receipt], None] | None = None
    draft: KeptText | None = None
    step: tuple[Key | None, Key | None] | None = None


@dataclass
class WriteQueue:
    """Runs writes one after another; owned by the app, touched only on the screen's thread."""

    app: MemdeskApp
    landed: int = 0
    _waiting: deque[Write] = field(default_factory=deque)
    _running: Write | None = None
    #: What our own writes left, until the screen shows it: entry id -> (number of the write, entry).
    _left: dict[str, tuple[int, Entry]] = field(default_factory=dict)

    def add(self, write: Write) -> None:
        """Put a write at the end of the queue."""
        self._waiting.append(write)
        if self._running is None and len(self._waiting) == 1:
            background(self.app, self._drain, "desk.writes")

    @property
    def pending(self) -> int:
        """How many writes have not landed yet."""
        return len(self._waiting) + (self._running is not None)

    @property
    def busy(self) -> frozenset[str]:
        """Ids of the entries with a write under way."""
        running = (self._running,) if self._running else ()
        return frozenset(seen.id for write in (*running, *self._waiting) for seen in write.targets)

    def shown(self, landed: int) -> None:
        """A view read after `landed` writes is on screen: what those left behind need not be remembered."""
        self._left = {key: value for key, value in self._left.items() if value[0] > landed}

    async def _drain(self) -> None:
        while self._waiting:
            self._running = self._waiting.popleft()
            try:
                await self._one(self._running)
            finally:
                self._running = None
        self.app.writes_ended()

    async def _one(self, write: Write) -> None:
        waiting = f" ({number(len(self._waiting))} more waiting)" if self._waiting else ""
        self.app.say(f"{write.doing}…{waiting}", passing=True)
        expected = {seen.id: self._expected(seen, write.fields) for seen in write.targets}
        try:
            receipt = await self.app.live.write(lambda desk: write.call(desk, expected))
        except MemdeskError as error:
            _keep_draft(write)
            about = str(error.extra.get("entry") or "")
            now = await self.app.live.read(lambda desk: desk.store.entry(about)) if about else None
            self.app.write_failed(write, error, now)
            return
        self.landed += 1
        for entry in receipt.entries:
            self._left[entry.id] = (self.landed, entry)
        self.app.write_landed(write, receipt)

    def _expected(self, seen: Seen, fields: Sequence[str]) -> dict[str, Any]:
        source: Any = self._left[seen.id][1] if seen.id in self._left else seen
        return {name: value_of(source, name) for name in fields}


def value_of(seen: Any, name: str) -> Any:
    """A field of a row or an entry under its stored name, as the desk compares it."""
    value = getattr(seen, "klass" if name == "class" else name)
    return str(value) if name in ("class", "status", "state") and value is not None else value


def stale_words(error: Stale, now: Entry, moment: datetime) -> str:
    """What a refused write found instead, in the words of the screen.

    Args:
        error: its `current` says which fields moved.
        now: the entry as it stands.
        moment: the time, for the age of the change.
    """
    moved = dict(error.extra.get("current") or {})
    said = []
    if {"class", "status", "state"} & moved.keys():
        role = f"it is under “{role_label(now.klass, now.status, now.type)}” now"
        said.append(role if now.state is State.ACTIVE else f"it is {STATE_LABELS[now.state]} now")
    for name in sorted(moved.keys() - {"class", "status", "state"}):
        value = one_line(str(getattr(now, name, "") or ""), 60)
        called = "text" if name == "body" else name
        said.append(f"its {called} now reads “{value}”" if value else f"its {called} is empty now")
    return f"{now.shown_name} was changed by {now.last_edited_by} {ago(now.updated_at, moment)}: {', and '.join(said)}."


def desk_hint(hint: str) -> str:
    """A hint without its sentences about options of commands: nobody types those here."""
    return " ".join(sentence for sentence in _SENTENCE.findall(hint) if not _OPTION.search(sentence)).strip()


def _keep_draft(write: Write) -> None:
    """A text that was typed and could not be stored stays on disk, where the next Compose offers it again."""
    if write.draft is not None:
        write_draft(write.draft.path, Draft(write.draft.text, text_hash(write.draft.base)))
