"""What is this software for? One agent's session over the standard library of the Python that runs this.

Starts `hotsetd` in a temporary home, ingests real code, takes turns with changing goals, uses and a pin, kills the
daemon with `kill -9` while it works on a call, and goes on with the same set. `--full` shows whole screens.
"""

from __future__ import annotations

import argparse
import sysconfig
import tempfile
import threading
import time
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.syntax import Syntax

from benchmarks.daemon import Daemon, running
from hotset import HotsetClient, HotsetError, IngestProgress, IngestSummary, Use, UseAction
from hotset.cli.render import (
    RenderSettings,
    render_focus,
    render_ingest_summary,
    render_pin,
    render_status,
    render_touch,
)
from hotset.types import Fidelity, FocusAnswer, Lines, Tier

NAMESPACE = "stdlib"
AGENT = "demo"
BUDGET_TOKENS = 4_000
BLOCK_LINES = 14
INDEX_SECONDS = 120.0
"""Guess: the lexical index takes a few seconds for the standard library."""
TIMEOUT_BUG = "asyncio.wait_for swallows a cancellation when the inner task ends at the same time as the timeout"
TIMEOUT_TESTS = "now find the tests that cover wait_for timeouts and cancellation"
JSON_GOAL = "why is json.dumps slow for large nested lists: look at the encoder's iterencode"

console = Console()


