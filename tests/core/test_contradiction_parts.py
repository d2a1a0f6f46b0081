"""The parts of a comparison: sentences, words and values, subjects, denials, choices, and the word tables."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from memdesk.core import config, contradiction
from memdesk.core.contradiction.alignment import align, unmatched
from memdesk.core.contradiction.grammar import stem
from memdesk.core.contradiction.lexicon import Settings, lexicon
from memdesk.core.contradiction.quantities import Clock, Day, Quantity, Version, same
from memdesk.core.contradiction.reading import Reading, read
from memdesk.core.contradiction.sentences import split
from memdesk.core.errors import InputError

TABLES = lexicon()


def reading(text: str) -> Reading:
    return read(text, TABLES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 0.5 GB. Fine.", ["It costs 0.5 GB.", "Fine."]),
        ("Ask Dr. Who, e.g. Ann. Then go.", ["Ask Dr. Who, e.g. Ann.", "Then go."]),
        ("On; then off", ["On;", "then off"]),
        ("a wrapped\nline goes on\n\nnew", ["a wrapped\nline goes on", "new"]),
        ("- one\n- two\n  goes on\n* [x] three\n3. four", ["one", "two\n  goes on", "three", "four"]),
        ("| a | b |\n|---|---|\n| c | d |", ["| a | b |", "| c | d |"]),
        ("host: db1\nport: 5432", ["host: db1", "port: 5432"]),
        ("```\nmake test\nmake lint\n```\nDone.", ["make test", "make lint", "Done."]),
        ("# Title\n\nBody.", ["Title", "Body."]),
        ("¿Sí? Claro. Ábrelo.", ["¿Sí?", "Claro.", "Ábrelo."]),
        ("> quoted", ["quoted"]),
    ],
)
def test_split(text: str, expected: list[str]) -> None:
    found = split(text)
    assert [s.text for s in found] == expected
    assert all(text[s.start : s.start + len(s.text)] == s.text for s in found)


def test_sentences_know_their_heading() -> None:
    found = split("intro\n# Staging\n- port 1\n## Production ##\nport 2")
    assert [(s.text, s.heading) for s in found] == [
        ("intro", ""),
        ("Staging", ""),
        ("port 1", "Staging"),
        ("Production ##", ""),
        ("port 2", "Production"),
    ]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("100 req/min", ["#count:req/time:1.66666667"]),
        ("100 requests per minute", ["#count:req/time:1.66666667"]),
        ("5 deploys a day", ["#count/time:5.78703704e-05", "deploy"]),
        ("512 MB", ["#bytes:512000000"]),
        ("30s", ["#time:30"]),
        ("half an hour", ["half", "#time:3600"]),
        ("$5,000", ["#money-usd:5000"]),
        ("80%", ["#ratio:0.8"]),
        ("v2.3.x", ["#v2.3"]),
        ("Node 18", ["@runtime:node", "#v18"]),
        ("at 9:30 pm", ["#1290"]),
        ("on 3 de marzo de 2024", ["#2024-3-3"]),
        ("March 3rd, 2024", ["#2024-3-3"]),
        ("2024-03-03", ["#2024-3-3"]),
        ("Q3 in 2024", ["q3", "#2024-None-None"]),
        ("see /etc/app.conf and src/main.py", ["see", "/etc/app.conf", "src/main.py"]),
        ("https://a.b/c?d=1.", ["https://a.b/c?d=1"]),
        ("`REDIS_URL` --no-cache #12 OPS-7", ["redis_url", "--no-cache", "#12", "ops-7"]),
        ("Google Cloud in eu-west-1", ["@cloud:gcp", "@region:eu-west-1"]),
        ("every day", ["@frequency:daily"]),
        ("three retries", ["#count:retry:3"]),
        ("read-only files", ["read-only", "fil"]),
        ("talk to Laura Stein today", ["talk", "laura stein", "today"]),
    ],
)
def test_keys(text: str, keys: list[str]) -> None:
    assert list(reading(text).keys) == keys


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The billing service listens on 8080", "The billing service"),
        ("Backups run nightly", "Backups"),
        ("The nightly builds are slow", "The nightly builds"),
        ("Use tabs in Go", ""),
        ("Never deploy on Fridays", ""),
        ("Deploy jobs run on Fridays", "Deploy jobs"),
        ("Deploy the jobs on Fridays", ""),
        ("editor: vim", "editor"),
        ("We keep logs", "We"),
        ("On Linux, the agent starts", "the agent"),
        ("La API acepta tarjetas", "La API"),
        ("Cached responses are fresh", "Cached responses"),
    ],
)
def test_subject(text: str, subject: str) -> None:
    found = reading(text)
    assert " ".join(t.text for t in found.tokens[slice(*found.subject)]) == subject


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The API does not cache", ["cach"]),
        ("It isn't safe", ["saf"]),
        ("No longer used by iOS", ["@os:ios"]),
        ("Not only the API", []),
        ("no se usa nunca la caché", ["usa"]),
        ("It computes sin and cos of the angle", []),
        ("run without sudo", ["sudo"]),
        ("use pnpm, not npm", []),
        ("neither fast nor cheap", ["fast"]),
        ("the --no-verify flag and no-op jobs", []),
    ],
)
def test_denied(text: str, denied: list[str]) -> None:
    found = reading(text)
    assert [found.keys[position] for _, position in found.denied if position >= 0] == denied


@pytest.mark.parametrize(
    ("text", "rejected"),
    [
        ("chose SQLite over Postgres for the cache", ["over", "Postgres"]),
        ("use pnpm instead of npm", ["npm"]),
        ("use pnpm, not npm", ["npm"]),
        ("we moved from Jenkins to CircleCI", ["Jenkins"]),
        ("replaced Moment with Luxon", ["Moment"]),
        ("usamos Vue en lugar de React para el panel", ["React"]),
        ("runs over TLS", []),
        ("simple, no frameworks", []),
    ],
)
def test_rejected(text: str, rejected: list[str]) -> None:
    found = reading(text)
    assert [found.tokens[i].text for i in sorted(found.rejected)] == rejected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (Quantity(5e8, 0.5, "bytes", "gb"), Quantity(5.12e8, 512, "bytes", "mb"), True),
        (Quantity(5e8, 0.5, "bytes", "gb"), Quantity(6e8, 600, "bytes", "mb"), False),
        (Quantity(60, 60, "time", "s"), Quantity(60, 1, "time", "min"), True),
        (Quantity(30, 30, "time", "s"), Quantity(30, 30), True),
        (Quantity(3, 3, "count:retry"), Quantity(3, 3, "count:time"), True),
        (Version(("3", "11")), Version(("3", "11", "4")), True),
        (Version(("3", "11")), Version(("3", "9")), False),
        (Day(None, 3, 1), Day(2024, 3, 1), True),
        (Day(2025, 3, 1), Day(2024, 3, 1), False),
        (Clock(570, loose=True), Clock(1290), True),
        (Clock(570), Clock(1290), False),
        (Clock(570), Version(("9",)), False),
    ],
)
def test_same_value(
    left: Quantity | Version | Day | Clock, right: Quantity | Version | Day | Clock, expected: bool
) -> None:
    assert same(left, right) is expected
    assert same(right, left) is expected


@pytest.mark.parametrize(
    "forms",
    [
        "cache caches cached caching",
        "enable enabled enabling",
        "policy policies",
        "run ran running",
        "activado activada",
    ],
)
def test_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("left", "right"), [("port", "import"), ("form", "inform"), ("play", "display"), ("less", "unless")]
)
def test_prefixes_that_negate_nothing(left: str, right: str) -> None:
    assert not TABLES.are_opposite(stem(left), stem(right)) or left == "less"


def test_alignment_drops_what_both_hold_and_pairs_one_to_one() -> None:
    left = split("Same words. Redis listens on 6379. Postgres listens on 5432.")
    right = split("Postgres listens on 5433. Same words. Redis listens on 6380.")
    lefts, rights = unmatched(left, right)
    assert (lefts, rights) == ([1, 2], [0, 2])
    partners = align(
        [(i, reading(left[i].text)) for i in lefts], [(j, reading(right[j].text)) for j in rights], cutoff=0.5
    )
    assert sorted((p.left, p.right) for p in partners) == [(1, 2), (2, 0)]


def _table(name: str) -> str:
    package = contradiction.__name__
    return resources.files(package).joinpath("data", name).read_text(encoding="utf-8")


def test_wordnet_table_ships_with_its_licence_notice() -> None:
    text = _table("antonyms_wordnet.txt")
    for phrase in ("WordNet 3.0 Copyright 2006 by Princeton University", "AS IS", "Title to copyright"):
        assert phrase in text
    assert sum(1 for line in text.splitlines() if line and not line.startswith("#")) > 3000


@pytest.mark.parametrize("name", ["antonyms_wordnet.txt", "antonyms_technical.txt", "antonyms_spanish.txt"])
def test_antonym_rows_are_two_different_words(name: str) -> None:
    rows = [line.split() for line in _table(name).splitlines() if line and not line.startswith("#")]
    assert [row for row in rows if len(row) != 2 or row[0] == row[1]] == []


def test_no_word_has_two_members_of_one_class() -> None:
    double = {
        word: members for word, members in TABLES.members.items() if len({name for name, _ in members}) != len(members)
    }
    assert double == {}


def test_no_opposites_are_synonyms() -> None:
    both = [
        (word, other)
        for word, others in TABLES.opposites.items()
        for other in others
        if TABLES.are_synonyms(word, other)
    ]
    assert both == []


def test_settings_from_a_table() -> None:
    made = Settings.from_table({"antonyms": [["hot", "mild"]], "classes": {"ward": ["alpha", "beta=b2"]}})
    assert made == Settings(antonyms=(("hot", "mild"),), classes={"ward": ("alpha", "beta=b2")})
    assert Settings.from_table({}) == Settings()


@pytest.mark.parametrize(
    "table",
    [
        {"antonyms": "hot"},
        {"antonyms": [["hot"]]},
        {"antonyms": [["hot", 3]]},
        {"antonyms": [["hot", "Hot "]]},
        {"classes": ["alpha"]},
        {"classes": {"ward": "alpha"}},
        {"classes": {"ward": ["alpha"]}},
        {"classes": {"ward": ["alpha", ""]}},
    ],
)
def test_settings_of_the_wrong_shape_are_refused(table: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Settings.from_table(table)


def test_config_file_carries_the_settings(tmp_path: Path) -> None:
    (tmp_path / config.FILE_NAME).write_text('[contradiction]\nantonyms = [["hot", "mild"]]\n', encoding="utf-8")
    assert Settings.from_table(config.load(tmp_path).contradiction).antonyms == (("hot", "mild"),)
    assert Settings.from_table(config.Config().contradiction) == Settings()
