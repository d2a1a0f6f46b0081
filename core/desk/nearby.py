"""Search before you write: which entries already say nearly the same (memory-mechanics seed, DESIGN 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..errors import InvalidValue, StoreLocked, StoreUnusable, UsageError
from ..model import TEXT_FIELDS, Entry, State
from ..policy import Role
from ..similarity import THRESHOLD
from ..store.pairs import KeptText
from ..store.rows import EntryRow
from .finding import Finding
from .session import is_decision

if TYPE_CHECKING:
    from ..contradiction import Finding as Difference
    from ..contradiction import Settings
    from ..similarity.prepared import Prepared
    from ..similarity.ranking import Likeness
    from .scoring import Scorer

#: `add` names entries that are at least this like the new one; below it a hint would be noise.
HINT: Final = 0.5
_HINTED: Final = 3
#: Entries that a new text is compared with sentence by sentence before an agent may write it.
_COMPARED: Final = 50
#: Changed texts that `add` reads at most before it looks: it must stay quick in a store that was never scored.
_HINT_READS: Final = 500


@dataclass(frozen=True, slots=True)
class Alike:
    """An entry that says nearly the same as the one, or the text, that was asked about.

    Attributes:
        score: exact Jaccard of the word sets.
        findings: how the two differ, the text asked about on the left; conflicts first.
        same: whether it says exactly the same, names and white space aside.
    """

    entry: EntryRow
    score: float
    findings: tuple[Difference, ...]
    same: bool

    @property
    def contradicts(self) -> bool:
        """Whether both cannot hold."""
        return any(finding.lane == "conflict" for finding in self.findings)

    @property
    def duplicate(self) -> bool:
        """Whether it may be offered for merging."""
        from ..contradiction import offered_as_duplicate

        return offered_as_duplicate(self.findings)

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        entry = self.entry
        return {
            "id": entry.id, "workspace": entry.workspace, "name": entry.name, "type": entry.type,
            "description": entry.description, "score": round(self.score, 4), "same": self.same,
            "contradicts": self.contradicts, "findings": [finding_json(f) for f in self.findings],
        }  # fmt: skip


def finding_json(finding: Difference) -> dict[str, Any]:
    """One difference of two texts, for `--json`."""
    return {
        "lane": str(finding.lane), "kind": str(finding.kind), "reason": finding.reason, "left": finding.left,
        "right": finding.right, "left_span": list(finding.left_span), "right_span": list(finding.right_span),
    }  # fmt: skip


class Nearby(Finding):
    """Asking what is like one text."""

    @cached_property
    def scorer(self) -> Scorer:
        """The scores of this store."""
        from .scoring import Scorer

        return Scorer(self.store)

    @cached_property
    def _words(self) -> Settings:
        from ..contradiction import Settings

        return Settings.from_table(self.config.contradiction)

    def told_apart(self, one: str, other: str) -> list[Difference]:
        """What tells two texts apart, conflicts first, with the opposites and classes that the settings add."""
        from ..contradiction import compare

        return compare(one, other, self._words)

    def similar(
        self, ref: str | None = None, *, text: str | None = None, workspace: str | None = None,
        all_workspaces: bool = False, threshold: float = THRESHOLD, limit: int | None = 20,
    ) -> list[Alike]:  # fmt: skip
        """The current entries that are like one of them, or like a text not written yet; the most similar first.

        Exact, whatever the number of entries: none above the threshold is missing but those past `limit`.

        Args:
            ref: an entry; it is looked at in its workspace.
            text: a text, instead of `ref`.
            workspace: where `ref` is, and where to look.
            all_workspaces: look everywhere.
            threshold: 0 to 1; the Jaccard of the word sets must be strictly above it.
            limit: at most so many; None for all.

        Raises:
            UsageError: neither or both of `ref` and `text`, or a threshold outside 0 to 1.
            InvalidValue: the text is blank.
            NotFound, Ambiguous: `ref` means none, or several.
        """
        check_threshold(threshold)
        if (ref is None) == (text is None):
            hint = "`memdesk similar REF`, or `memdesk similar --text @FILE`."
            raise UsageError("Name an entry, or give a text.", hint)
        if text is not None:
            if not text.strip():
                raise InvalidValue("The text is blank.", "Give the text that you are about to write.")
            from ..similarity.prepared import prepare

            one, own, whole = prepare("", "", None, None, text), None, text
        else:
            own = self.find(str(ref), workspace)
            one, whole = prepared(own), text_of(own)
            workspace = own.workspace
        self.scorer.read_all()
        return self._alike(one, own, whole, None if all_workspaces else workspace, threshold, limit)

    def decisions_against(self, fields: Mapping[str, Any]) -> tuple[str, ...]:
        """The ids of the decisions that stand and that the contradiction check finds a text against (DESIGN 4: ask).

        Asked only where the answer matters: a person may write what they like, and so may a request that a person
        approves. It looks at the texts that were read so far, and reads some more each time.

        Args:
            fields: workspace, name, type, title, description, body of what is about to be written.
        """
        if self.actor.role is Role.USER or self._open is not None:
            return ()
        told = [fields.get(k) for k in ("name", "type", "title", "description", "body")]
        name, type_, title, description, body = told[0] or "", told[1] or "", told[2], told[3], told[4] or ""
        from ..similarity.prepared import prepare

        self.scorer.read_some(_HINT_READS)
        one, whole = prepare(name, type_, title, description, body), full_text((name, type_, title, description, body))
        alike = self._alike(one, None, whole, fields.get("workspace"), THRESHOLD, _COMPARED)
        return tuple(a.entry.id for a in alike if a.contradicts and is_decision(a.entry) and a.entry.name != name)

    def decisions_grown_against(self, entry: Entry, fields: Mapping[str, Any]) -> tuple[str, ...]:
        """The same of texts that would be added to an entry: against other decisions, and where it is one itself,
        against what it says. What takes a decision out of force is asked first, in its own text too."""
        if self.actor.role is Role.USER or self._open is not None:
            return ()
        place = {"workspace": entry.workspace, "name": entry.name, "type": entry.type}
        own = (entry.id,) if self._takes_back(entry, fields) else ()
        return (*own, *self.decisions_against(place | dict(fields)))

    def _takes_back(self, entry: Entry, fields: Mapping[str, Any]) -> bool:
        if not is_decision(entry) or entry.state is not State.ACTIVE:
            return False
        from ..contradiction import Kind, Lane, retracts

        texts = [str(text) for text in fields.values() if text]
        own = [fields.get(name) for name in ("title", "description", "body")]
        said = full_text((entry.name, entry.type, own[0], own[1], own[2] or ""))
        # In the same entry two values of which one excludes the other are an amendment, conflict or not.
        return any(map(retracts, texts)) or any(
            f.lane is Lane.CONFLICT or f.kind is Kind.EXCLUSIVE for f in self.told_apart(said, text_of(entry))
        )

    def decisions_filled_against(self, entry: Entry, fields: Mapping[str, Any]) -> tuple[str, ...]:
        """The same of the texts that writing `fields` would put where the entry says something else, or nothing."""
        new = {name: fields[name] for name in TEXT_FIELDS if fields.get(name) and fields[name] != getattr(entry, name)}
        return self.decisions_grown_against(entry, new) if new else ()

    def near_hints(self, entry_id: str) -> list[str]:
        """One sentence that names the entries nearly like a new one, or none. Cheap, and never in the way of a write.

        It looks at the texts that were read so far, and reads some more each time. Inside a composed verb it is silent.
        """
        entry = self.store.entry(entry_id)
        if self._open is not None or entry is None or entry.type == "comment":
            return []
        try:
            self.scorer.read_some(_HINT_READS)
            alike = self._alike(prepared(entry), entry, text_of(entry), entry.workspace, HINT, None)
        except (StoreLocked, StoreUnusable):  # the entry is written; a hint is not worth an error
            return []
        if not alike:
            return []
        names = [_hint(one) for one in alike[:_HINTED]]
        more = f" and {len(alike) - _HINTED} more" if len(alike) > _HINTED else ""
        say = "1 entry says" if len(alike) == 1 else f"{len(alike)} entries say"
        return [f"{say} nearly the same: {', '.join(names)}{more}; see `memdesk similar {entry.shown_name}`."]

    def _alike(
        self, one: Prepared, own: Entry | None, whole: str, workspace: str | None, threshold: float, limit: int | None
    ) -> list[Alike]:
        likes = self.scorer.nearest(one, threshold)
        texts = self._texts(likes, workspace) if likes else {}
        likes = [like for like in likes if like.key in texts and (own is None or texts[like.key].entry_id != own.id)]
        if not likes:
            return []
        kept = likes[:limit]
        rows = {row.row: row for row in self.store.rows(texts[like.key].row for like in kept)}
        bodies = self.store.full_texts(rows)
        found = []
        for like in kept:
            text = texts[like.key]
            if text.row in rows:
                differences = tuple(self.told_apart(whole, full_text(bodies[text.row])))
                found.append(Alike(rows[text.row], like.score, differences, text.content == one.content))
        return found

    def _texts(self, likes: list[Likeness], workspace: str | None) -> Mapping[int, KeptText]:
        if self.store.read_only:
            from .scoring import live_texts

            return {text.key: text for text, _ in live_texts(self.store, workspace)}
        return self.store.texts_of((like.key for like in likes), workspace)


def _hint(one: Alike) -> str:
    if one.same:
        return f"{one.entry.name} (the same text)"
    return f"{one.entry.name} (contradicts: {one.findings[0].reason})" if one.contradicts else one.entry.name


def check_threshold(threshold: float) -> None:
    """Raise UsageError for a threshold outside 0 to 1."""
    if not 0 <= threshold < 1:
        raise UsageError(f"The threshold {threshold} is not between 0 and 1.", "Give one such as --threshold 0.3.")


def prepared(entry: Entry) -> Prepared:
    """An entry made ready to be compared."""
    from ..similarity.prepared import prepare

    return prepare(entry.name, entry.type, entry.title, entry.description, entry.body)


def content_of(entry: Entry) -> str:
    """What an entry says, as the hash that verdicts carry."""
    from ..similarity.prepared import content_hash

    return content_hash(entry.title, entry.description, entry.body)


def text_of(entry: Entry) -> str:
    """The text of an entry that is compared."""
    return full_text((entry.name, entry.type, entry.title, entry.description, entry.body))


def full_text(fields: tuple[str, str, str | None, str | None, str]) -> str:
    """The text that is compared, of (name, type, title, description, body)."""
    from ..tokens import entry_text, topic_of

    name, type_, title, description, body = fields
    return entry_text(topic_of(name, type_), title, description, body)
