"""What an evaluation says, for people: sufficiency, drift, coverage, the remainder, over-budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hotset.cli.render.settings import RenderSettings
from hotset.cli.render.text import Uncut, add_row, count, counted, percent, reasons, spaced, visible, widest
from hotset.types import (
    Architecture,
    Coverage,
    Drift,
    DriftHold,
    DriftVerdict,
    Ignored,
    LaneState,
    Nothing,
    OverBudget,
    PinReport,
    Robustness,
    Sufficiency,
    SufficiencyState,
)

_SUFFICIENCY_STYLE = {
    SufficiencyState.SUFFICIENT: "bold green",
    SufficiencyState.GATHERING: "bold yellow",
    SufficiencyState.SATURATED: "bold cyan",
}
_DRIFT_STYLE = {DriftVerdict.HOLD: "green", DriftVerdict.REFOCUS: "bold magenta", DriftVerdict.STALE: "bold yellow"}

_HOST = "host"
"""The lane of what the caller itself sent."""
_OMISSION_CELLS = 40
"""Cells of the other columns of the table of what was left out beside refs."""
_HELD = {
    DriftHold.FIRST_TURN: "first turn",
    DriftHold.REFOCUSED_LATELY: "refocused lately",
    DriftHold.NOTHING_RANKED: "nothing was found to refocus on",
}
_NOTHING = {
    Nothing.EMPTY: "nothing here matches the goal",
    Nothing.NOT_INDEXED: "the scope is not indexed yet: ingest something, or wait for the indexes",
    Nothing.BELOW_THRESHOLD: "only weak matches, below the relevance floor",
    Nothing.DEGRADED: "a lane was down, so this nothing is not certain",
    Nothing.FAILED: "the search failed; the set is unchanged",
}


def facts(rows: Iterable[tuple[str, RenderableType]]) -> Table:
    """Return a two-column list of names and what there is to say."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, what in rows:
        add_row(table, name, what)
    return table


def sufficiency_line(sufficiency: Sufficiency) -> Text:
    """Return the stop signal with the numbers behind it."""
    line = Text(sufficiency.state.value, style=_SUFFICIENCY_STYLE.get(sufficiency.state, ""))
    numbers = f"captured {percent(sufficiency.captured)}, best left out {sufficiency.marginal:.2f}"
    cause = f": {spaced(sufficiency.cause)}" if sufficiency.cause else ""
    line.append(f"{cause} ({numbers}{'' if sufficiency.calibrated else ', uncalibrated'})", style="not bold default")
    for obligation in sufficiency.open_obligations:
        line.append(f"\nopen: {visible(obligation)}", style="yellow")
    return line


def drift_line(drift: Drift) -> Text:
    """Return the verdict, why it holds where the signals do not say so, and its measured signals."""
    verdict = "not measured" if drift.verdict is DriftVerdict.UNSPECIFIED else drift.verdict.value
    line = Text(verdict, style=_DRIFT_STYLE.get(drift.verdict, ""))
    if drift.held is not DriftHold.UNSPECIFIED:
        line.append(f": {_HELD.get(drift.held, spaced(drift.held.value))}", style="not bold default")
    measured = [f"{spaced(each.name)} {each.value:.2f}/{each.threshold:.2f}" for each in drift.signals if each.measured]
    if measured:
        line.append(f" ({', '.join(measured)})", style="not bold default")
    if drift.stale:
        line.append(f"; {counted(len(drift.stale), 'entry', 'entries')} changed or went", style="yellow")
    return line


def coverage_line(coverage: Coverage) -> Text:
    """Return the coverages, apart from each other, what is owed and open, every lane that did not take full part, and
    hints that came to nothing."""
    line = Text(
        f"support {spaced(coverage.support_closure.value)}; search {spaced(coverage.search.value)};"
        f" opposition {spaced(coverage.opposition.value)}; freshness {spaced(coverage.freshness.value)}"
    )
    if coverage.robustness not in {Robustness.UNSPECIFIED, Robustness.NOT_REQUESTED}:
        line.append(f"; robustness {spaced(coverage.robustness.value)}")
    for lane in coverage.lanes:
        said = bool(lane.note) and lane.state is LaneState.OK and lane.lane == _HOST
        if lane.state in {LaneState.OK, LaneState.SKIPPED} and lane.covered >= 1 and not said:
            continue
        behind = f": {counted(lane.lag, 'change')} behind" if lane.lag else ""
        note = f": {visible(lane.note)}" if lane.note else behind
        seen = f", sees {percent(lane.covered)}" if lane.covered < 1 else ""
        line.append(f"\nlane {visible(lane.lane)} {spaced(lane.state.value)}", style="yellow")
        line.append(f"{seen}{note}")
    for owed in coverage.obligations:
        if owed.open:
            line.append(f"\nowed and not met: {spaced(owed.kind.value)} {spaced(owed.status.value)}", style="yellow")
            line.append(f": {visible(owed.note)}")
    for opposed in coverage.opposed:
        line.append(f"\n{visible(opposed.ref)} is opposed by {', '.join(map(visible, opposed.by))}", style="yellow")
    if coverage.architecture is not None:
        line.append(_architecture(coverage.architecture))
    for entity in coverage.entities:
        if not entity.found:
            line.append(f"\n“{visible(entity.name)}” occurs nowhere in scope", style="yellow")
    if coverage.rejected:
        line.append(f"\nnot valid at the cut: {reasons(coverage.rejected)}")
    return line


