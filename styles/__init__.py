"""Style sheets: one .tcss file a pane or widget, plus the shared tokens."""
