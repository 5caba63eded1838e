"""How many of the `calls` and `references` edges are right?

Edges are found by name; this asks an oracle that knows more. For Python it imports the modules of the standard library
and looks up what each name in a function's syntax tree (`ast`) is bound to there: globals, imports, the class of
`self`, the next class for `super()`. For Go (`--go-tree`, a checkout) it reads the text: a bare call means the package,
`name.F` the import of that name, and a method of the receiver its own type. An edge is right if a name in its source
leads to its target, wrong if all names of that spelling lead elsewhere, else undecided: nobody but the running program
knows the type before the dot. Precision is right / (right + wrong); `lower` counts the undecided as wrong. Recall is of
what the oracle resolves into the tree. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import nan
from pathlib import Path

from benchmarks.edge_oracle_go import GoOracle
from benchmarks.edge_oracle_python import PythonOracle
from benchmarks.edge_oracles import Oracle, Place, Verdict
from benchmarks.results import Value, percent, result_line, table
from retrieval.ingest import IngestSettings, ingest_tree
from retrieval.record import Record
from retrieval.store.interface import Store
from retrieval.store.lmdb.store import open_store
from workingset.vocabulary import Namespace, Ref, TenantId

TENANT, NAMESPACE = TenantId("bench"), Namespace("tree")
RELATIONS = ("calls", "references")
NOT_IMPORTED = frozenset(
    ("test", "tests", "idlelib", "lib2to3", "turtledemo", "tkinter", "site-packages", "ensurepip", "distutils")
)
"""Folders of the standard library that are left out: tests, programs with windows, and what is not its own."""


@dataclass(frozen=True, slots=True)
class Found:
    """One edge between two records."""

    relation: str
    source: Place
    target: Place


def main() -> None:
    """Ingest, ask, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sample", type=int, default=4_000, help="edges asked about, of each relation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--go-tree", type=Path, help="a checkout of a Go repository")
    parser.add_argument("--show", type=int, default=0, help="print so many wrong edges of each relation")
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
        library = _library(Path(folder) / "library")
        rows.extend(_measure("python", library, Path(folder) / "python", PythonOracle, options))
    if options.go_tree:
        with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
            rows.extend(_measure("go", options.go_tree, Path(folder), GoOracle, options))
    print(
        table(("language, relation", "edges", "asked", "right", "wrong", "open", "precision", "lower", "recall"), rows)
    )


def _library(target: Path) -> Path:
    """A copy of the standard library's own Python files."""
    source = Path(sysconfig.get_path("stdlib"))
    for file in sorted(source.rglob("*.py")):
        inner = file.relative_to(source)
        if not NOT_IMPORTED.intersection(inner.parts) and not inner.parts[0].startswith(("config-", "this", "anti")):
            (target / inner).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target / inner)
    return target


def _measure(
    language: str, root: Path, home: Path, oracle: Callable[[Path], Oracle], options: argparse.Namespace
) -> Iterator[tuple[str, ...]]:
    with closing(open_store(home)) as store:
        ingest_tree(store, TENANT, NAMESPACE, root, source="tree", settings=IngestSettings())
        edges, places = _edges(store, language)
    judge = oracle(root)
    for relation in RELATIONS:
        mine = sorted((edge for edge in edges if edge.relation == relation), key=repr)
        asked = random.Random(options.seed).sample(mine, min(options.sample, len(mine)))
        verdicts: Counter[Verdict] = Counter()
        shown = 0
        for edge in asked:
            verdict = judge.judge(relation, edge.source, edge.target)
            verdicts[verdict] += 1
            if verdict is Verdict.WRONG and shown < options.show:
                print(f"wrong {relation}: {_shown(edge.source)} -> {_shown(edge.target)}")
                shown += 1
        known = {(edge.source, edge.target) for edge in mine}
        hits, all_true = _recall(judge, relation, places, known, options)
        yield _row(language, relation, len(mine), verdicts, hits, all_true)


def _recall(
    judge: Oracle,
    relation: str,
    places: Sequence[Place],
    known: set[tuple[Place, Place]],
    options: argparse.Namespace,
) -> tuple[int, int]:
    """Of what the oracle resolves in a sample of records: how much is an edge, and how much there is."""
    hits = total = 0
    by_name = {(place.path, place.title): place for place in places}
    for source in random.Random(options.seed).sample(places, min(options.sample, len(places))):
        for path, title in sorted(judge.targets(relation, source)):
            target = by_name.get((path, title))
            if target is not None and target != source:
                total += 1
                hits += (source, target) in known
    return hits, total


def _row(
    language: str, relation: str, edges: int, verdicts: Counter[Verdict], hits: int, total: int
) -> tuple[str, ...]:
    right, wrong, undecided = verdicts[Verdict.RIGHT], verdicts[Verdict.WRONG], verdicts[Verdict.UNDECIDED]
    asked = right + wrong + undecided
    precision = right / max(1, right + wrong)
    lower, recall = right / max(1, asked), hits / total if total else nan
    values: dict[str, Value] = {
        "language": language,
        "relation": relation,
        "n": asked,
        "precision": precision,
        "lower": lower,
        "recall": recall,
        "right": right,
        "wrong": wrong,
        "undecided": undecided,
        "edges": edges,
        "resolvable": total,
    }
    print(result_line("edges", values))
    counts = (str(edges), str(asked), str(right), str(wrong), str(undecided))
    return (f"{language} {relation}", *counts, percent(precision), percent(lower), percent(recall) if total else "-")


def _edges(store: Store, language: str) -> tuple[list[Found], list[Place]]:
    """All edges of the relations between records of the language, and its functions and classes."""
    places: dict[Ref, Place] = {}
    edges: list[Found] = []
    after: int | None = 0
    while after is not None:
        with store.snapshot(TENANT) as snapshot:
            page = snapshot.list_records(NAMESPACE, after, 2_000)
        places.update((record.ref, _place(record)) for record in page.records if record.language == language)
        after = page.next_after
    with store.snapshot(TENANT) as snapshot:
        for ref, source in places.items():
            if source.kind not in {"function", "class"}:
                continue
            for found in snapshot.edges_from(ref, limit=100_000):
                target = places.get(found.edge.target)
                if found.edge.relation in RELATIONS and target is not None:
                    edges.append(Found(found.edge.relation, source, target))
    return edges, sorted((p for p in places.values() if p.kind in {"function", "class"}), key=repr)


def _shown(place: Place) -> str:
    return f"{place.path}#{place.title}"


def _place(record: Record) -> Place:
    lines = record.lines
    return Place(record.path, record.title, record.kind, lines.start if lines else 0, lines.end if lines else 0)


if __name__ == "__main__":
    main()
