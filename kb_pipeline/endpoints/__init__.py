"""Calls to services that end in time."""
