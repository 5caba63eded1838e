"""What operators ask, for people: what was collected."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hotset.cli.render.text import add_row, count, visible
from hotset.types import CollectAnswer


def render_collected(answer: CollectAnswer) -> RenderableType:
    """Return what was, or would be, deleted of each namespace's history."""
    heading = "would be deleted" if answer.dry_run else "deleted"
    if not answer.namespaces:
        return Text("there are no namespaces")
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    table.add_column("namespace", overflow="fold")
    for title in ("readable from", "newest", "versions", "edges", "changes", "names"):
        table.add_column(title, justify="right", no_wrap=title != "readable from")
    for each in answer.namespaces:
        numbers = (each.horizon, each.generation, each.versions, each.edges, each.changes, each.names)
        add_row(table, visible(each.namespace), *map(count, numbers))
    notes = [Text(f"{visible(each.namespace)}: {each.note}", style="dim") for each in answer.namespaces if each.note]
    return Group(Text(heading, style="bold"), table, *notes)
