"""Credentials in a text, by their known shapes or by a name such as `password =` before a random-looking value. Pure.

A random string alone is no alarm: hashes, commit ids and ULIDs are what notes are full of. Nor is the word "password".
Not found: a password that is a plain word, shapes that are not in the table, and secrets split over lines.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from .flags import Found
from .folded import Folded

#: (literal that every match begins with, the shape, what it is). Upper and lower case count.
_SHAPES: Final = tuple(
    (begin, re.compile(pattern), words)
    for begins, pattern, words in (
        (("AKIA", "ASIA"), r"A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])", "an AWS access key"),
        (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{36,255}+", "a GitHub token"),
        (("github_pat_",), r"github_pat_\w{22,255}+", "a GitHub token"),
        (("glpat-",), r"glpat-[\w-]{20,100}+", "a GitLab token"),
        (("xoxa-", "xoxb-", "xoxp-", "xoxe-", "xoxr-", "xoxs-"), r"xox[abeprs]-[A-Za-z0-9-]{10,200}+", "a Slack token"),
        (("hooks.slack.com/",), r"hooks\.slack\.com/services/T\w{6,20}/B\w{6,20}/\w{16,40}", "a Slack web hook"),
        (("AIza",), r"AIza[\w-]{35}(?![\w-])", "a Google key"),
        (("npm_",), r"npm_[A-Za-z0-9]{36}(?!\w)", "an npm token"),
        (("pypi-",), r"pypi-AgE[\w-]{50,400}+", "a PyPI token"),
        (("hf_",), r"hf_[A-Za-z0-9]{34}(?!\w)", "a Hugging Face token"),
        (("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,120}+", "a Stripe key"),
        (("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{32,64}", "a SendGrid key"),
        (("dop_v1_",), r"dop_v1_[0-9a-f]{64}", "a DigitalOcean token"),
        (("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{58}", "an age key"),
        (("eyJ",), r"eyJ[\w-]{10,4000}+\.eyJ[\w-]{10,8000}+\.[\w-]{10,4000}+", "a signed web token (JWT)"),
    )
    for begin in begins
)
_API_KEY: Final = re.compile(r"sk-(?:[a-z]{2,8}-)?(?:[a-z]{2,8}\d{0,3}-)?([\w-]{20,200}+)")

_PEM: Final = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END: Final = "PRIVATE KEY"
#: The most characters of a private key.
_PEM_LONGEST: Final = 20_000

_LOGIN: Final = re.compile(r"://([^\s:@/?#]{0,100}+):([^\s@/?#]{3,200}+)@[\w\[]")

#: Words before "=" or ":" that name a credential; lower case, as the end of a longer name such as DB_PASSWORD too.
_NAMES: Final = (
    "password", "passwd", "passphrase", "pwd", "secret", "token", "api_key", "api-key", "api key", "apikey",
    "access_key", "access-key", "access key", "secret_key", "secret key", "private_key", "auth_key", "credential",
    "contrasena", "clave",
)  # fmt: skip
_VALUE: Final = re.compile(r"s?[\"'`*]{0,3} ?(?::=|=>|==?|:) ?[\"'`*]{0,3}([^\s\"'`,;]{8,300}+)", re.IGNORECASE)
_BEARER: Final = re.compile(r"(?:bearer|basic) ([\w.~+/-]{16,1000}+={0,2})", re.IGNORECASE)

_ULID: Final = re.compile(r"(?:[a-z]{2,6}_)?[0-7][0-9A-HJKMNP-TV-Z]{25}\Z")
#: A reference to a value, not the value: $VAR, ${…}, <token>, {{ x }}, os.environ[…], getenv(…), vault:path, a file.
_REFERENCE: Final = re.compile(
    r"[$<{@\[(*]|%[A-Z(]|\w{0,40}+[.(\[]?\w{0,40}+[(\[]|\.{0,2}/|[a-z]{1,12}:/|[\w-]{1,60}\.(?:json|ya?ml|txt|env|toml|py|go|ts|js|md)\b"
)
_DUMMY: Final = re.compile(
    r"(?:x{4,}+|\*{3,}+|\.{3,}+|0{6,}+|(?:your|my|some|example|dummy|fake|test|the)(?:[_-][a-z]{1,20}){1,5}\d{0,4}|"
    r"(?:changeme|placeholder|redacted|password|passw0rd|secret|example)[_-]?(?:[a-z]{1,20}|\d{1,4})?)\Z",
    re.IGNORECASE,
)  # fmt: skip
_PIECES: Final = re.compile(r"[_.\-/:+=~|]+")


def secrets_in(folded: Folded) -> Iterator[Found]:
    """Passages that look like credentials, with places in the folded text; they may overlap."""
    text = folded.text
    for begin, pattern, words in _SHAPES:
        for at in folded.occurrences(begin, exact=True):
            if not _inside_word(text, at) and (match := pattern.match(text, at)):
                yield _found(text, at, match.end(), words)
    for at in folded.occurrences("sk-", exact=True):
        if not _inside_word(text, at) and (match := _API_KEY.match(text, at)) and looks_random(match[1]):
            yield _found(text, at, match.end(), "a key of a model service")
    yield from _private_keys(folded)
    yield from _logins(folded)
    yield from _named(folded)


def _private_keys(folded: Folded) -> Iterator[Found]:
    text = folded.text
    for at in folded.occurrences("-----BEGIN ", exact=True):
        match = _PEM.match(text, at)
        if match is None:
            continue
        end = text.find("-----END ", match.end(), at + _PEM_LONGEST)
        after = text.find("-----", end + 9, end + 80) + 5 if end >= 0 else match.end()
        yield Found(at, max(after, match.end()), "a private key", "-----BEGIN … PRIVATE KEY-----")


def _logins(folded: Folded) -> Iterator[Found]:
    text = folded.text
    for at in folded.occurrences("://"):
        match = _LOGIN.match(text, at)
        if match and not _REFERENCE.match(match[2]) and not _DUMMY.match(match[2]):
            yield Found(match.start(2), match.end(2), "a password in an address", "…")


def _named(folded: Folded) -> Iterator[Found]:
    text = folded.text
    for name in _NAMES:
        for at in folded.occurrences(name):
            match = _VALUE.match(text, at + len(name))
            if match and is_secret_value(match[1]):
                yield _found(text, match.start(1), match.start(1) + len(match[1].rstrip(").")), f"a value named {name}")
    for begin in ("bearer ", "basic "):
        for at in folded.occurrences(begin):
            match = _BEARER.match(text, at)
            if match and not _inside_word(text, at) and is_secret_value(match[1]):
                yield _found(text, match.start(1), match.end(1), f"a {begin.strip()} credential")


def _found(text: str, start: int, end: int, words: str) -> Found:
    # Four characters tell the kind of most keys; of what has no such beginning a quarter at most may be told.
    begin = text[start : start + min(4, (end - start) // 4)]
    return Found(start, end, f"{words} ({begin}…, {end - start} characters)", f"{begin}…")


def _inside_word(text: str, at: int) -> bool:
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_-")


def is_secret_value(value: str) -> bool:
    """Whether what follows a name such as `password =` is a credential rather than a reference, a word or an id."""
    value = value.rstrip(").")
    if len(value) < 8 or _REFERENCE.match(value) or _DUMMY.match(value) or _ULID.match(value):
        return False
    return looks_random(value)


def looks_random(value: str) -> bool:
    """Whether a string looks drawn at random rather than spelled: by its kinds of characters and its entropy.

    Words joined by signs (`refresh_tokens_30_days`), plain words, numbers and versions do not.
    """
    pieces = [p for p in _PIECES.split(value) if p]
    if all(p.isdigit() or _is_word(p) for p in pieces):
        return False
    if not any(map(str.isalpha, value)):
        return False
    counts = Counter(value)
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    # Of n characters at most log2(n) bits each: a short password is measured against what it could have.
    return entropy >= min(2.7, 0.72 * math.log2(len(value)))


def _is_word(piece: str) -> bool:
    """Spelled: letters with few changes of case (`tokenBucketSize`), or a word with a small number (`sha256`, `v2`)."""
    bare = piece.strip(string.digits)
    if not bare.isalpha() or len(piece) - len(bare) > 4:
        return False
    # Words in one are five letters long or more on the average; drawn letters change their case every four.
    return len(bare) < 12 or len(bare) >= 5 * (_turns(bare) + 1)


def _turns(text: str) -> int:
    """How often small letters turn into capitals."""
    return sum(1 for a, b in pairwise(text) if a.islower() and b.isupper())
