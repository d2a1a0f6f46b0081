"""Issue 3, item 3: what two texts disagree on, and in which lane it shows. Cases from CASES "Duplicates, merging"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.core.contradiction import Kind, Lane, Settings, Verdict, compare, offered_as_duplicate, verdict
from memdesk.core.tokens import entry_text


def conflicts(a: str, b: str) -> set[Kind]:
    return {f.kind for f in compare(a, b) if f.lane is Lane.CONFLICT}


CONFLICTS = [
    # CASES "Duplicates, merging"
    ("favourite colour is purple", "favourite colour is cyan", Kind.EXCLUSIVE),
    ("I work at A", "I joined B", Kind.CHOICE),
    ("I work at Acme", "I joined Globex", Kind.CHOICE),
    ("limit 100 req/min", "limit 1000 req/min", Kind.NUMBER),
    ("use tabs", "do not use tabs", Kind.NEGATION),
    ("Node 18", "Node 20", Kind.VERSION),
    # negations
    ("The cache is used.", "The cache isn't used.", Kind.NEGATION),
    ("We deploy on Fridays.", "We never deploy on Fridays.", Kind.NEGATION),
    ("The app uses cookies.", "The app no longer uses cookies.", Kind.NEGATION),
    ("Deploy with approval.", "Deploy without approval.", Kind.NEGATION),
    ("The service starts.", "The service fails to start.", Kind.NEGATION),
    ("Use mocks.", "Avoid mocks.", Kind.NEGATION),
    ("Force pushes are fine.", "Force pushes are forbidden.", Kind.NEGATION),
    ("All tests hit the network.", "None of the tests hit the network.", Kind.NEGATION),
    ("We decided to adopt Bazel.", "We decided against adopting Bazel.", Kind.NEGATION),
    ("Usar comillas dobles.", "No usar comillas dobles.", Kind.NEGATION),
    ("El equipo trabaja los sábados.", "El equipo nunca trabaja los sábados.", Kind.NEGATION),
    ("Se despliega con pruebas.", "Se despliega sin pruebas.", Kind.NEGATION),
    ("It caches and does not retry.", "It does not cache and retries.", Kind.NEGATION),
    # opposites: WordNet, technical, prefixes, Spanish
    ("Telemetry is enabled.", "Telemetry is disabled.", Kind.ANTONYM),
    ("The flag is on.", "The flag is off.", Kind.ANTONYM),
    ("Uploads run before the scan.", "Uploads run after the scan.", Kind.ANTONYM),
    ("The wiki is restricted.", "The wiki is unrestricted.", Kind.ANTONYM),
    ("The queue is blocking.", "The queue is non-blocking.", Kind.ANTONYM),
    ("La caché está activada.", "La caché está desactivada.", Kind.ANTONYM),
    # values
    ("Sessions last 15 minutes.", "Sessions last 45 minutes.", Kind.NUMBER),
    ("We keep three replicas.", "We keep five replicas.", Kind.NUMBER),
    ("A request needs one approval.", "A request needs two approvals.", Kind.NUMBER),
    ("The timeout is 30 seconds.", "The timeout is 30 minutes.", Kind.UNIT),
    ("The plan costs $20.", "The plan costs €20.", Kind.UNIT),
    ("Pin the client to v2.3.1.", "Pin the client to v2.4.0.", Kind.VERSION),
    ("We run Python 3.11.", "We run Python 3.12.", Kind.VERSION),
    ("The certificate ends on 2025-03-01.", "The certificate ends on 2025-06-01.", Kind.DATE),
    ("The lease ends on 3 March.", "The lease ends on March 4.", Kind.DATE),
    ("La auditoría es el 3 de mayo.", "La auditoría es el 4 de mayo.", Kind.DATE),
    ("Standup is at 9:30.", "Standup is at 10:15.", Kind.TIME),
    ("The window opens at noon.", "The window opens at midnight.", Kind.TIME),
    # classes
    ("The servers run Debian.", "The servers run Ubuntu.", Kind.EXCLUSIVE),
    ("Orders are stored in Postgres.", "Orders are stored in MongoDB.", Kind.EXCLUSIVE),
    ("The sync is on Monday.", "The sync is on Thursday.", Kind.EXCLUSIVE),
    ("Hotfixes branch off main.", "Hotfixes branch off develop.", Kind.EXCLUSIVE),
    ("Deploys go to staging first.", "Deploys go to production first.", Kind.EXCLUSIVE),
    ("We host everything on AWS.", "We host everything on Google Cloud.", Kind.EXCLUSIVE),
    ("Releases are cut weekly.", "Releases are cut monthly.", Kind.EXCLUSIVE),
    # named choices
    ("chose SQLite over Postgres for the cache", "chose Postgres over SQLite for the cache", Kind.CHOICE),
    ("Use pnpm, not npm.", "Use npm, not pnpm.", Kind.CHOICE),
    ("We moved from Jenkins to CircleCI.", "We moved from CircleCI to Jenkins.", Kind.CHOICE),
    ("The owner of billing is Maria.", "The owner of billing is Jonas.", Kind.CHOICE),
    ("Maria owns billing.", "Jonas owns billing.", Kind.CHOICE),
    ("We use Airflow for the nightly jobs.", "We use Dagster for the nightly jobs.", Kind.CHOICE),
    ("My name is Alexandra.", "Call me Sasha.", Kind.CHOICE),
    ("Trabajo en Indra.", "Trabajo en Telefónica.", Kind.CHOICE),
    ("The CEO is Laura Stein.", "The CEO is Mark Stone.", Kind.CHOICE),
    ("Escalate incidents to Priyanka.", "Escalate incidents to Owen.", Kind.CHOICE),
    # roles
    ("A replaces B", "B replaces A", Kind.ROLES),
    ("The gateway calls billing.", "The gateway is called by billing.", Kind.ROLES),
    ("Staging has 2 nodes and production has 6.", "Staging has 6 nodes and production has 2.", Kind.ROLES),
]


@pytest.mark.parametrize(("a", "b", "kind"), CONFLICTS)
def test_conflict(a: str, b: str, kind: Kind) -> None:
    for left, right in ((a, b), (b, a)):
        findings = compare(left, right)
        assert kind in {f.kind for f in findings if f.lane is Lane.CONFLICT}, findings
        assert verdict(findings) is Verdict.CONFLICT
        assert not offered_as_duplicate(findings)


SAME = [
    ("Telemetry is not enabled.", "Telemetry is disabled."),
    ("The service is unable to start.", "The service isn't able to start."),
    ("Never commit secrets.", "Do not commit secrets."),
    ("No se usa nunca.", "Nunca se usa."),
    ("The VM has 0.5 GB of RAM.", "The VM has 512 MB of RAM."),
    ("Tokens live for 60 minutes.", "Tokens live for an hour."),
    ("The limit is 1,000 requests per hour.", "The limit is 1000 requests/hour."),
    ("We run Python 3.11.", "We run Python 3.11.4."),
    ("The job runs at 14:00.", "The job runs at 2pm."),
    ("The release is on 5 May 2025.", "The release is on 2025-05-05."),
    ("Orders are in Postgres.", "Orders are in PostgreSQL."),
    ("The model is retrained weekly.", "The model is retrained every week."),
    ("Reads and writes go to Redis and Postgres.", "Reads and writes go to Postgres and Redis."),
    ("The gateway calls billing.", "Billing is called by the gateway."),
    ("A runs before B.", "B runs after A."),
    ("Not only the API reads it.", "The API reads it."),
    ("Don't forget to bump the version.", "Remember to bump the version."),
    ("Use ISO dates (e.g. 2024-05-01).", "Use ISO dates (e.g. 2023-12-31)."),
    ("Use pnpm instead of npm.", "Use pnpm, not npm."),
    ("The owner is Laura.", "The owner is Laura Stein."),
    ("The build fails unless the file is fresh.", "The build fails if the file is not fresh."),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_another_wording_is_no_difference(a: str, b: str) -> None:
    for left, right in ((a, b), (b, a)):
        assert verdict(compare(left, right)) is Verdict.CLEAR, compare(left, right)


@pytest.mark.parametrize("other", ["Use tabs. ", "Use\u00a0tabs.", "Use tabs.\r\n", "use  tabs", "", " \n"])
def test_space_and_line_ends_are_no_difference(other: str) -> None:
    assert compare("Use tabs.", other) == []


APART = [
    # One template, two facts.
    ("chose SQLite over Postgres for the cache", "chose fastembed over OpenAI for vectors", Kind.CHOICE),
    ("The billing service listens on port 8080.", "The auth service listens on port 8081.", Kind.NUMBER),
    ("The staging cluster has 3 nodes.", "The production cluster has 12 nodes.", Kind.NUMBER),
    ("In staging, logs are kept for 3 days.", "In production, logs are kept for 30 days.", Kind.NUMBER),
    ("On Linux, use make.", "On Windows, use make.", Kind.EXCLUSIVE),
    ("Use tabs in Go.", "Use tabs in Python.", Kind.EXCLUSIVE),
    ("Sprint 12: velocity was 31.", "Sprint 13: velocity was 27.", Kind.NUMBER),
    ("2024-05-01: deploy took 14 minutes.", "2024-05-02: deploy took 9 minutes.", Kind.NUMBER),
    ("The service supports Linux.", "The service supports Windows.", Kind.EXCLUSIVE),
    ("Runs on Linux and macOS.", "Runs on Linux and Windows.", Kind.EXCLUSIVE),
    ("Building 7 has 3 floors.", "Building 9 has 5 floors.", Kind.NUMBER),
    ("Retries are disabled for POST requests.", "Retries are enabled for GET requests.", Kind.ANTONYM),
    ("Frontend tests use Vitest.", "Backend tests use pytest.", Kind.EXCLUSIVE),
]


@pytest.mark.parametrize(("a", "b", "kind"), APART)
def test_two_facts_of_one_template_do_not_conflict_and_are_not_merged(a: str, b: str, kind: Kind) -> None:
    for left, right in ((a, b), (b, a)):
        findings = compare(left, right)
        assert verdict(findings) is Verdict.DIFFERS, findings
        assert kind in {f.kind for f in findings}
        assert not offered_as_duplicate(findings)


@pytest.mark.parametrize(
    ("a", "b", "kind", "words"),
    [
        ("The config lives in /etc/app.conf.", "The config lives in /opt/app.conf.", Kind.IDENTIFIER, "/etc/app.conf"),
        ("Metrics go to host db1.acme.dev.", "Metrics go to host db2.acme.dev.", Kind.IDENTIFIER, "db1.acme.dev"),
        ("See ticket OPS-12.", "See ticket OPS-14.", Kind.IDENTIFIER, "OPS-12"),
        ("The dashboard is pretty.", "The dashboard is crowded.", Kind.WORD, "pretty"),
    ],
)
def test_slot_is_information_and_names_the_words(a: str, b: str, kind: Kind, words: str) -> None:
    (finding,) = compare(a, b)
    assert (finding.lane, finding.kind) == (Lane.SLOT, kind)
    assert a[slice(*finding.left_span)] == words
    assert offered_as_duplicate([finding])


def test_what_only_one_side_adds_is_remarked() -> None:
    (finding,) = compare("Backups run nightly.", "Backups run nightly and are tested once a month.")
    assert finding.kind is Kind.WORD
    assert "tested" in finding.reason


def test_the_unexplained_rest_keeps_two_statements_apart() -> None:
    """At most a fifth of the content words may be left over: else they are two things that may differ freely."""
    near = ("The nightly import of invoices is enabled.", "The nightly import of invoices is disabled.")
    far = ("The nightly import of invoices is enabled.", "The import for partners in Asia is disabled.")
    assert conflicts(*near) == {Kind.ANTONYM}
    assert conflicts(*far) == set()


def test_headings_bind_the_sentences_below_them() -> None:
    assert conflicts("# Staging\n- replicas: 1", "# Production\n- replicas: 4") == set()
    assert conflicts("# Staging\n- replicas: 1", "# Staging\n- replicas: 4") == {Kind.NUMBER}


def test_titles_that_name_different_things_part_the_texts() -> None:
    redis = entry_text("redis_settings", "Redis in production", None, "The port is 6379. Memory limit is 4 GB.")
    other = entry_text("postgres_settings", "Postgres in production", None, "The port is 5432. Memory limit is 32 GB.")
    assert conflicts(redis, other) == set()
    assert not offered_as_duplicate(compare(redis, other))
    again = entry_text("redis_settings", "Redis in production", None, "The port is 6380. Memory limit is 4 GB.")
    assert conflicts(redis, again) == {Kind.NUMBER}


def test_finding_quotes_both_sentences_and_marks_the_words_in_the_texts() -> None:
    a = "# API\n\nEvery key is logged. The limit is 100 req/min for all.\n"
    b = "# API\n\nThe limit is 1000 req/min for all. Every key is logged.\n"
    (finding,) = compare(a, b)
    assert finding.left == "The limit is 100 req/min for all."
    assert finding.right == "The limit is 1000 req/min for all."
    assert a[slice(*finding.left_span)] == "100 req/min"
    assert b[slice(*finding.right_span)] == "1000 req/min"
    assert "100" in finding.reason and "1000" in finding.reason and "\n" not in finding.reason


def test_conflicts_come_first() -> None:
    findings = compare("Logs are in /var/a. The limit is 5.", "Logs are in /var/b. The limit is 7.")
    assert [f.lane for f in findings] == [Lane.CONFLICT, Lane.SLOT]


def test_numbers_in_sentences_too_unlike_to_align_still_stop_a_merge() -> None:
    findings = compare("API allows 100 requests each minute", "rate cap for callers: 1000 requests a minute in the API")
    assert verdict(findings) is not Verdict.CLEAR
    assert not offered_as_duplicate(findings)


@pytest.mark.parametrize(
    ("settings", "a", "b", "kind"),
    [
        (Settings(antonyms=(("greenfield", "brownfield"),)), "It is a greenfield site.", "It is a brownfield site.",
         Kind.ANTONYM),
        (Settings(classes={"ward": ("alpha", "beta=b2")}), "Ana sleeps in alpha.", "Ana sleeps in b2.", Kind.EXCLUSIVE),
    ],
)  # fmt: skip
def test_settings_add_words(settings: Settings, a: str, b: str, kind: Kind) -> None:
    assert conflicts(a, b) == set()
    assert kind in {f.kind for f in compare(a, b, settings) if f.lane is Lane.CONFLICT}


_PIECES = (
    "the a no not never is are cache API api 5 10 GB v2.1 3 March 9:30 and , . : ; # - ` use tabs spaces over from to",
    "Redis Postgres `code` (x) e.g. http://a.b/c sin nunca de la one an hour per day \ud800 é",
)
_WORDS = st.sampled_from([*" ".join(_PIECES).split(), "\n", "\n\n"])
_TEXT = st.lists(_WORDS, max_size=25).map(" ".join)


@given(_TEXT, _TEXT)
def test_any_two_texts_compare(a: str, b: str) -> None:
    for finding in compare(a, b):
        for text, sentence, (start, end) in (
            (a, finding.left, finding.left_span),
            (b, finding.right, finding.right_span),
        ):
            at = text.find(sentence)
            assert at >= 0 and 0 <= start <= end <= len(text)
        assert finding.reason
    assert compare(a, a) == []


def test_a_long_text_is_compared_within_its_limits() -> None:
    lines = [f"- item {number}: the value of part {number} is set" for number in range(5000)]
    changed = [*lines[:1000], "- the limit is 5", *lines[1000:]]
    assert verdict(compare("\n".join(lines), "\n".join(changed))) is not Verdict.CONFLICT
