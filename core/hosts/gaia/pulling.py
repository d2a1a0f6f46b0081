"""Pull: what differs between the host and its shadow becomes events, in the transaction that it is given (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from ...errors import HostError, listed
from ...events import CREATE, EDGE_ADD, EDGE_REMOVE
from ...fold import Folded
from ...model import edge_key, edge_kind
from ...store.log import chunks
from ...store.projection import fold_many
from ..books import Books
from .reading import Change, Key, Link, Row, Snapshot
from .replay import Local, Replay, local_of, row_ref, value_hash
from .shadow import LinkShadow, Shadow, dump_key, load_link, load_shadow
from .versions import Chain, breaks, chains, said

if TYPE_CHECKING:
    from ...store import Store, Transaction

MEMORY: Final = "memory"
LINKS: Final = "memory_links"
MISSING: Final = "missing:"
AGENT: Final = "gaia"
#: More rows than this, and than a tenth of all, gone at once stop a pull.
FEW_GONE: Final = 5


class Pull:
    """One pull, whole or of some rows. `began` holds the operation once there is anything to tell.

    Args:
        snapshot: what the host holds.
        summary: the operation's sentence.
    """

    def __init__(
        self, store: Store, tx: Transaction, books: Books, snapshot: Snapshot, *, verb: str, summary: str,
        after: int = 0,
    ) -> None:  # fmt: skip
        self._store = store
        self._tx = tx
        self._books = books
        self._snapshot = snapshot
        self._verb = verb
        self._summary = summary
        self.began: str | None = None
        self.created = self.changed = self.deleted = self.linked = self.unlinked = 0
        self.findings: list[str] = []
        self.dangling: list[str] = []
        self._write: dict[str, Shadow] = {}
        self._drop: set[Key] = set()
        self._replay = Replay(
            books.host_id, self._emit, own=books.own_history(after), told=self._told(snapshot.history)
        )

    @property
    def versions(self) -> int:
        """How many history rows became versions."""
        return self._replay.versions

    # -- the whole host -------------------------------------------------------------------------------------------

    def everything(self, *, force: bool) -> None:
        """Compare all rows, links, workspaces and projects.

        Raises:
            HostError: `host_mass_delete` when more than a tenth of the rows (and more than five) are gone.
        """
        shadows = [load_shadow(*row) for row in self._books.shadows(MEMORY)]
        present = [s for s in shadows if not s.gone]
        pairs, news = self._match(present)
        lost = self._lost(present, pairs)
        if not force and len(lost) > FEW_GONE and len(lost) * 10 > len(present):
            raise _mass_delete(lost, len(present))
        self._known_rows(pairs)
        self._new_rows(news, shadows)
        for shadow in lost:
            self._gone_row(shadow)
        self._save_rows()
        self._links([*present, *(s for s in shadows if s.gone), *self._write.values()])
        for workspace in self._snapshot.workspaces:
            self._books.put_workspace(
                workspace["name"] or "", workspace["identity"], workspace["created_at"] or self._tx.timestamp,
                workspace["status"] or "active",
            )  # fmt: skip
        for project in self._snapshot.projects:
            self._books.put_project(
                project["workspace"] or "", project["name"] or "", project["project_identity"], project["path"],
                project["remote_url"],
            )  # fmt: skip

    def _match(self, present: Sequence[Shadow]) -> tuple[list[tuple[Shadow, Chain]], list[Chain]]:
        """Which chain continues which shadow: by where the row was when the history was last read."""
        marks = {s.mark: s for s in present}
        keys = {s.key: s for s in present}
        claimed: set[str] = set()
        pairs: list[tuple[Shadow, Chain]] = []
        rest: list[Chain] = []
        for chain in chains(self._snapshot.rows, self._snapshot.history):
            shadow = None if chain.displaced else marks.get(chain.origin)
            if shadow is None or shadow.entry_id in claimed:
                rest.append(chain)
            else:
                claimed.add(shadow.entry_id)
                pairs.append((shadow, chain))
        news: list[Chain] = []
        for chain in rest:  # the history was wiped after a rename of ours: the place where the row is now must do
            shadow = keys.get(chain.key) if chain.row is not None and not chain.displaced else None
            if shadow is not None and shadow.entry_id not in claimed:
                claimed.add(shadow.entry_id)
                pairs.append((shadow, chain))
            else:
                news.append(chain)
        return pairs, news

    def _lost(self, present: Sequence[Shadow], pairs: Sequence[tuple[Shadow, Chain]]) -> list[Shadow]:
        kept = {shadow.entry_id for shadow, chain in pairs if chain.row is not None}
        return [s for s in present if s.entry_id not in kept]

    def _known_rows(self, pairs: Sequence[tuple[Shadow, Chain]]) -> None:
        moved = []
        for shadow, chain in pairs:
            if chain.row is not None:
                self._count_up(shadow, chain.row)
            if chain.row is None or chain.changes or shadow.differing(chain.row.values):
                moved.append((shadow, chain))
        # Read first, write after: a read between two writes would fold what is written so far, each time.
        for part in chunks(moved):
            folded = self._fold([shadow.entry_id for shadow, _ in part])
            for shadow, chain in part:
                mine = folded.get(shadow.entry_id)
                self._follow(shadow, chain, local_of(mine) if mine is not None else None, advance=True)

    def _fold(self, entry_ids: Sequence[str]) -> dict[str, Folded]:
        """Several entries at once, as the log stands before anything of this pull is told about them."""
        return fold_many(self._store.db, entry_ids)[0]

    def _follow(self, shadow: Shadow, chain: Chain, local: Local | None, *, advance: bool) -> None:
        before = self._events
        old = shadow.key
        self._replay.follow(shadow, chain, local, advance=advance)
        if shadow.key != old:
            self._drop.add(old)
        if self._events > before and chain.row is not None:
            self.changed += 1
        self._report_breaks(chain)
        self._write[shadow.entry_id] = shadow

    def _new_rows(self, news: Sequence[Chain], shadows: Sequence[Shadow]) -> None:
        gone = {s.key: s for s in shadows if s.gone}
        bound = {s.entry_id for s in shadows}
        unplaced = self._books.unplaced() if news else {}
        births: list[tuple[Chain, str]] = []
        for chain in news:
            if chain.row is None:
                self._report_remains(chain)
            elif chain.key in gone:
                self._take_up(gone.pop(chain.key), chain, chain.row)
            elif chain.key in unplaced:  # made here and pushed before a crash, or told by another store
                self._meet(Shadow(unplaced[chain.key], chain.key, chain.key), chain, chain.row)
            else:
                stem = row_ref(self._books.host_id, MEMORY, *chain.origin)
                births.append((chain, f"{stem}@{quote(chain.first.get('created_at') or '', safe=':')}"))
        known = self._books.known_refs(ref for _, ref in births)
        for chain, ref in births:
            self._birth(chain, ref, known.get(ref), bound)

    def _take_up(self, shadow: Shadow, chain: Chain, row: Row) -> None:
        """A row under a name that memdesk has an entry for is that entry."""
        self._replay.revive(shadow, chain)
        self._count_up(shadow, row)
        self._follow(shadow, chain, self._local(shadow.entry_id), advance=True)

    def _meet(self, shadow: Shadow, chain: Chain, row: Row) -> None:
        """The same for an entry that had no row: where both were written anew, the host's text shows."""
        made_here = all(e.host_ref is None for e in self._store.events_of(shadow.entry_id) if e.type == CREATE)
        before = self._events
        self._take_up(shadow, chain, row)
        if made_here and self._events > before:
            self._find(*met(self._books.host_id, chain.key))

    def _birth(self, chain: Chain, ref: str, taken: str | None, bound: set[str]) -> None:
        assert chain.row is not None
        if taken is not None and taken in bound:  # another life under the same name and birthday
            taken = None
        folded = self._store.folded(taken) if taken is not None else None
        if taken is not None and folded is None:
            self._find("host_erased", ref, f"{_named(chain.key)} was erased here and still stands in Gaia.")
            return
        if folded is not None:  # another store told this row, which has moved since
            bound.add(folded.entry.id)
            self._take_up(Shadow(folded.entry.id, chain.key, chain.key), chain, chain.row)
            return
        entry_id = self._tx.new_id()
        bound.add(entry_id)
        shadow = self._replay.birth(chain, entry_id, ref)
        changed = self.changed
        self._follow(shadow, chain, None, advance=True)
        self.created, self.changed = self.created + 1, changed
        self._count_up(shadow, chain.row)

    def _gone_row(self, shadow: Shadow) -> None:
        if self._replay.gone(shadow, self._local(shadow.entry_id)):
            self.deleted += 1
        self._write[shadow.entry_id] = shadow

    # -- some rows ------------------------------------------------------------------------------------------------

    def some(self, shadows: Sequence[Shadow]) -> bool:
        """Compare only these rows; False when one is not where it was, so that only a whole pull can tell."""
        for shadow in shadows:
            row = self._snapshot.rows.get(shadow.key)
            touching = [c for c in self._snapshot.history if shadow.key in (c.key, c.old_key)]
            if row is None or any(c.key != c.old_key for c in touching):
                return False
        for shadow in shadows:
            row = self._snapshot.rows[shadow.key]
            chain = Chain(row, shadow.key, [c for c in self._snapshot.history if c.key == shadow.key])
            if shadow.differing(row.values):
                self._follow(shadow, chain, self._local(shadow.entry_id), advance=False)
        self._save_rows()
        return True

    # -- links ----------------------------------------------------------------------------------------------------

    def _links(self, shadows: Sequence[Shadow]) -> None:
        ids: dict[Key, str] = {}
        living: set[str] = set()
        for shadow in shadows:
            if not shadow.gone:
                ids[shadow.key] = shadow.entry_id
                living.add(shadow.entry_id)
        for shadow in shadows:
            ids.setdefault(shadow.key, shadow.entry_id)
        found: dict[tuple[str, str, str], tuple[str, str, Link]] = {}
        for link in self._snapshot.links:
            source, target = (
                ids.get((link.workspace, n)) or f"{MISSING}{link.workspace}/{n}" for n in (link.source, link.target)
            )
            found.setdefault(edge_key(source, edge_kind(link.kind), target), (source, target, link))
            if source not in living or target not in living:
                self.dangling.append(f"{_named_link(link)}: {_absent(link, source in living, target in living)}")
        known = {s.key: s for s in (load_link(key, text) for key, _, text in self._books.shadows(LINKS))}
        came = [key for key in found if key not in known or not known[key].present]
        went = [key for key, shadow in known.items() if shadow.present and key not in found]
        standing = {key for key in (*came, *went) if stands(self._store, key)}
        write = [self._link_came(key, found[key], known.get(key), key in standing) for key in came]
        write += [self._link_went(known[key], key in standing) for key in went]
        self._books.put_shadows(LINKS, ((dump_key(s.key), s.key[0], s.dump()) for s in write))

    def _link_came(
        self, key: tuple[str, str, str], found: tuple[str, str, Link], before: LinkShadow | None, told: bool
    ) -> LinkShadow:
        source, target, link = found
        shadow = LinkShadow(key, True, before.observed + 1 if before else 1)
        if not told:
            payload = {"from_id": source, "edge_kind": key[1], "to_id": target, "created_at": link.created_at}
            names = (link.workspace, link.source, link.kind, link.target)
            self._emit(
                EDGE_ADD, payload, timestamp=link.created_at,
                host_ref=f"{row_ref(self._books.host_id, LINKS, *names)}#{shadow.observed}:{value_hash(link)}",
            )  # fmt: skip
            self.linked += 1
        return shadow

    def _link_went(self, shadow: LinkShadow, stands_here: bool) -> LinkShadow:
        shadow.present = False
        shadow.observed += 1
        if stands_here:
            source, kind, target = shadow.key
            ref = f"{row_ref(self._books.host_id, LINKS, source, kind, target)}#{shadow.observed}:gone"
            payload = {"from_id": source, "edge_kind": kind, "to_id": target}
            self._emit(EDGE_REMOVE, payload, timestamp=None, host_ref=ref)
            self.unlinked += 1
        return shadow

    # -- writing ----------------------------------------------------------------------------------------------------

    _events = 0

    def _emit(
        self, kind: str, payload: Mapping[str, Any], *, timestamp: str | None, host_ref: str, agent: str | None = None
    ) -> str:
        if self.began is None:
            self.began = self._tx.begin(self._verb, self._summary, actor=AGENT, role=None)
        self._events += 1
        if self._books.knows(host_ref):  # what is told twice is left out before: this is another fact of that name
            host_ref = f"{host_ref}+{self._tx.new_id()}"
        event = self._tx.write(kind, payload, timestamp=timestamp, host_ref=host_ref, on_behalf_of=agent)
        return event.event_id

    def _save_rows(self) -> None:
        self._books.drop_shadows(MEMORY, (dump_key(k) for k in self._drop))
        self._books.put_shadows(MEMORY, ((dump_key(s.key), i, s.dump()) for i, s in self._write.items()))

    def _count_up(self, shadow: Shadow, row: Row) -> None:
        """Show the host's telemetry: what it counted since the last look is added to what is counted here."""
        old, new = shadow.counters, row.counters
        if tuple(old) != new:
            self._books.count_up(shadow.entry_id, (new[0] - old[0], new[1] - old[1]), (new[2], new[3]))
            shadow.counters = new
            self._write[shadow.entry_id] = shadow

    def _local(self, entry_id: str) -> Local | None:
        folded = self._store.folded(entry_id)
        return local_of(folded) if folded is not None else None

    def _told(self, history: Sequence[Change]) -> set[int]:
        stem = row_ref(self._books.host_id, "memory_history", "")
        refs = [f"{stem}{c.id}{end}" for c in history for end in ("", "/deleted")]
        return {int(ref.removeprefix(stem).partition("/")[0]) for ref in self._books.known_refs(refs)}

    def _report_breaks(self, chain: Chain) -> None:
        found = breaks(chain)
        for gap, sentence in zip(found, said(found), strict=True):
            self._find("host_break", row_ref(self._books.host_id, MEMORY, *gap.key, str(gap.history_id)), sentence)

    def _report_remains(self, chain: Chain) -> None:
        ref = row_ref(self._books.host_id, "memory_history", str(chain.changes[0].id))
        count = len(chain.changes)
        rows = "one history row of it remains" if count == 1 else f"{count} history rows of it remain"
        self._find("host_remains", ref, f"{_named(chain.key)} was deleted from Gaia for good; {rows} there.")

    def _find(self, kind: str, subject: str, sentence: str) -> None:
        self.findings.append(sentence)
        self._books.report(kind, subject, sentence, self._tx.timestamp)


