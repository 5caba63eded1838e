"""A process that embeds records in the background, a text at a time, and says each one; it is there to be killed.

Usage: embedding_child.py HOME. The store in HOME holds the records already.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from retrieval.index.follower import FollowerSettings
from tests.contract.hashing_embedder import HashingEmbedder
from tests.contract.indexes_room import open_room


class Telling(HashingEmbedder):
    """Prints a line for every text before it is embedded."""

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        os.write(sys.stdout.fileno(), b"".join(text.encode() + b"\n" for text in texts))
        return super().embed(texts)


def main() -> None:
    """Embed two texts a commit, saving the index now and then."""
    room = open_room(Path(sys.argv[1]), embedder=Telling(), settings=FollowerSettings(embed_slice=2))
    while room.follower.advance_vectors(4).left:
        room.follower.save()
    os.write(sys.stdout.fileno(), b"done\n")


if __name__ == "__main__":
    main()