def _architecture(found: Architecture) -> Text:
    """Return how results stand to the manifests of their trees."""
    line = Text(f"\narchitecture: {reasons(found.counts) or 'nothing judged'}")
    for eroded in found.eroded:
        line.append(f"\n{visible(eroded.ref)} breaks a rule: {visible(eroded.because)}", style="yellow")
    for pattern in found.missing:
        line.append(f"\nnothing matches {visible(pattern)}, which must be there", style="yellow")
    for error in found.errors:
        line.append(f"\nmanifest not heeded: {visible(error)}", style="yellow")
    return line


def ignored_table(ignored: Ignored, settings: RenderSettings) -> RenderableType:
    """Return what was left out: the counts by reason, and the best of it."""
    why = f": {reasons(ignored.reasons)}" if ignored.reasons else ""
    near = (
        f"; {counted(ignored.near_misses, 'near miss', 'near misses')} below the floor" if ignored.near_misses else ""
    )
    less = f"; {count(ignored.reduced)} more in the block not whole" if ignored.reduced else ""
    heading = Text(f"Left out: at most {count(ignored.count)}{why}{less}{near}", style="bold")
    if not ignored.best:
        return heading
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=3)
    table.add_column(style="dim", overflow="ellipsis", no_wrap=True, ratio=2)
    table.expand = True
    best = ignored.best[: settings.omissions]
    longest = widest(visible(omission.ref) for omission in best)
    if settings.refs:
        table.add_column(no_wrap=True, width=longest)
    for omission in best:
        ref = [Text(visible(omission.ref))] if settings.refs else []
        title = visible(omission.title or omission.ref)
        add_row(table, f"  {omission.relevance:.2f}", title, spaced(omission.why), *ref)
    shown = Uncut(table, longest + _OMISSION_CELLS) if settings.refs else table
    hidden = len(ignored.best) - settings.omissions
    more = f"  … {count(hidden)} more named" if hidden > 0 else "  … and more behind them" if ignored.truncated else ""
    return Group(heading, shown, Text(more, style="dim")) if more else Group(heading, shown)


def over_budget_panel(over: OverBudget) -> RenderableType:
    """Return what does not fit, and what to do."""
    return _over_budget(
        over,
        f"Pins and what results must have need {count(over.needed_tokens)} tokens. Nothing was lost:"
        " raise the budget to that, or unpin something.",
    )


def not_pinned_panel(over: OverBudget) -> RenderableType:
    """Return that a pin was not made, what it would not fit beside, and what to do."""
    needed = count(over.needed_tokens)
    return _over_budget(
        over,
        f"Not pinned: with it, pins and what they must have would need {needed} tokens. Focus with a budget of"
        f" {needed} or more, or unpin something, then pin again.",
    )


def _over_budget(over: OverBudget, advice: str) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for offender in over.offenders:
        title = visible(offender.title) or visible(offender.ref)
        add_row(table, count(offender.tokens), spaced(offender.tier.value), f"{title}  [{visible(offender.ref)}]")
    return Panel(Group(Text(advice), table), title="OVER BUDGET", border_style="bold red")


def nothing_line(nothing: Nothing) -> Text:
    """Return which kind of nothing an empty answer is."""
    return Text(f"Nothing found: {_NOTHING.get(nothing, spaced(nothing.value))}", style="yellow")


def pin_reports(reports: Iterable[PinReport]) -> Iterator[Text]:
    """Yield a line for each pin whose record changed its standing."""
    for report in reports:
        successor = f" by {visible(report.successor)}" if report.successor else ""
        line = Text(f"Pin {visible(report.ref)} is {spaced(report.standing.value)}{successor}. ", style="yellow")
        if report.replaced_by:
            line.append(f"Pinned in its place: {visible(report.replaced_by)}. ", style="green")
        line.append(visible(report.what_to_do))
        yield line
