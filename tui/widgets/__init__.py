"""Widgets the panes share: row list, entry view, diff view, dialogs, safe text."""
