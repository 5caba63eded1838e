"""Answers to what operators call: Collect."""

from __future__ import annotations

from dataclasses import dataclass

from hotset.types.shared import Versions


@dataclass(frozen=True, slots=True)
class CollectedNamespace:
    """What was, or would be, collected of a namespace's history; `note` says why nothing was.

    Cuts from `horizon` on can be read; `horizon_before` is what it was. `generation` is the newest.
    """

    namespace: str
    generation: int
    horizon: int
    horizon_before: int
    versions: int
    edges: int
    changes: int
    names: int
    note: str


@dataclass(frozen=True, slots=True)
class CollectAnswer:
    """What was collected; with `dry_run`, what would be."""

    namespaces: tuple[CollectedNamespace, ...]
    dry_run: bool
    versions: Versions
