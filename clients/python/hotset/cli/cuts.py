"""The cut that `--at GENERATION` means: that generation of every namespace that is named."""

from __future__ import annotations

from collections.abc import Iterable

from hotset.types import Cut, NamespaceGeneration


def cut_at(refs: Iterable[str], generation: int | None) -> Cut | None:
    """Return the cut of the refs' namespaces; None, the newest, where no generation is named."""
    if generation is None:
        return None
    namespaces = sorted({ref.partition(":")[0] for ref in refs})
    return Cut(tuple(NamespaceGeneration(namespace, generation) for namespace in namespaces))
