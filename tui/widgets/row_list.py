"""The list of every pane: any number of rows, drawn a line at a time (Line API), the cursor tied to a key
and not to a place.

Only the lines on screen are read and drawn, so 100,000 rows open and scroll like 100 (DESIGN 9 rule 4). The
cursor, the marks and the scroll place follow their keys through every new snapshot (DESIGN 9 rule 1). Texts
are raw: nothing here parses markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message

from .row_canvas import RowCanvas
from .row_layout import RowLayout, RowPages, follow
from .rows import Cell, Column, Key, Row, Rows, Section, StaticRows, Tone

__all__ = ["Cell", "Column", "Key", "Row", "RowList", "Rows", "Section", "StaticRows", "Tone"]

#: Rows taken to be on screen before the list has a size.
FIRST_VIEW = 24


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A row that keeps its screen line through a refresh."""

    layout: RowLayout
    ordinal: int
    place: int
    is_cursor: bool


class RowList(RowCanvas, can_focus=True):
    """A virtual list of rows. See `show` for how to fill it."""

    class Highlighted(Message):
        """The cursor stands on another key (None: the list is empty)."""

        def __init__(self, row_list: RowList, key: Key | None, by_user: bool) -> None:
            super().__init__()
            self.row_list = row_list
            self.key = key
            self.by_user = by_user

        @property
        def control(self) -> RowList:
            return self.row_list

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, RowList.Highlighted) and message.row_list is self.row_list

    class Selected(Message):
        """A row was chosen, by enter or a double click."""

        def __init__(self, row_list: RowList, key: Key) -> None:
            super().__init__()
            self.row_list = row_list
            self.key = key

        @property
        def control(self) -> RowList:
            return self.row_list

    class MarksChanged(Message):
        """Marks were set or cleared, or fell away because their rows left the list."""

        def __init__(self, row_list: RowList, count: int) -> None:
            super().__init__()
            self.row_list = row_list
            self.count = count

        @property
        def control(self) -> RowList:
            return self.row_list

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, RowList.MarksChanged) and message.row_list is self.row_list

    class FetchFailed(Message):
        """The provider raised while rows were drawn; they show as not readable and the list stays usable."""

        def __init__(self, row_list: RowList, error: Exception) -> None:
            super().__init__()
            self.row_list = row_list
            self.error = error

        @property
        def control(self) -> RowList:
            return self.row_list

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, RowList.FetchFailed) and message.row_list is self.row_list

    # The mouse moves the cursor here; copying is a verb of the pane, which knows the whole text.
    ALLOW_SELECT = False

    BINDINGS = [
        Binding("up,k", "cursor_up", "Up", show=False, id="list.up"),
        Binding("down,j", "cursor_down", "Down", show=False, id="list.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="list.page_up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="list.page_down"),
        Binding("home", "first", "First", show=False, id="list.first"),
        Binding("end", "last", "Last", show=False, id="list.last"),
        Binding("space", "toggle_mark", "Mark", show=False, id="list.mark"),
        Binding("enter", "select", "Open", show=False, id="list.select"),
    ]

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Rows | None = None,
        *,
        empty: str = "Nothing here.",
        titles: bool = False,
        markable: bool = True,
        mark_moves: bool = True,
        sign_width: int = 1,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Create a list.

        Args:
            columns: the columns, left to right.
            rows: the first snapshot; more by `show`.
            empty: what an empty list says, with the next thing to do; line breaks allowed.
            titles: draw the column titles on a line that does not scroll.
            markable: whether `space` marks rows.
            mark_moves: whether marking goes on to the next row.
            sign_width: cells reserved for the rows' signs, 0 to 2.
            id: the id of the widget.
            classes: the classes of the widget.
        """
        self._rows: Rows = rows or StaticRows()
        super().__init__(
            columns,
            self._rows,
            empty=empty,
            titles=titles,
            markable=markable,
            sign_width=sign_width,
            id=id,
            classes=classes,
        )
        self._mark_moves = mark_moves
        # What the cursor stood on when the list became empty, so that it finds back.
        self._lost: tuple[RowLayout, int] | None = None
        self._by_user = False
        self._sized = False

    # --- what is shown ----------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """The number of rows."""
        return self._layout.total

    @property
    def cursor_key(self) -> Key | None:
        """The key the cursor stands on."""
        return self._layout.key_at(self.cursor)

    @property
    def cursor_row(self) -> Row | None:
        """The row the cursor stands on; None where it cannot be read."""
        return self._row(self.cursor) if self.cursor >= 0 else None

    @property
    def position(self) -> tuple[int, int]:
        """The place of the cursor counted from 1, and the number of rows."""
        return self.cursor + 1, self._layout.total

    @property
    def marked(self) -> frozenset[Key]:
        """The keys that are marked; each of them is in the list."""
        return frozenset(self._marked)

    def keys(self) -> Iterator[Key]:
        """Yield every key in list order."""
        return self._layout.keys()

    def on_view(self) -> list[Key]:
        """Return the keys of the rows that are on screen, in list order; some of the first before there is a size."""
        top = round(self.scroll_y)
        lines = range(top, min(top + (self.size.height or FIRST_VIEW), self._layout.line_count))
        found = (self._layout.line_at(line) for line in lines)
        keys = (self._layout.key_at(line.ordinal) for line in found if line.kind == "row")
        return [key for key in keys if key is not None]

    def targets(self) -> list[Key]:
        """Return what an action applies to: the marked keys in list order, else the cursor's key."""
        if self._marked:
            placed = ((self._layout.ordinal_of(key), key) for key in self._marked)
            found = [(ordinal, key) for ordinal, key in placed if ordinal is not None]
            return [key for _, key in sorted(found, key=lambda pair: pair[0])]
        key = self.cursor_key
        return [] if key is None else [key]

    def show(self, rows: Rows, *, cursor: Key | None = None) -> None:
        """Show a new snapshot: cursor, marks and scroll place follow their keys.

        Raises whatever the provider raises while it is read; the old view then stays as it was (say so by
        `set_banner`).

        Args:
            rows: the snapshot.
            cursor: the key to stand on; by default the present one, or the row that took its place.
        """
        layout = RowLayout(rows.sections())
        pages = RowPages(rows, layout)
        old, old_cursor = self._lost if self._lost and not self._layout.total else (self._layout, self.cursor)
        wanted = layout.ordinal_of(cursor) if cursor is not None else None
        ordinal = follow(old, layout, old_cursor) if wanted is None else wanted
        if ordinal >= 0:
            pages.row(ordinal)  # read before anything is changed: a failure keeps the old view
        if not layout.total and self._layout.total:
            self._lost = (self._layout, self.cursor)
        old_key, anchor = self.cursor_key, self._anchor()
        self._rows, self._layout, self._pages = rows, layout, pages
        self._strips.clear()
        self.set_reactive(RowCanvas.cursor, ordinal)
        self._update_size()
        self._restore(anchor)
        if wanted is not None:
            self._reveal()
        self._drop_marks()
        self.refresh()
        if self.cursor_key != old_key:
            self._tell(self.Highlighted(self, self.cursor_key, by_user=False))

    def reload(self) -> None:
        """Read the same provider again. Raises like `show`."""
        self.show(self._rows)

    def invalidate(self, *keys: Key) -> None:
        """Read these rows again (all by default) when they are next drawn; their order stays."""
        ordinals = [ordinal for key in keys if (ordinal := self._layout.ordinal_of(key)) is not None]
        self._pages.forget(ordinals if keys else None)
        self._strips.clear()
        self.refresh()

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns."""
        self._columns = list(columns)
        self._redraw()

    def set_empty(self, text: str) -> None:
        """Say something else where the list is empty."""
        self._empty = text
        self.refresh()

    def set_banner(self, text: str) -> None:
        """Show one line on top that does not scroll ("stale: the store could not be read"); "" removes it."""
        if text != self._banner:
            self._banner = text
            self._update_size()
            self._redraw()

    # --- cursor and marks -------------------------------------------------------------------------

    def move_to(self, key: Key) -> bool:
        """Put the cursor on a key; return whether the list has it."""
        ordinal = self._layout.ordinal_of(key)
        if ordinal is None:
            return False
        self.cursor = ordinal
        return True

    def mark(self, key: Key, on: bool = True) -> None:
        """Mark a key of the list, or take its mark away."""
        ordinal = self._layout.ordinal_of(key)
        if ordinal is None or (key in self._marked) == on:
            return
        (self._marked.add if on else self._marked.discard)(key)
        self._refresh_row(ordinal)
        self._post_marks()

    def mark_all(self) -> None:
        """Mark every row."""
        self._marked = set(self._layout.keys())
        self._redraw()
        self._post_marks()

    def clear_marks(self) -> None:
        """Take every mark away."""
        if self._marked:
            self._marked = set()
            self._redraw()
            self._post_marks()

    def action_cursor_up(self) -> None:
        self._move(self.cursor - 1)

    def action_cursor_down(self) -> None:
        self._move(self.cursor + 1)

    def action_page_up(self) -> None:
        self._page(-1)

    def action_page_down(self) -> None:
        self._page(1)

    def action_first(self) -> None:
        self._move(0)

    def action_last(self) -> None:
        self._move(self._layout.total - 1)

    def action_toggle_mark(self) -> None:
        key = self.cursor_key
        if self._markable and key is not None:
            self.mark(key, key not in self._marked)
            if self._mark_moves:
                self.action_cursor_down()

    def action_mark_all(self) -> None:
        if self._markable:
            self.mark_all()

    def action_clear_marks(self) -> None:
        self.clear_marks()

    def action_select(self) -> None:
        key = self.cursor_key
        if key is not None:
            self._tell(self.Selected(self, key))

    # --- events -----------------------------------------------------------------------------------

    def on_mount(self) -> None:
        try:
            self.show(self._rows)
        except (
            Exception
        ) as error:  # whatever the provider's store raises: an empty list can be shown, a dead app cannot
            self._fetch_failed(error)

    def on_resize(self) -> None:
        self._strips.clear()
        # The first size makes the room in which the cursor can be revealed; later ones keep it in view.
        self._sized = True
        self._update_size()
        self._reveal()

    def on_click(self, event: events.Click) -> None:
        line = event.y - self._top_lines + self.scroll_offset.y
        if event.y < self._top_lines or not 0 <= line < self._layout.line_count:
            return
        found = self._layout.line_at(line)
        if found.kind != "row":
            return
        self._move(found.ordinal)
        if self._markable and event.x < 2:
            key = self.cursor_key
            if key is not None:
                self.mark(key, key not in self._marked)
        elif event.chain == 2:
            self.action_select()

    def validate_cursor(self, cursor: int) -> int:
        return min(max(cursor, 0), self._layout.total - 1)

    def watch_cursor(self, old: int, new: int) -> None:
        self._refresh_row(old)
        self._refresh_row(new)
        self._reveal()
        if self.is_mounted:
            self._tell(self.Highlighted(self, self.cursor_key, by_user=self._by_user))

    # --- moving -----------------------------------------------------------------------------------

    @property
    def _view_height(self) -> int:
        return max(self.size.height - self._top_lines, 1)

    def _move(self, ordinal: int) -> None:
        self._by_user = True
        self.cursor = ordinal
        self._by_user = False

    def _page(self, step: int) -> None:
        if self.cursor < 0:
            return
        target = self._layout.line_of(self.cursor) + step * max(self._view_height - 1, 1)
        target = min(max(target, 0), self._layout.line_count - 1)
        # Land on a row: past a header or divider in the same direction, else back.
        found = self._layout.row_near(target, step)
        if found is None:
            found = self._layout.row_near(target, -step)
        if found is not None:
            self._move(found)

    def _reveal(self) -> None:
        """Scroll as little as shows the cursor, and the header above the first row of a section."""
        if self.cursor < 0 or not self._sized:
            return
        line, height, top = self._layout.line_of(self.cursor), self._view_height, round(self.scroll_y)
        first = line
        while first > 0 and line - first < height - 1 and self._layout.line_at(first - 1).kind != "row":
            first -= 1
        last = line
        while last + 1 < self._layout.line_count and self._layout.line_at(last + 1).kind == "divider":
            last += 1
        if first < top:
            self._scroll(first)
        elif line >= top + height:
            self._scroll(min(last, line + height - 1) - height + 1)

    def _scroll(self, top: int) -> None:
        # Forced: before the next layout the widget does not know yet that it has grown past its height.
        self.scroll_to(y=max(top, 0), animate=False, force=True)

    def _anchor(self) -> _Anchor | None:
        """Return what keeps its place on screen: the cursor, or the top row where the cursor is scrolled away."""
        top = round(self.scroll_y)
        if self.cursor >= 0:
            place = self._layout.line_of(self.cursor) - top
            if 0 <= place < self._view_height:
                return _Anchor(self._layout, self.cursor, place, True)
        ordinal = self._layout.row_near(top, 1)
        if ordinal is None:
            return None
        return _Anchor(self._layout, ordinal, self._layout.line_of(ordinal) - top, False)

    def _restore(self, anchor: _Anchor | None) -> None:
        if not self._sized:
            return
        if anchor is not None and self._layout.total:
            line = self._layout.line_of(follow(anchor.layout, self._layout, anchor.ordinal))
            self._scroll(min(line - anchor.place, self._layout.line_count - self._view_height))
        if anchor is None or anchor.is_cursor:
            self._reveal()

    def _update_size(self) -> None:
        self.virtual_size = Size(self.size.width, self._layout.line_count + self._top_lines)

    def _drop_marks(self) -> None:
        """Drop the marks of keys that are gone: an action applies to what is marked on screen."""
        gone = {key for key in self._marked if self._layout.ordinal_of(key) is None}
        if gone:
            self._marked -= gone
            self._post_marks()

    def _tell(self, message: Message) -> None:
        # Drawing runs in the screen's name, and `show` often in the parent's: a message whose sender is the parent
        # would stop right there.
        message.set_sender(self)
        self.post_message(message)

    def _fetch_failed(self, error: Exception) -> None:
        self._tell(self.FetchFailed(self, error))

    def _post_marks(self) -> None:
        self._tell(self.MarksChanged(self, len(self._marked)))
