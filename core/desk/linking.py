"""Verbs on edges: link, unlink, supersede (DESIGN 3.4; both seeds' sections on edges)."""

from __future__ import annotations

from .. import graph
from ..errors import EdgeRefused, ErrMemoryEdgeChainTooDeep, InvalidValue, listed
from ..events import time_of
from ..hosts import Change
from ..model import ACYCLIC_KINDS, CHILD_OF, EDGE_KINDS, SUPERSEDES, Edge, Entry, State, edge_kind, edge_words
from .finding import Finding
from .scopes import Scopes
from .session import Operation, Receipt, facts_of, is_decision


class Linking(Finding, Scopes):
    """The verbs that wire the graph."""

    def link(
        self, source: str, kind: str, target: str, *, workspace: str | None = None, force: bool = False,
        rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Add an edge, read as a sentence: `link A supersedes B` means A replaces B. Again is a no-op.

        Args:
            kind: built in or any word; `relates_to` is `related_to`.
            force: go on although the older entry would replace the newer.

        Raises:
            EdgeRefused: a self edge, `edge_cycle`, `second_parent` or `supersede_direction`.
            ErrMemoryEdgeChainTooDeep: past a limit.
        """
        a, b, kind = self.find(source, workspace), self.find(target, workspace), parse_kind(kind)
        args = {"source": a.id, "kind": kind, "target": b.id, "force": force}
        self._check_edge(a, kind, b)
        if kind == SUPERSEDES and not force:
            _check_direction(a, b)
        facts = facts_of([a, b], supersedes_decision=kind == SUPERSEDES and is_decision(b))
        ruling = self.gate("link", facts, refs=[a, b], args=args, rationale=rationale)
        self.refresh([a, b])
        with self.operation("link", f"{a.shown_name} {edge_words(kind)} {b.shown_name}") as op:
            warnings = self.add_edge(op, a, kind, b)
        edge = Edge(a.id, kind, b.id)
        both = self.read_back([a.id, b.id])
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, edges=(edge,), entries=both)

    def unlink(
        self, source: str, kind: str, target: str, *, workspace: str | None = None, rationale: str = ""
    ) -> Receipt:
        """Remove an edge; without one it is a no-op. Removing a supersedes edge does not bring the old entry back
        (except on a Gaia host): that is `memdesk restore`."""
        a, b, kind = self.find(source, workspace), self.find(target, workspace), edge_kind(kind.strip())
        args = {"source": a.id, "kind": kind, "target": b.id}
        ruling = self.gate("unlink", facts_of([a, b]), refs=[a, b], args=args, rationale=rationale)
        self.refresh([a, b])
        with self.operation("unlink", f"{a.shown_name} no longer {edge_words(kind)} {b.shown_name}") as op:
            op.unlink(a.id, kind, b.id)
        warnings = []
        after = self.store.entry(b.id)
        if kind == SUPERSEDES and op.op_id and after is not None and after.state == "superseded":
            warnings.append(
                f"{b.shown_name} stays replaced; bring it back with `memdesk edit {b.shown_name} --status active`."
            )
        edge = Edge(a.id, kind, b.id)
        both = self.read_back([a.id, b.id])
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, edges=(edge,), entries=both)

    def supersede(self, old: str, *, by: str, workspace: str | None = None, rationale: str = "") -> Receipt:
        """`by` replaces `old`: the plain form, in which the direction cannot be mistaken."""
        newer, older = self.find(by, workspace), self.find(old, workspace)
        args = {"old": older.id, "by": newer.id}
        self._check_edge(newer, SUPERSEDES, older)
        facts = facts_of([newer, older], supersedes_decision=is_decision(older))
        ruling = self.gate("supersede", facts, refs=[newer, older], args=args, rationale=rationale)
        self.refresh([newer, older])
        with self.operation("supersede", f"{newer.shown_name} replaces {older.shown_name}") as op:
            warnings = self.add_edge(op, newer, SUPERSEDES, older)
        edge = Edge(newer.id, SUPERSEDES, older.id)
        return self.receipt(
            op, warnings=warnings, flagged=ruling.flagged, edges=(edge,), entries=self.read_back([older.id, newer.id])
        )

    def edge_refusal(self, a: Entry, kind: str, b: Entry) -> str:
        """Why the rules forbid a new edge, in one sentence; "" where they do not."""
        try:
            self._check_edge(a, kind, b)
        except (EdgeRefused, ErrMemoryEdgeChainTooDeep) as error:
            return error.message
        return ""

    # -- rules ----------------------------------------------------------------------------------------------------

    def add_edge(self, op: Operation, a: Entry, kind: str, b: Entry) -> list[str]:
        """Write an edge inside an operation, checked once more there; what the host cannot hold of it."""
        self._check_edge(a, kind, b)
        op.link(a.id, kind, b.id)
        return self.hosts.warnings_for(a, Change(edges=((kind, b),)))

    def _check_edge(self, a: Entry, kind: str, b: Entry) -> None:
        """Everything DESIGN 3.4 asks of a new edge; an edge that stands already is never refused."""
        if self.store.edges(kind=kind, source=a.id, target=b.id):
            return
        sentence = f"{a.shown_name} {edge_words(kind)} {b.shown_name}"
        if a.id == b.id:
            raise EdgeRefused(f"{a.shown_name} cannot be linked to itself.", "Name two different entries.")
        if kind == SUPERSEDES and a.state is State.PURGED:
            raise EdgeRefused(
                f"{a.shown_name} is deleted: nothing would stand in the place of {b.shown_name}.",
                f"Bring it back first: `memdesk restore {a.shown_name}`.",
            )
        if kind == CHILD_OF:
            parents = self.store.edges(kind=CHILD_OF, source=a.id)
            if parents:
                parent = self.store.entry(parents[0].target)
                shown = parent.shown_name if parent else parents[0].target
                raise EdgeRefused(
                    f"{a.shown_name} is already part of {shown}; an entry has one parent.",
                    f"Remove that first: `memdesk unlink {a.shown_name} child_of {shown}`.",
                    code="second_parent",
                )
        out = self.store.out_degree(a.id)
        if out >= self.config.edges_per_memory:
            raise ErrMemoryEdgeChainTooDeep(
                f"{a.shown_name} already has {out} outgoing edges; the limit is {self.config.edges_per_memory}.",
                "Group some under an umbrella entry, or raise memory.limits.edges_per_memory in config.toml.",
                length=out, limit=self.config.edges_per_memory,
            )  # fmt: skip
        if kind in ACYCLIC_KINDS:
            self._check_chain(a, kind, b, sentence)

    def _check_chain(self, a: Entry, kind: str, b: Entry, sentence: str) -> None:
        def targets(node: str) -> list[str]:
            return [e.target for e in self.store.edges(kind=kind, source=node)]

        def sources(node: str) -> list[str]:
            return [e.source for e in self.store.edges(kind=kind, target=node)]

        if graph.reaches(targets, b.id, a.id):
            raise EdgeRefused(
                f"“{sentence}” would close a circle: {b.shown_name} already leads to {a.shown_name}.",
                "Remove an edge of that circle first, or link the other way round.",
                code="edge_cycle",
            )
        limit = self.config.edge_depth
        length = graph.longest(sources, a.id, limit) + 1 + graph.longest(targets, b.id, limit)
        if length > self.config.edge_depth:
            raise ErrMemoryEdgeChainTooDeep(
                f"“{sentence}” would make a chain of {length} edges; the limit is {self.config.edge_depth}.",
                "Consolidate the chain with supersedes, or raise memory.limits.edge_depth in config.toml.",
                length=length, limit=self.config.edge_depth,
            )  # fmt: skip


def parse_kind(kind: str) -> str:
    """The stored spelling of the kind of a new edge: any printable word, but `SUPERSEDES` is no other kind.

    Raises:
        InvalidValue: blank, or with characters that a screen would hide.
    """
    word = kind.strip()
    if not word or not word.isprintable():
        raise InvalidValue(f"{kind!r} is no kind of link.", f"Use {listed(EDGE_KINDS)}, or a word.", field="kind")
    known = edge_kind(word.lower())
    return known if known in EDGE_KINDS else word


def _check_direction(a: Entry, b: Entry) -> None:
    """Stop where the older entry would replace the newer: Gaia's help text shows the sentence backwards."""
    made_a, made_b = time_of(a.created_at), time_of(b.created_at)
    if made_a is None or made_b is None or made_a >= made_b:
        return
    as_said = f"memdesk link {a.shown_name} supersedes {b.shown_name} --force"
    turned = f"memdesk link {b.shown_name} supersedes {a.shown_name}"
    raise EdgeRefused(
        f"{a.shown_name} is older than {b.shown_name}, and this would hide the newer one: "
        f"“A supersedes B” means A replaces B.",
        f"If {b.shown_name} replaces {a.shown_name}: `{turned}`. If you mean it as written: `{as_said}`.",
        code="supersede_direction", commands=[turned, as_said],
    )  # fmt: skip
