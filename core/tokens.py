"""The words of a text: the sets that similarity counts and the content words that contradictions are aligned on.

Pure. Source: DESIGN 6 (lower-case runs of Unicode letters and digits after NFC, two characters or more, or digits,
without stop words; negations are not stop words).
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

#: Raised whenever `words` or `entry_text` may give another answer for the same text, so that stored sets are made anew.
TOKENS_VERSION: Final = 1

# Function words only. What can turn a statement round is content and stays out of both tables: negations (not, no,
# never, without, sin, nunca, ni), "off", "out", "before", "after", "above", "below", quantities (all, more, menos).
_ENGLISH: Final = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones
who whom whose which what where when why how
am is are was were be been being do does did doing done has have had having
can could may might must shall should will would ought need
and or but if then else than because as so though although while whereas whether until unless since
of at by for from in into on onto to toward towards upon with within about against along among around between
during per through throughout via over
there here also too very just quite rather such same own both each either other another some
let ll ve re im
"""
_SPANISH: Final = """
el la los las lo un una unos unas al del
yo mi mí mis me tu tus tú te ti él ella ello ellos ellas nos nosotros nosotras vosotros vosotras os su sus se le les
nuestro nuestra nuestros nuestras suyo suya usted ustedes
este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas
que qué quien quién quienes cual cuál cuales cuyo cuya donde dónde cuando cuándo como cómo
de en por para con desde hasta entre sobre hacia según durante mediante ante contra
y e o u pero sino aunque porque pues si mientras ya
es son era eran fue fueron ser sea sean sido siendo soy eres somos está están estaba estaban estar estoy estamos estado
ha han he has hemos haber había habían hay hubo
muy también tan así cada otro otra otros otras mismo misma mismos mismas
"""

STOP_WORDS: Final = frozenset(_ENGLISH.split()) | frozenset(_SPANISH.split())

_RUN: Final = re.compile(r"[^\W_]+")


def word_list(text: str) -> list[str]:
    """Every word of the text in order, stop words and single letters left out, repetitions kept (DESIGN 6)."""
    return [word for word in _runs(text) if word not in STOP_WORDS and (len(word) > 1 or word.isdigit())]


def words(text: str) -> frozenset[str]:
    """The word set on which Jaccard is counted (DESIGN 6); empty for a text of stop words or signs alone."""
    return frozenset(word_list(text))


def entry_text(topic: str, title: str | None, description: str | None, body: str | None) -> str:
    """The text of an entry that is compared: its parts as paragraphs, empty ones left out (DESIGN 6).

    Args:
        topic: the name without its type, `api_limit` for `atom_api_limit` (see `topic_of`); a `_` reads as a space.
        title, description, body: the fields as stored; None where there is none.
    """
    parts = (topic.replace("_", " "), title or "", description or "", body or "")
    return "\n\n".join(part for part in parts if part.strip())


def topic_of(name: str, type_: str) -> str:
    """The name without its type prefix; the whole name where the prefix is absent, as host names may be (DESIGN 1)."""
    return name.removeprefix(type_ + "_")


def _runs(text: str) -> list[str]:
    found: list[str] = _RUN.findall((text if text.isascii() else unicodedata.normalize("NFC", text)).lower())
    return found
