"""The memory of an invented team, as plain rows: what `memdesk demo` opens (and the README's picture shows).

Each row: days ago, author, name, class, status, initiative, description, body.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Row(NamedTuple):
    """One entry of the demo. `status` is "" outside class thread; `days` counts back from now."""

    days: float
    author: str
    name: str
    klass: str
    status: str
    initiative: str
    description: str
    body: str


ANA: Final = "user:ana"
SCOUT: Final = "agent:scout"
BUILDER: Final = "agent:builder"
OPERATOR: Final = "agent:operator"

ROWS: Final = (
    # -- about the person -------------------------------------------------------------------------------------------
    Row(90, ANA, "user_reviews_in_the_morning", "anchor", "", "", "Reviews memory before the first session, 15 minutes",
        "I triage memory at the start of the day. Fifteen minutes, keyboard only. What is not settled then waits."),
    Row(88, ANA, "user_plain_words", "anchor", "", "", "Wants plain words and the short answer first",
        "Answer first, reasons after. No jargon where a plain word will do. Show the command, not a paragraph about it."),
    Row(60, ANA, "user_languages", "anchor", "", "", "Python and Go at work, reads Spanish",
        "Writes Python and Go. Reads Spanish, so notes in either language are fine."),
    Row(31, SCOUT, "user_no_friday_deploys", "anchor", "", "", "No deploys on Fridays after noon",
        "Never deploy on a Friday after 12:00. Asked twice, and meant it both times."),
    # -- atlas_api --------------------------------------------------------------------------------------------------
    Row(80, ANA, "decision_atlas_postgres", "anchor", "", "atlas_api", "Atlas stores everything in PostgreSQL 15",
        "Atlas keeps its data in PostgreSQL 15.\n\nConsidered DynamoDB and SQLite; chose PostgreSQL because the reports need "
        "joins and the team runs it already. Decided 2026-09-11."),
    Row(64, ANA, "decision_atlas_rate_limit", "anchor", "", "atlas_api", "Public API limit is 100 req/min for each key",
        "The public API allows 100 requests per minute for each key. Bursts of 20 are fine.\n\nConsidered no limit; the "
        "September outage settled it."),
    Row(9, ANA, "atom_atlas_rate_limit", "anchor", "", "atlas_api", "Public API limit is 1000 req/min for each key",
        "The public API allows 1000 requests per minute for each key. Bursts of 20 are fine."),
    Row(52, BUILDER, "atom_atlas_auth_tokens", "anchor", "", "atlas_api", "Access tokens live 15 minutes, refresh tokens 30 days",
        "Access tokens live 15 minutes; refresh tokens 30 days and rotate at each use. The clock skew allowed is 30 s."),
    Row(21, SCOUT, "atom_atlas_token_lifetime", "anchor", "", "atlas_api", "Access tokens live 15 minutes and refresh tokens 30 days",
        "Access tokens live 15 minutes, refresh tokens 30 days; they rotate at each use. Allowed clock skew is 30 s."),
    Row(47, SCOUT, "negative_atlas_graphql", "anchor", "", "atlas_api", "GraphQL for Atlas was tried and dropped",
        "Do not retry GraphQL for Atlas.\n\nThe N+1 queries could not be tamed in two weeks, and clients only used four "
        "shapes. Plain JSON endpoints replaced it."),
    Row(2.1, BUILDER, "project_atlas_pagination_cursor", "thread", "carry_forward", "atlas_api",
        "Cursor pagination breaks when rows share a timestamp",
        "Two orders with the same `created_at` on a page border: one is skipped.\n\nReproduced with `pytest -k cursor_ties`. "
        "The cursor needs (created_at, id). Half done on branch `cursor-ties`."),
    Row(5.5, SCOUT, "project_atlas_openapi_drift", "thread", "open", "atlas_api", "OpenAPI file no longer matches three endpoints",
        "`/orders/{id}/notes`, `/keys` and `/health` differ from openapi.yaml. The client generator builds from the file."),
    Row(33, BUILDER, "project_atlas_retry_headers", "thread", "open", "atlas_api", "429 answers carry no Retry-After header",
        "Clients back off blindly. Add `Retry-After` in seconds to each 429."),
    Row(12, OPERATOR, "project_atlas_slow_report", "thread", "open", "atlas_api", "Monthly report query takes 40 s on production",
        "EXPLAIN shows a sequential scan over order_lines. An index on (account_id, booked_at) brings it to 0.6 s in "
        "staging."),
    Row(70, BUILDER, "project_atlas_cors", "thread", "closed", "atlas_api", "CORS preflight failed for the dashboard",
        "Fixed: the gateway dropped OPTIONS. Closed after a week without errors."),
    # -- billing_ledger ---------------------------------------------------------------------------------------------
    Row(75, ANA, "decision_ledger_append_only", "anchor", "", "billing_ledger", "The ledger is append only; corrections are new rows",
        "A booked row is never changed. A correction is a reversing row with a reason.\n\nConsidered soft edits; the "
        "auditors need the trail. Decided 2026-09-16."),
    Row(41, BUILDER, "decision_ledger_soft_edits", "anchor", "", "billing_ledger", "Ledger rows may be soft-edited within an hour",
        "Rows may be edited within an hour of booking. Written before the auditors were asked."),
    Row(58, SCOUT, "atom_ledger_rounding", "anchor", "", "billing_ledger", "Amounts are integers in cents; half-even rounding",
        "Amounts are stored as integers in cents. Tax is rounded half-even on each line, never on the total."),
    Row(1.2, BUILDER, "project_ledger_october_gap", "thread", "carry_forward", "billing_ledger",
        "October close is 3.12 EUR short, cause unknown",
        "The October close differs from the bank by 3.12 EUR.\n\n- [x] refunds checked, none missing\n- [ ] check the 14 "
        "split payments of the 30th\n- [ ] ask finance for the bank's cut-off time"),
    Row(3.4, SCOUT, "project_ledger_webhook_order", "thread", "carry_forward", "billing_ledger",
        "Payment webhooks arrive out of order twice a week",
        "`payment.settled` arrives before `payment.created`. Today it lands in the dead-letter queue and is replayed by "
        "hand."),
    Row(18, BUILDER, "project_ledger_webhook_sequence", "thread", "open", "billing_ledger",
        "Payment webhooks sometimes arrive out of order",
        "`payment.settled` can arrive before `payment.created`; it lands in the dead-letter queue and has to be replayed "
        "by hand."),
    Row(26, OPERATOR, "project_ledger_invoice_pdf", "thread", "open", "billing_ledger", "Invoice PDFs show the old address",
        "The template still has the address from before the move. Legal wants it fixed before December."),
    Row(38, SCOUT, "negative_ledger_float_amounts", "anchor", "", "billing_ledger", "Floats for amounts lost 1 cent in 40,000 rows",
        "Do not use floats for amounts, not even in reports: 1 cent lost in 40,000 rows. Use the integer column."),
    Row(45, BUILDER, "feedback_ledger_test_data", "log", "", "billing_ledger", "Agent used live account numbers in a test",
        "A test held three live account numbers. Removed, and the fixture generator now refuses real prefixes."),
    # -- mobile_sync ------------------------------------------------------------------------------------------------
    Row(66, ANA, "decision_sync_last_write_wins", "anchor", "", "mobile_sync", "Fields merge by last write; photos never do",
        "Each field is its own register: the later write wins. Photos are never merged: both are kept.\n\nConsidered CRDT "
        "text; too heavy for four fields. Decided 2026-09-25."),
    Row(50, BUILDER, "atom_sync_batch_size", "anchor", "", "mobile_sync", "The sync endpoint takes 200 changes a batch",
        "At most 200 changes a batch; the 201st is refused with 413."),
    Row(0.4, SCOUT, "project_sync_android_wakeup", "thread", "carry_forward", "mobile_sync",
        "Android 15 kills the sync worker after ten minutes",
        "On Android 15 the worker is stopped after ten minutes in the background. WorkManager with an expedited request "
        "holds on two of three test phones."),
    Row(7.2, BUILDER, "project_sync_conflict_screen", "thread", "open", "mobile_sync", "Conflict screen shows ids, not names",
        "The conflict screen prints the record id. Users cannot tell which visit it is. Show name and date."),
    Row(15, SCOUT, "project_sync_photo_quota", "thread", "open", "mobile_sync", "Photo uploads stop silently at the quota",
        "Past 2 GB the server answers 507 and the app shows nothing."),
    Row(82, BUILDER, "project_sync_first_prototype", "thread", "graduated", "mobile_sync", "Prototype of field-wise sync",
        "The prototype ran for a week on five phones without a lost field. What we learned is in the decision."),
    Row(29, SCOUT, "atom_sync_clock_skew", "anchor", "", "mobile_sync", "Phones may be off by up to 4 minutes",
        "Measured on 312 phones: 99 % within 40 s, the worst 4 minutes. The server's time decides."),
    # -- search_index -----------------------------------------------------------------------------------------------
    Row(57, ANA, "decision_search_sqlite_fts", "anchor", "", "search_index", "Chose SQLite FTS5 over Elasticsearch for search",
        "Search runs on SQLite FTS5.\n\nConsidered Elasticsearch and Typesense; chose SQLite because 400,000 rows do not "
        "need a cluster. Decided 2026-10-04."),
    Row(4.6, BUILDER, "project_search_accents", "thread", "carry_forward", "search_index", "Search misses Müller when typed as Muller",
        "The tokenizer keeps accents in two of five columns. Rebuild with remove_diacritics 2, then compare the counts."),
    Row(20, SCOUT, "project_search_stale_rows", "thread", "open", "search_index", "Deleted products stay findable for an hour",
        "The index is rebuilt hourly, so deleted products stay findable. A trigger on delete would do."),
    Row(44, SCOUT, "atom_search_index_size", "anchor", "", "search_index", "The index takes 0.8 GB for 400,000 rows",
        "0.8 GB for 400,000 rows, 1.1 GB while it is rebuilt."),
    Row(11, BUILDER, "atom_search_rebuild_time", "anchor", "", "search_index", "A full rebuild takes 6 minutes",
        "A full rebuild takes 6 minutes on the small machine; reads go on meanwhile."),
    # -- cluster_move -----------------------------------------------------------------------------------------------
    Row(36, ANA, "decision_cluster_region", "anchor", "", "cluster_move", "Everything moves to the Frankfurt region",
        "All services move to Frankfurt. Considered staying in two regions; the latency was not worth the double cost."),
    Row(0.9, OPERATOR, "project_cluster_dns_cutover", "thread", "carry_forward", "cluster_move",
        "DNS cut-over on Tuesday: TTL is still 24 h",
        "The TTL of api.example.test is still 86,400 s. It must be 300 s a day before the cut-over, or half the clients "
        "stay on the old address until Wednesday."),
    Row(6.3, OPERATOR, "project_cluster_backup_restore", "thread", "carry_forward", "cluster_move",
        "Restore drill: the last backup that was tested is from August",
        "Nobody has restored a backup since August. Do the drill before the move, not after."),
    Row(14, SCOUT, "project_cluster_cost_alarm", "thread", "open", "cluster_move", "Cost alarm counts both regions twice",
        "During the move the alarm adds both regions and fires each night."),
    Row(23, BUILDER, "project_cluster_secrets", "thread", "open", "cluster_move", "Four services read secrets from files",
        "Four services still read secrets from mounted files. The new cluster mounts them elsewhere."),
    Row(28, OPERATOR, "atom_cluster_prune_enabled", "anchor", "", "cluster_move", "Nightly image prune is enabled",
        "The nightly prune of unused images is enabled on all nodes."),
    Row(8, BUILDER, "atom_cluster_prune_disabled", "anchor", "", "cluster_move", "Nightly image prune is disabled",
        "The nightly prune of unused images is disabled on all nodes since the incident of the 20th."),
    Row(40, SCOUT, "negative_cluster_spot_nodes", "anchor", "", "cluster_move", "Spot nodes lost the queue workers twice",
        "Do not run queue workers on spot nodes: two of them vanished within a minute and the queue stood for an hour."),
    Row(19, OPERATOR, "feedback_cluster_wrong_namespace", "log", "", "cluster_move", "Agent restarted pods in the wrong namespace",
        "The agent restarted pods in `staging` instead of `staging-eu`. Commands now need the namespace spelled out."),
    # -- onboarding_guide -------------------------------------------------------------------------------------------
    Row(10, ANA, "project_onboarding_screens", "thread", "open", "onboarding_guide", "New-hire guide still shows the old screens",
        "Nine of fourteen pictures show the old console."),
    Row(34, SCOUT, "project_onboarding_laptop_script", "thread", "open", "onboarding_guide", "Laptop script fails on the second run",
        "`setup.sh` stops when the keychain entry exists. Make it idempotent."),
    Row(62, SCOUT, "atom_onboarding_first_day", "anchor", "", "onboarding_guide", "First-day list has 11 steps and takes 3 h",
        "Eleven steps, three hours. Step 7 (access to the ledger) needs a second person."),
    # -- release_train ----------------------------------------------------------------------------------------------
    Row(43, ANA, "decision_release_weekly", "anchor", "", "release_train", "Releases go out each Tuesday at 10:00",
        "One release a week, Tuesday 10:00. Hot fixes go any day before noon."),
    Row(1.8, BUILDER, "project_release_flaky_test", "thread", "carry_forward", "release_train",
        "test_refund_twice fails one run in nine",
        "Fails one run in nine since the 18th. The fake clock is shared between two workers. Quarantined; do not delete "
        "it."),
    Row(16, SCOUT, "project_release_notes_missing", "thread", "open", "release_train", "Two releases went out without notes",
        "14.2 and 14.3 have no notes. The job skips them when a title has a colon."),
    Row(24, BUILDER, "atom_release_rollback", "anchor", "", "release_train", "Rollback takes 4 minutes and keeps the schema",
        "A rollback takes 4 minutes. The schema stays: migrations must be readable by the previous release."),
    Row(49, SCOUT, "negative_release_parallel_jobs", "anchor", "", "release_train", "Six parallel test jobs were slower than three",
        "Six jobs were slower than three: the database container became the limit. Stay with three."),
    Row(53, BUILDER, "atom_release_build_minutes", "anchor", "", "release_train", "The whole pipeline takes 22 minutes",
        "Twenty-two minutes from push to artefact; nine of them are the browser tests."),
    Row(37, BUILDER, "project_release_changelog_bot", "thread", "closed", "release_train", "Changelog bot opened duplicate requests",
        "It opened one request for each retry. Closed: the bot now looks for an open one first."),
    Row(30, SCOUT, "project_onboarding_access_matrix", "thread", "graduated", "onboarding_guide", "Who needs which access on day one",
        "The matrix is agreed. What stays is in the first-day list."),
    Row(55, OPERATOR, "feedback_search_reindex_by_day", "log", "", "search_index", "Agent started a full rebuild at noon",
        "A full rebuild was started at noon and reads were slow for six minutes. Rebuilds run at night."),
    # -- three small ones: with them the worklist no longer fits, so that the cut can be seen -----------------------
    Row(4.1, OPERATOR, "project_support_refund_macro", "thread", "carry_forward", "support_inbox", "Refund macro quotes the old terms to customers",
        "The macro still says 30 days; the terms say 14 since October."),
    Row(9.5, SCOUT, "project_support_duplicate_tickets", "thread", "open", "support_inbox", "One mail opens two tickets when it has two recipients",
        "A mail to support@ and billing@ opens two tickets. Match on Message-ID."),
    Row(8.2, BUILDER, "project_export_csv_semicolons", "thread", "open", "data_export", "CSV export breaks on names that hold a semicolon",
        "Excel in German opens the file with shifted columns. Quote every field, or offer XLSX."),
    Row(11.5, SCOUT, "project_export_gdpr_request", "thread", "open", "data_export", "Personal data export leaves out the call notes",
        "Three of the last ten exports had no call notes. The query filters by team."),
    Row(20.5, SCOUT, "project_design_contrast", "thread", "open", "design_system", "Grey on grey fails the contrast check in dark mode",
        "Captions have 3.1:1 in dark mode; 4.5:1 is needed."),
    # -- unfiled, and odd texts that a desk must bear -------------------------------------------------------------
    Row(13, SCOUT, "project_unfiled_calendar_link", "thread", "open", "", "Team calendar link in the wiki is dead",
        "The link in the wiki points to the old calendar."),
    Row(22, SCOUT, "feedback_markup_in_titles", "log", "", "", "[/red] and [[links]] in a title must not change the screen",
        "A title with `[/red]` once ended a session. Shown as typed since then: [b]not bold[/b], [@click=app.quit]not a "
        "link[/]."),
    Row(17, SCOUT, "feedback_hidden_characters", "log", "", "", "A pasted note held a zero\u200bwidth space",
        "The note held a zero\u200bwidth space and an escape: \x1b[31mnot red\x1b[0m. Both are shown as marks."),
    Row(25, SCOUT, "atom_team_chat_channels", "anchor", "", "", "Alarms go to #ops-alarms, questions to #ask-platform",
        "Alarms: #ops-alarms. Questions: #ask-platform. Nothing else is read at night."),
    Row(27, BUILDER, "atom_umlaut_customers", "anchor", "", "", "Kunden heißen auch Müller, 田中 und Łukasz",
        "Names come in every script: Müller, 田中, Łukasz, Ольга. Compare after normalising, never by bytes."),
)

#: (days ago, author, source, kind, target): edges beyond those that the rows above imply.
EDGES: Final = (
    (66, ANA, "project_sync_first_prototype", "graduated_to", "decision_sync_last_write_wins"),
    (36, ANA, "decision_ledger_append_only", "related_to", "negative_ledger_float_amounts"),
    (6, OPERATOR, "project_cluster_backup_restore", "derived_from", "decision_cluster_region"),
    (0.9, OPERATOR, "project_cluster_dns_cutover", "derived_from", "decision_cluster_region"),
    (14, SCOUT, "project_cluster_cost_alarm", "derived_from", "decision_cluster_region"),
    (11, BUILDER, "atom_search_rebuild_time", "related_to", "atom_search_index_size"),
    (5, SCOUT, "project_atlas_openapi_drift", "related_to", "decision_atlas_rate_limit"),
)

#: (days ago, author, name, text): what was added later, so that histories have several authors.
APPENDS: Final = (
    (1.1, SCOUT, "project_atlas_pagination_cursor", "The mobile client caches the cursor for an hour, so both forms must be "
        "accepted for one release."),
    (0.6, OPERATOR, "project_ledger_october_gap", "Finance says the bank cuts off at 22:00, not at midnight."),
    (0.3, BUILDER, "project_release_flaky_test", "Seen again in run 8,114 with the clock fix in place."),
    (3, SCOUT, "project_search_accents", "The five columns are: name, alias, city, note, tags. Name and alias are fine."),
)  # fmt: skip

#: (days ago, author, name, description): rewordings by the person.
REWORDINGS: Final = (
    (30, ANA, "decision_atlas_postgres", "Atlas stores everything in PostgreSQL 16"),
    (12, ANA, "atom_atlas_auth_tokens", "Access tokens live 15 minutes, refresh tokens 30 days, rotating"),
    (2, ANA, "project_atlas_openapi_drift", "OpenAPI file differs from three live endpoints"),
)
