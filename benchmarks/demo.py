"""What is this software for? One agent's session over the standard library of the Python that runs this.

Starts `hotsetd` in a temporary home, ingests real code, takes turns with changing goals, uses, and a pin, kills the
daemon with `kill -9` in the middle, and goes on with the same set.
"""

from __future__ import annotations

import sysconfig
import tempfile
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.daemon import Daemon, running
from hotset import HotsetClient, IngestProgress, IngestSummary, Use, UseAction
from hotset.cli.render import render_focus, render_ingest_summary, render_pin, render_status, render_touch
from hotset.types import FocusAnswer, Lines

NAMESPACE = "stdlib"
AGENT = "demo"
BUDGET_TOKENS = 4_000

console = Console()


def main() -> None:
    """Run the session."""
    with tempfile.TemporaryDirectory(prefix="hotset-demo-") as folder, running(Path(folder)) as daemon:
        console.rule("[bold]Hotset: one agent, one working set, eight turns and a crash")
        console.print(
            f"hotsetd started in {daemon.started_seconds:.1f} s. It keeps, for each agent, what deserves a place in "
            f"the agent's context: at most {BUDGET_TOKENS:,} tokens here, with an honest account of everything else.\n"
        )
        session = Session(daemon)
        session.ingest(Path(sysconfig.get_path("stdlib")))
        session.turns()


class Session:
    """The agent's work, told as it goes."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._client = HotsetClient(daemon.address, agent=AGENT)
        self._last: FocusAnswer | None = None

    def ingest(self, root: Path) -> None:
        """Put the standard library in, with progress."""
        console.print(f"Ingesting [bold]{root}[/bold] into namespace [bold]{NAMESPACE}[/bold].")
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[said]}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("ingest", said="", total=None)
            for event in self._client.ingest_tree(NAMESPACE, root, timeout_seconds=600):
                if isinstance(event, IngestProgress):
                    said = f"{event.stage}: {event.files_done:,}/{event.files_total:,} files, {event.records:,} records"
                    progress.update(task, completed=event.files_done, total=event.files_total or None, said=said)
                elif isinstance(event, IngestSummary):
                    console.print(render_ingest_summary(event))

    def turns(self) -> None:
        """Eight turns."""
        self._say(
            "The agent has a bug report.",
            "What it says names two functions; their neighbours and callers come along. The best are whole, others as "
            "outlines, the rest as one-line references that can be resolved.",
        )
        self._focus(
            "asyncio.wait_for swallows a cancellation when the inner task finishes at the same time as the timeout"
        )
        self._say("It reads and edits.", "What it used and did not have at full fidelity is a fault, and is paged in.")
        self._touch(
            Use(path="asyncio/tasks.py", lines=Lines(413, 470), action=UseAction.EDIT, namespace=NAMESPACE),
            Use(path="asyncio/timeouts.py", lines=Lines(25, 80), namespace=NAMESPACE),
        )
        self._pin("never swallow asyncio.CancelledError: re-raise it after cleaning up")
        self._say("A follow-up is not a change of subject.", "Drift holds; what was used stays.")
        self._focus("now find the tests that cover wait_for timeouts and cancellation")
        self._say("The same question again.", "Nothing changed, so the delta is empty and the block is the same bytes.")
        self._focus("now find the tests that cover wait_for timeouts and cancellation")
        self._say(
            "The subject moves.", "The old residents cool and leave for a reason each; the pin stays, byte for byte."
        )
        self._focus("why is json.dumps slow for large nested lists: look at the encoder's iterencode")
        self._touch(Use(path="json/encoder.py", namespace=NAMESPACE))
        self._crash()
        self._say("After the restart.", "The set is where it was at the last answer.")
        self._focus("make the pure Python json encoder faster for lists of ints")
        self._say("A name that exists nowhere.", "It says so, and which kind of nothing it is.")
        self._focus("frobnicate_quux_zork handler")
        self._say(
            "Back to the first subject.", "What was evicted returns under the same refs: eviction forgets no knowledge."
        )
        self._focus("asyncio.wait_for swallows a cancellation: fix the timeout race in tasks.py")
        self._say(
            "A last turn with a quarter of the budget.", "Under pressure fidelity falls first; the ceiling holds."
        )
        self._focus("asyncio.wait_for swallows a cancellation: fix the timeout race in tasks.py", BUDGET_TOKENS // 4)
        console.rule("[bold]Status")
        console.print(render_status(self._client.status()))

    def _say(self, title: str, text: str) -> None:
        console.print(Panel(text, title=title, title_align="left", border_style="cyan"))

    def _focus(self, goal: str, budget: int = BUDGET_TOKENS) -> None:
        self._last = self._client.focus(goal, budget_tokens=budget)
        console.print(render_focus(self._last, goal))

    def _touch(self, *uses: Use) -> None:
        console.print(render_touch(self._client.touch(uses), uses))

    def _pin(self, words: str) -> None:
        console.print(render_pin(self._client.pin(text=words, reason="house rule")))

    def _crash(self) -> None:
        before = self._client.status()
        self._say(
            "kill -9", f"The daemon (process {self._process()}) is killed without warning, in turn {before.turn}."
        )
        self._daemon.kill()
        self._daemon.start()
        after = self._client.status()
        same = after.state_digest == before.state_digest
        verdict = "the same set" if same else "DIFFERENT"
        console.print(
            f"Restarted in {self._daemon.started_seconds:.1f} s as process {self._process()}. Digest of the state: "
            f"before {before.state_digest[:12]}, after {after.state_digest[:12]}: [bold]{verdict}[/bold].\n"
        )
        if not same:
            raise SystemExit("the set after the crash is not the set that was acknowledged")

    def _process(self) -> int:
        assert self._daemon.process is not None
        return self._daemon.process.pid


if __name__ == "__main__":
    main()
