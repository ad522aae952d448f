"""Repairs: a few bytes at a place, checked before they count."""

from pplint.fixes.apply import FixOutcome, apply_edits, fix_source
from pplint.fixes.edit import EditError
from pplint.fixes.verify import verify

__all__ = ["EditError", "FixOutcome", "apply_edits", "fix_source", "verify"]
