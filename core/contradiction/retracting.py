"""Whether a text takes back what it is written beside: "this no longer holds", "obsolete", "queda sin efecto". Pure.

A comparison of sentences cannot see it, since such a text shares no words with what it takes back. Source: DESIGN 4
(what would take a decision out of force is asked first); errs on the side of asking.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

_IT: Final = r"(?:this|that|it|decision|above|rule|choice|agreement|policy|esta?|esto|lo anterior|regla|acuerdo)"
_BACK: Final = (
    r"(?:obsolete|outdated|superseded|revoked|rescinded|repealed|overruled|overturned|overridden|withdrawn|cancell?ed|"
    r"annulled|nullified|void|invalid|retracted|deprecated|reverted|reversed|abandoned|undone|replaced|lifted|suspended|"
    r"obsolet[ao]|anulad[ao]|derogad[ao]|revocad[ao]|cancelad[ao]|invalid[ao]|retirad[ao]|suspendid[ao]|"
    r"reemplazad[ao]|sustituid[ao]|superad[ao])"
)
_IS: Final = r"(?:is|was|are|were|be|been|gets?|got|stands?|counts? as|now|es|esta|fue|ha sido|queda|quedo)"
_HOLDS: Final = (
    r"(?:holds?|stands?|appl(?:y|ies)|counts?|binds?|valid|binding|current|in force|in effect|true|followed|used|"
    r"needed|relevant|applicable|effective)"
)
_RIGE: Final = r"(?:vale|rige|aplica|cuenta|sirve|es valid[ao]|esta en vigor|esta vigente|vigente)"
_PATTERNS: Final = (
    rf"\bno longer\b(?:\W+\w+){{0,2}}?\W+{_HOLDS}\b",
    rf"\b(?:do(?:es)?|is|are|was|were)(?: not|n't)\b(?:\W+\w+){{0,2}}?\W+{_HOLDS}\b(?:\W+\w+){{0,3}}?\W+"
    r"any ?(?:more|longer)\b",
    rf"\b{_IT}\b(?:\W+\w+)?\W+(?:does not|doesn't|is not|isn't)\W+{_HOLDS}\b",
    rf"\b{_IT}\b(?:[ \t]+[\w']+){{0,2}}?[ \t]+{_IS}(?:[ \t]+[\w']+){{0,2}}?[ \t]+{_BACK}\b",
    rf"\b(?:decision|rule|policy|agreement|regla|acuerdo)[ \t]+{_BACK}\b",
    rf"^(?:[^\w\n]|_)*{_BACK}\b",
    r"\b(?:ignore|disregard|forget)\b(?:\W+\w+){0,2}?\W+(?:above|decision|previous|earlier|before|this|rest)\b",
    r"\bout of force\b|\bchanged (?:our|my|the) minds?\b|\bdecided (?:otherwise|against (?:it|this|that))\b",
    rf"\bya no\b(?:\W+\w+){{0,2}}?\W+{_RIGE}\b",
    rf"\b(?:esto|esta decision|lo anterior) (?:no|deja de) (?:{_RIGE}|valer|regir|aplicar(?:se)?)\b",
    r"\bsin efecto\b|\bignor(?:a|ar|e|en|emos) (?:lo anterior|esta decision|esto)\b",
)  # fmt: skip


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in _PATTERNS)


def retracts(text: str) -> str:
    """The words by which a text takes back what it is added to, as they stand there folded; "" where none do.

    Args:
        text: what would be added, English or Spanish.
    """
    plain = unicodedata.normalize("NFKD", text.replace("\u2019", "'")).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    found = (pattern.search(plain) for pattern in _compiled())
    return next((" ".join(hit[0].split()) for hit in found if hit is not None), "")
