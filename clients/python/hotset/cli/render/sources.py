"""Sources for people: what is followed, how it stands, and what was passed over."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from hotset.cli.render.evaluation import facts
from hotset.cli.render.text import count, counted, reasons, visible
from hotset.types import RemoveSourceAnswer, Source, SourceList


def render_source(source: Source) -> RenderableType:
    """Return one source with how it stands."""
    rows: list[tuple[str, RenderableType]] = [("state", Text(_state(source)))]
    if source.because:
        rows.append(("because", Text(visible(source.because))))
    pending = f"; {counted(source.pending, 'change')} pending" if source.pending else ""
    rows.append(("files", Text(f"{count(source.files)} at the last whole scan{pending}")))
    if source.skipped:
        rows.append(("passed over", Text(reasons(source.skipped))))
    heading = f"{visible(source.root)} in {visible(source.namespace)}"
    return Group(Text(heading, style="bold", no_wrap=True, overflow="ellipsis"), facts(rows))


def _state(source: Source) -> str:
    said = f"{source.state.value}, generation {count(source.generation)}"
    if source.progress is None:
        return said
    return f"{said}: {count(source.progress.files_done)} of {count(source.progress.files_total)} files looked at"


def render_sources(answer: SourceList) -> RenderableType:
    """Return all sources, or that there are none."""
    if not answer.sources:
        return Text("no sources are followed")
    return Group(*(render_source(source) for source in answer.sources))


def render_source_removed(answer: RemoveSourceAnswer) -> RenderableType:
    """Return what went with a source."""
    return Text(f"{counted(answer.removed, 'record')} removed, now at generation {count(answer.generation)}")
