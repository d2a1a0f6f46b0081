"""What a reviewer is shown of a request: all that it would change, against what stands now (DESIGN 4).

The exact answer comes from carrying it out in a transaction that is always rolled back; where that cannot be (somebody
else writes, the store is read-only, a rule refuses it) it is worked out from the arguments. Nothing is written, sent to
a host, or counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..digest import Digest, DigestRow, Mode, PlainRow, patched_bodies, render
from ..effects import AUDIENCE_WORDS, effect, injected
from ..errors import MemdeskError, StoreLocked, StoreUnusable
from ..hosts import Hosts
from ..merge import MergePlan
from ..model import STATE_LABELS, Edge, Entry, EntryClass, State, edge_words, role_label
from ..policy import Role
from ..store import RequestRow
from ..store.rows import storable
from .asked import needed
from .because import against_of, because
from .composed import call_with
from .decided import Wording, as_it_was, base_events, what_it_did, wordings_of
from .deciding import APPROVED, METHODS, Deciding, token_of
from .foreseen import NEW, Tried, edges_in, foresee
from .graphs import missing_name
from .merging import Merging
from .reading import Reading
from .session import Actor, Operation

if TYPE_CHECKING:
    from ..events import Event
    from ..screening import Flag

#: How long a review waits for somebody who writes, milliseconds: it is asked for while a person moves a cursor.
_WAIT_MS: Final = 60
#: Links of the entries that are told one by one.
_EDGES: Final = 100
#: Arguments that name something and write no text of their own.
_NO_TEXT: Final = frozenset({
    "ref", "refs", "source", "target", "old", "by", "into", "parent", "confirm", "klass", "status", "state", "audience",
})  # fmt: skip
#: The forms in which a session start may ask for the block.
_MODES: Final = (Mode.WORKLIST, Mode.SECTIONS)
_FRESHEST: Final = "9999-12-31T00:00:00Z"
#: Field of an entry -> its label, in the order in which changes are shown.
_FIELDS: Final = {
    "name": "name", "type": "type", "workspace": "workspace", "title": "title", "description": "description",
    "summary": "short form", "body": "body", "role": "role", "state": "state", "tags": "tags",
    "project_ref": "project", "initiative": "initiative", "audience": "goes to",
}  # fmt: skip
#: What of a new entry is told only where it is not the usual.
_USUAL: Final = {"state": STATE_LABELS[State.ACTIVE], "audience": AUDIENCE_WORDS["any"]}
ERASED: Final = "erased"
#: The status of a request that nobody has decided.
PENDING: Final = "pending"


@dataclass(frozen=True, slots=True)
class Change:
    """One field of one entry, before and after, whole.

    Attributes:
        entry_id: `new:` and the name for an entry that would be made: it has no id yet.
        name: the entry's name as it stands.
        field: its stored name; "role" stands for class and status, told as on screen.
        label: the field in words.
        before: against the CURRENT text; "" where there is none.
    """

    entry_id: str
    name: str
    field: str
    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A link that would be made (`added`) or removed, as a sentence."""

    added: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class DigestEffect:
    """What becomes of the block that a session start injects.

    Attributes:
        leaves, enters: names of entries.
        words: the same in one sentence; "" where nothing of it could concern the block.
    """

    leaves: tuple[str, ...] = ()
    enters: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """All of one request.

    Attributes:
        state: ready, stale, gone, settled, or how it was decided.
        why: why it is not ready, or why approving would fail, in plain sentences.
        effect: one phrase.
        entries: those that it is about, as they stand.
        edges: the links that they have, as sentences.
        flags: hidden characters, instructions, secrets and links in all that it would write, and in its rationale.
        token: what the reviewer must type, "" for all but an erase.
        shown: whether this reviewer has had exactly this wording on screen.
        because: why it waits, with the decisions that it contradicts by name; "" where it does not say.
        against: those decisions as they stand, but for those among `entries`.
        wordings: all that it was worded as, oldest first, the one that was asked among them.
        edited: fields of its texts that the reviewer worded when approving; the changes hold what was written.

    Once it is decided, effect, changes and links are those of the decision: what its approval did, or what it asked for
    of the text that its asker had seen.
    """

    row: RequestRow
    state: str
    why: tuple[str, ...]
    effect: str
    changes: tuple[Change, ...]
    links: tuple[LinkChange, ...]
    entries: tuple[Entry, ...]
    edges: tuple[str, ...]
    digest: DigestEffect
    flags: tuple[Flag, ...]
    token: str
    shown: bool
    because: str = ""
    against: tuple[Entry, ...] = ()
    wordings: tuple[Wording, ...] = ()
    edited: tuple[str, ...] = ()


