"""Code files as pieces: file head, classes, functions and the code between them.

Without a grammar, a file is its head and chunks by paragraphs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from retrieval.ingest.guards import Reason
from retrieval.ingest.languages.language import Declaration, Language, Sketch
from retrieval.ingest.languages.reading import ParseGivenUp
from retrieval.ingest.languages.testing import tested_files
from retrieval.ingest.pieces import ParsedFile, Piece, SourceLines
from retrieval.ingest.settings import IngestSettings, PieceSettings
from retrieval.ingest.splitting import is_long, pack_rows, split_rows, statement_rows
from retrieval.ingest.tiling import CommentMarks, Segment, Tiler
from retrieval.text.renderings import clip, one_line, render_code, render_lines
from workingset.candidate import Renderings
from workingset.vocabulary import Digest, Lines


def parse_code(
    path: str, text: str, language: Language, digest: Digest, size_bytes: int, settings: IngestSettings
) -> ParsedFile:
    """Cut a file of a known language into pieces that tile it. Bad syntax is cut as far as it is understood.

    A file that its parser cannot cope with is cut like a text without structure, and that is counted.
    """
    try:
        sketch = language.read(text.encode(), path)
    except ParseGivenUp:
        as_text = parse_unknown(path, text, language.name, "file", digest, size_bytes, settings)
        return replace(as_text, cuts=((Reason.PARSED_AS_TEXT.value, 1),))
    lines = SourceLines(text)
    tiler = Tiler(
        lines,
        frozenset(row for row, _ in sketch.values),
        CommentMarks(language.line_comment, language.block_comment),
        settings.pieces,
    )
    segments = _split_long(tiler.cut(sketch.declarations), sketch, lines, settings.pieces)
    maker = _PieceMaker(path, language, lines, sketch, segments, settings)
    pieces = tuple(maker.piece(at) for at in range(len(segments)))
    return ParsedFile(path, language.name, digest, size_bytes, pieces, tuple(sorted(maker.cuts.items())))


def parse_unknown(
    path: str, text: str, language: str, head_kind: str, digest: Digest, size_bytes: int, settings: IngestSettings
) -> ParsedFile:
    """Cut a text without structure that we know of: chunks by paragraphs, the first of the given kind."""
    lines = SourceLines(text)
    pieces: list[Piece] = []
    name = path.rpartition("/")[2]
    for first, last in pack_rows(lines, 0, len(lines) - 1, settings.pieces):
        part = lines.slice(first, last)
        renderings = render_lines(part, settings.renderings)
        title = clip(one_line(renderings.gist), settings.pieces.title_characters) if pieces else name
        kind = "chunk" if pieces else head_kind
        pieces.append(Piece(kind, title, Lines(first + 1, last + 1), part, renderings.outline, renderings.gist))
    return ParsedFile(path, language, digest, size_bytes, tuple(pieces))


class _Part:
    """A segment, or one part of a long one: `number` is 0 for the first or only part, which keeps the names."""

    __slots__ = ("first", "last", "number", "segment")

    def __init__(self, segment: Segment, first: int, last: int, number: int) -> None:
        self.segment = segment
        self.first = first
        self.last = last
        self.number = number


def _split_long(
    segments: Sequence[Segment], sketch: Sketch, lines: SourceLines, settings: PieceSettings
) -> list[_Part]:
    parts: list[_Part] = []
    for segment in segments:
        if not is_long(lines, segment.first, segment.last, settings):
            parts.append(_Part(segment, segment.first, segment.last, 0))
            continue
        statements = statement_rows(sketch.root, lines, segment.first, segment.last)
        cuts = split_rows(lines, segment.first, segment.last, statements, settings)
        parts.extend(_Part(segment, first, last, number) for number, (first, last) in enumerate(cuts))
    return parts


class _PieceMaker:
    """Makes the pieces of one file; `cuts` counts the names it left out, by reason."""

    def __init__(
        self,
        path: str,
        language: Language,
        lines: SourceLines,
        sketch: Sketch,
        parts: Sequence[_Part],
        settings: IngestSettings,
    ) -> None:
        self._path = path
        self._lines = lines
        self._sketch = sketch
        self._parts = parts
        self._settings = settings
        self._modules = language.module_names(path)
        self._file_name = path.rpartition("/")[2]
        self._starts = [part.first for part in parts]
        self._values = self._by_part(sketch.values)
        self._uses = self._by_part(self._inside(sketch.uses))
        self._refers = self._by_part(self._inside(sketch.refers))
        self._declared: list[list[Declaration]] = [[] for _ in parts]
        for declaration in sketch.declarations:
            self._declared[self._part_at(declaration.first_row)].append(declaration)
        self.cuts: dict[str, int] = {}

    def piece(self, at: int) -> Piece:
        """Make the piece of the part at this position."""
        part = self._parts[at]
        text = self._lines.slice(part.first, part.last)
        values = self._value_names(at)
        kind, limits = self._kind(part), self._settings.pieces
        renderings = self._render(part, at, text)
        return Piece(
            kind=kind,
            title=clip(self._title(part, values, text), limits.title_characters),
            lines=Lines(part.first + 1, part.last + 1),
            text=text,
            outline=renderings.outline,
            gist=renderings.gist,
            symbols=self._bounded(self._symbols(part, at, values), limits.symbols, Reason.SYMBOLS_CUT),
            uses=self._bounded(self._uses[at], limits.uses, Reason.USES_CUT),
            imports=self._bounded(self._sketch.imports, limits.imports, Reason.IMPORTS_CUT) if at == 0 else (),
            refers=self._bounded(
                (n for n in self._refers[at] if n not in self._uses[at]), limits.refers, Reason.REFERS_CUT
            ),
            bases=self._bounded(self._bases(part), limits.symbols, Reason.BASES_CUT),
            tested=tested_files(self._path) if at == 0 else (),
            packages=self._bounded(self._sketch.packages, limits.imports, Reason.PACKAGES_CUT) if at == 0 else (),
        )

    def _kind(self, part: _Part) -> str:
        if part.number:
            return "chunk"
        if part.segment.declaration is not None:
            return "class" if part.segment.declaration.is_class else "function"
        return "file" if part.segment.is_head else "chunk"

    def _title(self, part: _Part, values: Sequence[str], text: str) -> str:
        declaration = part.segment.declaration
        if declaration is not None or part.segment.is_head:
            title = declaration.title if declaration is not None else self._file_name
            return f"{title} (part {part.number + 1})" if part.number else title
        if values:
            return ", ".join(values[: self._settings.pieces.title_names])
        if part.segment.scope:
            return f"{part.segment.scope} (body)"
        return one_line(next((line for line in text.split("\n") if line.strip()), self._file_name))

    def _value_names(self, at: int) -> tuple[str, ...]:
        """Qualified names of values defined in the part; inside functions there are none."""
        segment = self._parts[at].segment
        if segment.declaration is not None and not segment.declaration.is_class:
            return ()
        scope = segment.declaration.scope if segment.declaration is not None else segment.scope
        return tuple(f"{scope}.{name}" if scope else name for name in self._values[at])

    def _bases(self, part: _Part) -> tuple[str, ...]:
        declaration = part.segment.declaration
        return () if declaration is None or part.number else declaration.bases

    def _symbols(self, part: _Part, at: int, values: Sequence[str]) -> Iterable[str]:
        if part.segment.is_head and part.number == 0:
            yield from self._modules
        for declaration in self._declared[at]:
            if not declaration.nested:
                yield declaration.title
                yield declaration.name
                if self._modules:
                    yield f"{self._modules[-1]}.{declaration.title}"
        for value in values:
            yield value
            yield value.rpartition(".")[2]

    def _render(self, part: _Part, at: int, text: str) -> Renderings:
        segment, settings = part.segment, self._settings.renderings
        if part.number or (segment.declaration is None and not segment.is_head):
            return render_lines(text, settings)
        if segment.declaration is not None:
            own = segment.declaration
            members = [d.signature for d in self._members(own, at)]
            return render_code(text, own.signature, own.description, members, settings)
        top = [d.signature for d in self._sketch.declarations if not d.nested and "." not in d.title]
        if not self._sketch.description and not top:
            return render_lines(text, settings)
        return render_code(text, self._file_name, self._sketch.description, top, settings)

    def _members(self, own: Declaration, at: int) -> Iterable[Declaration]:
        """What the declaration holds: of a class its methods, of a function what is nested in its first part."""
        if not own.is_class:
            return (d for d in self._declared[at] if d.nested)
        last = own.last_row
        inner: list[Declaration] = []
        for later in range(at, len(self._parts)):
            if self._starts[later] > last:
                break
            inner.extend(d for d in self._declared[later] if not d.nested and d.title.startswith(own.scope + "."))
        return inner

    def _by_part(self, named: Iterable[tuple[int, str]]) -> list[dict[str, None]]:
        """The names by part, each once, in order of their rows."""
        found: list[dict[str, None]] = [{} for _ in self._parts]
        for row, name in sorted(named):
            found[self._part_at(row)].setdefault(name)
        return found

    def _inside(self, named: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
        """The names without those in rows that only joined a function: it is not the function that uses them."""
        for row, name in named:
            own = self._parts[self._part_at(row)].segment.declaration
            if own is None or own.is_class or own.first_row <= row <= own.last_row:
                yield row, name

    def _part_at(self, row: int) -> int:
        return max(0, bisect_right(self._starts, row) - 1)

    def _bounded(self, names: Iterable[str], limit: int, reason: Reason) -> tuple[str, ...]:
        longest = self._settings.pieces.name_characters
        unique = list(dict.fromkeys(names))
        kept = [name for name in unique if len(name) <= longest][:limit]
        if len(kept) < len(unique):
            self.cuts[reason.value] = self.cuts.get(reason.value, 0) + len(unique) - len(kept)
        return tuple(kept)
