"""The neighbourhood of an entry as a small picture: what points at it above, itself in a box, what it points at below.

    ╭─ project_spike  became
    ├─ atom_timeout   is part of
    ▼
  ╭────────────────────────────╮
  │ decision_trigram_index     │
  │ What we know · 3 weeks     │
  ╰────────────────────────────╯
    │
    ├─ replaces ─▶ decision_edit_distance  (replaced)
    ╰─ is related to ── atom_typos
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from ...core.desk import Desk
from ...core.model import STATE_LABELS, SYMMETRIC_KINDS, State, edge_words
from ...core.store.rows import Line
from ...core.text import one_line
from ...core.tree import Direction, Follow, Step
from ..safe_text import cells, cut, pad
from ..words import age
from .graph_rows import role_of

#: (text, tone) parts of one row of the picture.
Drawn = list[tuple[str, str]]
_TONES = ("muted", "accent", "warn", "strong")


@dataclass(frozen=True)
class Ego:
    """An entry and its neighbours.

    Attributes:
        node: its id.
        name: its name.
        about: what stands under the name in the box.
        steps: the edges at it.
        names: far node -> (name, whether it is current).
    """

    node: str
    name: str
    about: str
    steps: tuple[Step, ...] = ()
    names: Mapping[str, tuple[str, bool]] = field(default_factory=dict)


def read_ego(desk: Desk, node: str, now: datetime) -> Ego | None:
    """Read a neighbourhood. Runs in the reading thread."""
    from ...core.desk.graphs import missing_name

    steps = Follow(None, Direction.BOTH).steps(node, desk.store.edges_at([node])[node])
    lines = desk.lines_of([node, *(step.far for step in steps)])
    line = lines.get(node)
    if line is None and not steps:
        return None
    names = {s.far: _named(lines.get(s.far), missing_name(s.far)) for s in steps}
    about = f"{role_of(line)} · {age(line.updated_at, now)}" if line else "missing: no entry is there"
    return Ego(node, line.name if line else missing_name(node), about, tuple(steps), names)


def _named(line: Line | None, name: str) -> tuple[str, bool]:
    if line is None:
        return f"{name} (missing)", False
    current = line.state == State.ACTIVE
    return line.name if current else f"{line.name} ({STATE_LABELS[State(line.state)]})", current


def draw(ego: Ego, width: int, height: int) -> list[Drawn]:
    """The picture in at most `width` cells and `height` rows; what has no room is counted."""
    above = [s for s in ego.steps if s.inbound and s.edge.kind not in SYMMETRIC_KINDS]
    below = [s for s in ego.steps if s not in above]
    room = max(height - 4, 2)  # rows of the box
    spine = int(bool(above)) + int(bool(below))  # the arrow above, the line below
    most_above, most_below = _shared(len(above), len(below), max(room - spine, 2))
    rows = _above(ego, above, most_above, width) if above else []
    rows += _box(ego, width)
    rows += _below(ego, below, most_below, width) if below else []
    return rows[:height]


def _shared(above: int, below: int, room: int) -> tuple[int, int]:
    """How many rows each side gets: half each, and what the other leaves."""
    half = room // 2
    first = min(above, max(half, room - below))
    return first, min(below, room - first)


def _above(ego: Ego, steps: Sequence[Step], most: int, width: int) -> list[Drawn]:
    shown = steps if len(steps) <= most else steps[: most - 1]
    rest = len(steps) - len(shown)
    names = [cut(one_line(ego.names[step.far][0]), max(width - 22, 8)) for step in shown]
    column = max(map(cells, names), default=0)
    rows: list[Drawn] = []
    for name, step in zip(names, shown, strict=True):
        current = ego.names[step.far][1]
        words = cut(f"  {one_line(edge_words(step.edge.kind))}", max(width - column - 7, 1))
        rows.append([("   ├─ ", "muted"), (pad(name, column), "" if current else "muted"), (words, "accent")])
    if rest:
        rows.append([("   ├─ ", "muted"), (f"and {rest:,} more", "muted")])
    rows[0][0] = ("   ╭─ ", "muted")
    return [*rows, [("   ▼", "muted")]]


def _box(ego: Ego, width: int) -> list[Drawn]:
    name, about = one_line(ego.name), one_line(ego.about)
    inner = min(max(cells(name), cells(about)), max(width - 6, 8))
    line = "─" * (inner + 2)
    return [
        [(f" ╭{line}╮", "accent")],
        [(" │ ", "accent"), (pad(cut(name, inner), inner), "strong"), (" │", "accent")],
        [(" │ ", "accent"), (pad(cut(about, inner), inner), "muted"), (" │", "accent")],
        [(f" ╰{line}╯", "accent")],
    ]


def _below(ego: Ego, steps: Sequence[Step], most: int, width: int) -> list[Drawn]:
    shown = steps if len(steps) <= most else steps[: most - 1]
    rest = len(steps) - len(shown)
    rows: list[Drawn] = [[("   │", "muted")]]
    for place, step in enumerate(shown):
        name, current = ego.names[step.far]
        last = place == len(shown) - 1 and not rest
        arrow = " ── " if step.edge.kind in SYMMETRIC_KINDS else " ─▶ "
        words = one_line(edge_words(step.edge.kind))
        left = cells(words) + cells(arrow) + 6
        rows.append([
            ("   ╰─ " if last else "   ├─ ", "muted"), (words, "accent"), (arrow, "muted"),
            (cut(one_line(name), max(width - left - 1, 4)), "" if current else "muted"),
        ])  # fmt: skip
    if rest:
        rows.append([("   ╰─ ", "muted"), (f"and {rest:,} more", "muted")])
    return rows


def plain(rows: Iterable[Drawn]) -> str:
    """The picture as text, for the big view and for copying."""
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


class Picture(Widget):
    """Draws an Ego. As high as the neighbourhood asks, at most `most` rows."""

    COMPONENT_CLASSES = {f"picture--{tone}" for tone in _TONES}

    DEFAULT_CSS = """
    Picture {
        width: 1fr;
        height: auto;
        background: $background;
        color: $foreground;

        & > .picture--muted { color: $text-muted; }
        & > .picture--accent { color: $text-primary; }
        & > .picture--warn { color: $text-warning; }
        & > .picture--strong { text-style: bold; }

        &:ansi > .picture--muted { color: ansi_default; text-style: dim; }
        &:ansi > .picture--accent { color: ansi_default; text-style: bold; }
    }
    """

    def __init__(self, most: int = 14) -> None:
        super().__init__(id="picture")
        self.ego: Ego | None = None
        self._most = most
        self._rows: list[Drawn] = []

    def show(self, ego: Ego | None) -> None:
        """Draw another neighbourhood, or none."""
        self.ego = ego
        self._lay_out()
        self.refresh(layout=True)

    def on_resize(self) -> None:
        self._lay_out()
        self.refresh()

    def _lay_out(self) -> None:
        self._rows = draw(self.ego, self.size.width or 60, self._most) if self.ego is not None else []

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        rows = draw(self.ego, width, self._most) if self.ego is not None else []
        return len(rows)

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        parts = self._rows[y] if y < len(self._rows) else []
        segments = [Segment(text, base + self._tone(tone)) for text, tone in parts]
        return Strip(segments).adjust_cell_length(width, base)

    def _tone(self, tone: str) -> Style:
        return self.get_component_rich_style(f"picture--{tone}", partial=True) if tone in _TONES else Style.null()
