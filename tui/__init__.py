"""Everything that touches the terminal; uses memdesk.core, never SQL."""
