"""Results that are kept on disk for each session, with what they were made by, so that a run can be resumed."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from workingset.vocabulary import Tokens

Cell: TypeAlias = tuple[str, Tokens]
"""A row of a table, and a budget."""
T = TypeVar("T")


class KeptResults(Generic[T]):
    """The results of one session in one file. A result is used again while its row is made by equal code."""

    def __init__(self, file: Path, made_by: Callable[[str], str]) -> None:
        self._file = file
        self._made_by = made_by

    def of(self, cells: Sequence[Cell], make: Callable[[Sequence[Cell]], Mapping[Cell, T]]) -> dict[Cell, T]:
        """Return the result of each cell; `make` is asked for those that are not there."""
        kept: dict[Cell, tuple[str, T]] = pickle.loads(self._file.read_bytes()) if self._file.exists() else {}
        missing = [cell for cell in cells if cell not in kept or kept[cell][0] != self._made_by(cell[0])]
        if missing:
            kept |= {cell: (self._made_by(cell[0]), result) for cell, result in make(missing).items()}
            part = self._file.with_suffix(f"{self._file.suffix}.{os.getpid()}")
            part.write_bytes(pickle.dumps(kept))
            part.replace(self._file)
        return {cell: kept[cell][1] for cell in cells}


def digest_of(files: Iterable[Path], *beside: object) -> str:
    """Return a digest of the files' contents, and of values by their `repr`."""
    digest = hashlib.sha256(repr(beside).encode())
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
