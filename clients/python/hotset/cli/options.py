"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON, and nothing else, to stdout.")]
Refs = Annotated[bool, typer.Option("--refs", help="Show refs, to name entries by, in place of paths.")]
Agent = Annotated[str, typer.Option("--agent", help="Whose working set.")]
Address = Annotated[
    str | None,
    typer.Option("--address", help="unix:/path or localhost:PORT. Else $HOTSET_ADDRESS, else the home's socket."),
]
Home = Annotated[
    Path | None, typer.Option("--home", help="The daemon's home. Else $HOTSET_HOME, else ~/.local/state/hotset.")
]
NoAutostart = Annotated[bool, typer.Option("--no-autostart", help="Do not start a daemon where none answers.")]
Timeout = Annotated[float | None, typer.Option("--timeout", min=0.001, help="Deadline in seconds.")]
At = Annotated[
    int | None, typer.Option("--at", min=0, help="As it was at this generation of its namespace. Else as it is now.")
]
Namespaces = Annotated[
    list[str] | None, typer.Option("--namespace", "-n", help="Search here only. May be given again. Else everywhere.")
]
Changed = Annotated[
    list[str] | None, typer.Option("--changed", metavar="PATH", help="A file that was changed. May be given again.")
]
Opened = Annotated[
    list[str] | None, typer.Option("--open", metavar="PATH", help="A file that is open. May be given again.")
]
ReadLately = Annotated[
    list[str] | None, typer.Option("--read", metavar="PATH", help="A file that was just read. May be given again.")
]
Diff = Annotated[
    str | None, typer.Option("--diff", metavar="FILE", help="A file that holds a unified diff of the work; - is stdin.")
]
Budget = Annotated[int, typer.Option("--budget", "-b", help="Ceiling in tokens. 0: the agent's last, else default.")]
Profile = Annotated[
    str, typer.Option("--profile", help="Attention profile: what is owed beyond ranking, e.g. contested_claims.")
]
TopK = Annotated[int, typer.Option("--top-k", help="How many results may enter at once. 0: the daemon's default.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it is kept and shown.")]
