"""One measured ingest in a process of its own, so that its peak of memory is its own; also tree-sitter alone.

`python -m benchmarks.ingest_run ROOT HOME` ingests a tree that may be written to into a new store: first, again, again
after ten edits, and after one edit of which it is told. `python -m benchmarks.ingest_run ROOT` parses the same files
with tree-sitter and does nothing with them. Prints JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import tree_sitter_bash
import tree_sitter_c
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Parser

from retrieval.ingest import IngestSettings, Summary, ingest_tree
from retrieval.ingest.guards import refuse_by_name
from retrieval.ingest.walk import FoundFile, walk
from retrieval.store.interface import Store
from retrieval.store.lmdb import open_store
from workingset.vocabulary import Namespace, TenantId

TENANT, TREE = TenantId("bench"), Namespace("tree")
EDITS = 10
_SEED = 7
_GRAMMARS = {
    ".py": tree_sitter_python.language,
    ".go": tree_sitter_go.language,
    ".ts": tree_sitter_typescript.language_typescript,
    ".tsx": tree_sitter_typescript.language_tsx,
    ".js": tree_sitter_javascript.language,
    ".mjs": tree_sitter_javascript.language,
    ".sh": tree_sitter_bash.language,
    ".c": tree_sitter_c.language,
    ".h": tree_sitter_c.language,
    ".cpp": tree_sitter_cpp.language,
}
_COMMENTS = {".py": "# edited", ".sh": "# edited"}
_EDITABLE = (".py", ".go", ".ts")


@dataclass(frozen=True, slots=True)
class Scan:
    """One run over the tree. `cpu_seconds` are of this process and of its workers."""

    seconds: float
    cpu_seconds: float
    files_taken: int
    files_unchanged: int
    bytes: int
    stages: dict[str, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """All that one process measured. Peaks are of resident memory: this process, and the largest of its workers."""

    first: Scan
    again: Scan
    edited: Scan
    one: Scan
    records: int
    edges: int
    store_bytes: int
    peak_mib: float
    worker_peak_mib: float


def files_of(root: Path) -> list[FoundFile]:
    """The files that ingest looks into; Aider is given the same."""
    guards = IngestSettings().guards
    found = (entry for entry in walk(root, guards) if isinstance(entry, FoundFile))
    return [file for file in found if refuse_by_name(file.path, file.size_bytes, guards) is None]


def parse_alone(root: Path) -> dict[str, float]:
    """Parse the files of known languages, one after another, in this process."""
    files = [(Path(file.path).suffix, (root / file.path).read_bytes()) for file in files_of(root)]
    parsers = {suffix: Parser(Language(grammar())) for suffix, grammar in _GRAMMARS.items()}
    known = [(parsers[suffix], content) for suffix, content in files if suffix in parsers]
    began = time.perf_counter()
    for parser, content in known:
        parser.parse(content)
    return {"seconds": time.perf_counter() - began, "files": len(known), "bytes": sum(len(c) for _, c in known)}


def measure(root: Path, home: Path) -> Measured:
    """Ingest the tree into a new store, edit it, ingest it again."""
    store = open_store(home)
    try:
        with _Workers() as workers:
            first = _scan(store, root)
        _age(root)
        _scan(store, root)
        again = _scan(store, root)
        chosen = _edit(root, EDITS)
        edited = _scan(store, root)
        one = _scan(store, root, only=_edit(root, 1, but=chosen))
        with store.snapshot(TENANT) as snapshot:
            counts = snapshot.counts(TREE)
    finally:
        store.close()
    used = sum(file.stat().st_blocks * 512 for file in home.rglob("*") if file.is_file())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(first, again, edited, one, counts.records, counts.edges, used, peak, workers.peak_mib)


class _Workers:
    """Looks at this process's children ten times a second; what the system says of those that have ended is not theirs
    alone."""

    def __init__(self) -> None:
        self.peak_mib = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Workers:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            with contextlib.suppress(OSError):  # a child that ends meanwhile
                for task in Path("/proc/self/task").iterdir():
                    for child in (task / "children").read_text().split():
                        self.peak_mib = max(self.peak_mib, _peak_mib(child))


def _peak_mib(process: str) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    lines = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(lines[0].split()[1]) / 1024 if lines else 0.0


def _scan(store: Store, root: Path, only: list[str] | None = None) -> Scan:
    began, cpu = time.perf_counter(), _cpu_seconds()
    summary: Summary = ingest_tree(store, TENANT, TREE, root, source="bench", only=only)
    seconds, spent = time.perf_counter() - began, _cpu_seconds() - cpu
    taken, unchanged = summary.files_taken, summary.files_unchanged
    return Scan(seconds, spent, taken, unchanged, summary.bytes, dict(summary.stages))


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _age(root: Path) -> None:
    """Make the files look written a while ago, as those of a tree at a restart are."""
    for file in files_of(root):
        path = root / file.path
        os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 60_000_000_000))
    time.sleep(2.5)  # what changed the inode just now is looked at again, not trusted


def _edit(root: Path, count: int, but: list[str] | None = None) -> list[str]:
    """Add a comment at the end of some files; the same ones in every run."""
    known = [file.path for file in files_of(root) if file.path.endswith(_EDITABLE) and file.path not in (but or [])]
    chosen = random.Random(_SEED).sample(known, count)
    for path in chosen:
        with (root / path).open("a", encoding="utf-8") as stream:
            stream.write(f"\n{_COMMENTS.get(Path(path).suffix, '// edited')}\n")
    return chosen


def main() -> None:
    """Measure what the arguments ask for and print it."""
    root = Path(sys.argv[1])
    told = parse_alone(root) if len(sys.argv) == 2 else asdict(measure(root, Path(sys.argv[2])))
    print(json.dumps(told))


if __name__ == "__main__":
    main()
