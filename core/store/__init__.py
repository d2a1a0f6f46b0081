"""The event log and its projection in one SQLite file."""