class _StillHosts(Hosts):
    """Hosts that are only asked: nothing is pulled, nothing is forgotten. (Nothing is pushed before a commit.)"""

    def before_write(self, seen: Iterable[Entry], fields: Mapping[str, Collection[str]] | None = None) -> None:
        """Pull nothing."""

    def before_create(self, workspace: str, name: str) -> None:
        """Pull nothing."""

    def before_erase(self, entry: Entry) -> None:
        """Forget nothing."""


class Reviewing(Merging, Deciding, Reading):
    """Looking at what a request would do."""

    def request_effect(self, row: RequestRow) -> str:
        """What a request would do, in one phrase; see `effects.effect`."""
        return self.request_effects([row])[row.request_id]

    def request_effects(self, rows: Iterable[RequestRow]) -> dict[str, str]:
        """`request_effect` of many requests by their ids, with one read of the entries that they name."""
        rows = list(rows)
        known = {e.id: e for e in self.store.entries_of(_ids(i for r in rows for i in needed(r.verb, r.args, r.refs)))}
        decided = [row for row in rows if row.status != PENDING]
        seen = base_events(self.store, decided, known)
        return {
            row.request_id: self._effect(row, known if row.status == PENDING else self._as_it_was(row, known, seen))
            for row in rows
        }

    def _as_it_was(
        self, row: RequestRow, known: Mapping[str, Entry], events: Mapping[str, Event] | None = None
    ) -> dict[str, Entry]:  # fmt: skip
        """The entries that a request names, as they were when it was asked."""
        own = {i: known[i] for i in needed(row.verb, row.args, row.refs) if i in known}
        events = base_events(self.store, [row], own) if events is None else events
        return {i: as_it_was(self.store, row, entry, events) for i, entry in own.items()}

    def wordings(self, row: RequestRow) -> tuple[Wording, ...]:
        """All that a request was worded as, oldest first."""
        return wordings_of(self.store, row)

    def edited_fields(self, row: RequestRow) -> tuple[str, ...]:
        """The fields of its texts that the reviewer worded when approving a request."""
        if row.decision_id is None:
            return ()
        decision = next((e for e in self.store.decisions_on(row.request_id) if e.event_id == row.decision_id), None)
        edited = decision.payload.get("edited") if decision is not None else None
        return tuple(map(str, edited)) if isinstance(edited, Mapping | list) else ()

    def _effect(self, row: RequestRow, known: Mapping[str, Entry]) -> str:
        if row.erased:
            return "what it asked was erased with its entry"
        own = {i: known[i] for i in needed(row.verb, row.args, row.refs) if i in known}
        return effect(row.verb, row.args, own)

    def request_flags(self, row: RequestRow) -> tuple[Flag, ...]:
        """What a reviewer must not miss in all that a request would write or bring back, names and tags too, and in its
        rationale.

        The places are those in each text of its own; a text that stands in several places is looked at once.
        """
        from ..screening import screen

        texts = dict.fromkeys([*_texts(row.args), row.rationale, *self._coming_back(row)])
        return tuple(flag for text in texts for flag in screen(text))

    def _coming_back(self, row: RequestRow) -> Iterator[str]:
        entries = self.store.entries_of(_ids(row.refs)) if brings_back(row) else []
        return (text for entry in coming_back(row, entries) for text in entry_texts(entry).values())

    def review(self, row: RequestRow) -> Review:
        """All that a reviewer needs to decide on one request. Nothing is written, and nobody who writes stops it."""
        state, why = self.request_state(row), self.why_not_ready(row)
        entries = {e.id: e for e in self.store.entries_of(_ids(needed(row.verb, row.args, row.refs)))}
        edges = list(edges_in(self.store.edges_at(list(entries))))
        pending = row.status == PENDING
        tried, refusal = self._tried(row, entries, edges) if pending else (self._decided(row, entries), "")
        against = self._against([row])
        if refusal and state == "ready":
            why = (*why, f"Approving it would fail: {refusal}")
        names = self._names_around(tried, edges)
        links = [LinkChange(True, _sentence(e, names)) for e in tried.came]
        links += [LinkChange(False, _sentence(e, names)) for e in tried.went]
        stands = [_sentence(e, names) for e in edges[:_EDGES]]
        if len(edges) > _EDGES:
            stands.append(f"and {len(edges) - _EDGES:,} more")
        return Review(
            row, state, why, self.request_effect(row), tuple(_changes(tried)), tuple(links), tuple(entries.values()),
            tuple(stands), self._digest_effect(tried) if pending else DigestEffect(), self.request_flags(row),
            token_of(row) if pending else "", self.was_shown(row),
            because(row.payload, {i: e.shown_name for i, e in against.items()}),
            tuple(e for i, e in against.items() if i not in entries), self.wordings(row), self.edited_fields(row),
        )  # fmt: skip

    def request_reason(self, row: RequestRow) -> str:
        """Why a request waits, in plain words; "" where it does not say."""
        return because(row.payload, {i: e.shown_name for i, e in self._against([row]).items()})

    def _against(self, rows: Iterable[RequestRow]) -> dict[str, Entry]:
        """The decisions that requests contradict, as far as they are there."""
        return {e.id: e for e in self.store.entries_of(_ids(i for row in rows for i in against_of(row.payload)))}

    def _decided(self, row: RequestRow, entries: Mapping[str, Entry]) -> Tried:
        """What its approval did, or what it asked for when it was turned down."""
        operation = self.store.operation(row.op_id) if row.op_id and row.status == APPROVED else None
        if operation is not None:
            return what_it_did(operation.entries, operation.op_id, self.history)
        return foresee(row.verb, row.args, self._as_it_was(row, entries).values())

    # -- trying it ------------------------------------------------------------------------------------------------

    def _tried(self, row: RequestRow, entries: Mapping[str, Entry], edges: Iterable[Edge]) -> tuple[Tried, str]:
        """What it would leave, and what refuses it, as a sentence or ""."""
        refusal = ""
        if row.verb in METHODS:
            try:
                return self._rehearsed(row), ""
            except (StoreLocked, StoreUnusable):
                pass  # somebody writes just now, or nobody may: what the arguments say is shown instead
            except MemdeskError as error:
                refusal = error.message
            except (TypeError, ValueError, LookupError, AttributeError):
                refusal = "its arguments are none that this version can carry out."  # those of another program
        args = row.args

        def plan() -> MergePlan:
            into = args.get("into")
            return self.merge_plan(_ids(args["refs"]), into=into and str(into), fields=args.get("fields"))

        return foresee(row.verb, args, entries.values(), edges, plan), refusal

    def _rehearsed(self, row: RequestRow) -> Tried:
        """Carry it out and take it back.

        A desk of its own does it: what this one has open, in another thread, is not touched.
        """
        still = _StillHosts(self.store, wait_ms=_WAIT_MS)
        twin = type(self)(self.store, Actor(self.actor.name, Role.USER, on_terminal=True), still, self.config)
        twin._approving, twin.on_behalf_of = True, row.asked_by
        token = token_of(row)
        args = {**row.args} | ({"confirm": token} if token else {})
        with self.store.rehearsal(wait_ms=_WAIT_MS) as stage:
            op = Operation(twin, stage.tx, "approve", "Tried", None)
            twin._open = op
            call_with(getattr(twin, METHODS[row.verb]), args)
            # Those that it names first, in its order; then what else it touched.
            ids = [*dict.fromkeys(i for i in (*row.refs, *sorted(op.touched)) if i in op.touched)]
            after, linked = self._standing_entries(ids), {e.key: e for e in edges_in(self.store.edges_at(ids))}
            stage.take_back()
            before, were = self._standing_entries(ids), {e.key: e for e in edges_in(self.store.edges_at(ids))}
        came = [edge for key, edge in linked.items() if key not in were]
        return Tried(before, after, came, [edge for key, edge in were.items() if key not in linked])

    def _standing_entries(self, ids: list[str]) -> dict[str, Entry]:
        undone = self.store.undone_creations(ids)
        return {e.id: e for e in self.store.entries_of(ids) if e.id not in undone}

    # -- in words -------------------------------------------------------------------------------------------------

    def _names_around(self, tried: Tried, edges: Iterable[Edge]) -> dict[str, str]:
        """What to call the ends of all these edges."""
        ends = {end for e in (*edges, *tried.came, *tried.went) for end in (e.source, e.target)}
        known = {e.id: e.shown_name for e in (*tried.after.values(), *tried.before.values())}
        known |= {e.id: e.shown_name for e in self.store.entries_of(sorted(ends - known.keys()))}
        return known | {end: missing_name(end) for end in ends - known.keys()}

    def _digest_effect(self, tried: Tried) -> DigestEffect:
        """What becomes of the blocks of the workspaces, the worklist and the sections together."""
        pairs = [(tried.before.get(i), tried.after.get(i)) for i in dict.fromkeys((*tried.before, *tried.after))]
        touched = [(one, other) for one, other in pairs if one != other]
        sides = [entry for pair in touched for entry in pair if entry is not None]
        if not any(map(_may_be_shown, sides)):
            return DigestEffect()
        bodies = {e.id: {"body": e.body} for e in tried.after.values()}
        # What moves leaves the one and enters the other: told is what its readers lose.
        places = dict.fromkeys(entry.workspace for pair in touched for entry in pair[: 1 if pair[0] else 2] if entry)
        shown = [self._blocks(place, touched, bodies) for place in places]
        return _moves(shown)

    def _blocks(
        self, place: str, touched: Iterable[tuple[Entry | None, Entry | None]],
        bodies: Mapping[str, Mapping[str, str]],
    ) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]:  # fmt: skip
        """What the blocks of a workspace show now, and would show."""
        rows: dict[str, DigestRow] = {line.id: line for line in self._rows(Mode.SECTIONS, place, ())}
        after = dict(rows)
        for before, becomes in touched:
            after.pop(becomes.id if becomes is not None else before.id if before is not None else "", None)
            if becomes is not None and becomes.workspace == place and _may_be_shown(becomes):
                after[becomes.id] = _row(becomes, before)
        patched = patched_bodies(self._bodies, bodies)
        return (
            _shown(render(rows.values(), mode=mode, bodies=self._bodies, workspace=place) for mode in _MODES),
            _shown(render(after.values(), mode=mode, bodies=patched, workspace=place) for mode in _MODES),
        )