def main() -> None:
    """Run the session."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="whole screens instead of the first rows of each table")
    shown = (
        RenderSettings()
        if parser.parse_args().full
        else RenderSettings(items=6, moves=3, omissions=2, ghosts=3, problems=2)
    )
    with tempfile.TemporaryDirectory(prefix="hotset-demo-") as folder, running(Path(folder)) as daemon:
        console.rule("[bold]Hotset: one agent, one working set, nine turns and a crash")
        console.print(
            f"hotsetd runs (started in {daemon.started_seconds:.1f} s). For each agent it keeps what deserves a place "
            f"in the agent's context: here at most {BUDGET_TOKENS:,} tokens, with an honest account of all else.\n"
        )
        session = Session(daemon, shown)
        session.ingest(Path(sysconfig.get_path("stdlib")))
        session.turns()


class Session:
    """The agent's work, told as it goes."""

    def __init__(self, daemon: Daemon, shown: RenderSettings) -> None:
        self._daemon = daemon
        self._shown = shown
        self._client = HotsetClient(daemon.address, agent=AGENT)
        self._seen: set[str] = set()

    def ingest(self, root: Path) -> None:
        """Put the standard library in, with progress."""
        console.print(f"Ingesting [bold]{root}[/bold]: real code that every Python has.")
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
                    console.print(render_ingest_summary(event, self._shown))
        self._await_indexes()
        console.print(
            "[dim]DEGRADED below means: embeddings still fill in behind, so the vector lane sees only part of the "
            "records and says how much. Words, names and the code graph are complete.[/dim]\n"
        )

    def _await_indexes(self) -> None:
        """Wait until all indexes but the embeddings hold what was ingested."""
        deadline = time.monotonic() + INDEX_SECONDS
        while behind := [
            index
            for index in self._client.describe_namespace(NAMESPACE).indexes
            if index.index != "vector" and index.lag
        ]:
            if time.monotonic() > deadline:
                named = ", ".join(f"{index.index} {index.lag:,} changes behind" for index in behind)
                raise SystemExit(f"indexes did not catch up within {INDEX_SECONDS:g} s: {named}")
            time.sleep(0.1)

    def turns(self) -> None:
        """Nine turns."""
        self._say(
            "1. A bug report",
            "The daemon finds what matters, packs it into the budget (the best whole, others as outlines, the rest as "
            "one-line references), and says what it left out.",
        )
        answer = self._focus(TIMEOUT_BUG)
        self._excerpt(answer)
        self._say(
            "The agent reads and edits", "Used and whole in the block: a hit. Used and not there: a fault, paged in."
        )
        self._use(answer)
        self._pin("never swallow asyncio.CancelledError: re-raise it after cleaning up")
        self._say("2. A follow-up", "Not a change of subject: drift holds, and what was used stays.")
        self._focus(TIMEOUT_TESTS)
        self._say(
            "3. The same question again", "Only what the embeddings have found meanwhile may move; else nothing does."
        )
        self._focus(TIMEOUT_TESTS)
        self._say(
            "4. The subject moves", "Drift is seen; old residents cool and leave, each for a reason. The pin stays."
        )
        answer = self._focus(JSON_GOAL)
        self._use(answer)
        self._crash("make the pure Python json encoder faster for lists of ints")
        self._say("6. A name that exists nowhere", "It is told so, and that what matches is weak.")
        self._focus("frobnicate_quux_zork handler")
        self._say(
            "7. Back to the first subject", "What was evicted returns under its old ref: eviction forgets nothing."
        )
        self._focus(TIMEOUT_BUG)
        self._say(
            "8. A quarter of the budget", "Under pressure fidelity falls before an entry leaves; the ceiling holds."
        )
        self._focus(TIMEOUT_BUG, BUDGET_TOKENS // 4)
        self._say("9. A budget that the pins alone exceed", "A typed answer that names them. Nothing is dropped.")
        self._focus(TIMEOUT_BUG, 40)
        console.rule("[bold]Status")
        console.print(render_status(self._client.status(), self._shown))

    def _say(self, title: str, text: str) -> None:
        console.print(Panel(text, title=title, title_align="left", border_style="cyan"))

    def _focus(self, goal: str, budget: int = BUDGET_TOKENS) -> FocusAnswer:
        answer = self._client.focus(goal, budget_tokens=budget)
        console.print(render_focus(answer, goal, self._shown))
        back = [
            m
            for m in answer.moves
            if m.from_tier is Tier.EVICTED and m.ref in self._seen and m.to_tier is Tier.RESIDENT
        ]
        if back:
            console.print(
                f"[green]{len(back)} of them were here before[/green], for example {back[0].ref} {back[0].title}"
            )
        self._seen |= {item.ref for item in answer.items}
        console.print()
        return answer

    def _excerpt(self, answer: FocusAnswer) -> None:
        lines = answer.block.splitlines()
        shown = "\n".join(lines[:BLOCK_LINES])
        title = f"the block: what the host puts into the context (first {BLOCK_LINES} of {len(lines)} lines)"
        console.print(
            Panel(Syntax(shown, "python", word_wrap=True, background_color="default"), title=title, title_align="left")
        )

    def _use(self, answer: FocusAnswer) -> None:
        whole = next(i for i in answer.items if i.fidelity is Fidelity.FULL and i.tier is Tier.RESIDENT and i.path)
        uses = (
            Use(ref=whole.ref, action=UseAction.EDIT),
            Use(path="asyncio/timeouts.py", lines=Lines(25, 60), namespace=NAMESPACE),
        )
        console.print(render_touch(self._client.touch(uses), uses, self._shown))

    def _pin(self, words: str) -> None:
        console.print(render_pin(self._client.pin(text=words, reason="house rule"), self._shown))

    def _crash(self, goal: str) -> None:
        before = self._client.status()
        self._say(
            "5. kill -9, in the middle of a call",
            f"The daemon (process {self._process()}) has answered {before.turn} turns. It is killed while it works on "
            "the next.",
        )
        self._cut_short(goal)
        self._daemon.start()
        after = self._client.status()
        whole = after.state_digest == before.state_digest or after.turn == before.turn + 1
        console.print(
            f"Restarted in {self._daemon.started_seconds:.1f} s as process {self._process()}. Digest of the state: "
            f"before the call {before.state_digest[:12]}, after the restart {after.state_digest[:12]}: "
            + (
                "the call had not been committed, nothing of it is there."
                if after.turn == before.turn
                else "it was committed."
            )
        )
        if not whole:
            raise SystemExit("the set after the crash is not one that was acknowledged")
        again = self._client.focus(goal, budget_tokens=BUDGET_TOKENS, request_id="cut-short")
        console.print(f"The same call under the same id: turn {again.turn}, applied once.\n")
        if again.turn != before.turn + 1:
            raise SystemExit("a call was applied twice")
        console.print(render_focus(again, goal, self._shown))

    def _cut_short(self, goal: str) -> None:
        def call() -> None:
            try:
                with HotsetClient(self._daemon.address, agent=AGENT) as client:
                    client.focus(goal, budget_tokens=BUDGET_TOKENS, request_id="cut-short", timeout_seconds=1.0)
            except HotsetError as error:
                console.print(f"[yellow]the call in flight failed: {type(error).__name__}[/yellow]")

        calling = threading.Thread(target=call)
        calling.start()
        time.sleep(0.03)
        self._daemon.kill()
        calling.join()

    def _process(self) -> int:
        assert self._daemon.process is not None
        return self._daemon.process.pid


if __name__ == "__main__":
    main()
