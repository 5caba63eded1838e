"""Configuration: a TOML file becomes frozen settings, or an error that names the key.

Every setting has a default; the file need not exist. `hotsetd --print-config` writes all of them with where each number
comes from, and a test holds `systemd/hotsetd.example.toml` to that.
"""

from __future__ import annotations

import dataclasses
import math
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, get_type_hints

import msgspec

from hotsetd.errors import BadConfiguration
from retrieval.index.follower import FollowerSettings
from retrieval.index.lexical import LexicalSettings
from retrieval.index.vector import VectorSettings
from retrieval.ingest.settings import IngestSettings
from retrieval.ingest.watch import WatchSettings
from retrieval.obligations.profile import AttentionProfile
from retrieval.obligations.profiles import profiles as profiles_by_name
from retrieval.settings import RetrievalSettings
from retrieval.store.lmdb import LmdbSettings
from retrieval.text.embedding import EmbeddingSettings
from workingset.settings import WorkingSetSettings

T = TypeVar("T")
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
"""How many of something of which there must be one."""
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
"""A time that must pass."""
Nice: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=19)]
"""What a process may give up of its priority without a privilege."""
Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")]
"""What can be part of a storage key."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the daemon listens, and how it stops."""

    tcp_address: str = ""
    """Empty: none. A loopback address and port, for example "127.0.0.1:7717"; the Unix socket is always there."""
    worker_threads: Count = 4
    """Guess: two cores, and calls that wait for a commit."""
    switch_interval_seconds: Seconds = 0.0001
    """Measured: LMDB gives up the interpreter's lock at every read; beside one busy thread a read took 2.3 ms at the
    interpreter's default of 0.005, and 0.03 to 0.05 ms at this."""
    allocator_arenas: Count = 2
    """Guess: one for each core; glibc's default is eight times as many, each keeping what was freed in it."""
    drain_seconds: float = 10.0
    """Guess: how long calls under way may take after a stop was asked for."""
    default_deadline_seconds: Seconds = 30.0
    """Guess: for callers that set no deadline."""
    tenant: Name = "default"
    """Whose data an unauthenticated local caller sees."""


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """What a request may ask for."""

    message_bytes: Count = 16 * 1024 * 1024
    """Guess: both ways; a 10 MiB goal still reaches the check that names the field."""
    goal_bytes: Count = 65_536
    """Guess: a long issue with its log; more is a document, to be ingested."""
    budget_tokens: Count = 1_000_000
    """Guess: above the largest context windows on offer."""
    default_budget_tokens: Count = 8_000
    """Guess: a twentieth of a common window."""
    agent_characters: Count = 128
    """Guess; with namespaces bounded so that a storage key of 511 bytes holds them."""
    namespace_characters: Count = 128
    """As above."""
    namespaces: Count = 64
    """Guess: named in one call."""
    refs: Count = 256
    """Guess: named in one call."""
    uses: Count = 512
    """Guess: reported in one Touch."""
    observations: Count = 512
    """Guess: observed in one Touch; a turn of an agent makes a few dozen."""
    tool_characters: Count = 200
    """Guess: the name of a tool."""
    request_id_characters: Count = 128
    """Guess: a UUID has 36."""
    reason_characters: Count = 500
    """As many as a record's title may have."""
    answers_kept: Count = 32
    """Guess: stored answers of an agent for repeated calls."""
    waiting_calls: int = 8
    """Guess: calls that may wait for one agent's turn."""
    resolve_bytes: Count = 65_536
    """Guess: text in one reply of Resolve unless the caller says otherwise."""
    resolve_bytes_limit: Count = 4 * 1024 * 1024
    """Guess: a quarter of a message."""
    page_records: Count = 100
    """Guess: records in one page of List unless the caller says otherwise."""
    page_records_limit: Count = 1_000
    """Guess."""
    edges_listed: Count = 200
    """Guess: edges shown by Get; more is said to be there."""
    hint_paths: Count = 256
    """Guess: files of one kind hinted at in one call."""
    hint_path_characters: Count = 4_096
    """As many as systems take."""
    hint_diff_bytes: Count = 1024 * 1024
    """Guess: a working tree's diff; a larger one is a branch, and its files can be named."""
    hint_commits: Count = 64
    """Guess: commits of a branch."""
    hint_message_bytes: Count = 8_192
    """Guess: the message of one."""
    ghosts_listed: int = 50
    """Guess: ghosts shown by Status; all are counted."""


