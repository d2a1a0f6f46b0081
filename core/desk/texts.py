"""What a new or changed text must satisfy before it is written (DESIGN 3.1 limits, 3.4 rules). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..errors import InvalidName, InvalidValue, listed
from ..model import (
    BODY_LIMIT_BYTES,
    DESCRIPTION_ADVISED_BYTES,
    SUMMARY_LIMIT_BYTES,
    TEXT_FIELDS,
    Audience,
    Entry,
    EntryClass,
    State,
    Status,
    is_slug,
    normalise_initiative,
    type_of_name,
)

_FENCE = re.compile(r"^\s{0,3}(```|~~~)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
#: A name stands in every line of the digest, so a long one costs every session.
NAME_LIMIT: Final = 120
_LIMITS: Final = {"summary": SUMMARY_LIMIT_BYTES, "body": BODY_LIMIT_BYTES}


def check_name(name: str, type_: str | None, types: Iterable[str]) -> str:
    """The type of a new name; slug and type must agree, both ways (memory-mechanics seed).

    Raises:
        InvalidName: not `<type>_[a-z0-9_]+`, or the prefix is another type than `type_`.
    """
    known = tuple(types)
    if type_ is not None and type_ not in known:
        raise InvalidName(
            f"There is no type {type_!r}.", f"Known types: {listed(known, 20)}. Declare more in config.toml."
        )
    fits = type_of_name(name, known)
    if fits is None or not is_slug(name, known):
        wanted = f"{type_ or '<type>'}_<topic>"
        raise InvalidName(
            f"{name!r} is not a name: a name is {wanted} in lower-case letters, digits and underscores.",
            f"The prefix is the type, one of: {listed(known, 20)}.",
        )
    if len(name) > NAME_LIMIT:
        raise InvalidName(
            f"The name has {len(name)} characters; the limit is {NAME_LIMIT}.", "Say the rest in the description."
        )
    if type_ is not None and type_ != fits:
        raise InvalidName(
            f"{name!r} is a {fits} by its prefix, but the type given is {type_}.",
            f"Either name it {type_}_… or use --type={fits}.",
        )
    return fits


def check_body(body: str | None) -> None:
    """Blank bodies are refused.

    Raises:
        InvalidValue: empty or only white space.
    """
    if body is not None and not body.strip():
        raise InvalidValue("The body is blank.", "Give some text with --body or --body-file.", field="body")


def check_limits(fields: Mapping[str, Any]) -> list[str]:
    """Warnings for texts past their advised size.

    Raises:
        InvalidValue: summary over 4 KB or body over 256 KB of UTF-8.
    """
    for name, limit in _LIMITS.items():
        size = len((fields.get(name) or "").encode("utf-8", "surrogatepass"))
        if size > limit:
            raise InvalidValue(
                f"The {name} has {size:,} bytes; the limit is {limit:,}.",
                "Split it: one topic an entry, linked with derived_from.",
                field=name,
            )
    size = len((fields.get("description") or "").encode("utf-8", "surrogatepass"))
    if size > DESCRIPTION_ADVISED_BYTES:
        return [f"The description has {size} bytes; {DESCRIPTION_ADVISED_BYTES} or fewer read better in lists."]
    return []


def is_rich(body: str) -> bool:
    """Whether a body needs a description: a code fence, a heading, or three or more line breaks in a row."""
    return "\n\n\n" in body or _FENCE.search(body) is not None or _HEADING.search(body) is not None


def check_described(body: str | None, description: str | None) -> list[str]:
    """A warning for a new entry without a description.

    Raises:
        InvalidValue: the body is rich and there is none.
    """
    if description and description.strip():
        return []
    if body and is_rich(body):
        raise InvalidValue(
            "This body has headings, code or blank stretches, so it needs a description.",
            "Give one honest line with --description.",
            field="description",
        )
    return ["It has no description; lists, search and the digest show descriptions. Add one with `memdesk edit`."]


def default_class(type_: str) -> EntryClass:
    """`feedback` is a log, every other type an anchor (DESIGN 3.4); a comment is kept beside its parent, as a log,
    because as an anchor it would be injected on its own."""
    return EntryClass.LOG if type_ in ("feedback", "comment") else EntryClass.ANCHOR


def parse_class(value: str) -> EntryClass:
    """Raises: InvalidValue: not one of anchor, thread, log."""
    return EntryClass(_one_of("class", value, [c.value for c in EntryClass]))


def parse_status(value: str) -> Status:
    """Raises: InvalidValue: not a thread status."""
    return Status(_one_of("status", value, [s.value for s in Status]))


def parse_state(value: str) -> State:
    """Raises: InvalidValue: not active, superseded or purged."""
    return State(_one_of("state", value, [s.value for s in State]))


def parse_initiative(value: str | None) -> str | None:
    """The stored key of an initiative (gaia/SPEC 5); None and blank mean none.

    Raises:
        InvalidValue: nothing of it would be left, since a key holds only a-z, 0-9 and underscores.
    """
    key = normalise_initiative(value)
    if key is None and value is not None and value.strip():
        raise InvalidValue(
            f"{value!r} has no letter a-z and no digit, so nothing of it would be left as a key.",
            "Name the initiative in such letters.", field="initiative",
        )  # fmt: skip
    return key


def parse_audience(value: str) -> Audience:
    """Raises: InvalidValue: not any, orchestrator or executor."""
    return Audience(_one_of("audience", value, [a.value for a in Audience]))


def _one_of(name: str, value: str, allowed: list[str]) -> str:
    if value not in allowed:
        raise InvalidValue(f"{value!r} is not a {name}.", f"Use one of: {', '.join(allowed)}.", field=name)
    return value


def settle_lifecycle(
    klass: EntryClass, status: Status | None, *, new_class: EntryClass | None, new_status: Status | None, given: bool
) -> dict[str, str | None]:
    """The class and status to write, both in one event (DESIGN 3.4).

    Leaving class thread clears the status; becoming a thread without one means carry_forward.

    Args:
        klass, status: as they stand (for a new entry: its class and None).
        new_class: the class asked for, or None.
        new_status: the status asked for; None with `given` clears it.
        given: whether a status was asked for at all.

    Raises:
        InvalidValue: a status without class thread, or a thread without a status.
    """
    result = new_class or klass
    patch: dict[str, str | None] = {"class": str(new_class)} if new_class is not None else {}
    if result is not EntryClass.THREAD:
        if given and new_status is not None:
            raise InvalidValue(
                f"Only a thread has a status, and this is class {result}.",
                "Add --class=thread, or leave --status out.",
                field="status",
            )
        return patch | ({"status": None} if given or klass is EntryClass.THREAD else {})
    if given and new_status is None:
        raise InvalidValue(
            "A thread needs a status; without one no session would see it.",
            "Use open, carry_forward, graduated or closed, or move it out of class thread.",
            field="status",
        )
    wanted = new_status or (status if klass is EntryClass.THREAD else None) or Status.CARRY_FORWARD
    return patch | {"status": str(wanted)}


#: What an upsert may put another value into: the texts, and where and for whom the entry counts.
_REPLACEABLE: Final = (*TEXT_FIELDS, "project_ref", "initiative", "audience")


def replaces_text(entry: Entry, fields: Mapping[str, Any]) -> bool:
    """Whether writing `fields` would put other text, or another anchor or audience, where the entry has some."""
    return any(getattr(entry, f) and f in fields and fields[f] != getattr(entry, f) for f in _REPLACEABLE)


def lifecycle_patch(entry: Entry, klass: str | None, status: str | None, *, given: bool) -> dict[str, str | None]:
    """The class and status that a verb's flags write on an existing entry; {} when neither was given.

    Args:
        given: whether a status was asked for at all (None then clears it).

    Raises:
        InvalidValue: an unknown word, a status without class thread, or a thread without a status.
    """
    if klass is None and not given:
        return {}
    return settle_lifecycle(
        entry.klass, entry.status, new_class=parse_class(klass) if klass else None,
        new_status=parse_status(status) if status is not None else None, given=given,
    )  # fmt: skip