def brings_back(row: RequestRow) -> bool:
    """Whether a request is for bringing entries back."""
    return row.status == PENDING and (row.verb == "restore" or row.args.get("state") == State.ACTIVE)


def coming_back(row: RequestRow, entries: Iterable[Entry]) -> list[Entry]:
    """The entries whose text nobody reads now, and everybody would again.

    Args:
        entries: those that the request names, as they stand.
    """
    return [e for e in entries if e.state is not State.ACTIVE] if brings_back(row) else []


def entry_texts(entry: Entry) -> dict[str, str]:
    """Label -> text of all that an entry says, in the order in which it is read."""
    texts = {"title": entry.title, "description": entry.description, "short form": entry.summary, "body": entry.body,
             "tags": "\n".join(entry.tags)}  # fmt: skip
    return {label: text for label, text in texts.items() if text}


def _ids(found: Iterable[Any]) -> list[str]:
    """The ids among what a request names, each once; what the store could not hold is none."""
    return list(dict.fromkeys(i for i in found if isinstance(i, str) and i == storable(i)))


def _may_be_shown(entry: Entry) -> bool:
    return injected(entry) or (entry.state is State.ACTIVE and entry.klass is EntryClass.ANCHOR)


def _shown(blocks: Iterable[Digest]) -> dict[str, tuple[str, str]]:
    """id -> (name, its lines) of what these blocks show."""
    return {item.entry_id: (item.row.name, item.text) for block in reversed(list(blocks)) for item in block.items}


