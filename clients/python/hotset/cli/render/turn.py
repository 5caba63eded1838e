"""A turn for people: Focus, Check, Touch, and the small answers."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hotset.cli.render.evaluation import (
    coverage_line,
    drift_line,
    facts,
    ignored_table,
    not_pinned_panel,
    nothing_line,
    over_budget_panel,
    pin_reports,
    sufficiency_line,
)
from hotset.cli.render.settings import RenderSettings
from hotset.cli.render.text import add_row, count, counted, percent, reasons, visible
from hotset.cli.render.working_set import (
    UNDO,
    budget_line,
    faults_line,
    kind_of,
    render_items,
    render_moves,
    render_pins,
    render_status,
)
from hotset.types import (
    CheckAnswer,
    CloseAnswer,
    FocusAnswer,
    Move,
    ObservedUse,
    PinAnswer,
    Tier,
    TouchAnswer,
    Touched,
    Use,
)


def render_focus(answer: FocusAnswer, goal: str = "", settings: RenderSettings | None = None) -> RenderableType:
    """Return one turn: enough or not, what moved and why, what is in the block, and what was left out."""
    settings = settings or RenderSettings()
    if answer.check is not None:
        return render_check(answer.check, goal, settings)
    if answer.status is not None:
        return render_status(answer.status, settings)
    parts: list[RenderableType] = [_head(answer, goal, settings)]
    if answer.over_budget is not None:
        parts.append(over_budget_panel(answer.over_budget))
    if answer.filtering_reason is not None:
        parts.append(nothing_line(answer.filtering_reason))
    parts += pin_reports(answer.pin_reports)
    if answer.undo_offered:
        parts.append(Text(UNDO, style="magenta"))
    parts.append(render_moves(answer.moves, settings))
    if answer.items:
        where = "block" if answer.over_budget is None else "set, with an empty block"
        heading = f"In the {where}: {counted(len(answer.items), 'entry', 'entries')}"
        parts += [Text(heading, style="bold"), render_items(answer.items, settings)]
    parts += [ignored_table(answer.ignored, settings), _foot(answer)]
    return Group(*parts)


def _head(answer: FocusAnswer, goal: str, settings: RenderSettings) -> RenderableType:
    rows: list[tuple[str, RenderableType]] = []
    if goal:
        rows.append(("goal", Text(visible(goal))))
    rows += [
        ("enough?", sufficiency_line(answer.sufficiency)),
        ("drift", drift_line(answer.drift)),
        ("budget", budget_line(answer.budget, settings)),
        ("coverage", coverage_line(answer.coverage)),
    ]
    marks = [mark for mark, holds in (("replayed", answer.replayed), ("DEGRADED", answer.degraded)) if holds]
    title = ", ".join([f"{visible(answer.agent)}: turn {answer.turn}", *marks])
    style = "yellow" if answer.degraded else ""
    return Panel(facts(rows), title=Text(title), title_align="left", border_style=style)


def _foot(answer: FocusAnswer) -> Text:
    took = sum(step.milliseconds for step in answer.steps)
    parts = [
        f"prefix kept {percent(answer.prefix_stable)}",
        f"model calls {count(answer.model_calls)}",
        f"embedding calls {count(answer.embedding_calls)}",
    ]
    if answer.steps:
        parts.append(f"{took:.0f} ms")
    if answer.receipt:
        parts.append(f"receipt {visible(answer.receipt)}")
    return Text(" · ".join(parts), style="dim")


def render_check(answer: CheckAnswer, goal: str = "", settings: RenderSettings | None = None) -> RenderableType:
    """Return the answer to "do I have enough?"."""
    settings = settings or RenderSettings()
    rows: list[tuple[str, RenderableType]] = [("goal", Text(visible(goal)))] if goal else []
    rows += [
        ("enough?", sufficiency_line(answer.sufficiency)),
        ("drift", drift_line(answer.drift)),
        ("coverage", coverage_line(answer.coverage)),
    ]
    title = f"{visible(answer.agent)}: check at turn {answer.turn}, nothing moved"
    parts: list[RenderableType] = [Panel(facts(rows), title=Text(title), title_align="left")]
    if answer.over_budget is not None:
        parts.append(over_budget_panel(answer.over_budget))
    if answer.filtering_reason is not None:
        parts.append(nothing_line(answer.filtering_reason))
    parts += pin_reports(answer.pin_reports)
    parts.append(ignored_table(answer.ignored, settings))
    return Group(*parts)


def render_touch(
    answer: TouchAnswer, uses: tuple[Use, ...] = (), settings: RenderSettings | None = None, searched: str = ""
) -> RenderableType:
    """Return which uses were hits and which were faults; `uses`, as they were sent, give them names.
    `searched` says why nothing was found where that is so."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    titles = {move.ref: visible(move.title) for move in answer.moves}
    for touched in answer.touched:
        word = Text("fault", style="yellow") if touched.fault else Text("hit", style="green")
        what = _named(touched, titles)
        add_row(table, word, Text(f"{_name(touched.use, uses)}{what}"))
    for use in answer.unmatched:
        add_row(table, Text("unknown", style="red"), Text(f"{_name(use, uses)}matches no record"))
    for used in answer.observed:
        word = Text("fault", style="yellow") if used.fault else Text("hit", style="green")
        what = _named(used, titles)
        add_row(table, word, Text(f"{used.action.value} {visible(used.matched)} → {what}"))
    nothing = "No use of any record was found" + (f": {searched}" if searched else "")
    parts: list[RenderableType] = [table] if table.row_count else [Text(nothing)]
    if answer.kept:
        parts.append(Text(f"Kept: {', '.join(visible(ref) for ref in answer.kept)}", overflow="fold"))
    if answer.passed_over:
        parts.append(Text(f"Passed over: {reasons(answer.passed_over)}", style="dim"))
    return Group(*parts, render_moves(_lasting(answer.moves), settings), faults_line(answer.faults))