@dataclass(frozen=True, slots=True)
class JobSettings:
    """Work in the background."""

    lexical_changes: Count = 2_000
    """Guess: changes taken in at once; a commit of the index costs some 15 ms."""
    embedded_texts: Count = 16
    """Guess: texts embedded between two looks at the stop flag, some 0.3 s."""
    embed_in_background: bool = True
    """Off: texts are embedded by demand alone, for the candidates of goals."""
    embed_nice: Nice = 15
    """Guess: the embedding thread yields to calls."""
    idle_seconds: Seconds = 5.0
    """Guess: how long a follower that has nothing to do, or cannot, waits for a write before it looks again."""
    settle_changes: int = 500
    """Guess: a Focus waits for an index that is at most so many changes behind."""
    settle_seconds: float = 0.5
    """The design's bound from saving a file to finding it; what is missing after it is said in the reply."""
    ingest_switch_interval_seconds: Seconds = 0.005
    """Measured: while a tree is read, threads that work all the time make way for one another often enough; the
    standard library took 49 s at this and 59 s at 0.001 on a loaded machine."""
    save_seconds: Seconds = 60.0
    """Guess: how often the vector index is written to its file; what is younger is taken from the store again."""


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """How an agent's own turns are kept as records."""

    part_bytes: Count = 65_536
    """Guess: what one reply of Resolve holds unless asked for more; a longer observation is kept in parts."""
    mentions: int = 32
    """Guess: edges to what one observation used; a read of a large file uses more pages. What is beyond is counted."""
    protected_turns: int = 2
    """Guess: so many turns after it was said a record does not leave for anything newer."""
    title_characters: Count = 60
    """Guess: as many of the first words as tell one turn from another on a line."""
    outline_head_lines: Count = 6
    """Guess: of a long output its outline shows what the command says first."""
    outline_error_lines: int = 8
    """Guess: of the lines between that speak of errors, the first."""
    outline_tail_lines: Count = 10
    """Guess: results and summaries stand last."""
    outline_line_characters: Count = 160
    """Guess: a longer line is cut."""


