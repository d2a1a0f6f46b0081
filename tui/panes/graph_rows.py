"""The rows of the Graph pane: a place of a tree with its guides and sentence, or a moment of a story."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from ...core.desk import Desk
from ...core.faults import SHORT
from ...core.model import STATE_LABELS, State, edge_words, role_label
from ...core.store.rows import Line
from ...core.text import one_line
from ...core.tree import Place, guides
from ..actions import Seen
from ..widgets.rows import Cell, Column, Key, Row, Section, Tone
from ..words import age, age_short, ago
from .graph_read import GraphView, Show

TREE_COLUMNS: Final = (
    Column("node", flex=1, min_width=40),
    Column("role", width=16, priority=2, tone="muted"),
    Column("age", width=9, align="right", priority=1),
)
STORY_COLUMNS: Final = (
    Column("when", width=5, align="right", tone="muted"),
    Column("name", flex=3, min_width=20),
    Column("what", flex=5, min_width=18),
    Column("who", width=14, priority=2, tone="muted"),
)
SHUT, OPEN, LEAF, CIRCLE = "▸ ", "▾ ", "", "↻ "


class GraphRows:
    """The provider: a screenful of entries and edges is read when it is drawn."""

    def __init__(
        self, desk: Desk, view: GraphView, busy: frozenset[str], now: datetime, before: GraphRows | None = None
    ) -> None:
        """Create the provider; `before` is one whose entries and edges still hold, as when a node was only opened."""
        self._desk = desk
        self._busy = busy
        self._now = now
        self._lines: dict[str, Line | None] = before._lines if before else {}
        self._further: dict[int, int] = before._further if before else {}
        self.view = view

    def sections(self) -> Sequence[Section]:
        return self.view.sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        if self.view.question.at.show is Show.STORY:
            return [self._moment(str(key)) for key in keys]
        self._read([int(key) for key in keys])
        return [self._row(int(key)) for key in keys]

    # -- what stands at a key -----------------------------------------------------------------------------------------

    def place(self, key: Key | None) -> Place | None:
        """The place behind a key; None in a story."""
        return self.view.places.get(key) if isinstance(key, int) else None

    def node(self, key: Key | None) -> str:
        """The id of the entry behind a key, or ""."""
        place = self.place(key)
        if place is not None:
            return place.node
        moment = self.view.moments.get(str(key))
        return moment.entry_id if moment else ""

    def line(self, key: Key | None) -> Line | None:
        """The entry behind a key, as it was drawn; None for a missing end."""
        node = self.node(key)
        if node and node not in self._lines:
            self._lines[node] = self._desk.lines_of([node]).get(node)
        return self._lines.get(node)

    def seen_of(self, nodes: Sequence[str]) -> list[Seen]:
        """The entries of these nodes that are there, each once."""
        found = self._desk.lines_of([node for node in nodes if node not in self._lines])
        lines = [self._lines.get(node) or found.get(node) for node in dict.fromkeys(nodes)]
        return [line for line in lines if line is not None]

    def further(self, key: Key | None) -> int:
        """How many edges lead on from a place."""
        if isinstance(key, int) and key in self.view.places:
            self._read([key])
            return self._further[key]
        return 0

    def _read(self, keys: Sequence[int]) -> None:
        places = [self.view.places[key] for key in keys if key not in self._further and key in self.view.places]
        if not places:
            return
        nodes = list(dict.fromkeys(place.node for place in places))
        lines, edges = self._desk.lines_of(nodes), self._desk.store.edges_at(nodes)
        self._lines.update({node: lines.get(node) for node in nodes})
        for place in places:
            follow = self.view.follows[self.view.trees[place.key]]
            via = place.step.edge if place.step else None
            self._further[place.key] = len(follow.steps(place.node, edges[place.node], via))

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _row(self, key: int) -> Row | None:
        place = self.view.places.get(key)
        if place is None:
            return None
        line = self._lines.get(place.node)
        faults = self.view.overview.survey.at.get(place.node, ())
        name = line.name if line else self.view.overview.name(place.node)
        notes = [SHORT[fault.kind] for fault in faults]
        if place.closes:
            notes.insert(0, "above: a circle")
        elif place.first is not None:
            notes.insert(0, "shown above")
        gone = line is None or line.state != State.ACTIVE
        if line is not None and gone:
            notes.insert(0, STATE_LABELS[State(line.state)])
        tone: Tone = "warn" if faults else "muted" if gone or place.first is not None else ""
        text = name + (f" ({', '.join(notes)})" if notes else "")
        cell = Cell(text, tone, lead=self._lead(place))
        sign = "…" if place.node in self._busy else "!" if faults else ""
        role = role_label(line.klass, line.status, line.type) if line else "missing"
        last = age(line.updated_at, self._now) if line else ""
        return Row([cell, Cell(role, "warn" if line is None else "muted"), last], sign=sign, tone="")

    def _lead(self, place: Place) -> str:
        words = f"{one_line(place.step.words)} " if place.step else ""
        if place.closes:
            sign = CIRCLE
        elif place.opened:
            sign = OPEN
        else:
            sign = SHUT if place.first is None and self._further.get(place.key) else LEAF
        drawn = guides(place)
        if not drawn:
            return sign or "  "
        return f"{drawn}{sign or '─ '}{words}"

    def _moment(self, key: str) -> Row | None:
        moment = self.view.moments.get(key)
        if moment is None:
            return None
        seed = self.view.story is not None and moment.entry_id == self.view.story.seed.id
        name = Cell(moment.name, "accent" if seed else "")
        return Row([age_short(moment.timestamp, self._now), name, moment.detail, moment.author])

    def what(self, key: Key | None) -> tuple[str, str]:
        """(sentence, tone) about the row at the cursor: its fault, else the edge that led to it, else what it says."""
        place = self.place(key)
        if place is None:
            moment = self.view.moments.get(str(key))
            if moment is None:
                return "", "muted"
            return f"{moment.name} {moment.detail} · {ago(moment.timestamp, self._now)} by {moment.author}", "muted"
        overview = self.view.overview
        faults = overview.survey.at.get(place.node, ())
        if faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            return f"! {overview.words(faults[0])}{more} · m mends it", "warn"
        line = self.line(key)
        name = line.name if line else overview.name(place.node)
        if place.closes:
            return f"{name} stands above already: the way leads in a circle. → goes there", "muted"
        if place.first is not None:
            return f"{name} is shown further up, with its links. → goes there", "muted"
        if place.step is None or place.parent is None:
            return (line.description or "" if line else ""), "muted"
        upper, edge = overview.name(place.parent.node), place.step.edge
        ends = (name, upper) if place.step.inbound else (upper, name)
        when = f" · linked {ago(edge.created_at, self._now)}" if edge.created_at else ""
        return f"{ends[0]} {edge_words(edge.kind)} {ends[1]}{when}", "muted"


def role_of(line: Line) -> str:
    """What the entry is for, and whether it is no longer current."""
    role = role_label(line.klass, line.status, line.type)
    return role if line.state == State.ACTIVE else f"{STATE_LABELS[State(line.state)]} · {role}"
