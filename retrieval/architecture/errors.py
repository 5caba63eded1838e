"""What can be wrong with a manifest."""

from __future__ import annotations


class BadManifest(Exception):
    """A manifest that cannot be used; the message names the file, the rule and the field. Shown, never raised on."""