@dataclass(frozen=True, slots=True)
class RepositorySettings:
    """What the daemon finds out by itself about the git work trees that were ingested."""

    enabled: bool = True
    """Off: only what the host sends counts as a hint."""
    wait_seconds: float = 0.05
    """The design's bound of what looking at a repository may add to a Focus; what is not there by then is said."""
    read_seconds: Seconds = 10.0
    """Guess: one question to git, in the background."""
    trees: Count = 4
    """Guess: work trees of one Focus; a scope of more is not about one piece of work."""
    diff_bytes: Count = 4 * 1024 * 1024
    """Guess: of a longer diff the beginning is read."""
    diff_files: Count = 256
    """Guess: changed files followed."""
    diff_ranges: Count = 64
    """Guess: changed ranges of one file; one with more counts from the first to the last."""
    untracked_files: int = 64
    """Guess: more are the output of a build that nobody ignores."""
    branch_commits: Count = 64
    """Guess: commits of one branch."""


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """Collecting history: what only old cuts can show."""

    keep_seconds: int = 0
    """History older than so long is collected in the background; 0: only when an operator asks."""
    every_seconds: Seconds = 3_600.0
    """Guess: how often it is looked for history that has become too old."""
    mark_seconds: Seconds = 60.0
    """How fine generations are told apart by time: history is kept up to so much longer than asked. Guess: a commit a
    minute for each namespace that moved."""
    marks: Count = 2_048
    """Guess: times remembered of a namespace, some 12 bytes each; beyond, the older half is thinned to every other."""


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """What is kept of turns so that they can be decided again."""

    kept_turns: int = 8
    """Guess: an agent's newest turns; 0: none. Measured over 2,570 records with 300 candidates a turn: 47 kB a turn, of
    which 13 are the set, and 0.8 ms, 1 % of a Focus."""


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """What is kept in memory."""

    hot_agents: Count = 1_000
    """Guess: 24 kB each, measured with 8 entries and a vector; others are read from the store."""
    hot_bytes: Count = 256 * 1024 * 1024
    """Guess: bounds what large sets take; one of 4,000 entries takes 4 MB, measured."""


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Structured logs on standard error. No text of records or goals is ever written to them."""

    level: str = "info"
    """debug, info, warning or error."""
    json_lines: bool = False
    """One JSON object a line, for collectors."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a daemon."""

    tokenizer: str = "o200k_base"
    """A name of `retrieval.text.token_count.counter_named`."""
    server: ServerSettings = field(default_factory=ServerSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    jobs: JobSettings = field(default_factory=JobSettings)
    history: HistorySettings = field(default_factory=HistorySettings)
    repository: RepositorySettings = field(default_factory=RepositorySettings)
    collection: CollectionSettings = field(default_factory=CollectionSettings)
    replay: ReplaySettings = field(default_factory=ReplaySettings)
    cache: CacheSettings = field(default_factory=CacheSettings)
    log: LogSettings = field(default_factory=LogSettings)
    store: LmdbSettings = field(default_factory=LmdbSettings)
    lexical: LexicalSettings = field(default_factory=LexicalSettings)
    vector: VectorSettings = field(default_factory=VectorSettings)
    follower: FollowerSettings = field(default_factory=FollowerSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    profiles: tuple[AttentionProfile, ...] = ()
    """Attention profiles of your own, as [[profiles]] with name, version, summary and [[profiles.obligations]]; those
    that ship are in docs/attention-profiles.md."""
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    ingest: IngestSettings = field(default_factory=IngestSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    working_set: WorkingSetSettings = field(default_factory=WorkingSetSettings)

    def __post_init__(self) -> None:
        profiles_by_name(self.profiles)


@dataclass(frozen=True, slots=True)
class Home:
    """The daemon's directory and what lies where in it."""

    path: Path

    @classmethod
    def default(cls) -> Home:
        """`$HOTSET_HOME`, else `~/.local/state/hotset`."""
        named = os.environ.get("HOTSET_HOME")
        return cls(Path(named) if named else Path.home() / ".local" / "state" / "hotset")

    @property
    def run(self) -> Path:
        """Sockets and the lock; owner-only."""
        return self.path / "run"

    @property
    def socket(self) -> Path:
        """The daemon's socket."""
        return self.run / "hotsetd.sock"

    @property
    def lock(self) -> Path:
        """The instance lock."""
        return self.run / "hotsetd.lock"

    @property
    def store(self) -> Path:
        """The durable store."""
        return self.path / "store"

    @property
    def indexes(self) -> Path:
        """The indexes: may be deleted while no daemon runs."""
        return self.path / "index"

    @property
    def echoes(self) -> Path:
        """Files that are made and deleted at once, to hear whether notifications arrive."""
        return self.run / "echoes"

    @property
    def configuration(self) -> Path:
        """Read where no other file is named."""
        return self.path / "hotsetd.toml"


def load(path: Path | None) -> Settings:
    """Read a TOML file into settings; None gives the defaults. Raises BadConfiguration naming the key."""
    if path is None:
        return Settings()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadConfiguration(str(path), str(error)) from error
    return settings_from(Settings, table, "")


def settings_from(kind: type[T], table: dict[str, Any], prefix: str) -> T:
    """Make a settings value from a table; an unknown key, or a value of another type or range, is an error."""
    hints = get_type_hints(kind, include_extras=True)
    known = {part.name: part.default for part in dataclasses.fields(kind)}  # type: ignore[arg-type]  # all are
    values: dict[str, Any] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        if key not in known:
            raise BadConfiguration(name, f"there is no such key; there are {', '.join(sorted(known))}")
        hint = hints[key]
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            if not isinstance(value, dict):
                raise BadConfiguration(name, "this is a table, not a value")
            values[key] = settings_from(hint, value, f"{name}.")
        else:
            values[key] = _converted(name, value, hint, known[key])
    try:
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise BadConfiguration(prefix.rstrip(".") or "settings", str(error)) from error


def _converted(name: str, value: Any, hint: Any, default: Any) -> Any:
    # No number of ours is below nothing but fitted weights, and none that is not a number can be compared with.
    signed = isinstance(default, float) and default < 0
    if isinstance(value, int | float) and not (math.isfinite(value) and (value >= 0 or signed)):
        raise BadConfiguration(name, f"{value} cannot be: give a number from 0 on")
    try:
        return msgspec.convert(value, hint, strict=True)
    except msgspec.ValidationError as error:
        raise BadConfiguration(name, str(error)) from error
