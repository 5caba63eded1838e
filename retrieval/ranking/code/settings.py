"""Every number of the ranker of code: what it weighs, what it looks at, how far it looks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FileWeights:
    """What each feature of a file counts; the values are for goals of many terms.

    All fitted by the method of `benchmarks/fit_ranking.py` (penalty 3) on 294 rows under the MIT licence:
    `swebench.open.jsonl.gz` (sha256 95833ef6024035ab…) and `entire_sessions.open.jsonl.gz` (b062472222ec6f0f…), 192 of
    them goals of many terms. Which features there are was chosen with both halves of the rows in view.
    """

    chunk: float = 1.52
    """Best part of the file by its words."""
    chunks: float = 1.33
    """Its three best parts by their words, the second at 1/2, the third at 1/3."""
    first_line: float = 0.73
    """The same, for the first line of the goal alone."""
    titles: float = 0.89
    """The same, for the names of parts alone."""
    path: float = 1.3
    """Words of the path."""
    mention: float = 1.04
    """The path, its end, or the module is written in the goal."""
    frame: float = 0.51
    """The goal holds a traceback through the file; its last frame counts most."""
    defines: float = 1.21
    """Symbols that the goal names are defined here."""
    uses: float = 0.46
    """Rare identifiers of the goal occur here."""
    phrase: float = 0.17
    """Messages that the goal quotes are written here."""
    commits: float = 0.52
    """Commits whose message is like the goal changed the file."""
    recent: float = 0.37
    """Changed within some ten commits."""
    frequent: float = 0.01
    """Changed often within some hundred commits."""
    together: float = 0.48
    """Changed together with the first files by the other features."""
    folder: float = 0.42
    """In the folder of the first files by the other features."""
    likeness: float = 1.87
    """Best cosine of a part to the goal."""
    initial: float = -0.72
    """Is a file that only gathers others: `__init__.py`, `index.ts`, `mod.rs`."""
    test: float = -1.69
    """Is a test."""
    wordy: float = -1.81
    """Is of no programming language that ingest reads: change logs and manuals hold the words of every issue."""
    aside: float = -0.84
    """Lies in a folder of documentation, examples, benchmarks or scripts."""


SHORT = FileWeights(
    chunk=0.39,
    chunks=0.45,
    first_line=0.95,
    titles=0.44,
    path=1.28,
    mention=0.38,
    frame=0.14,
    defines=1.45,
    uses=0.16,
    phrase=0.04,
    commits=0.04,
    recent=1.17,
    frequent=0.18,
    together=0.88,
    folder=0.34,
    likeness=0.89,
    initial=0.11,
    test=-0.55,
    wordy=-1.13,
    aside=-0.11,
)
"""Weights for goals of few terms, fitted as above on 99 rows: what was worked on lately tells more, words less."""


@dataclass(frozen=True, slots=True)
class RecordWeights:
    """What each feature of a part counts beside the score of its file: fitted as above on the 125 rows with functions
    among the results, then halved, so that the second part of a file does not fall behind worse files (functions
    R@10 cross-fitted, Lite and derived: 57.5 and 52.2; unhalved 63.1 and 51.0)."""

    chunk: float = 0.65
    """Words of the part."""
    first_line: float = 0.19
    """Words of the first line."""
    title: float = 0.54
    """Words of its name."""
    likeness: float = 0.13
    """Cosine to the goal."""
    without_likeness: float = -0.49
    """The goal was not compared with it: what an average cosine would have counted."""
    line: float = 0.3
    """A line of it is written in the goal."""
    defines: float = 0.38
    """A symbol that the goal names is defined here."""
    length: float = 0.87
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
    short_terms: int = 24
    """Measured on both kinds of rows: a goal with fewer distinct terms is short. R@5 cross-fitted, Lite, derived,
    sessions: 85.7, 82.8, 40.8; with one set of weights 81.8, 80.9, 39.5."""
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
    """Measured by what the relevance floor lost (sessions, R@10 .45 to .35): of so many first files the best part is a
    result, where it or a message of its past holds a word or a name of the goal, for the fitted score is evidence
    too."""

    def file(self, terms: int) -> FileWeights:
        """The weights of files for a goal of so many distinct terms."""
        return self.short if terms < self.short_terms else self.long

    @property
    def name(self) -> str:
        """Name and version, as receipts show them."""
        return "code-1"
