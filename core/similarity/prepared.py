"""What is kept of a text so that it need not be read again: its words, its signature, and what it said (hashes).

Pure Python. Source: DESIGN 6, SIMILARITY "Keeping it fresh".
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from ..text import fold_text
from ..tokens import TOKENS_VERSION, entry_text, topic_of, words
from .signatures import SIGNATURE_VERSION, signature

#: Two texts prepared under different versions cannot be compared.
VERSION: Final = TOKENS_VERSION * 1000 + SIGNATURE_VERSION
_HASH_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Prepared:
    """One text, ready to be compared.

    Attributes:
        words: the set that Jaccard is counted on.
        content: the hash of what the entry says (`content_hash`).
        word_set: a hash that equal sets share.
        signature: 128 bytes.
    """

    words: frozenset[str]
    content: str
    word_set: bytes
    signature: bytes

    @property
    def size(self) -> int:
        """How many words there are."""
        return len(self.words)


def prepare(name: str, type_: str, title: str | None, description: str | None, body: str | None) -> Prepared:
    """Make an entry's fields ready to be compared: name topic, title, description and body (DESIGN 6)."""
    own = words(entry_text(topic_of(name, type_), title, description, body))
    ordered = " ".join(sorted(own)).encode("utf-8", "surrogatepass")
    return Prepared(
        words=own, content=content_hash(title, description, body),
        word_set=blake2b(ordered, digest_size=_HASH_BYTES).digest(), signature=signature(own),
    )  # fmt: skip


def content_hash(title: str | None, description: str | None, body: str | None) -> str:
    """What an entry says, as 32 hex digits: equal for texts that differ in white space or composition only.

    The name is not part of it: a rename changes nothing that was judged. It is the same on every machine, so verdicts
    carry it (DESIGN 3.2).
    """
    said = "\x1f".join(fold_text(part or "") for part in (title, description, body))
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).hexdigest()
