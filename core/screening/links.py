"""Links in a text, and what is odd about them: another host than is shown, look-alike hosts, bare addresses. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from ..text import has_marks, visible
from .flags import Found
from .folded import Folded

_SCHEME: Final = re.compile(r"(?:https?|ftp|wss?|file|smb|ssh|git)\Z")
_REST: Final = re.compile(r"://[^\s<>\"'`|\\^{}]{1,2000}+")
_MARKDOWN: Final = re.compile(r"\]\( ?<?((?:https?:)?//[^\s<>)]{1,2000}+)")
_TARGETS: Final = (
    ("javascript:", re.compile(r"javascript:(?=[\w(/!'\"%])"), "a link that runs a script"),
    ("vbscript:", re.compile(r"vbscript:(?=[\w(/])"), "a link that runs a script"),
    ("data:", re.compile(r"data:[\w.+-]{1,40}/[\w.+-]{1,60}(?=[;,])"), "a link that holds its own page (data:)"),
)
#: The most characters of the shown words of a markdown link.
_SHOWN: Final = 300
_HOST_IN_WORDS: Final = re.compile(r"(?<![\w.@-])(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?![\w-])", re.IGNORECASE)
#: Endings that make a name in words a file rather than a host.
_FILES: Final = frozenset({
    "md", "py", "txt", "json", "yaml", "yml", "toml", "sh", "js", "ts", "go", "rs", "html", "css", "csv", "pdf", "png",
    "jpg", "svg", "xml", "sql", "log", "cfg", "ini", "lock",
})  # fmt: skip
#: Scripts that one word may well mix.
_WRITTEN_TOGETHER: Final = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL"})
_IPV4: Final = re.compile(r"(?:0x[0-9a-f]{1,8}|\d{1,10})(?:\.(?:0x[0-9a-f]{1,8}|\d{1,10})){0,3}\Z", re.IGNORECASE)


def links_in(folded: Folded, given: str) -> Iterator[Found]:
    """Links with their places in the folded text; they may overlap.

    Args:
        given: the text as given: what a host is written in must be judged as it stands.
    """
    text, done = folded.lower, 0
    for at in folded.occurrences("://"):
        if at < done:  # an address in the query of another
            continue
        scheme = _SCHEME.search(text, max(0, at - 5), at)
        match = _REST.match(text, at)
        if scheme is None or match is None or (scheme.start() and text[scheme.start() - 1].isalnum()):
            continue
        done = match.end()
        end = _trimmed(text, at, done)
        yield Found(scheme.start(), end, _words(scheme[0], _as_given(folded, given, at + 3, end)))
    done = 0
    for at in folded.occurrences("]("):
        match = _MARKDOWN.match(text, at) if at >= done else None
        if match is not None:
            done = match.end()
            yield from _markdown(folded, given, match)
    for begin, pattern, words in _TARGETS:
        for at in folded.occurrences(begin):
            match = pattern.match(text, at)
            if match is not None and not (at and text[at - 1].isalnum()):
                yield Found(at, match.end(), words)


def _trimmed(text: str, start: int, end: int) -> int:
    """The end of an address without the punctuation of its sentence, and without a bracket that it did not open."""
    surplus = {shut: text.count(shut, start, end) - text.count(opens, start, end) for opens, shut in ("()", "[]")}
    while end > start + 4 and (text[end - 1] in ".,;:!?*_~" or surplus.get(text[end - 1], 0) > 0):
        end -= 1
        if text[end] in surplus:
            surplus[text[end]] -= 1
    return end


def _as_given(folded: Folded, given: str, start: int, end: int) -> str:
    """The passage as it was given, without what hides in it."""
    if start >= end:
        return ""
    first, last = folded.given(start, end)
    return "".join(c for c in given[first:last] if not has_marks(c))


def _words(scheme: str, rest: str) -> str:
    if scheme == "file":
        return "a link to a file of this machine"
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    login, at, host = authority.rpartition("@")
    name = _bare(host)
    said = f"a link to {visible(name, keep_newlines=False)}"
    odd = [_oddity(name)] if _oddity(name) else []
    if at and "." in login.partition(":")[0]:
        odd.append("what stands before the @ is no host")
    return said + (f" ({', '.join(odd)})" if odd else "")


def _bare(host: str) -> str:
    """A host without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0].rstrip(".")


def _oddity(host: str) -> str:
    if _IPV4.match(host) or host.startswith("["):
        return "a bare address, no name"
    if any(label.lower().startswith("xn--") for label in host.split(".")):
        return "its name is written in punycode"
    if any(len(_scripts(label) - _WRITTEN_TOGETHER) > 1 for label in host.split(".")):
        return "its name mixes scripts"
    if not host.isascii():
        return "its name holds letters beyond a-z"
    return ""


def _scripts(label: str) -> set[str]:
    """The scripts of the letters of a label, by their Unicode names; digits and signs have none."""
    return {unicodedata.name(c, "?").partition(" ")[0] for c in label if c.isalpha()}


def _markdown(folded: Folded, given: str, match: re.Match[str]) -> Iterator[Found]:
    """A markdown link whose words name another host than its target, or a picture."""
    text, at = folded.lower, match.start()
    opens = text.rfind("[", max(0, at - _SHOWN), at)
    if opens < 0:
        return
    target = _as_given(folded, given, match.start(1), match.end(1)).partition("//")[2]
    host = _bare(re.split(r"[/?#]", target, maxsplit=1)[0].rpartition("@")[2])
    shown = [h for h in _HOST_IN_WORDS.findall(text[opens + 1 : at]) if h.rpartition(".")[2] not in _FILES]
    other = next((h for h in shown if not _one_site(h, host)), None)
    if opens and text[opens - 1] == "!":
        yield Found(opens - 1, match.end(), f"a picture loaded from {visible(host, keep_newlines=False)}")
    elif other is not None:
        yield Found(opens, match.end(), f"a link to {visible(host, keep_newlines=False)}, shown as {other}")


def _one_site(shown: str, host: str) -> bool:
    shown, host = shown.lower().removeprefix("www."), host.lower().removeprefix("www.")
    return shown == host or host.endswith("." + shown)
