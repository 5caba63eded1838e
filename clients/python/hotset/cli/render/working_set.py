"""Entries, moves, the budget and the whole set, for people."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from hotset.cli.render.evaluation import drift_line, facts
from hotset.cli.render.settings import RenderSettings
from hotset.cli.render.text import (
    Bar,
    Tail,
    Uncut,
    add_row,
    count,
    counted,
    moment,
    place,
    spaced,
    tier_word,
    visible,
    widest,
)
from hotset.types import Budget, Faults, Ghost, Item, Move, Pin, PinOwner, StatusAnswer, Tier

TIER_STYLE = {
    Tier.PINNED: "magenta",
    Tier.MANDATORY: "blue",
    Tier.RESIDENT: "green",
    Tier.FRONTIER_ONLY: "cyan",
    Tier.EVICTED: "dim",
}
UNDO = "This refocus can be taken back until the next focus: hotset undo"
_ITEM_CELLS = 56
"""Cells of the other columns of the table of entries beside refs, 16 of them for what an entry is."""
_PIN_CELLS = 58
"""Cells of the other columns of the table of pins beside refs."""
_LAST_END = {PinOwner.GOAL: "the next goal", PinOwner.REQUEST: "closed"}
_RANK = {tier: rank for rank, tier in enumerate(Tier)}
_KINDS = (
    ("paged in", "+", "green"),
    ("promoted", "↑", "green"),
    ("kept", "=", "dim"),
    ("demoted", "↓", "yellow"),
    ("evicted", "-", "red"),
)


def kind_of(move: Move) -> str:
    """Return what a move is called: paged in, promoted, kept, demoted or evicted."""
    if move.to_tier is Tier.EVICTED:
        return "evicted"
    if move.from_tier in {Tier.UNSPECIFIED, Tier.EVICTED}:
        return "paged in"
    risen = _RANK[move.from_tier] - _RANK[move.to_tier]
    return "promoted" if risen > 0 else "demoted" if risen < 0 else "kept"


def render_moves(moves: Sequence[Move], settings: RenderSettings | None = None) -> RenderableType:
    """Return moves grouped by kind, each with its reason."""
    settings = settings or RenderSettings()
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True, width=10)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=3)
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=20)
    table.add_column(style="dim", no_wrap=True, overflow="ellipsis", ratio=2)
    summary: list[str] = []
    for kind, sign, style in _KINDS:
        chosen = [move for move in moves if kind_of(move) == kind]
        if not chosen:
            continue
        summary.append(f"{count(len(chosen))} {kind}")
        for move in chosen[: settings.moves]:
            way = tier_word(move.to_tier)
            if kind == "evicted":
                way = f"was {tier_word(move.from_tier)}"
            elif kind in {"promoted", "demoted"}:
                way = f"{tier_word(move.from_tier)} → {way}"
            title = Text(visible(move.title or move.ref))
            add_row(table, Text(f"{sign} {kind}", style=style), title, way, spaced(move.reason))
        if len(chosen) > settings.moves:
            add_row(table, "", Text(f"… {count(len(chosen) - settings.moves)} more {kind}", style="dim"), "", "")
    heading = Text(f"Moves: {', '.join(summary) if summary else 'none'}", style="bold")
    return Group(heading, table) if summary else heading


def render_items(items: Sequence[Item], settings: RenderSettings | None = None) -> RenderableType:
    """Return entries as a table: tier, fidelity, tokens, heat, what and where."""
    settings = settings or RenderSettings()
    table = Table(box=None, padding=(0, 1), expand=True, header_style="dim", pad_edge=False)
    table.add_column("tier", no_wrap=True, width=9)
    table.add_column("shown", no_wrap=True, width=9)
    table.add_column("tokens", no_wrap=True, justify="right", width=6)
    table.add_column("heat", no_wrap=True, width=settings.heat_cells)
    table.add_column("what", no_wrap=True, overflow="ellipsis", ratio=3)
    longest = widest(visible(item.ref) for item in items[: settings.items])
    if settings.refs:
        table.add_column("ref", no_wrap=True, width=longest)
    else:
        table.add_column("where", no_wrap=True, overflow="ellipsis", ratio=2, style="dim")
    hottest = max((item.heat for item in items), default=0.0)
    for item in items[: settings.items]:
        share = item.heat / hottest if hottest > 0 else 0.0
        style = TIER_STYLE.get(item.tier, "")
        add_row(
            table,
            Text(tier_word(item.tier), style=style),
            item.fidelity.value,
            count(item.tokens),
            Bar(((share, "red"),), settings.heat_cells),
            _what(item),
            Text(visible(item.ref)) if settings.refs else Tail(place(item.path, item.lines)),
        )
    shown = Uncut(table, longest + _ITEM_CELLS) if settings.refs else table
    if len(items) > settings.items:
        rest = sum(item.tokens for item in items[settings.items :])
        more = f"… {count(len(items) - settings.items)} more entries, {count(rest)} tokens"
        return Group(shown, Text(more, style="dim"))
    return shown


def _what(item: Item) -> Text:
    text = Text(visible(item.title or item.ref))
    if item.required_by:
        text.append(f" ← {visible(item.required_by[0])}", style="blue")
    return text


def budget_line(budget: Budget, settings: RenderSettings | None = None) -> RenderableType:
    """Return the budget as a bar with each tier's share, and the figures."""
    settings = settings or RenderSettings()
    ceiling = max(budget.ceiling_tokens, 1)
    shares = (
        ("pinned", budget.pinned_tokens, Tier.PINNED),
        ("mandatory", budget.mandatory_tokens, Tier.MANDATORY),
        ("resident", budget.resident_tokens, Tier.RESIDENT),
        ("frontier", budget.frontier_tokens, Tier.FRONTIER_ONLY),
    )
    bar = Bar(tuple((tokens / ceiling, TIER_STYLE[tier]) for _, tokens, tier in shares), settings.budget_cells)
    figures = Text(f"{count(budget.used_tokens)} / {count(budget.ceiling_tokens)} tokens")
    if budget.estimated:
        figures.append(" (estimated)", style="yellow")
    row = Table.grid(padding=(0, 1))
    row.add_row(bar, figures)
    parts = Text(", ").join(Text(f"{name} {count(tokens)}", style=TIER_STYLE[tier]) for name, tokens, tier in shares)
    return Group(row, parts)


