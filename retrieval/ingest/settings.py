"""Every number that steers ingest, each with its unit and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.history.settings import HistorySettings
from retrieval.ingest.secrets import SecretSettings
from retrieval.text.renderings import RenderingSettings

_EXCLUDED_DIRECTORIES = """
    .git .hg .svn .jj __pycache__ node_modules bower_components site-packages .venv .tox .nox .eggs
    .mypy_cache .pytest_cache .ruff_cache .hypothesis .gradle .next .nuxt .terraform .cache .idea .vscode
"""
_GENERATED_NAMES = """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock poetry.lock uv.lock Pipfile.lock
    Cargo.lock go.sum go.work.sum composer.lock Gemfile.lock flake.lock pdm.lock pixi.lock conda-lock.yml
    gradle.lockfile packages.lock.json pubspec.lock mix.lock Podfile.lock deno.lock Package.resolved
"""


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """What is not taken in."""

    file_bytes: int = 2_000_000
    """Guess: the largest hand-written file of CPython's library has 0.7 MB."""
    line_characters: int = 20_000
    """Guess: a longer line is data, but for prose, which is cut within lines."""
    run_characters: int = 2_000
    """Guess: prose with so many characters without a blank holds data, such as an image in base64."""
    minified_line_characters: int = 1_000
    """Guess: code with such a line and a mean as below was written by a program."""
    minified_mean_characters: int = 200
    """Guess: hand-written code has 30 to 45 a line (CPython's library: 39)."""
    generated_marker_lines: int = 24
    """Cited: Go's convention puts `Code generated … DO NOT EDIT.` before the first declaration; a licence of some 16
    lines may stand above."""
    directory_entries: int = 200_000
    """Guess, some 60 MB while it is read: a folder of more is a cache or a spool."""
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
    """Guess: names of files, in lower case, that tools keep keys in. Secrets inside other files are taken out."""
    generated_suffixes: tuple[str, ...] = (
        *(
            ".min.js",
            ".min.mjs",
            ".min.css",
            ".map",
            ".pb.go",
            ".pb.cc",
            ".pb.h",
            "_pb2.py",
            "_pb2.pyi",
            "_pb2_grpc.py",
        ),
        *(".Designer.cs", ".designer.cs", ".g.cs", ".g.dart"),
    )
    """Written by minifiers, bundlers, protoc and builders of forms."""


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
    refers: int = 32
    """Guess: distinct names that one record mentions without a call; what is cut is counted."""
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
    reach_files: int = 256
    """Guess: of a larger package only what is imported or rarely defined is seen: a table of each costs memory."""
    tested: int = 3
    """Guess: a test that is named after nothing is about what it calls, unless that is more."""
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
    remembered_reach: int = 512
    """Guess: lists of the tables that a file sees, each of up to some hundred; files are linked folder by folder."""
    remembered_names: int = 100_000
    """Guess, some 30 MB: definers of names kept while linking."""


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """How much is written in one transaction."""

    files: int = 128
    """Guess: a commit costs some milliseconds, a batch some 0.3 s."""
    source_bytes: int = 4_000_000
    """Guess: bounds memory to some 40 MB a batch."""
    remembered_records: int = 100_000
    """Guess, some 80 MB: so many of those that a run writes are linked without being read again; texts are not kept."""


@dataclass(frozen=True, slots=True)
class GitHistorySettings:
    """How much of a repository's past is read, and what of it becomes records and edges."""

    enabled: bool = True
    """Off: no tree's history is read."""
    commits: int = 2_000
    """Measured (design, recipes, 1.3): messages of the newest 2,000 commits that are no merges serve as a bridge."""
    message_characters: int = 2_000
    """Measured, as above."""
    paths_per_commit: int = 1_000
    """Guess: renames of whole folders are followed up to here; what is beyond is counted."""
    counting: HistorySettings = field(default_factory=HistorySettings)
    """Which commits count for what."""
    listed_paths: int = 30
    """As many as a commit that counts may have; the rest is counted in the text."""
    changed_edges_per_file: int = 8
    """Guess: a file with more neighbours would be a hub, which graph walks do not spread from."""
    co_changed_per_file: int = 5
    """Guess: the files that a reader would look into as well."""
    co_changed_times: int = 3
    """Guess: twice may be chance."""
    co_changed_weight: float = 0.15
    """Guess: three changes of two files alone, of nine that either had, weigh 0.25."""
    rename_similar_percent: int = 50
    """Git's own default."""
    rename_files: int = 400
    """Guess: files compared pair by pair in one commit; beyond it git follows equal content only."""
    title_characters: int = 120
    """As many as other records' titles."""
    batch_commits: int = 250
    """Guess: commits written in one transaction, some 0.1 s."""
    batch_edges: int = 5_000
    """Guess: edge changes in one write transaction, some 0.1 s."""
    call_seconds: float = 5.0
    """Guess: one small question to git on a slow disk."""
    read_seconds: float = 120.0
    """Guess: reading all of it; a tree's files are searchable before."""


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """How turns become records."""

    session_gap_seconds: int = 7_200
    """Guess: who comes back after two hours talks of something else; hosts may name their sessions instead."""
    neighbour_characters: int = 1_000
    """Guess: a turn of some 200 words; measured (design, recipes, LoCoMo): whole neighbours serve lexical search."""
    dates_per_turn: int = 32
    """Guess, some 0.2 s: different phrases read as dates; a turn with more is a table."""
    last_turns: int = 32
    """Guess: of the last turns so many may be removed, and what is said next still follows the one before them."""


@dataclass(frozen=True, slots=True)
class ParallelSettings:
    """How large trees are parsed in processes of their own."""

    workers: int = 2
    """Guess, and never more than the machine has cores: one thread that writes keeps up with about two."""
    above_bytes: int = 4_000_000
    """Measured: a worker takes 0.3 s to start and 0.2 s to make its first grammars, as long as parsing 2 MB."""
    chunk_files: int = 32
    """Guess: files sent to a worker at a time; they are parsed again one by one where it dies."""
    chunk_bytes: int = 200_000
    """Guess: some 0.05 s of parsing."""
    chunks_ahead: int = 16
    """Guess: what workers have to do while a batch of 4 MB is written; bounds memory to some 20 MB."""
    patience_seconds: float = 120.0
    """Guess: parsers give up a file after 5 s of processor time; a worker that is silent for so long is replaced."""
    look_seconds: float = 0.2
    """Guess: who waits for a worker asks so often whether the run was cancelled; people wait for that."""
    start_seconds: float = 60.0
    """Guess: a worker that is not ready by then on the busiest machine never will be."""
    memory_bytes: int = 4 * 1024**3
    """Guess: address space of a worker; what needs more costs its file, not the machine."""


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
    validator_characters: int = 256
    """Guess: an ETag, a revision or a digest in hexadecimal is shorter."""


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """All of ingest's settings."""

    guards: GuardSettings = field(default_factory=GuardSettings)
    pieces: PieceSettings = field(default_factory=PieceSettings)
    renderings: RenderingSettings = field(default_factory=RenderingSettings)
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    links: LinkSettings = field(default_factory=LinkSettings)
    batches: BatchSettings = field(default_factory=BatchSettings)
    parallel: ParallelSettings = field(default_factory=ParallelSettings)
    typed: TypedSettings = field(default_factory=TypedSettings)
    conversations: ConversationSettings = field(default_factory=ConversationSettings)
    secrets: SecretSettings = field(default_factory=SecretSettings)
    git_history: GitHistorySettings = field(default_factory=GitHistorySettings)
