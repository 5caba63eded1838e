"""USearch, imported so that it can share a process with onnxruntime.

USearch's wheel brings a C++ standard library of its own and, on Linux, hands its locale tables to whatever is loaded
later: `import usearch` and then `import onnxruntime` ends in a segmentation fault (usearch 2.26.6, onnxruntime 1.32.0).
With the system's library visible to all first, USearch uses that one, and either order works. So import USearch from
here only.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys

if sys.platform == "linux":
    with contextlib.suppress(OSError):  # where there is none, no wheel links to it either
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)

from usearch.index import Index

__all__ = ["Index"]
