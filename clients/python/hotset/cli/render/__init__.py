"""Answers as renderables of rich: `console.print(render_focus(answer))`. They fit 80 columns and need no colour."""

from __future__ import annotations

from hotset.cli.render.corpus import (
    render_ingest_summary,
    render_list,
    render_namespace,
    render_record,
    render_resolve,
)
from hotset.cli.render.operator import render_collected
from hotset.cli.render.receipts import render_receipt, render_replay
from hotset.cli.render.settings import RenderSettings
from hotset.cli.render.sources import render_source, render_source_removed, render_sources
from hotset.cli.render.succession import render_forget, render_fork, render_handoff
from hotset.cli.render.text import visible
from hotset.cli.render.turn import render_check, render_closed, render_focus, render_pin, render_touch
from hotset.cli.render.working_set import kind_of, render_items, render_moves, render_pins, render_status

__all__ = [
    "RenderSettings",
    "kind_of",
    "render_check",
    "render_closed",
    "render_collected",
    "render_focus",
    "render_forget",
    "render_fork",
    "render_handoff",
    "render_ingest_summary",
    "render_items",
    "render_list",
    "render_moves",
    "render_namespace",
    "render_pin",
    "render_pins",
    "render_receipt",
    "render_record",
    "render_replay",
    "render_resolve",
    "render_source",
    "render_source_removed",
    "render_sources",
    "render_status",
    "render_touch",
    "visible",
]
