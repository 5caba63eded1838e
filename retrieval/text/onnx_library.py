"""onnxruntime, imported so that it tells nobody what it does.

Its builds report usage to Microsoft (seen with 1.32.0), over the network and by a database below the user's cache
folder, unless this variable is set before it is loaded; its own call to disable that leaves the database and looks the
host up.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

_SILENCE = "ORT_DISABLE_TELEMETRY"


def onnxruntime() -> Any:
    """The module; raises ImportError where it is not installed."""
    os.environ[_SILENCE] = "1"
    return importlib.import_module("onnxruntime")