def _moves(blocks: Iterable[tuple[Mapping[str, tuple[str, str]], Mapping[str, tuple[str, str]]]]) -> DigestEffect:
    """What leaves and enters the blocks, each as they are and as they would be: id -> (name, its lines)."""
    leaves: tuple[str, ...] = ()
    enters: tuple[str, ...] = ()
    other = 0
    for before, after in blocks:
        leaves += tuple(name for i, (name, _) in before.items() if i not in after)
        enters += tuple(name for i, (name, _) in after.items() if i not in before)
        other += sum(1 for i, (_, text) in before.items() if i in after and after[i][1] != text)
    if not leaves and not enters:
        words = f", {_number(other)} in other words" if other else ""
        return DigestEffect(words=f"A session start shows the same entries{words}.")
    parts = [f"{_number(len(leaves))} {'leaves' if len(leaves) == 1 else 'leave'} it"] if leaves else []
    parts += [f"{_number(len(enters))} {'comes' if len(enters) == 1 else 'come'} in"] if enters else []
    return DigestEffect(leaves, enters, f"Of what a session start shows, {' and '.join(parts)}.")


def _number(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"


def _sentence(edge: Edge, names: Mapping[str, str]) -> str:
    return f"{names[edge.source]} {edge_words(edge.kind)} {names[edge.target]}"


def _texts(value: Any, key: str = "") -> Iterator[str]:
    """Every text in the arguments of a request that could come to be written or shown."""
    if isinstance(value, str):
        if key not in _NO_TEXT and value:
            yield value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _texts(part, str(name))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part, key)


