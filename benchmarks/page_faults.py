"""How often does an agent reach for text that its working set does not hold?

Measure M1: real sessions over the trees that they began with, one `Focus` a turn and one `Touch` for each open or edit.
A reference is a fault where less than 90 % of its lines are in the set at full fidelity. Prints a table for each budget
with baselines and bounds on the same pages, the paired bootstrap of the product's default against each of them, and
whether the floors hold. The time of a Focus is that of the core alone, with counting tokens and without retrieval.
RESULT lines are for programs: `n` is sessions, rates are shares of references, tokens are per session.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.data import set_name, stop
from benchmarks.fault_floors import verdicts
from benchmarks.fault_rates import Rates, difference, rates
from benchmarks.library_caches import CACHES
from benchmarks.replaying import DEFAULT, NAMES, ROWS, Asked, SessionReplays, replays
from benchmarks.results import percent, result_line, table
from benchmarks.session_options import POOLED, Flattened, add_session_options, read_all, sources_of
from benchmarks.trees import TreeMissing
from workingset.vocabulary import Tokens


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that was replayed, by set, and the traces whose tree could not be had, by set."""

    sets: dict[str, list[SessionReplays]]
    missing: dict[str, Counter[str]]

    def sessions(self, name: str) -> list[SessionReplays]:
        """The sessions of a set, or all of them pooled, that have a reference."""
        chosen = [s for sessions in self.sets.values() for s in sessions] if name == POOLED else self.sets[name]
        return [session for session in chosen if session.cold]

    def rates(self, name: str, row: str, budget: Tokens) -> Rates:
        """The rates of one row of a table."""
        sessions = self.sessions(name)
        return rates([s.replayed[row, budget] for s in sessions], [s.cold for s in sessions])


def main() -> None:
    """Replay, print."""
    options = _options()
    if options.page_in == "on":
        stop("--page-in on: page-in by goal comes with a later step; only demand paging can be measured now")
    asked = Asked(tuple(dict.fromkeys(row for name in options.policy for row in NAMES[name])), options.budgets)
    run = _replay_all(options, asked)
    if not run.sessions(POOLED):
        stop(f"no session could be replayed: {dict(run.missing)}\n--git-dirs wants bare clones at DIR/owner+name/repo")
    print(_inputs(run))
    for budget in asked.budgets:
        print(f"\n{_table(run, asked, budget)}")
        if DEFAULT in asked.rows:
            print(f"\n{_compared(run, asked, budget, options.seed)}")
    if DEFAULT in asked.rows:
        print("\nFloors and goals for eviction alone, pooled:")
        print("\n".join(verdicts(_pooled_faults(run, asked))))
    print()
    for line in _result_lines(run, asked):
        print(line)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if unknown := [name for name in names if name not in NAMES]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: there are {', '.join(NAMES)}")
    return names


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_session_options(parser)
    parser.add_argument(
        "--policy",
        nargs="+",
        type=_names,
        action=Flattened,
        default=tuple(ROWS),
        metavar="NAME",
        help=f"of {', '.join(NAMES)}, with blanks or commas between",
    )
    parser.add_argument("--page-in", choices=("on", "off"), default="off")
    parser.add_argument("--seed", type=int, default=1, help="of the bootstrap")
    return parser.parse_args()


def _replay_all(options: argparse.Namespace, asked: Asked) -> Run:
    sources, traces = sources_of(options), read_all(options)
    run = Run({set_name(file): [] for file in options.traces}, defaultdict(Counter))
    for number, (trace, found) in enumerate(zip(traces, replays(traces, sources, asked), strict=True), 1):
        if isinstance(found, TreeMissing):
            run.missing[trace.set_name][str(found)] += 1
        else:
            run.sets[trace.set_name].append(found)
        if sys.stderr.isatty():
            print(f"\r{number}/{len(traces)} traces", end="", file=sys.stderr, flush=True)
    return run


def _inputs(run: Run) -> str:
    """What was measured on, and all that was left out, with reasons."""
    reasons = sorted({reason for s in run.sessions(POOLED) for reason in s.skipped})
    head = ("set", "traces", "no tree", "no reference", "turns", "references", "wide", *reasons)
    rows: list[tuple[str, ...]] = []
    for name, sessions in run.sets.items():
        skipped = sum((Counter(s.skipped) for s in sessions), Counter[str]())
        counts = (
            len(sessions),
            run.missing[name].total(),
            sum(not s.cold for s in sessions),
            sum(s.turns for s in sessions),
            sum(len(s.cold) for s in sessions),
            sum(s.wide for s in sessions),
            *(skipped[reason] for reason in reasons),
        )
        rows.append((name, *(f"{count:,}" for count in counts)))
    return f"Page-in off. References that touch no page of the start tree are skipped and counted.\n{table(head, rows)}"


def _table(run: Run, asked: Asked, budget: Tokens) -> str:
    names = list(run.sets)
    head = (
        f"budget {budget:,}: fault %",
        *names,
        POOLED,
        "cold",
        "capacity",
        "tokens/turn",
        "delivered/trace",
        "focus p50 ms",
        "p99 ms",
    )
    rows: list[tuple[str, ...]] = []
    for row in asked.rows:
        pooled = run.rates(POOLED, row, budget)
        rows.append(
            (
                row,
                *(percent(run.rates(name, row, budget).faults) for name in names),
                percent(pooled.faults, 2),
                percent(pooled.cold, 2),
                percent(pooled.faults - pooled.cold, 2),
                f"{pooled.resident_tokens:,.0f}",
                f"{pooled.delivered_tokens:,.0f}",
                *((f"{pooled.focus_p50_ms:.2f}", f"{pooled.focus_p99_ms:.2f}") if row == DEFAULT else ("", "")),
            )
        )
    note = "libcachesim's caches admit page by page, for information only." if CACHES.keys() & set(asked.rows) else ""
    return "\n".join(part for part in (table(head, rows), note) if part)


def _compared(run: Run, asked: Asked, budget: Tokens, seed: int) -> str:
    sessions = run.sessions(POOLED)
    own = [s.replayed[DEFAULT, budget] for s in sessions]
    rows: list[tuple[str, ...]] = []
    for row in asked.rows:
        if row != DEFAULT:
            found = difference(own, [s.replayed[row, budget] for s in sessions], seed)
            rows.append((row, f"{found.points:+.2f}", f"[{found.low:+.2f}, {found.high:+.2f}]"))
    return table((f"budget {budget:,}: default minus", "points", "95 % interval"), rows)


def _pooled_faults(run: Run, asked: Asked) -> dict[tuple[str, Tokens], float]:
    return {
        (row, budget): 100 * run.rates(POOLED, row, budget).faults for row in asked.rows for budget in asked.budgets
    }


def _result_lines(run: Run, asked: Asked) -> Sequence[str]:
    return [
        result_line(
            "M1",
            {
                "set": name,
                "n": found.sessions,
                "budget": budget,
                "policy": row,
                "page_in": "off",
                "faults": found.faults,
                "cold": found.cold,
                "delivered_tokens": found.delivered_tokens,
                "focus_p50_ms": found.focus_p50_ms,
                "focus_p99_ms": found.focus_p99_ms,
            },
        )
        for budget in asked.budgets
        for row in asked.rows
        for name in (*run.sets, POOLED)
        if (found := run.rates(name, row, budget)).references
    ]


if __name__ == "__main__":
    main()
