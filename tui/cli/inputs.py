"""Text and JSON that a person or an agent gives: inline, `@file`, a file, or standard input.

Anything that cannot be text is refused with one sentence: a missing file, a directory, bytes that are not UTF-8, a NUL.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

import click

from ...core.errors import InputError, UsageError

#: More than any body (256 KB) or checkpoint needs; `/dev/zero` has no end.
_MOST_BYTES: Final = 64 * 1024 * 1024
_STDIN: Final = "-"


class Word(click.ParamType):
    """A word or sentence from the command line: UTF-8, without NUL."""

    name = "text"

    def __init__(self, metavar: str = "text") -> None:
        self.name = metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return _checked(str(value), _label(param))


class Text(Word):
    """A text: itself, or `@FILE` for the content of a file (`@-` for standard input); `@@…` starts with one @."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if text.startswith("@@"):
            return _checked(text[1:], _label(param))
        if text.startswith("@") and len(text) > 1:
            return read_text(text[1:], asked_by=f"{_label(param)} {text}")
        return super().convert(value, param, ctx)


WORD: Final = Word()
NAME: Final = Word("name")
TEXT: Final = Text("text|@file")


def one_text(inline: str | None, path: str | None, flags: str) -> str | None:
    """The text of a pair of flags of which at most one may be given.

    Args:
        inline: the text itself. path: a file, or `-`.
        flags: both flags, for the message: `--body and --body-file`.
    """
    if inline is not None and path is not None:
        raise UsageError(f"{flags} exclude each other.", "Give one of them.")
    return read_text(path) if path is not None else inline


def read_text(path: str, *, asked_by: str = "") -> str:
    """The content of a file, or of standard input for `-`, as UTF-8 text.

    Raises:
        InputError: it cannot be read, or is not text.
    """
    name = "Standard input" if path == _STDIN else path
    data = _read_stdin() if path == _STDIN else _read_file(path, asked_by)
    if len(data) > _MOST_BYTES:
        raise InputError(f"{name} is larger than {_MOST_BYTES // 1024 // 1024} MB.", "That is no memory; split it.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not UTF-8 text (byte {data[error.start]:#04x} at position {error.start:,}).",
            "Convert it first, for example with iconv.",
            path=path,
        ) from None
    return _checked(text, name)


def read_json(path: str) -> Any:
    """A JSON value from a file, or from standard input for `-`.

    Raises:
        InputError: it cannot be read, or is not JSON.
    """
    text = read_text(path)
    name = "Standard input" if path == _STDIN else path
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise InputError(f"{name} is nested too deeply to be read.", "Mend the JSON, then try again.") from None
    except ValueError as error:
        where = str(error)
        if isinstance(error, json.JSONDecodeError):
            where = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise InputError(f"{name} is not JSON ({where}).", "Mend the JSON and try again.", path=path) from None


def check_texts(value: Any, where: str) -> Any:
    """The decoded JSON again, once no text in it holds a NUL or half a character.

    Raises:
        InputError: one does.
    """
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            _checked(item, where)
        elif isinstance(item, dict):
            pending += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            pending += item
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise InputError("There is no standard input to read.", "Give the text with a flag or a file.")
    stream = getattr(sys.stdin, "buffer", None)
    try:
        if sys.stdin.isatty():
            click.echo("Reading the text from the terminal; end it with ctrl+d on a line of its own.", err=True)
        return stream.read(_MOST_BYTES + 1) if stream is not None else sys.stdin.read(_MOST_BYTES + 1).encode()
    except (OSError, ValueError) as error:
        raise InputError(f"Standard input cannot be read: {_reason(error)}.", "Give a file instead.") from None


def _read_file(path: str, asked_by: str) -> bytes:
    if not path or "\0" in path:
        raise InputError("A file name cannot be empty or hold a NUL byte.", "Give the path of a file, or - for stdin.")
    try:
        with open(os.path.expanduser(path), "rb") as file:
            return file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        at = "A text that begins with @ names a file; write @@ for the sign itself." if asked_by else ""
        raise InputError(f"There is no file {path}.", at or "Check the path.", path=path) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory, not a file.", "Name a file in it.", path=path) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {_reason(error)}.", "Check the file.", path=path) from None


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).rstrip(".")


def _checked(text: str, what: str) -> str:
    if "\0" in text:
        raise InputError(f"{what} holds a NUL byte, so it is not text.", "Remove it and try again.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} is not UTF-8 text.", "Check the encoding of the terminal or the file.") from None
    return text


def _label(param: click.Parameter | None) -> str:
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.human_readable_name if param is not None else "The text").rstrip(".")
