"""The read view: an entry, a pair, a diff or a message, laid out a row at a time (Line API).

Opens 256 KB at once: only the rows on screen are laid out first, the rest between frames. Untrusted text:
see text_layout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from .blocks import Block, Body, Facts, Fold, Gap, Heading, Line, Lines, Plain, Title
from .text_layout import STYLES, TextRow, lay_out

__all__ = ["Block", "Body", "EntryText", "Facts", "Fold", "Gap", "Heading", "Line", "Lines", "Plain", "Title"]

#: Rows laid out between two frames.
CHUNK = 300
#: Empty cells at each side of the text.
MARGIN = 1


class EntryText(ScrollView, can_focus=True):
    """Shows blocks of untrusted text. See `show`."""

    class EndSeen(Message):
        """Every row, those of closed folds aside, has been on screen."""

        def __init__(self, entry_text: EntryText) -> None:
            super().__init__()
            self.entry_text = entry_text

        @property
        def control(self) -> EntryText:
            return self.entry_text

    ALLOW_SELECT = True
    #: A page key that comes faster than a page is drawn waits for it: nothing is passed over unseen.
    paced = False

    BINDINGS = [
        Binding("up,k", "scroll_up", "Up", show=False, id="text.up"),
        Binding("down,j", "scroll_down", "Down", show=False, id="text.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="text.page_up"),
        Binding("pagedown,space", "page_down", "Page down", show=False, id="text.page_down"),
        Binding("home", "scroll_home", "Start", show=False, id="text.home"),
        Binding("end", "scroll_end", "End", show=False, id="text.end"),
        Binding("z", "toggle_folds", "Fold", show=False, id="text.folds"),
    ]

    COMPONENT_CLASSES = {f"entry-text--{style}" for style in STYLES}

    DEFAULT_CSS = """
    EntryText {
        width: 1fr;
        height: 1fr;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;

        & > .entry-text--title { color: $foreground; text-style: bold; }
        & > .entry-text--note { color: $text-muted; }
        & > .entry-text--heading { color: $text-primary; text-style: bold; }
        & > .entry-text--label { color: $text-muted; }
        & > .entry-text--code { color: $text-accent; }
        & > .entry-text--quote { color: $text-muted; text-style: italic; }
        & > .entry-text--bullet { color: $text-primary; text-style: bold; }
        & > .entry-text--strong { text-style: bold; }
        & > .entry-text--em { text-style: italic; }
        & > .entry-text--link { text-style: underline; }
        & > .entry-text--fold { color: $text-primary; text-style: bold; }
        & > .entry-text--hidden { text-style: reverse; }
        & > .entry-text--muted { color: $text-muted; }
        & > .entry-text--accent { color: $text-accent; }
        & > .entry-text--good { color: $text-success; }
        & > .entry-text--warn { color: $text-warning; }
        & > .entry-text--bad { color: $text-error; }

        &:ansi > .entry-text--heading { color: ansi_default; text-style: bold underline; }
        &:ansi > .entry-text--bullet { color: ansi_default; text-style: bold; }
        &:ansi > .entry-text--fold { color: ansi_default; text-style: bold; }
        &:ansi > .entry-text--note { color: ansi_default; text-style: dim; }
        &:ansi > .entry-text--label { color: ansi_default; text-style: dim; }
        &:ansi > .entry-text--quote { color: ansi_default; text-style: italic; }
        &:ansi > .entry-text--muted { color: ansi_default; text-style: dim; }
    }
    """

    def __init__(
        self,
        blocks: Sequence[Block] = (),
        *,
        empty: str = "",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Create a view of blocks; `empty` is what it says without any."""
        super().__init__(id=id, classes=classes)
        self._blocks: Sequence[Block] = blocks
        self._empty = empty
        self._folds: dict[str, bool] = {}
        self._text_rows: list[TextRow] = []
        self._pending: Iterator[TextRow] | None = None
        self._width = 0
        self._seen_to = 0
        self._told_end = False
        self._part_styles: dict[str, Style] = {}

    # --- what is shown ---

    @property
    def seen_end(self) -> bool:
        """Whether every row, those of closed folds aside, has been on screen without a gap from the start."""
        return self._pending is None and bool(self._width) and self._seen_to >= len(self._text_rows)

    @property
    def seen(self) -> tuple[int, int]:
        """How many rows from the start have been on screen, and how many there are."""
        self._finish()
        return self._seen_to, len(self._text_rows)

    @property
    def seen_so_far(self) -> tuple[int, int | None]:
        """As `seen`, without laying out the rest for it: None for a number that is not known yet."""
        return self._seen_to, None if self._pending is not None else len(self._text_rows)

    def show(self, blocks: Sequence[Block], *, keep_place: bool = False) -> None:
        """Show other blocks, from their start, or (`keep_place`) from the row now on top unless they are equal.

        What is the same from the start on has been seen already; from the first row that differs it has not.
        """
        if keep_place and list(blocks) == list(self._blocks):
            return
        line = self._top_line() if keep_place else 0
        laid_out, before = self._text_rows, self._text_rows[: self._seen_to] if keep_place else []
        self._blocks = blocks
        self._seen_to, self._told_end = 0, False
        self._lay_out_again(line)
        if self._text_rows is laid_out:  # there is no room now: it is laid out, and seen, when there is
            self._text_rows, self._pending, self._width = [], None, 0
            return
        self._seen_to = self._equal_rows(before)
        if before:
            self._tell_end()  # nothing may be left to draw

    def toggle_fold(self, name: str = "") -> None:
        """Open or close a fold; "" opens all, or closes all where one is open."""
        folds = dict(_folds(self._blocks, self._folds))
        if name:
            self._folds[name] = not folds.get(name, False)
        else:
            opened = not any(folds.values())
            self._folds.update(dict.fromkeys(folds, opened))
        # The rows after the fold are other lines now: they count as unseen, rather than the new ones as seen.
        at = next((index for index, row in enumerate(self._text_rows) if row.fold and name in ("", row.fold)), 0)
        self._seen_to = min(self._seen_to, at + 1)
        self._told_end = False
        self._lay_out_again(self._top_line())

    def plain_text(self) -> str:
        """Return what is shown as text, wrapped lines joined again: safe for a clipboard or a file."""
        self._finish()
        parts: list[str] = []
        for row in self._text_rows:
            parts.append(row.text if row.continues else row.text.rstrip() + "\n")
        return "".join(parts)

    # --- events and actions ---

    def on_mount(self) -> None:
        self._lay_out_again(0)

    def on_resize(self) -> None:
        if self._text_width() != self._width:
            self._lay_out_again(self._top_line())

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self._text_rows) and self._text_rows[index].fold:
            self.toggle_fold(self._text_rows[index].fold)

    def action_toggle_folds(self) -> None:
        self.toggle_fold()

    def action_scroll_up(self) -> None:
        self._scroll(self.scroll_y - 1)

    def action_scroll_down(self) -> None:
        self._scroll(self.scroll_y + 1)

    def action_page_up(self) -> None:
        self._scroll(self.scroll_y - max(self.size.height - 1, 1))

    def action_page_down(self) -> None:
        top = self.scroll_y + max(self.size.height - 1, 1)
        if self.paced and self.scroll_y <= self._seen_to < top:
            top = self._seen_to  # the page that the key before brought was not drawn yet
        self._scroll(top)

    def action_scroll_home(self) -> None:
        self._scroll(0)

    def action_scroll_end(self) -> None:
        self._finish()
        self._scroll(len(self._text_rows))

    def _scroll(self, top: float) -> None:
        if self._pending is not None and len(self._text_rows) < top + self.size.height:
            self._extend(round(top) + 2 * self.size.height - len(self._text_rows))
            self._sized()
        # Forced: before the next layout the widget does not know yet that it has grown past its height.
        self.scroll_to(y=top, animate=False, force=True)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._part_styles.clear()

    # --- layout ---

    def width_in(self, width: int) -> int:
        """Return the cells a row of text gets in a widget of `width` cells."""
        # One cell is kept for the scroll bar, so that its coming does not wrap everything again.
        return max(width - 2 * MARGIN - self.styles.scrollbar_size_vertical, 0)

    def _text_width(self) -> int:
        return self.width_in(self.size.width)

    def _top_line(self) -> int:
        top = round(self.scroll_y)
        return self._text_rows[top].line if 0 < top < len(self._text_rows) else 0

    def _seen_line(self) -> int:
        """Return the last line that has been on screen with all of its rows, -1 for none."""
        if not 0 < self._seen_to <= len(self._text_rows):
            return -1
        last = self._text_rows[self._seen_to - 1]
        after = self._text_rows[self._seen_to] if self._seen_to < len(self._text_rows) else None
        # A row that goes on with the same line, or may do so where it is not laid out yet.
        cut = after.line == last.line if after is not None else self._pending is not None
        return last.line - 1 if last.continues or cut else last.line

    def _equal_rows(self, before: Sequence[TextRow]) -> int:
        """Count the rows that are the same as `before`, from the start."""
        while self._pending is not None and len(self._text_rows) < len(before):
            self._extend(CHUNK)
        pairs = zip(before, self._text_rows, strict=False)
        return next((i for i, (old, new) in enumerate(pairs) if old != new), min(len(before), len(self._text_rows)))

    def _lay_out_again(self, top_line: int) -> None:
        """Lay out from the start, far enough to put the row of `top_line` on top; the rest follows between frames."""
        width = self._text_width()
        if width < 1 or not self.is_mounted:
            return
        seen_line = self._seen_line()
        self._width = width
        self._text_rows = []
        self._pending = self.rows_at(max(width, 4))
        self._extend(self.size.height * 2 + 1)
        while self._pending is not None and self._text_rows[-1].line < max(top_line, seen_line + 1):
            self._extend(CHUNK)
        self._seen_to = sum(1 for row in self._text_rows if row.line <= seen_line)
        self._sized()
        top = next((index for index, row in enumerate(self._text_rows) if row.line >= top_line), 0)
        self._scroll(top)
        self.refresh()
        if self._pending is not None:
            self.run_worker(self._go_on(), group="entry-text-layout", exclusive=True)

    def rows_at(self, width: int) -> Iterator[TextRow]:
        """Yield the rows of what is shown at `width` cells."""
        return lay_out(self._shown_blocks(), width, self._folds)

    def _shown_blocks(self) -> Sequence[Block]:
        if self._blocks or not self._empty:
            return self._blocks
        return [Gap(), Plain(self._empty, "muted")]

    def _extend(self, count: int) -> None:
        rows = self._pending
        if rows is None:
            return
        for _ in range(count):
            row = next(rows, None)
            if row is None:
                self._pending = None
                return
            self._text_rows.append(row)

    def _finish(self) -> None:
        if self._pending is not None:
            self._text_rows.extend(self._pending)
            self._pending = None
            self._sized()

    async def _go_on(self) -> None:
        while self._pending is not None:
            await asyncio.sleep(0)
            self._extend(CHUNK)
            self._sized()

    def _sized(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._text_rows))

    # --- drawing ---

    def render_line(self, y: int) -> Strip:
        """Draw one row; what is drawn counts as seen."""
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if index >= len(self._text_rows):
            self._tell_end()
            return Strip.blank(width, self.rich_style)
        if index == self._seen_to:
            self._seen_to += 1
            self._tell_end()
        row = self._text_rows[index]
        segments = [Segment(" " * MARGIN, self.rich_style)]
        segments += [Segment(text, self._style(style)) for text, style in row.spans]
        strip = Strip(segments).adjust_cell_length(width, self.rich_style)
        selection = self.text_selection
        if selection is not None:
            strip = self._selected(strip, selection, index, width)
        return strip.apply_offsets(0, index)

    def _tell_end(self) -> None:
        if self.seen_end and not self._told_end:
            self._told_end = True
            message = self.EndSeen(self)
            # Drawing runs in the screen's name: a message whose sender is the parent would stop right there.
            message.set_sender(self)
            self.post_message(message)

    def _style(self, name: str) -> Style:
        if not name:
            return self.rich_style
        style = self._part_styles.get(name)
        if style is None:
            part = self.get_component_rich_style(f"entry-text--{name}", partial=True)
            style = self._part_styles[name] = self.rich_style + part
        return style

    # --- selection with the mouse ---

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the selected text as shown: marks included, never the hidden characters themselves."""
        text = "\n".join(" " * MARGIN + row.text for row in self._text_rows)
        return selection.extract(text).replace("\n" + " " * MARGIN, "\n"), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def _selected(self, strip: Strip, selection: Selection, index: int, width: int) -> Strip:
        span = selection.get_span(index)
        if span is None:
            return strip
        start, end = span
        end = width if end == -1 else end
        before, chosen, after = strip.divide([start, max(end, start), width])
        style = self.screen.get_component_rich_style("screen--selection")
        marked = [Segment(text, (own or Style.null()) + style) for text, own, _ in chosen]
        return Strip.join([before, Strip(marked), after])


def _folds(blocks: Sequence[Block], known: dict[str, bool]) -> Iterator[tuple[str, bool]]:
    for block in blocks:
        if isinstance(block, Fold):
            yield block.name, known.get(block.name, block.open)
            yield from _folds(block.blocks, known)
