"""Whole screens over the desk: the key overlay and the reading screen."""
