"""Search text: how stored text and what a person types are brought to one form, and how a query is read.

Pure. `search_text` is what the full-text index holds; `parse` turns anything typed into words, phrases and prefixes
that never raise. Source: CASES "Text and search".
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Scripts written without spaces: each character becomes a word of its own, so that one or two of them can be found
# inside a longer run. Kana with its marks, Han with extensions, Hangul, Bopomofo.
_CJK: Final = re.compile(
    "([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u309f\u30a1-\u30ff\u3100-\u318f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff])"
)
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_APOSTROPHES: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'})


def fold(text: str) -> str:
    """Compatibility forms, case and accents folded away; characters a query may hold literally stay as they are."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def search_text(text: str | None) -> str | None:
    """The form in which the index holds a text: folded, with spaces around each CJK character."""
    if text is None or text.isascii():
        return text  # the tokenizer folds ASCII case itself
    return _CJK.sub(r" \1 ", fold(text))