def stands(store: Store, key: tuple[str, str, str]) -> bool:
    """Whether memdesk shows the edge (either way round for a symmetric kind)."""
    source, kind, target = key
    if store.edges(kind=kind, source=source, target=target):
        return True
    flipped = edge_key(target, kind, source) == key
    return flipped and bool(store.edges(kind=kind, source=target, target=source))


def met(host_id: str, key: Key) -> tuple[str, str, str]:
    """The finding about a name that was written anew on both sides."""
    sentence = f"{_named(key)} was written here and in Gaia; Gaia's text shows, yours is in its history."
    return "host_met", row_ref(host_id, MEMORY, *key), sentence


def _named(key: Key) -> str:
    return f"{key[0]}/{key[1]}"


def _named_link(link: Link) -> str:
    return f"{link.workspace}/{link.source} {edge_kind(link.kind)} {link.target}"


def _absent(link: Link, has_source: bool, has_target: bool) -> str:
    names = [n for n, there in ((link.source, has_source), (link.target, has_target)) if not there]
    return f"there is no {' and no '.join(names)}"


def _mass_delete(lost: Sequence[Shadow], total: int) -> HostError:
    names = sorted(_named(s.key) for s in lost)
    return HostError(
        f"{len(lost)} of {total} entries are gone from Gaia at once ({listed(names, 5)}). Nothing was pulled.",
        "If that is right, pull with --force; else look at the database first.",
        code="host_mass_delete", gone=names, total=total,
    )  # fmt: skip
