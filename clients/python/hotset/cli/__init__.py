"""The command `hotset`. Its libraries, typer and rich, are the extra `cli` and are imported only when it runs."""

from __future__ import annotations

import sys

_EXTRA = {"typer", "rich", "click"}


def main() -> None:
    """Run the command with the arguments of the process; ends it with a status of `hotset.cli.exits`."""
    try:
        from hotset.cli.app import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        how = "pip install './clients/python[cli]' in a checkout"
        sys.stderr.write(f"hotset: the command line needs {error.name}: {how}\n")
        raise SystemExit(1) from None
    run()


__all__ = ["main"]
