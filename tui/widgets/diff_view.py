"""The diff view: what changed between two texts, a row at a time (Line API); 256 KB opens and scrolls like a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from .diff_blocks import BlameBlock, BlameLine, DiffBlock, SheetBlock
from .diff_layout import DIFF_STYLES, SIDE_BY_SIDE, lay_out_sheet
from .entry_text import CHUNK, EntryText
from .text_layout import TextRow

__all__ = ["BlameBlock", "BlameLine", "DiffBlock", "DiffView", "SheetBlock"]


class DiffView(EntryText):
    """An EntryText that knows diffs. See `show_sheet`."""

    COMPONENT_CLASSES = {f"entry-text--{style}" for style in DIFF_STYLES}

    DEFAULT_CSS = """
    DiffView {
        & > .entry-text--diff-field { color: $text-primary; text-style: bold; }
        & > .entry-text--diff-number { color: $text-muted; }
        & > .entry-text--diff-fold { color: $text-muted; background: $surface; }
        & > .entry-text--diff-empty { background: $surface; }
        & > .entry-text--diff-gone { background: $error 14%; }
        & > .entry-text--diff-gone-word { background: $error 40%; text-style: bold underline; }
        & > .entry-text--diff-new { background: $success 14%; }
        & > .entry-text--diff-new-word { background: $success 40%; text-style: bold underline; }
        & > .entry-text--diff-moved { background: $accent 14%; }
        & > .entry-text--diff-mark { background: $warning 30%; text-style: bold underline; }

        &:ansi > .entry-text--diff-field { color: ansi_default; text-style: bold underline; }
        &:ansi > .entry-text--diff-number { color: ansi_default; text-style: dim; }
        &:ansi > .entry-text--diff-fold { color: ansi_default; background: ansi_default; text-style: dim; }
        &:ansi > .entry-text--diff-empty { background: ansi_default; }
        &:ansi > .entry-text--diff-gone { background: ansi_default; color: ansi_red; }
        &:ansi > .entry-text--diff-gone-word {
            background: ansi_default; color: ansi_red; text-style: bold underline;
        }
        &:ansi > .entry-text--diff-new { background: ansi_default; color: ansi_green; }
        &:ansi > .entry-text--diff-new-word {
            background: ansi_default; color: ansi_green; text-style: bold underline;
        }
        &:ansi > .entry-text--diff-moved { background: ansi_default; color: ansi_magenta; }
        &:ansi > .entry-text--diff-mark { background: ansi_default; color: ansi_yellow; text-style: reverse; }
    }
    """

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__((), empty=empty, id=id, classes=classes)
        self._sheet: Sequence[SheetBlock] = ()
        self._opened: set[str] | None = set()
        #: The row of the change that was jumped to, and where the view stood then.
        self._change: tuple[int, int] | None = None
        self.side = False

    def show_sheet(self, blocks: Sequence[SheetBlock], *, keep_place: bool = False) -> bool:
        """Show other blocks from their start, or (`keep_place`) from the row now on top unless they are equal.

        Returns:
            Whether anything else is shown now.
        """
        if keep_place and list(blocks) == list(self._sheet):
            return False
        if not keep_place:
            self._opened = set()
        self._change = None
        self._sheet = blocks
        self.show(list(blocks), keep_place=keep_place)  # type: ignore[arg-type]
        return True

    def show_side(self, side: bool) -> None:
        """Show diffs in two columns, or in one."""
        self.side = side
        self._change = None
        self._lay_out_again(self._top_line())

    @property
    def has_room_for_two(self) -> bool:
        """Whether two columns fit."""
        return self._text_width() >= SIDE_BY_SIDE

    def rows_at(self, width: int) -> Iterator[TextRow]:
        """Yield the rows of the sheet."""
        if not self._sheet:
            return super().rows_at(width)
        return lay_out_sheet(self._sheet, width, self._folds, self._opened, self.side)

    def _style(self, name: str) -> Style:
        if not name.startswith("diff-"):
            return super()._style(name)
        style = self._part_styles.get(name)
        if style is None:  # whole, not partial: its ground is mixed with the one below
            style = self._part_styles[name] = self.get_component_rich_style(f"entry-text--{name}")
        return style

    # -- folds and changes --------------------------------------------------------------------------------------------

    def toggle_fold(self, name: str = "") -> None:
        """Open or close a stretch of equal lines; "" opens all, or closes all where they are open."""
        if name and ":" not in name:
            super().toggle_fold(name)
            return
        if not name:
            self._opened = set() if self._opened is None else None
        elif self._opened is not None:
            self._opened ^= {name}
        # The rows after the fold are other lines now: they count as unseen. One that closes was seen to its start.
        at = next((i for i, row in enumerate(self._text_rows) if row.fold and name in ("", row.fold)), 0)
        self._seen_to = min(self._seen_to, at)
        self._told_end = False
        self._change = None
        self._lay_out_again(self._top_line())

    def jump(self, step: int) -> bool:
        """Go to the next (or the previous) change, at the top as far as the text reaches; whether there is one."""
        top = round(self.scroll_y)
        at = self._change[0] if self._change is not None and self._change[1] == top else top
        if step < 0:
            found = next((i for i in range(min(at, len(self._text_rows)) - 1, -1, -1) if self._starts(i)), None)
        else:
            found = self._next(at + 1)
        if found is None:
            return False
        self._scroll(found)
        # At the end of the text the change cannot come to the top: remember which one it was, and show it.
        self._change = found, round(self.scroll_target_y)
        self.refresh()
        return True

    def render_line(self, y: int) -> Strip:
        """Draw one row; the change jumped to has a bar at its left."""
        strip = super().render_line(y)
        if self._change is not None and self._change[0] == y + self.scroll_offset.y:
            bar = Strip([Segment("▌", self._style("fold"))])
            return Strip.join([bar, strip.crop(1)])
        return strip

    def _next(self, start: int) -> int | None:
        at = start
        while True:
            while at < len(self._text_rows):
                if self._starts(at):
                    return at
                at += 1
            if self._pending is None:
                return None
            self._extend(CHUNK)
            self._sized()

    def _starts(self, index: int) -> bool:
        return self._text_rows[index].starts
