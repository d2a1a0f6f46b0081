"""The shared store and all rules: everything memdesk decides, without a terminal."""