def render_pins(pins: Sequence[Pin], settings: RenderSettings | None = None) -> RenderableType:
    """Return pins with owner, reason and expiry."""
    refs = settings is not None and settings.refs
    longest = widest(visible(pin.ref) for pin in pins)
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False, expand=True)
    table.add_column("owner", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    table.add_column("until", no_wrap=True)
    table.add_column("what", overflow="ellipsis", no_wrap=True, ratio=3)
    table.add_column("why", overflow="ellipsis", no_wrap=True, ratio=2, style="dim")
    if refs:
        table.add_column("ref", no_wrap=True, width=longest)
    for pin in pins:
        what = Text(visible(pin.title or pin.ref))
        ref = [Text(visible(pin.ref))] if refs else []
        add_row(table, pin.owner.value, count(pin.tokens), _until(pin), what, visible(pin.reason), *ref)
    return Uncut(table, longest + _PIN_CELLS) if refs else table


def _until(pin: Pin) -> str:
    """Return the ends of a pin, the first of which counts, a line each."""
    ends = [f"turn {pin.expires_turn}"] if pin.expires_turn else []
    if pin.expires_with_epoch:
        ends.append("reset")
    if pin.expires_at_seconds:
        ends.append(moment(pin.expires_at_seconds))
    last = [_LAST_END.get(pin.owner, "unpinned")] if not ends else []
    follows = ["follows its successor"] if pin.follow_successor else []
    return "\n".join([*ends, *last, *follows])


def faults_line(faults: Faults) -> Text:
    """Return how often what the agent used was there."""
    return Text(
        f"{counted(faults.references, 'use')}: {counted(faults.hits, 'hit')}, {counted(faults.faults, 'fault')},"
        f" {counted(faults.refaults, 'refault')}"
    )


def _ghosts(ghosts: Sequence[Ghost], total: int, settings: RenderSettings) -> RenderableType:
    newest = sorted(ghosts, key=lambda ghost: (-ghost.evicted_turn, ghost.ref))
    lines = [
        Text(
            f"  turn {ghost.evicted_turn}: {_called(ghost, settings)} ({spaced(ghost.reason)})",
            no_wrap=True,
            overflow="ignore" if settings.refs else "ellipsis",
        )
        for ghost in newest[: settings.ghosts]
    ]
    hidden = total - len(lines)
    if hidden > 0:
        lines.append(Text(f"  … {count(hidden)} more", style="dim"))
    return Group(Text(f"Evicted, may return: {count(total)}", style="bold"), *lines)


def _called(ghost: Ghost, settings: RenderSettings) -> str:
    title = visible(ghost.title or ghost.ref)
    return f"{visible(ghost.ref)} {title}" if settings.refs and ghost.title else title


def render_status(answer: StatusAnswer, settings: RenderSettings | None = None) -> RenderableType:
    """Return the whole working set as it stands."""
    settings = settings or RenderSettings()
    generations = ", ".join(f"{visible(each.namespace)}@{each.generation}" for each in answer.cut.generations)
    rows: list[tuple[str, RenderableType]] = [("goal", Text(visible(answer.goal) or "none yet"))]
    if answer.user_request:
        rows.append(("request", Text(visible(answer.user_request))))
    rows += [
        ("budget", budget_line(answer.budget, settings)),
        ("drift", drift_line(answer.drift)),
        ("use", faults_line(answer.faults)),
        ("store", Text(generations or "not read yet: no Focus so far")),
    ]
    if answer.undo_offered:
        rows.append(("undo", Text(UNDO, style="magenta")))
    if answer.lineage:
        rows.append(("from", Text(" ← ".join(visible(each) for each in answer.lineage))))
    if answer.reset_reason:
        rows.append(("reset", Text(visible(answer.reset_reason))))
    head = facts(rows)
    title = f"{visible(answer.agent)}: turn {answer.turn}, epoch {answer.epoch}"
    parts: list[RenderableType] = [Panel(head, title=Text(title), title_align="left")]
    if answer.pins:
        parts += [Text(f"Pins: {count(len(answer.pins))}", style="bold"), render_pins(answer.pins, settings)]
    parts.append(Text(f"In the set: {counted(len(answer.items), 'entry', 'entries')}", style="bold"))
    if answer.items:
        parts.append(render_items(answer.items, settings))
    if answer.ghost_count:
        parts.append(_ghosts(answer.ghosts, answer.ghost_count, settings))
    return Group(*parts)
