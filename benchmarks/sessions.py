"""Sessions made ready to be replayed: a trace with its pages, its reference string and the goal of every turn.

Making one reads a repository, parses its files and weighs every page for every goal; replaying one needs none of that.
So each is kept on disk under a digest of all it was made from, and a run that was cut short goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import retrieval
from benchmarks.data import COMPACTION, Trace
from benchmarks.pages import NOT_INGESTED, Pages, PageUse, page_candidate, page_tokens
from benchmarks.trace_goals import GoalRelevance, goals_of
from benchmarks.trees import TreeMissing, read_files
from retrieval.ingest.settings import IngestSettings
from retrieval.settings import RetrievalSettings
from retrieval.text.token_count import counter_named
from workingset.candidate import Candidate, GoalView
from workingset.rendering import CountTokens
from workingset.vocabulary import Namespace, Ref, Relevance, Tokens

ABSENT = "absent_from_start_tree"
TOKENIZER = "o200k_base"
"""The daemon's default."""
PROCESSES = 2
_FORM = "1"
"""Raised when what is kept takes another form."""


@dataclass(frozen=True, slots=True)
class Session:
    """One trace, ready. `key` is a digest of all it was made from.

    By turn: `goals`, `goal_tokens` (of the goal's whole segment) and `relevance` (of the pages that earlier turns
    touched; what is not there has none). `resets` are the turns in which the host compacted. `skipped` counts
    references that touch no page, by reason.
    """

    key: str
    set_name: str
    trace_id: str
    actor: str
    goals: tuple[GoalView, ...]
    goal_tokens: tuple[Tokens, ...]
    relevance: tuple[dict[Ref, Relevance], ...]
    resets: frozenset[int]
    uses: tuple[PageUse, ...]
    pages: dict[Ref, Candidate]
    sizes: dict[Ref, Tokens]
    skipped: dict[str, int]

    @property
    def turns(self) -> int:
        """How many turns the trace has."""
        return len(self.goals)


@dataclass(frozen=True, slots=True)
class Sources:
    """Where sessions are made from and kept. `start_commits` names the commit of traces that do not start at base."""

    git_dirs: Path
    start_commits: dict[str, str]
    cache: Path


def default_cache() -> Path:
    """The folder under the system's cache folder, or its temporary one."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path(tempfile.gettempdir())) / "hotset-benchmarks"


def prepared(traces: Iterable[Trace], sources: Sources, processes: int = PROCESSES) -> Iterator[Session | TreeMissing]:
    """Yield each trace made ready, in order, or why its tree cannot be had."""
    sources.cache.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(partial(session_of, sources=sources), traces, chunksize=4)


def session_of(trace: Trace, sources: Sources) -> Session | TreeMissing:
    """Return the trace made ready, from the cache where it is there."""
    commit = sources.start_commits.get(trace.trace_id, trace.base_commit)
    key = _key(trace, commit)
    file = sources.cache / f"{key}.session"
    try:
        return _read(file)
    except FileNotFoundError:
        pass
    paths = {ref.path for turn in trace.turns for ref in turn.references}
    try:
        contents = read_files(sources.git_dirs, trace.repo, commit, paths)
    except TreeMissing as error:
        return error
    session = make_session(trace, contents, key)
    part = file.with_suffix(f".{os.getpid()}")
    part.write_bytes(pickle.dumps(session, protocol=pickle.HIGHEST_PROTOCOL))
    part.replace(file)
    return session


def make_session(trace: Trace, contents: dict[str, bytes], key: str = "") -> Session:
    """Return the trace over the given files of its tree."""
    pages = Pages(contents, Namespace(trace.repo.rpartition("/")[2].lower()), IngestSettings())
    uses, skipped = _uses(trace, pages, contents)
    touched = dict.fromkeys(ref for use in uses for ref, _ in use.pages)
    records = pages.records
    candidates = {record.ref: page_candidate(record) for record in records if record.ref in touched}
    count = counter_named(TOKENIZER).count
    goals, relevance = _goals(trace, uses, GoalRelevance(records, RetrievalSettings()))
    return Session(
        key=key,
        set_name=trace.set_name,
        trace_id=trace.trace_id,
        actor=trace.actor,
        goals=goals,
        goal_tokens=tuple(goal_tokens(goal.text, count) for goal in goals),
        relevance=relevance,
        resets=frozenset(at for at, turn in enumerate(trace.turns) if turn.action == COMPACTION),
        uses=uses,
        pages=candidates,
        sizes={ref: page_tokens(page, count) for ref, page in candidates.items()},
        skipped=dict(sorted(skipped.items())),
    )


def goal_tokens(goal: str, count: CountTokens) -> Tokens:
    """Return the size of a goal's segment."""
    return Tokens(count(f"# Goal\n{goal}\n"))


def _uses(trace: Trace, pages: Pages, contents: dict[str, bytes]) -> tuple[tuple[PageUse, ...], Counter[str]]:
    uses: list[PageUse] = []
    skipped: Counter[str] = Counter()
    for at, turn in enumerate(trace.turns):
        for reference in turn.references:
            touched = pages.touched(reference, at)
            if isinstance(touched, PageUse):
                uses.append(touched)
            else:
                skipped[ABSENT if touched == NOT_INGESTED and reference.path not in contents else touched] += 1
    return tuple(uses), skipped


def _goals(
    trace: Trace, uses: Iterable[PageUse], relevance: GoalRelevance
) -> tuple[tuple[GoalView, ...], tuple[dict[Ref, Relevance], ...]]:
    """The goals, and for each turn the relevance of pages that turns before it touched."""
    by_turn: dict[int, list[Ref]] = {}
    for use in uses:
        by_turn.setdefault(use.turn, []).extend(ref for ref, _ in use.pages)
    seen: dict[Ref, None] = {}
    weighed: list[tuple[GoalView, dict[Ref, Relevance]]] = []
    for at, goal in enumerate(goals_of(trace)):
        weighed.append(relevance.of(goal, seen))
        seen.update(dict.fromkeys(by_turn.get(at, ())))
    return tuple(view for view, _ in weighed), tuple(found for _, found in weighed)


def _read(file: Path) -> Session:
    session = pickle.loads(file.read_bytes())
    assert isinstance(session, Session)
    return session


def _key(trace: Trace, commit: str) -> str:
    made_from = (_FORM, _code_digest(), TOKENIZER, commit, repr(trace))
    return hashlib.sha256("\n".join(made_from).encode("utf-8", "surrogatepass")).hexdigest()[:32]


@cache
def _code_digest() -> str:
    """A digest of the code that cuts, measures and weighs pages: what it makes is kept no longer than it."""
    digest = hashlib.sha256()
    root = Path(retrieval.__path__[0])
    core = root.parent / "workingset"
    own = Path(__file__).parent
    for file in [
        *sorted(root.glob("ingest/**/*.py")),
        *sorted(root.glob("text/*.py")),
        *(root / f"{name}.py" for name in ("candidates", "goal", "record", "record_terms", "relevance", "settings")),
        *(core / f"{name}.py" for name in ("candidate", "rendering", "vocabulary")),
        *(own / f"{name}.py" for name in ("data", "pages", "sessions", "trace_goals", "trees")),
    ]:
        digest.update(file.read_bytes())
    return digest.hexdigest()
