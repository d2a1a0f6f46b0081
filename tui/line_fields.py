"""The texts that are one line: a title, and a description, "one honest line" (DESIGN 3.1). Pure.

The store keeps text as given, whoever gives it; what a person types or an editor saves is made one line here.
"""

from __future__ import annotations

import re
from typing import Final

_LINES: Final = frozenset({"title", "description"})
_LINE_END: Final = re.compile(r"\s*[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]\s*")


def is_line(field: str) -> bool:
    """Whether a text of this field, or of `NAME.field` in a checkpoint, is one line."""
    return field.rpartition(".")[2] in _LINES


def worded(field: str, text: str, before: str) -> str:
    """Return a wording as it is written: that of a line with one space for each line end and the space around it.

    Args:
        field: whose text it is.
        text: as it was left.
        before: as it was opened; a text that was left alone stays as it was, whatever it holds.
    """
    if text == before or not is_line(field):
        return text
    return _LINE_END.sub(" ", text).strip()
