"""The panes of the desk, one file each."""
