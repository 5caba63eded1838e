"""Every number that steers ingest, each with its unit and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.text.renderings import RenderingSettings

_EXCLUDED_DIRECTORIES = """
    .git .hg .svn .jj __pycache__ node_modules bower_components site-packages .venv .tox .nox .eggs
    .mypy_cache .pytest_cache .ruff_cache .hypothesis .gradle .next .nuxt .terraform .cache .idea .vscode
"""
_GENERATED_NAMES = """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock poetry.lock uv.lock Pipfile.lock
    Cargo.lock go.sum composer.lock Gemfile.lock flake.lock
"""


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """What is not taken in."""

    file_bytes: int = 2_000_000
    """Guess: the largest hand-written file of CPython's library has 0.7 MB."""
    line_characters: int = 20_000
    """Guess: a longer line is data; one record could not hold it within a budget."""
    minified_line_characters: int = 1_000
    """Guess: code with such a line and a mean as below was written by a program."""
    minified_mean_characters: int = 200
    """Guess: hand-written code has 30 to 45 a line (CPython's library: 39)."""
    generated_marker_lines: int = 8
    """Cited: Go's convention puts `Code generated … DO NOT EDIT.` before the first declaration."""
    named_problems: int = 100
    """Guess: problems listed by path; all are counted."""
    named_problems_per_reason: int = 20
    """Guess: one reason must not crowd out the others."""
    excluded_directories: frozenset[str] = frozenset(_EXCLUDED_DIRECTORIES.split())
    """Dependencies, caches and editors' own folders; a folder with a `pyvenv.cfg` is one too."""
    generated_names: frozenset[str] = frozenset(_GENERATED_NAMES.split())
    """Lock files: written by package managers, long, and of no use to a reader."""
    secret_patterns: tuple[str, ...] = (
        ".env",
        ".env.*",
        "*.pem",
        "*.key",
        "*.p12",
        "*.pfx",
        "*.jks",
        "*.keystore",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        ".netrc",
        ".pgpass",
        ".npmrc",
        ".pypirc",
        ".htpasswd",
    )
    """Guess: names of files, in lower case, that tools keep keys in. Secrets inside other files are not seen."""
    generated_suffixes: tuple[str, ...] = (".min.js", ".min.css", ".map", ".pb.go", "_pb2.py", "_pb2_grpc.py")
    """Written by minifiers, bundlers and protoc."""


@dataclass(frozen=True, slots=True)
class PieceSettings:
    """How a file is cut into records."""

    long_lines: int = 150
    """Measured with a prototype on 249 traces (design, policy, set-up): declarations over 150 lines are cut."""
    part_lines: int = 80
    """Measured, as above: cut into about 80 lines."""
    part_characters: int = 8_000
    """Guess: some 2,000 tokens, half of the smallest budget measured."""
    chunk_lines: int = 50
    """Measured, as above: 50-line chunks serve references by line range as well as declarations do."""
    chunk_characters: int = 2_400
    """Guess: prose paragraphs are gathered to some 600 tokens."""
    attached_gap_lines: int = 2
    """Guess: up to so many lines of code that define nothing join their neighbour: a header costs as much."""
    title_characters: int = 120
    """Guess: a heading path or name that fits a header line."""
    title_names: int = 3
    """Guess: the first constants that a chunk defines name it."""
    symbols: int = 64
    """Guess: names defined by one record; what is cut is counted."""
    uses: int = 48
    """Guess: distinct names that one record uses; what is cut is counted."""
    imports: int = 256
    """Guess: modules that one file imports; what is cut is counted."""
    name_characters: int = 200
    """Guess: longer names are not looked up by anybody."""
    path_suffixes: int = 12
    """Guess: folders deep enough for a path to be named by its end."""


@dataclass(frozen=True, slots=True)
class IdentitySettings:
    """When a changed record is still the same record."""

    similar_share: float = 0.5
    """Guess, git's default for renames: half of the lines are shared."""
    compared: int = 64
    """Guess: leftovers of one file compared pair by pair; beyond it only equal content is recognised."""
    moved_files_compared: int = 200
    """Guess: vanished and new files compared pair by pair; beyond it only equal content is recognised."""


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How calls and imports are resolved."""

    definers: int = 3
    """Guess: a name defined more often in a namespace, and not in reach, points nowhere."""
    targets_per_import: int = 16
    """Guess: files of one Go package that an import points to."""
    definers_scanned: int = 100_000
    """Guess: records that have, or once had, one name; beyond it a name counts as defined everywhere."""
    names_changed: int = 200_000
    """Guess, some 20 MB: after more changed names the whole namespace is linked anew."""
    batch_files: int = 128
    """Guess: files linked in one write transaction."""
    batch_edges: int = 20_000
    """Guess: edge changes in one write transaction, some 0.3 s."""
    remembered_files: int = 4_096
    """Guess, some 40 MB: tables of files' symbols kept while linking."""
    remembered_names: int = 100_000
    """Guess, some 30 MB: definers of names kept while linking."""


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """How much is written in one transaction."""

    files: int = 128
    """Guess: a commit costs some milliseconds, a batch some 0.3 s."""
    source_bytes: int = 4_000_000
    """Guess: bounds memory to some 40 MB a batch."""


@dataclass(frozen=True, slots=True)
class TypedSettings:
    """What a typed record may hold."""

    text_bytes: int = 1_000_000
    """Guess: one record; longer texts are sent as documents, which are cut."""
    title_characters: int = 500
    """Guess."""
    attributes: int = 64
    """Guess."""
    attribute_bytes: int = 16_384
    """Guess: keys and values of one record together."""
    path_bytes: int = 1_024
    """Guess: the longest path of a document."""


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """All of ingest's settings."""

    guards: GuardSettings = field(default_factory=GuardSettings)
    pieces: PieceSettings = field(default_factory=PieceSettings)
    renderings: RenderingSettings = field(default_factory=RenderingSettings)
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    links: LinkSettings = field(default_factory=LinkSettings)
    batches: BatchSettings = field(default_factory=BatchSettings)
    typed: TypedSettings = field(default_factory=TypedSettings)
