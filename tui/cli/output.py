"""Writing to the terminal and to pipes: marks for hidden characters, widths in cells, tables, JSON.

Memory text is untrusted: what goes to a terminal shows control, bidi and zero-width characters as marks (DESIGN 9
rule 3). Into a pipe it goes as it is, so that `memdesk show x > file` gives the text itself; JSON is ASCII.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from ...core.text import one_line, visible

_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_OFF: Final = "\x1b[0m"
_LEAST_FLEX: Final = 12
_LEAST: Final = 3


class AnswerLost(OSError):
    """Standard output takes nothing more: a full disk, for one. What the command did before is done."""


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether the stream is a terminal; a closed one is not."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def is_stdout_terminal() -> bool:
    """Whether the answer goes to a terminal."""
    return is_terminal(sys.stdout)


def put_line(text: str = "") -> None:
    """One line (or a text of several) on stdout."""
    _write(sys.stdout, shown(text) + "\n")


def put_styled(text: str, style: str = "") -> None:
    """One line on stdout, bold or dim where colours are wanted; the marks are made before the style."""
    _write(sys.stdout, styled(shown(text), style) + "\n")


def put_indented(lines: Iterable[str], by: int = 2) -> None:
    """Lines of an untrusted text on stdout, indented.

    A long one is broken here, since a terminal would go on with it at its margin, where memdesk's own lines begin.
    """
    room = width()
    for line in lines:
        for row in shown(line).split("\n"):
            for part in [row] if room is None else broken(row, max(room - by, _LEAST_FLEX)):
                _write(sys.stdout, f"{' ' * by}{part}\n")


def put_json(data: Any) -> None:
    """One JSON value on stdout; ASCII, so that no terminal obeys or hides any of it."""
    _write(sys.stdout, json.dumps(data, indent=2, ensure_ascii=True, default=str) + "\n")


def warn(text: str) -> None:
    """One sentence on stderr."""
    _write(sys.stderr, f"Warning: {visible(text)}\n")


def put_error(code: str, message: str, hint: str) -> None:
    """`Error [code]: message`, and the hint on a line of its own."""
    lines = f"Error [{code}]: {visible(message)}\n" + (f"{visible(hint)}\n" if hint else "")
    _write(sys.stderr, lines)


def shown(text: str) -> str:
    """The text as it goes to stdout."""
    return visible(text) if is_terminal(sys.stdout) else text


def styled(text: str, style: str) -> str:
    """The text in bold or dim, when stdout is a terminal that takes colours."""
    if not style or not colours():
        return text
    return f"{_BOLD if style == 'bold' else _DIM}{text}{_OFF}"


def colours() -> bool:
    """Whether styles may be used: a terminal, not a dumb one, and no NO_COLOR."""
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Columns of the terminal; None where nothing is cut, since stdout is no terminal."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def _write(stream: IO[str] | None, text: str) -> None:
    if stream is None:  # `>&-`
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise AnswerLost(error.errno, error.strerror) from error


def flush() -> None:
    """Send out what is still buffered of the answer.

    Raises:
        AnswerLost: it cannot be.
    """
    try:
        sys.stdout.flush() if sys.stdout is not None else None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise AnswerLost(error.errno, error.strerror) from error


# -- cells --------------------------------------------------------------------------------------------------------


def cells(text: str) -> int:
    """Width in terminal cells. rich is only asked about text that is not ASCII: most lists need not load it."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, room: int) -> str:
    """At most `room` cells, the cut shown by an ellipsis; no character is split."""
    if cells(text) <= room:
        return text
    if room <= 1:
        return "…"[:room]
    if text.isascii():
        return text[: room - 1] + "…"
    from rich.cells import split_graphemes

    used, end = 0, 0
    for _start, stop, size in split_graphemes(text)[0]:
        if used + size > room - 1:
            break
        used, end = used + size, stop
    return text[:end] + "…"


def broken(text: str, room: int) -> list[str]:
    """The text in rows of at most `room` cells; joined they are the text."""
    if cells(text) <= room:
        return [text]
    if text.isascii():
        return [text[at : at + room] for at in range(0, len(text), room)]
    from rich.cells import split_graphemes

    rows, begin, used = list[str](), 0, 0
    for start, _stop, size in split_graphemes(text)[0]:
        if used + size > room:
            rows.append(text[begin:start])
            begin, used = start, 0
        used += size
    return [*rows, text[begin:]]


def pad(text: str, room: int, *, right: bool = False) -> str:
    """Filled with spaces to `room` cells."""
    space = " " * max(room - cells(text), 0)
    return space + text if right else text + space


# -- tables -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        title: its head.
        right: numbers stand at the right.
        flex: gives way first when the terminal is narrow.
        whole: never gives way: it is what a person types again.
    """

    title: str
    right: bool = False
    flex: bool = False
    whole: bool = False


def put_table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """A table in cells, cut to the terminal, uncut in a pipe; each cell on one line, hidden characters as marks."""
    body = [[_cell(cell) for cell in row] for row in rows]
    heads = [c.title for c in columns]
    widths = [max([cells(heads[i]), *(cells(r[i]) for r in body)]) for i in range(len(columns))]
    room = width()
    if room is not None:
        widths = _fit(columns, widths, room)
    put_styled(_line(columns, widths, heads, room), "bold")
    out = [_line(columns, widths, row, room) for row in body]
    if out:
        _write(sys.stdout, "\n".join(out) + "\n")


def _cell(text: str) -> str:
    return one_line(text) if text else ""


def _line(columns: Sequence[Column], widths: Sequence[int], row: Sequence[str], room: int | None) -> str:
    parts = []
    for column, size, text in zip(columns, widths, row, strict=True):
        parts.append(pad(text if room is None else cut(text, size), size, right=column.right))
    return "  ".join(parts).rstrip()


def _fit(columns: Sequence[Column], widths: list[int], room: int) -> list[int]:
    """Take what is too much from the flexible columns, then from all that may be cut, the widest first each time."""
    over = sum(widths) + 2 * (len(widths) - 1) - room
    flexible = [i for i, c in enumerate(columns) if c.flex]
    others = [i for i, c in enumerate(columns) if not c.whole]
    for some, least in ((flexible, _LEAST_FLEX), (others, _LEAST)):
        while over > 0:
            widest = max(some, key=lambda i: widths[i], default=None)
            if widest is None or widths[widest] <= least:
                break
            next_widest = max((widths[i] for i in some if widths[i] < widths[widest]), default=least)
            step = min(over, widths[widest] - max(least, next_widest))
            widths[widest] -= step
            over -= step
    return widths
