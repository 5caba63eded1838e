"""Every number of the ranker of code: what it weighs, what it looks at, how far it looks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FileWeights:
    """What each feature of a file counts, all measured by `benchmarks/fit_ranking.py` unless said otherwise."""

    chunk: float = 1.43
    """Best part of the file by its words."""
    chunks: float = 1.33
    """Its three best parts by their words, the second at 1/2, the third at 1/3."""
    first_line: float = 0.61
    """The same, for the first line of the goal alone."""
    titles: float = 0.96
    """The same, for the names of parts alone."""
    path: float = 1.25
    """Words of the path."""
    mention: float = 1.03
    """The path, its end, or the module is written in the goal."""
    frame: float = 0.42
    """The goal holds a traceback through the file; its last frame counts most."""
    defines: float = 1.04
    """Symbols that the goal names are defined here."""
    uses: float = 0.58
    """Rare identifiers of the goal occur here."""
    phrase: float = 0.14
    """Messages that the goal quotes are written here."""
    commits: float = 0.62
    """Commits whose message is like the goal changed the file."""
    recent: float = 0.57
    """Changed within some ten commits."""
    frequent: float = -0.09
    """Changed often within some hundred commits."""
    together: float = 0.68
    """Changed together with the first files by the other features."""
    folder: float = 0.34
    """In the folder of the first files by the other features."""
    likeness: float = 1.7
    """Best cosine of a part to the goal."""
    initial: float = -0.62
    """Is a file that only gathers others: `__init__.py`, `index.ts`, `mod.rs`."""
    test: float = -1.61
    """Is a test."""
    wordy: float = -1.93
    """Is of no programming language that ingest reads: change logs and manuals hold the words of every issue."""
    aside: float = -0.8
    """Lies in a folder of documentation, examples, benchmarks or scripts."""


SHORT = FileWeights(
    chunk=0.37,
    chunks=0.4,
    first_line=0.87,
    titles=0.44,
    path=1.21,
    mention=0.3,
    frame=0.14,
    defines=1.02,
    uses=0.27,
    phrase=0.02,
    commits=0.11,
    recent=1.15,
    frequent=0.16,
    together=0.8,
    folder=0.3,
    likeness=0.69,
    initial=-0.05,
    test=-0.44,
    wordy=-1.0,
    aside=-0.07,
)
"""Weights for goals of few terms: what was worked on lately tells more, words less."""


@dataclass(frozen=True, slots=True)
class RecordWeights:
    """What each feature of a part counts beside the score of its file."""

    chunk: float = 0.68
    """Words of the part."""
    first_line: float = 0.18
    """Words of the first line."""
    title: float = 0.57
    """Words of its name."""
    likeness: float = 0.11
    """Cosine to the goal."""
    without_likeness: float = -0.49
    """The goal was not compared with it: what an average cosine would have counted."""
    line: float = 0.26
    """A line of it is written in the goal."""
    defines: float = 0.41
    """A symbol that the goal names is defined here."""
    length: float = 0.8
    """ln(1 + lines) / 5."""
    whole: float = 0.01
    """Is a function, or a part of one."""


@dataclass(frozen=True, slots=True)
class CodeRankingSettings:
    """The profile `code-1`."""

    long: FileWeights = field(default_factory=FileWeights)
    """Weights of files for a goal with many terms, such as an issue."""
    short: FileWeights = SHORT
    """Weights of files for a goal with few, such as a prompt: what was worked on lately tells more, words less."""
    short_terms: int = 20
    """Measured on both kinds of rows: a goal with fewer distinct terms is short (sessions R@5 40.0 cross-fitted, 38.8
    with one set of weights; Lite 87.3 from 83 to 85)."""
    record: RecordWeights = field(default_factory=RecordWeights)
    title_share: float = 0.5
    """Cited: names of parts count half of their words (design, recipes, 1.3)."""
    chunk_hits: int = 800
    """Guess: so many parts are grouped by file; it costs 2 ms and no read."""
    first_line_hits: int = 300
    """Guess, as above."""
    title_hits: int = 200
    """Guess, as above."""
    path_hits: int = 100
    """Guess: files by the words of their path."""
    name_limit: int = 24
    """Guess: identifiers looked up."""
    defining_records: int = 24
    """Guess: a symbol that more records define names none of them."""
    using_records: int = 60
    """Guess: an identifier in more parts is no rare one."""
    using_files: int = 20
    """Cited: nor one in more files (design, recipes, 1.3)."""
    phrase_limit: int = 6
    """Guess: messages looked for."""
    phrase_records: int = 12
    """Guess: parts read for each."""
    commit_hits: int = 40
    """Cited (design, recipes, 1.3)."""
    commit_files: int = 20
    """Cited, as above: a larger commit says nothing of one file."""
    commit_candidates: int = 15
    """Guess: files that such commits make candidates, whatever else is said of them."""
    recent_files: int = 20
    """Guess: files changed last that are candidates whatever the goal says."""
    candidate_files: int = 70
    """Guess: files whose features are worked out in full."""
    remembered_places: int = 200_000
    """Guess, some 30 MB: files whose numbers are known, so that no record is read to learn them."""
    seed_files: int = 10
    """Cited, as above: files whose folders and companions count."""
    brought_files: int = 30
    """Guess: files of which the best parts are brought."""
    brought_records: int = 3
    """Guess: parts of each."""
    whole_files: int = 6
    """Guess: of the first files more parts are brought, since a function is what is looked for."""
    whole_file_records: int = 12
    """Guess: so many."""
    sure_files: int = 10
    """Measured by what the relevance floor lost (sessions, R@10 .45 to .35): so many first files are results, as long
    as anything in the scope carries a word of the goal, for the fitted score is evidence too."""
    sure_strength: float = 0.4
    """Just above the relevance floor: they come with little relevance where words say little."""
    evidence_exponent: float = 1.5
    """As the relevance scale weighs covered words."""
    evidence_full: float = 0.5
    """The share of the scale's gap that the strongest link closes: a file's words weigh as a record's own do."""

    def file(self, terms: int) -> FileWeights:
        """The weights of files for a goal of so many distinct terms."""
        return self.short if terms < self.short_terms else self.long

    @property
    def name(self) -> str:
        """Name and version, as receipts show them."""
        return "code-1"
