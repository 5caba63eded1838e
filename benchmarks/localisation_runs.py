"""Runs the rows: two processes at most, one tree each, rows of a repository in the order of their commits.

Every answer is kept under a digest of the row and of the code that made it, so that a run that was cut short goes on
where it stopped.
"""

from __future__ import annotations

import pickle
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import groupby
from pathlib import Path

import retrieval
import workingset
from benchmarks.kept_results import digest_of
from benchmarks.localisation_baselines import AiderAnswer, AiderFailed, FileBm25, ask_aider
from benchmarks.localisation_measure import Located, locate
from benchmarks.localisation_rows import Row
from benchmarks.localisation_stand import Stand
from benchmarks.localisation_trees import MovingTree
from benchmarks.trees import TreeMissing
from retrieval.text.token_count import MemoisedCounter, counter_named
from workingset.vocabulary import Tokens

PROCESSES = 2
TOKENIZER = "o200k_base"
"""The daemon's default."""
_ROWS_A_TASK = 40
"""Guess: a long repository is done by both processes; each pays for one first ingest."""
_BASELINE_FILES = 20
_FORM = "2"


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where trees come from, where results are kept, and what is asked beside us."""

    git_dirs: Path
    cache: Path
    budgets: tuple[Tokens, ...]
    aider_python: Path | None
    aider_rows: frozenset[str]


@dataclass(frozen=True, slots=True)
class RowResult:
    """Our answer and the baselines'. `aider` is None where it was not asked; `missing` says why there is no answer at
    all."""

    row: Row
    located: Located | None = None
    bm25: tuple[str, ...] = ()
    aider: AiderAnswer | None = None
    missing: str = ""


def results(rows: Sequence[Row], inputs: Inputs) -> Iterator[RowResult]:
    """Yield a result for each row, by repository, then by commit."""
    inputs.cache.mkdir(parents=True, exist_ok=True)
    tasks: list[Sequence[Row]] = []
    for _, group in groupby(sorted(rows, key=lambda row: row.repo), key=lambda row: row.repo):
        of_repo = _in_time(list(group), inputs.git_dirs)
        tasks += [of_repo[at : at + _ROWS_A_TASK] for at in range(0, len(of_repo), _ROWS_A_TASK)]
    tasks.sort(key=len, reverse=True)
    with ProcessPoolExecutor(PROCESSES) as pool:
        done = 0
        for found in pool.map(partial(_run, inputs=inputs), tasks):
            done += len(found)
            if sys.stderr.isatty():
                print(f"\r{done}/{len(rows)} rows", end="", file=sys.stderr, flush=True)
            yield from found


def _in_time(rows: list[Row], git_dirs: Path) -> list[Row]:
    """The rows of one repository by their commits' time, so that each tree differs little from the one before."""
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
        try:
            tree = MovingTree(git_dirs, rows[0].repo, Path(folder))
        except TreeMissing:
            return rows
        return sorted(rows, key=lambda row: (tree.date_of(row.commit), row.instance_id))


def _run(rows: Sequence[Row], inputs: Inputs) -> list[RowResult]:
    keys = {row.instance_id: inputs.cache / f"{_key(row, inputs)}.located" for row in rows}
    done: dict[str, RowResult] = {}
    for row in rows:
        if keys[row.instance_id].exists():
            done[row.instance_id] = pickle.loads(keys[row.instance_id].read_bytes())
    left = [row for row in rows if row.instance_id not in done]
    if left:
        for result in _answered(left, inputs):
            done[result.row.instance_id] = result
            if not result.missing:
                part = keys[result.row.instance_id].with_suffix(".part")
                part.write_bytes(pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL))
                part.replace(keys[result.row.instance_id])
    return [done[row.instance_id] for row in rows]


def _answered(rows: Sequence[Row], inputs: Inputs) -> Iterator[RowResult]:
    repo = rows[0].repo
    name = f"{repo.replace('/', '+')}"
    count = MemoisedCounter(counter_named(TOKENIZER)).count
    with tempfile.TemporaryDirectory(prefix="hotset-bench-", dir=inputs.cache) as folder:
        try:
            tree = MovingTree(inputs.git_dirs, repo, Path(folder) / "tree")
        except TreeMissing as error:
            yield from (RowResult(row, missing=str(error)) for row in rows)
            return
        vectors = inputs.cache / f"{name}.vectors"
        stand = Stand(Path(folder) / "stand", repo, vectors)
        bm25 = FileBm25()
        try:
            for row in rows:
                try:
                    tree.move_to(row.commit)
                except TreeMissing as error:
                    yield RowResult(row, missing=str(error))
                    continue
                stand.take(tree.folder)
                located = locate(stand, row, inputs.budgets, count)
                paths = stand.paths()
                yield RowResult(
                    row,
                    located,
                    bm25.best(tree.folder, paths, row.goal, _BASELINE_FILES),
                    _aider(row, tree.folder, Path(folder) / "aider", paths, inputs),
                )
        finally:
            stand.close()
            shutil.rmtree(Path(folder) / "tree", ignore_errors=True)


def _aider(row: Row, root: Path, kept: Path, paths: Sequence[str], inputs: Inputs) -> AiderAnswer | None:
    if inputs.aider_python is None or row.instance_id not in inputs.aider_rows:
        return None
    try:
        return ask_aider(inputs.aider_python, root, kept, row.goal, inputs.budgets, paths)
    except AiderFailed as error:
        print(f"aider failed on {row.instance_id}: {error}", file=sys.stderr)
        return None


def _key(row: Row, inputs: Inputs) -> str:
    asked = inputs.aider_python is not None and row.instance_id in inputs.aider_rows
    return digest_of((), _FORM, _code(), row, inputs.budgets, asked)


@cache
def _code() -> str:
    """A digest of all code that an answer hangs on."""
    own = Path(__file__).parent
    roots = (Path(retrieval.__path__[0]), Path(workingset.__path__[0]))
    beside = [own / name for name in ("data.py", "kept_vectors.py", "plain_bm25.py", "trees.py")]
    answering = [*own.glob("localisation_*.py"), *beside]
    return digest_of([*answering, *(file for root in roots for file in root.rglob("*.py"))])
