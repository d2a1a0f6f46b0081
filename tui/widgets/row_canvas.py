"""How a row list draws: one line at a time (Line API), from cached strips, in the styles of its component classes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Region
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...core.text import one_line, visible
from ..safe_text import cells, pad, wrap
from .row_draw import GAP, RowStyles, cell_segments, fit, row_segments, sign_segments
from .row_layout import RowLayout, RowPages
from .rows import Column, Key, Row, Rows

CURSOR_SIGN = "▌"
MARK_SIGN = "✓"
_TONES = ("muted", "accent", "good", "warn", "bad")


class RowCanvas(ScrollView):
    """Draws the rows of a layout; the row list adds everything that moves."""

    COMPONENT_CLASSES = {
        "row-list--cursor",
        "row-list--cursor-sign",
        "row-list--mark-sign",
        "row-list--header",
        "row-list--divider",
        "row-list--title",
        "row-list--banner",
        "row-list--empty",
        "row-list--hidden",
        *(f"row-list--{tone}" for tone in _TONES),
    }

    DEFAULT_CSS = """
    RowCanvas {
        width: 1fr;
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;

        & > .row-list--cursor { background: $foreground 8%; }
        & > .row-list--cursor-sign { color: $foreground 50%; }
        &:focus > .row-list--cursor { background: $primary 22%; text-style: bold; }
        &:focus > .row-list--cursor-sign { color: $primary; text-style: bold; }
        & > .row-list--mark-sign { color: $accent; text-style: bold; }
        & > .row-list--header { color: $text-primary; text-style: bold; }
        & > .row-list--divider { color: $text-warning; }
        & > .row-list--title { color: $text-muted; }
        & > .row-list--banner { color: $text-warning; text-style: bold; }
        & > .row-list--empty { color: $text-muted; }
        & > .row-list--hidden { text-style: reverse; }
        & > .row-list--muted { color: $text-muted; }
        & > .row-list--accent { color: $text-accent; }
        & > .row-list--good { color: $text-success; }
        & > .row-list--warn { color: $text-warning; }
        & > .row-list--bad { color: $text-error; }

        &:ansi > .row-list--cursor { background: ansi_default; text-style: bold; }
        &:ansi:focus > .row-list--cursor { background: ansi_default; text-style: bold reverse; }
        &:ansi > .row-list--cursor-sign { color: ansi_default; text-style: bold; }
        &:ansi > .row-list--header { color: ansi_default; text-style: bold underline; }
        &:ansi > .row-list--muted { color: ansi_default; text-style: dim; }
        &:ansi > .row-list--title { color: ansi_default; text-style: dim; }
        &:ansi > .row-list--empty { color: ansi_default; text-style: dim; }
    }
    """

    cursor: reactive[int] = reactive(-1, repaint=False)
    """The ordinal of the cursor's row, -1 in an empty list."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Rows,
        *,
        empty: str,
        titles: bool,
        markable: bool,
        sign_width: int,
        id: str | None,
        classes: str | None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._columns = list(columns)
        self._empty = empty
        self._titles = titles
        self._markable = markable
        self._sign_width = sign_width
        self._banner = ""
        self._layout = RowLayout()
        self._pages = RowPages(rows, self._layout)
        self._marked: set[Key] = set()
        self._strips: LRUCache[int, Strip] = LRUCache(1024)
        self._styles: dict[str, RowStyles] = {}
        self._drawn_width = 0

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._styles.clear()

    @property
    def _top_lines(self) -> int:
        """The lines on top that do not scroll."""
        return bool(self._banner) + self._titles

    def _fetch_failed(self, error: Exception) -> None:
        """Called where a row that is drawn could not be read."""
        raise NotImplementedError

    def _redraw(self) -> None:
        self._strips.clear()
        self.refresh()

    def _refresh_row(self, ordinal: int) -> None:
        if not 0 <= ordinal < self._layout.total:
            return
        line = self._layout.line_of(ordinal)
        self._strips.discard(line)
        y = line - round(self.scroll_y) + self._top_lines
        if self._top_lines <= y < self.size.height:
            self.refresh(Region(0, y, self.size.width, 1))

    def _row(self, ordinal: int) -> Row | None:
        try:
            return self._pages.row(ordinal)
        except Exception as error:  # whatever the provider's store raises: the screen must live on and say so
            self._fetch_failed(error)
            return None

    def render_line(self, y: int) -> Strip:
        """Draw one line of the widget."""
        width = self.scrollable_content_region.width
        if width != self._drawn_width:
            # Another width without a resize: the scroll bar came or went.
            self._drawn_width = width
            self._strips.clear()
        if y < self._top_lines:
            return self._top_strip(y, width)
        line = y - self._top_lines + self.scroll_offset.y
        if not self._layout.line_count:
            return self._empty_strip(y - self._top_lines, width)
        if line >= self._layout.line_count:
            return Strip.blank(width, self._line_styles("").base)
        strip = self._strips.get(line)
        if strip is None:
            strip = self._strips[line] = self._line_strip(line, width)
        return strip

    def _line_styles(self, component: str) -> RowStyles:
        """Return the styles of a kind of line: "" for an ordinary one, else its component class."""
        styles = self._styles.get(component)
        if styles is None:
            base = self.rich_style
            if component:
                base += self.get_component_rich_style(f"row-list--{component}", partial=component != "cursor")
            tones = {tone: self.get_component_rich_style(f"row-list--{tone}", partial=True) for tone in _TONES}
            tones = {tone: Style(color=style.color, dim=style.dim) for tone, style in tones.items()}
            hidden = self.get_component_rich_style("row-list--hidden", partial=True)
            reversed_line = bool(base.reverse)
            hidden = Style(underline=True, reverse=False) if reversed_line else hidden
            styles = self._styles[component] = RowStyles(base, tones, hidden, plain=reversed_line)
        return styles

    def _line_strip(self, line: int, width: int) -> Strip:
        found = self._layout.line_at(line)
        if found.kind == "row":
            return self._row_strip(found.ordinal, width)
        if found.kind == "divider":
            return self._divider_strip(found.text, width)
        styles = self._line_styles("header")
        note = f" {one_line(found.note)} " if found.note else ""
        segments = [Segment(" ", styles.base)]
        segments += cell_segments(found.text, max(width - 1 - cells(note), 0), styles.base, styles.mark)
        segments.append(Segment(note, self._line_styles("").tone("muted")))
        return Strip(segments).adjust_cell_length(width, styles.base)

    def _row_strip(self, ordinal: int, width: int) -> Strip:
        row = self._row(ordinal)
        at_cursor = ordinal == self.cursor
        styles = self._line_styles("cursor" if at_cursor else "")
        sign = self._partial("cursor-sign") if at_cursor else Style.null()
        # Not reversed with the rest of the line: the bar must differ from the line it marks.
        bar = styles.base + sign + Style(reverse=False)
        segments = [Segment(CURSOR_SIGN if at_cursor else " ", bar)]
        if self._markable:
            marked = self._layout.key_at(ordinal) in self._marked
            mark = self._partial("mark-sign") if not styles.base.reverse else Style.null()
            segments.append(Segment(MARK_SIGN if marked else " ", styles.base + mark))
        if row is None:
            segments += [Segment(" (not readable)", styles.tone("muted"))]
            return Strip(segments).adjust_cell_length(width, styles.base)
        if self._sign_width:
            segments += sign_segments(row, self._sign_width, styles)
        segments += row_segments(row, self._columns, self._widths(width), styles)
        return Strip(segments).adjust_cell_length(width, styles.base)

    def _partial(self, component: str) -> Style:
        return self.get_component_rich_style(f"row-list--{component}", partial=True)

    @property
    def _gutter(self) -> int:
        return 1 + self._markable + (self._sign_width + 1 if self._sign_width else 0)

    def _widths(self, width: int) -> list[tuple[int, int]]:
        # One cell stays free at the right edge, so that texts of neighbouring widgets do not touch.
        return fit(self._columns, max(width - self._gutter - 1, 1))

    def _divider_strip(self, text: str, width: int) -> Strip:
        style = self._line_styles("divider").base
        label = f" {one_line(text)} " if text else ""
        line = pad("────" + label, max(width - 2, 0))
        line = line.rstrip() + " " + "─" * (width - 3 - cells(line.rstrip())) if text else "─" * (width - 2)
        return Strip([Segment(" " + line, style)]).adjust_cell_length(width, style)

    def _top_strip(self, y: int, width: int) -> Strip:
        if self._banner and y == 0:
            styles = self._line_styles("banner")
            segments = [Segment(" ! ", styles.base)]
            segments += cell_segments(self._banner, max(width - 3, 0), styles.base, styles.mark)
            return Strip(segments).adjust_cell_length(width, styles.base)
        base = self._line_styles("").base
        styles = self._line_styles("title")
        titles = Row([column.title for column in self._columns])
        segments = [Segment(" " * self._gutter, base)]
        segments += row_segments(titles, self._columns, self._widths(width), styles)
        return Strip(segments).adjust_cell_length(width, base)

    def _empty_strip(self, y: int, width: int) -> Strip:
        style = self._line_styles("empty").base
        room = max(width - 2 * GAP, 2)
        rows = [row for text in visible(self._empty).split("\n") for row in wrap(text, room)]
        text = rows[y - 1] if 1 <= y <= len(rows) else ""
        return Strip([Segment(" " * GAP + text, style)]).adjust_cell_length(width, style)
