"""Proposals: every one becomes a request that waits for a person, whatever the role (gaia/SPEC 9.2, DESIGN 4)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..errors import HostError, InvalidValue, MemdeskError, NeedsApproval, NotFound, UnknownWorkspace
from ..hosts import Handoff
from ..model import Entry, edge_kind
from ..policy import Decision, Facts, Role, Ruling, rule
from ..proposals import Proposal, numbered, read_proposals
from ..store import RequestRow
from .asking import ask
from .composed import Composed, call_with
from .session import Receipt, value_of

#: What a result's `action` may be: stored just now, waiting already, taken before from the same place, not stored.
ASKED: Final = "asked"
WAITING: Final = "waiting"
TAKEN: Final = "taken"
DROPPED: Final = "dropped"

_WHY: Final = "it was proposed, and is written only when a person agrees."
#: A proposal makes no workspace, so what would help a write does not help here.
_MAKE_IT: Final = "Name one that is there, or make it first: `memdesk workspace add`."
_STANDS: Final = "It stands like this already, so there is nothing to ask for."


@dataclass(frozen=True, slots=True)
class HostProposal:
    """A proposal in a contract that an agent handed in on a host, not in the queue yet.

    Attributes:
        host, handoff, contract, index: where it stands.
        agent, asked_at, workspace: who proposed it, when (as the host tells it) and where, None where that is not said.
        verb, about: what it asks for, and of which entry; "" where it cannot be read.
        dropped: why it could not be taken the last time; "" for one that was not tried yet.
    """

    host: str
    handoff: int
    contract: str
    index: int
    agent: str
    asked_at: str
    workspace: str | None
    verb: str
    about: str
    rationale: str
    dropped: str = ""


class Proposing(Composed):
    """The verbs on proposals."""

    def gate(
        self, verb: str, facts: Facts, *, refs: Iterable[Entry] = (), args: Mapping[str, Any], rationale: str = "",
    ) -> Ruling:  # fmt: skip
        """As `Session.gate`; while proposals are taken in, whatever would be written is asked for instead."""
        if not self._asking or self._approving:
            return super().gate(verb, facts, refs=refs, args=args, rationale=rationale)
        plain = rule(Role.ORCHESTRATOR, verb, facts)
        ruling = Ruling(Decision.PROPOSE, plain.reason if plain.waits else _WHY, against=plain.against)
        asked = ask(self, verb, list(refs), args, rationale, ruling, self._asking)
        raise NeedsApproval("This waits for a person.", request_id=asked.request_id)

    def propose(
        self, data: object, *, workspace: str | None = None, project: str | None = None,
        source: Mapping[str, Any] | None = None, asked_by: str | None = None, session_id: str | None = None,
    ) -> Receipt:  # fmt: skip
        """Store every proposal in `data` as a request of kind "proposal"; nothing is written to memory.

        Args:
            data: `memory_delta` or `memorialize_suggestions`, alone or in a contract, decoded or as JSON text.
            workspace, project: the scope of proposals that name none.
            source: where they come from; one that came from there before, at the same index, is not stored again.
            asked_by: who proposes, where that is not the actor.
            session_id: the session in which they were made, where it is not the actor's.

        Returns:
            A receipt whose results say of each entry, in order: index, action, request_id, why, verb, about, ignored.
        """
        self.gate("propose", Facts(), args={})
        if asked_by is not None and not (asked_by.strip() and asked_by.isprintable()):
            raise InvalidValue("Who proposes has no plain name.", "Give one, such as agent:scout.", field="agent")
        self.hosts.look()  # what it is about may be new on a host
        scope = {k: v for k, v in (("workspace", workspace), ("project", project)) if v}
        return self._propose(data, _Batch(self, _Queue.of(self), scope, dict(source or {}), asked_by, session_id))

    def _propose(self, data: object, batch: _Batch) -> Receipt:
        read = read_proposals(data, self.config.types)
        results = [batch.one(proposal) for proposal in read.proposals]
        results += [_row(d.index, DROPPED, why=d.why) for d in read.dropped]
        results.sort(key=lambda r: int(r["index"]))
        return _receipt(results, read.notes)

    # -- proposals on a host --------------------------------------------------------------------------------------

    def host_proposals(self, *, dropped: bool = False) -> list[HostProposal]:
        """Proposals in contracts on attached hosts that are not in the queue and never were, oldest first.

        Args:
            dropped: also those that could not be taken when somebody tried.
        """
        handoffs = self.hosts.handoffs()
        known = _taken(self.store.requests(None)) if handoffs else {}
        found = [p for handoff in handoffs for p in self._waiting_there(handoff, known)]
        return [p for p in found if dropped or not p.dropped]

    def take_proposals(self) -> Receipt:
        """Take the proposals of attached hosts into the queue, each once, asked by the agent that made it.

        Raises:
            HostError: `no_host` where none is attached.
        """
        if not self.hosts.attached():
            raise HostError("No host is attached.", "Attach one with `memdesk attach gaia`.", code="no_host")
        self.gate("propose", Facts(), args={})
        self.hosts.look()
        queue = _Queue.of(self)
        results: list[dict[str, Any]] = []
        notes: list[str] = []
        for handoff in self.hosts.handoffs():
            source, agent = _source(handoff), _agent(handoff)
            scope = {"workspace": handoff.workspace} if handoff.workspace else {}
            taken = self._propose(handoff.text, _Batch(self, queue, scope, source, agent, handoff.session or None))
            new = [r for r in taken.results if r["action"] != TAKEN]
            for row in new:
                self._remember(source, row)
                results.append({**row, "host": handoff.host_id, "handoff": handoff.id, "agent": agent})
            if new:
                notes += [f"Contract {handoff.contract_id or handoff.id}: {note}" for note in taken.warnings]
        return _receipt(results, [*notes, *self.hosts.problems.values()])

    def _waiting_there(self, handoff: Handoff, known: Mapping[str, str]) -> Iterator[HostProposal]:
        read = read_proposals(handoff.text, self.config.types)
        rows = [(p.index, p.verb, p.about, p.rationale, "") for p in read.proposals]
        rows += [(d.index, "", "", "", d.why) for d in read.dropped]
        for index, verb, about, rationale, why in sorted(rows):
            source = {**_source(handoff), "index": index}
            key = source_key(source)
            if self.came_from(source, known) is None:
                yield HostProposal(
                    handoff.host_id, handoff.id, handoff.contract_id, index, _agent(handoff), handoff.created_at,
                    handoff.workspace, verb, about, rationale, why or self.store.note(f"dropped:{key}") or "",
                )  # fmt: skip

    def came_from(self, source: Mapping[str, Any], taken: Mapping[str, str]) -> str | None:
        """The id of the request that a proposal of this source became, or was one with; None for a new one."""
        key = source_key(source)
        return taken.get(key) or self.store.note(f"taken:{key}")

    def _remember(self, source: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        """A dropped proposal is tried again whenever somebody takes the rest, but is nothing that waits."""
        key = f"dropped:{source_key({**source, 'index': row['index']})}"
        why = str(row["why"]) if row["action"] == DROPPED else None
        if self.store.note(key) != why:
            self.store.set_note(key, why)


@dataclass(slots=True)
class _Queue:
    """What was asked for before.

    Attributes:
        taken: source -> id of the request that came from it, whatever became of it.
        waiting: ids of those that wait.
        names: (workspace, name) that a waiting one would make -> who asks, and the texts.
    """

    taken: dict[str, str]
    waiting: set[str]
    names: dict[tuple[str, str], tuple[str, tuple[Any, ...]]]

    @classmethod
    def of(cls, desk: Proposing) -> _Queue:
        rows = desk.store.requests(None)
        waiting = [r for r in rows if r.status == "pending"]
        names = {
            (str(r.args.get("workspace")), str(r.args.get("name"))): (r.asked_by, _texts(r.args))
            for r in waiting if r.verb == "add"
        }  # fmt: skip
        return cls(_taken(rows), {r.request_id for r in waiting}, names)


class _Batch:
    """The proposals of one agent at one place.

    Args:
        scope: workspace and project of proposals that name none.
        source: where they come from; empty where that is not kept.
        asked_by: who proposes, or None for the actor.
    """

    def __init__(
        self, desk: Proposing, queue: _Queue, scope: dict[str, str], source: dict[str, Any], asked_by: str | None,
        session_id: str | None,
    ) -> None:  # fmt: skip
        self._desk = desk
        self._queue = queue
        self._scope = scope
        self._source = source
        self._asker = asked_by or desk.actor.name
        self._role = desk.actor.role if self._asker == desk.actor.name else Role.SPECIALIST
        self._session = session_id or desk.actor.session_id

    def one(self, proposal: Proposal) -> dict[str, Any]:
        """Ask for one proposal; its result."""
        source = {**self._source, "index": proposal.index} if self._source else None
        known = self._desk.came_from(source, self._queue.taken) if source else None
        if known is not None:
            return _row(proposal.index, TAKEN, proposal, request_id=known)
        try:
            args = self._arguments(proposal)
            if self._stands(proposal.verb, args):
                return _row(proposal.index, DROPPED, proposal, why=_STANDS, code="stands")
            request_id = self._ask(proposal, args, source)
        except MemdeskError as error:
            hint = _MAKE_IT if isinstance(error, UnknownWorkspace) else error.hint
            why = f"{error.message} {hint}".rstrip()
            return _row(proposal.index, DROPPED, proposal, why=why, code=error.stable_code)
        action = WAITING if request_id in self._queue.waiting else ASKED
        if action == WAITING and source:  # that request came from elsewhere, and says so
            self._desk.store.set_note(f"taken:{source_key(source)}", request_id)
        self._queue.waiting.add(request_id)
        return _row(proposal.index, action, proposal, about=str(args.get("name") or ""), request_id=request_id)

    def _ask(self, proposal: Proposal, args: dict[str, Any], source: Mapping[str, Any] | None) -> str:
        desk = self._desk
        said: dict[str, Any] = {"asked_by": self._asker, "role": str(self._role)}
        desk._asking = said | ({"source": dict(source)} if source else {})
        desk.on_behalf_of = self._asker if self._asker != desk.actor.name else None
        try:
            call_with(getattr(desk, proposal.verb), {**args, "rationale": proposal.rationale})
        except NeedsApproval as asked:
            return str(asked.extra["request_id"])
        finally:
            desk._asking, desk.on_behalf_of = {}, None
        raise InvalidValue(_STANDS, code="stands")

    # -- what it would write --------------------------------------------------------------------------------------

    def _arguments(self, proposal: Proposal) -> dict[str, Any]:
        """The arguments of the verb: entries by id, the scope filled in where the proposal names none."""
        args = dict(proposal.args)
        if proposal.verb == "add":
            return self._of_add(proposal, args)
        place = args.pop("workspace", None)
        args.pop("project", None)
        for key in ("ref", "source", "target"):
            if key in args:
                args[key] = self._find(args[key], place).id
        return args

    def _of_add(self, proposal: Proposal, args: dict[str, Any]) -> dict[str, Any]:
        if "workspace" not in args and "project" not in args:
            args |= self._scope
        elif "workspace" not in args and "workspace" in self._scope:
            args["workspace"] = self._scope["workspace"]
        scope = self._desk.resolve_scope(workspace=args.get("workspace"), project=args.get("project"))
        if self._session:
            args["origin_session_id"] = self._session
        if proposal.named:
            args["name"] = self._free_for(str(args["name"]), scope.workspace, args)
        self._queue.names.setdefault((scope.workspace, str(args["name"])), (self._asker, _texts(args)))
        return args

    def _free_for(self, name: str, workspace: str, args: Mapping[str, Any]) -> str:
        """The name, numbered where it is taken or asked for; what this asker asks for already keeps its name."""
        number, texts = 1, _texts(args)
        while True:
            tried = numbered(name, number)
            owner = self._desk.store.name_owner(workspace, tried)
            asked = self._queue.names.get((workspace, tried))
            if owner is not None and _same_texts(owner, texts):
                return tried
            if owner is None and (asked is None or asked == (self._asker, texts)):
                return tried
            number += 1

    def _find(self, name: str, workspace: str | None) -> Entry:
        """The entry of exactly this name: first where the proposal says, else in the usual workspace, else anywhere."""
        desk = self._desk
        usual = self._scope.get("workspace")
        if workspace is None and usual is not None and desk.store.lookup(name, usual):
            workspace = usual
        entry = desk.find(name, workspace)
        if name not in (entry.name, entry.shown_name, entry.ref, entry.id):  # the beginning of an id is no name
            raise NotFound(f"No entry is named {name!r}.", ref=name)
        return entry

    def _stands(self, verb: str, args: Mapping[str, Any]) -> bool:
        """Whether all of it is there already: somebody may have carried out the proposal meanwhile."""
        store = self._desk.store
        if verb == "link":
            kind = edge_kind(str(args["kind"]))
            return bool(store.edges(kind=kind, source=str(args["source"]), target=str(args["target"])))
        if verb == "add":
            scope = self._desk.resolve_scope(workspace=args.get("workspace"), project=args.get("project"))
            owner = store.name_owner(scope.workspace, str(args["name"]))
            return owner is not None and _same_texts(owner, _texts(args))
        entry = store.entry(str(args["ref"]))
        if entry is None:
            return False
        if verb == "append":
            return str(args["text"]).strip() in entry.body
        pairs = (("klass", "class"), ("status", "status"))
        return all(value_of(entry, field) == args[arg] for arg, field in pairs if arg in args)


def _taken(rows: Iterable[RequestRow]) -> dict[str, str]:
    """Every source that a request of any status came from -> its id."""
    found = ((r.request_id, r.payload.get("source")) for r in rows)
    return {source_key(source): request_id for request_id, source in found if isinstance(source, Mapping)}


def source_key(source: Mapping[str, Any]) -> str:
    """What two requests from the same place have in common.

    An agent's own id of a contract holds on every machine and in every copy of the database; without one the number of
    the row counts, with its time, since Gaia prunes rows and may give a number again.
    """
    parts: Iterable[str] = ("contract", "index")
    if not source.get("contract"):
        parts = sorted({*source} - {"session_id"})
    return json.dumps([[k, source.get(k)] for k in parts], default=str)


def _source(handoff: Handoff) -> dict[str, Any]:
    found = {
        "host": handoff.host_id, "handoff": handoff.id, "contract": handoff.contract_id,
        "created_at": handoff.created_at, "session_id": handoff.session,
    }  # fmt: skip
    return {k: v for k, v in found.items() if v != ""}


def _agent(handoff: Handoff) -> str:
    name = "".join(c if c.isprintable() else "?" for c in handoff.agent).strip()
    return name or "an unnamed agent"


def _texts(args: Mapping[str, Any]) -> tuple[Any, ...]:
    return args.get("type"), args.get("description"), args.get("body")


def _same_texts(entry: Entry, texts: tuple[Any, ...]) -> bool:
    kind, description, body = texts
    return (entry.type, entry.body) == (kind, body) and description in (None, entry.description)


def _row(
    index: int, action: str, proposal: Proposal | None = None, *, request_id: str | None = None, why: str = "",
    code: str = "", about: str = "",
) -> dict[str, Any]:  # fmt: skip
    return {
        "index": index, "action": action, "request_id": request_id, "why": why, "code": code,
        "verb": proposal.verb if proposal else "", "about": about or (proposal.about if proposal else ""),
        "ignored": list(proposal.ignored) if proposal else [],
    }  # fmt: skip


def _receipt(results: list[dict[str, Any]], notes: Iterable[str]) -> Receipt:
    number = {action: sum(r["action"] == action for r in results) for action in (ASKED, WAITING, TAKEN, DROPPED)}
    words = (
        (ASKED, "now waiting for a person"), (WAITING, "waiting already"), (TAKEN, "taken before"),
        (DROPPED, "dropped"),
    )  # fmt: skip
    told = [f"{number[action]} {said}" for action, said in words if number[action]]
    summary = f"{len(results)} proposed: {', '.join(told)}" if told else "Nothing new was proposed"
    return Receipt(
        None, "propose", summary, "asked" if number[ASKED] else "noop", warnings=tuple(notes), results=tuple(results)
    )