def _lasting(moves: tuple[Move, ...]) -> list[Move]:
    """Moves without those that the rest of them undid: what got no place was not paged in."""
    last = {move.ref: move.to_tier for move in moves}
    without_text = {Tier.EVICTED, Tier.FRONTIER_ONLY}
    undone = [m for m in moves if last[m.ref] in without_text and m.to_tier not in without_text]
    return [move for move in moves if kind_of(move) != "paged in" or move not in undone]


def _named(used: Touched | ObservedUse, titles: dict[str, str]) -> str:
    def names(refs: tuple[str, ...]) -> str:
        return ", ".join(titles.get(ref) or visible(ref) for ref in refs)

    what = names(used.refs)
    if used.paged_in:
        what += f"\npaged in: {names(used.paged_in)}"
    if used.no_place:
        what += f"\nno place for all of: {names(used.no_place)}"
    return what


def _name(place: int, uses: tuple[Use, ...]) -> str:
    if place >= len(uses):
        return ""
    use = uses[place]
    lines = f":{use.lines.start}-{use.lines.end}" if use.lines else ""
    return f"{use.action.value} {visible((use.path or use.ref) + lines)} → " if use.path else f"{use.action.value} "


def render_pin(answer: PinAnswer, settings: RenderSettings | None = None) -> RenderableType:
    """Return the pin that was taken, or why it was not."""
    if answer.over_budget is not None:
        return not_pinned_panel(answer.over_budget)
    parts: list[RenderableType] = [Text("Pinned", style="bold")]
    if answer.pin is not None:
        parts.append(render_pins([answer.pin]))
    parts.append(render_moves(answer.moves, settings))
    return Group(*parts)


def render_closed(answer: CloseAnswer, settings: RenderSettings | None = None) -> RenderableType:
    """Return the request that is done, and what that moved."""
    closed = Text("Closed: ", style="bold")
    closed.append(visible(answer.user_request), style="not bold")
    return Group(closed, render_moves(answer.moves, settings))
