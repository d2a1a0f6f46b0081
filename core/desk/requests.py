"""Reading what agents ask for: which requests wait, whether they can still be carried out, and why not (DESIGN 4)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..errors import Ambiguous, NotFound, listed
from ..events import PURGE_EXECUTED, Event
from ..model import Entry
from ..store import RequestRow
from ..text import one_name
from .asked_texts import texts_of
from .composed import Composed
from .readiness import READY, Around, Hitch, Readiness

#: Words of a filter that are about the state.
_STATES: Final = frozenset({"ready", "stale", "gone", "settled"})
#: The fields in the words of a sentence.
FIELD_WORDS: Final = {
    "title": "title", "description": "description", "summary": "short form", "body": "body", "class": "role",
    "status": "status", "state": "state", "name": "name", "type": "type", "workspace": "workspace",
    "project_ref": "project", "initiative": "initiative", "audience": "audience", "text": "text", "reason": "reason",
    "origin_session_id": "session",
}  # fmt: skip
_SETTLED: Final = {
    "link": "That link is there already.", "supersede": "It is replaced by that one already.",
    "unlink": "That link is gone already.", "delete": "It is deleted already.", "restore": "It is there already.",
    "rename": "It has that name already.", "move-workspace": "It is there already.", "append": "It says so already.",
    "merge": "They are merged already.", "verdict": "That is said of them already.",
}  # fmt: skip


class Requests(Composed):
    """Looking at requests."""

    def requests(self, status: str | None = "pending") -> list[RequestRow]:
        """Requests, oldest first; None lists every status."""
        return self.store.requests(status)

    def request_keys(
        self, status: str | None = "pending", text: str = "", workspace: str | None = None
    ) -> list[str]:
        """The ids of requests, oldest first; cheap however many there are, as long as `text` is blank.

        Args:
            status: pending, approved, rejected or withdrawn; None for all.
            text: only those that hold each of its words, in their names, texts, rationale, verb or asker; ready, stale,
                gone and settled stand for the state too, `!` for what is flagged.
            workspace: only those about an entry there, or that would make one there.
        """
        keys = self.store.request_keys(status, workspace=workspace)
        words = text.casefold().split()
        if not words:
            return keys
        rows = self.store.requests_of(keys)
        names = {e.id: e.shown_name for e in self.store.entries_of(sorted({i for r in rows for i in r.refs}))}
        states = self.request_states(rows) if _STATES & set(words) else {}
        found = []
        for row in rows:
            said = [row.verb, row.asked_by, row.rationale, *_strings(row.args), *(names.get(i, i) for i in row.refs)]
            said += [str(row.payload.get("kind") or ""), states.get(row.request_id, "")]
            if "!" in words:
                said.append("!" if _flagged(row) else "")
            whole = "\n".join(said).casefold()
            if all(word in (said[-1] if word == "!" else whole) for word in words):
                found.append(row.request_id)
        return found

    def requests_of(self, request_ids: Iterable[str]) -> list[RequestRow]:
        """The requests of these ids that are there, in the given order."""
        return self.store.requests_of(request_ids)

    def request(self, request_id: str) -> RequestRow:
        """One request, by id or a unique prefix of it.

        Raises:
            NotFound: there is none. Ambiguous: it begins several.
        """
        row = self.store.request(request_id)
        if row is None:
            fits = [key for key in self.store.request_keys() if key.startswith(request_id)]
            if request_id and len(fits) > 1 and not "req_".startswith(request_id):
                raise Ambiguous(
                    f"{request_id!r} begins {len(fits)} requests: {listed(fits)}.", "Give more of it.", candidates=fits
                )
            raise NotFound(f"There is no request {request_id!r}.", "List them with `memdesk requests list --all`.")
        return row

    def request_texts(self, row: RequestRow) -> dict[str, str]:
        """Field -> text that a request would write; see `asked_texts.texts_of`."""
        return texts_of(row.verb, row.args)

    # -- can it still be done -------------------------------------------------------------------------------------

    def request_state(self, row: RequestRow) -> str:
        """ready, stale (something it would change has moved), gone (an entry it needs is), settled (all that it would
        write stands already), or how it was decided. Computed each time."""
        return self.request_states([row])[row.request_id]

    def request_states(self, rows: Iterable[RequestRow]) -> dict[str, str]:
        """`request_state` of many requests by their ids, in a few queries."""
        rows = list(rows)
        around = self.around([row for row in rows if row.status == "pending"])
        return {r.request_id: r.status if r.status != "pending" else around.judge(r).state for r in rows}

    def around(self, rows: Iterable[RequestRow]) -> Around:
        """What stands around some requests, read once."""
        return Around(self.store, rows, self.edge_refusal)

    def why_not_ready(self, row: RequestRow) -> tuple[str, ...]:
        """Why a request cannot be carried out as it was asked, in plain sentences; none where it can."""
        if row.status != "pending":
            because = f": {row.reason}" if row.reason else "."
            if row.erased and row.decided_by is None and row.reason:
                return (row.reason,)  # an erase took it away, and nobody decided
            by = row.decided_by or row.asked_by
            return (f"It was {row.status}{' by ' + by if by else ''}{because}",)
        around = self.around([row])
        return tuple(self.why(row, around, around.judge(row)))

    def why(self, row: RequestRow, around: Around, readiness: Readiness) -> Iterator[str]:
        """The sentences of `why_not_ready`, for a request that was judged already."""
        if readiness.state == READY:
            return
        entries = {e.id: e for e in around.entries(row)}
        moved = [h for h in readiness.hitches if h.kind == "moved"]
        writers = self.store.events_by_id({t for h in moved for t in _tips(around, h)})
        for hitch in readiness.hitches:
            if hitch.kind == "settled":
                yield _SETTLED.get(row.verb, "It stands so already.")
            elif hitch.kind == "refused":
                yield hitch.what
            elif hitch.kind == "taken":
                yield f"{hitch.what} is taken."
            elif hitch.kind == "renamed":
                yield f"{hitch.what} is called {entries[hitch.entry_id].shown_name} now."
            elif hitch.kind == "edge":
                yield f"A {hitch.what} link that it would remove is gone."
            elif hitch.kind == "moved":
                last = [e for t in _tips(around, hitch) if (e := writers.get(t)) is not None]
                folded = around.folded[hitch.entry_id]
                yield _changed(hitch.what, folded.entry, max(last, key=lambda e: e.event_id, default=None), row)
            else:
                yield self._gone(hitch, entries, row)

    def _gone(self, hitch: Hitch, entries: dict[str, Entry], row: RequestRow) -> str:
        entry = entries.get(hitch.entry_id)
        who = entry.shown_name if entry is not None and len(row.refs) > 1 else "It"
        if hitch.kind == "deleted":
            return f"{who} is deleted."
        if hitch.kind == "replaced":
            return f"{who} is replaced by something else."
        if hitch.kind == "undone":
            return f"The creation of {entry.shown_name if entry else 'it'} was undone."
        erased = any(e.type == PURGE_EXECUTED for e in self.store.events_of(hitch.entry_id))
        return f"The entry {hitch.entry_id} {'is erased' if erased else 'is not there'}."

    # -- has it been read -----------------------------------------------------------------------------------------

    def mark_request_shown(self, row: RequestRow) -> None:
        """Note that this reviewer has had the whole text on screen: approving needs it (DESIGN 4)."""
        self.store.set_note(self._shown_key(row), _print(row))

    def was_shown(self, row: RequestRow) -> bool:
        """Whether this reviewer has had exactly this wording on screen."""
        return self.store.note(self._shown_key(row)) == _print(row)

    def _shown_key(self, row: RequestRow) -> str:
        return f"shown:{self.actor.name}:{row.request_id}"


def _tips(around: Around, hitch: Hitch) -> list[str]:
    """The events that wrote a field last."""
    base = around.folded[hitch.entry_id].base(hitch.what)
    return [base] if isinstance(base, str) else list(base or ())


def _changed(name: str, entry: Entry, last: Event | None, row: RequestRow) -> str:
    """`The body was changed by user:ana on 2026-11-30 at 12:40 UTC.`"""
    of = f" of {entry.shown_name}" if len(row.refs) > 1 else ""
    if name == "tags":
        return f"The tags{of} changed."
    said = f"The {FIELD_WORDS.get(name, name)}{of} was changed"
    if last is None:
        return f"{said}."
    return f"{said} by {one_name(last.agent_id)} on {last.timestamp[:10]} at {last.timestamp[11:16]} UTC."


def _flagged(row: RequestRow) -> bool:
    """Whether a text of it is flagged, as `Reviewing.request_flags` tells it."""
    from ..screening import screen

    return any(screen(text) for text in dict.fromkeys([*_strings(row.args), row.rationale]))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _print(row: RequestRow) -> str:
    """Fingerprint of what a request would do, and of the wording that says so."""
    said = [row.revision_id, row.verb, row.args, row.base, row.rationale]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()
