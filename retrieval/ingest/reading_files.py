"""Reading files of a tree: bounded, never through a symbolic link, never blocking on a pipe."""

from __future__ import annotations

import os
import stat
from pathlib import Path


class NotARegularFile(OSError):
    """What was a file when the tree was walked is none now."""


def read_file(root: Path, path: str, limit_bytes: int) -> bytes:
    """Return a file's bytes, at most one more than the limit. Raises OSError."""
    descriptor = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotARegularFile(f"{path} is no regular file any more")
        return stream.read(limit_bytes + 1)