def _changes(tried: Tried) -> Iterator[Change]:
    """Every field that changes, entry by entry in the order in which they were touched."""
    for entry_id in dict.fromkeys((*tried.before, *tried.after)):
        one, other = tried.before.get(entry_id), tried.after.get(entry_id)
        named = one or other
        assert named is not None, "each id is in one of the two"
        was, becomes = _values(one), _values(other)
        if one is None:  # the name is the heading of all that follows
            becomes = {k: v for k, v in becomes.items() if k not in ("name", "type") and _USUAL.get(k) != v}
        elif other is None:
            was = {k: v for k, v in was.items() if k not in ("name", "type") and (k == "state" or _USUAL.get(k) != v)}
            becomes = {"state": ERASED}
        for field, label in _FIELDS.items():
            before, after = was.get(field, ""), becomes.get(field, "")
            if before != after:
                yield Change(
                    entry_id if one is not None else f"{NEW}{named.name}", named.shown_name, field, label, before, after
                )


def _values(entry: Entry | None) -> dict[str, str]:
    """What an entry says of itself, in the words of the screen."""
    if entry is None:
        return {}
    plain = ("name", "type", "workspace", "title", "description", "summary", "body", "project_ref", "initiative")
    return {name: getattr(entry, name) or "" for name in plain} | {
        "role": role_label(entry.klass, entry.status, entry.type), "state": STATE_LABELS[entry.state],
        "tags": "\n".join(entry.tags), "audience": AUDIENCE_WORDS.get(entry.audience, entry.audience),
    }  # fmt: skip


def _row(entry: Entry, before: Entry | None) -> PlainRow:
    """An entry as it would be, as a row of a digest. What is only worked out has no time yet: the freshest."""
    timed = entry.updated_at is not None and (before is None or entry.updated_at != before.updated_at)
    return PlainRow(
        entry.id, entry.workspace, entry.shown_name, entry.type, str(entry.klass),
        str(entry.status) if entry.status else None, str(entry.state), entry.description, entry.initiative,
        entry.project_ref, entry.updated_at if timed else _FRESHEST, entry.host, len(entry.body),
    )  # fmt: skip
