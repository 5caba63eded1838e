"""An embedder that keeps what it made on disk, so that a benchmark run again embeds nothing twice."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from retrieval.index.sensor import Embedder


class KeptEmbedder:
    """Answers from a file where it can. `made` counts the texts that the model was run for."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self._embedder = embedder
        self._file = file
        self._held: dict[bytes, tuple[float, ...]] = pickle.loads(file.read_bytes()) if file.exists() else {}
        self.made = 0

    @property
    def fingerprint(self) -> str:
        """The model's own."""
        return self._embedder.fingerprint

    @property
    def dimensions(self) -> int:
        """The model's own."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Unit vectors, one a text, in order; raises IndexUnavailable."""
        keys = [sha256(f"{self.fingerprint}\n{text}".encode("utf-8", "surrogatepass")).digest() for text in texts]
        for key, text in zip(keys, texts, strict=True):
            if key not in self._held:
                self._held[key] = self._embedder.embed([text])[0]
                self.made += 1
        return [self._held[key] for key in keys]

    def save(self) -> None:
        """Write what is held, with what another run has kept meanwhile."""
        if self._file.exists():
            self._held = {**pickle.loads(self._file.read_bytes()), **self._held}
        part = self._file.with_suffix(f".{os.getpid()}")
        part.write_bytes(pickle.dumps(self._held, protocol=pickle.HIGHEST_PROTOCOL))
        part.replace(self._file)
