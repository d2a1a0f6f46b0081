"""The verbs: policy, store and operation; the one door of both faces."""
