"""Judges records of one projection by the manifests of their trees, read at the cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.architecture.bias import ArchitectureSettings, counted
from retrieval.architecture.errors import BadManifest
from retrieval.architecture.evaluator import Evaluator
from retrieval.architecture.manifest import FILE, read_manifest
from retrieval.architecture.verdict import Judged, Verdict
from retrieval.record import Record
from retrieval.store.interface import Snapshot
from workingset.candidate import Architecture
from workingset.vocabulary import Namespace

_IMPORTS = "imports"
_NAMED = 8

_Tree = tuple[Namespace, str]
"""A namespace, and a source in it: a manifest speaks for the tree it came with."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Verdicts by record id, of the records whose tree has a manifest, and what is to be said of it; None where no
    tree has one."""

    verdicts: Mapping[int, Judged]
    summary: Architecture | None = None


def judgement(
    txn: Snapshot, namespaces: Sequence[Namespace], records: Mapping[int, Record], settings: ArchitectureSettings
) -> Judgement:
    """Judge the records, best first; files of one tree are judged once."""
    manifests = dict(_manifests(txn, namespaces)) if settings.enabled else {}
    if not manifests:
        return Judgement({})
    evaluators: dict[_Tree, Evaluator] = {}
    errors: list[str] = []
    for tree, text in manifests.items():
        try:
            evaluators[tree] = Evaluator(read_manifest(text))
        except BadManifest as failure:
            errors.append(f"{tree[0]}: {failure}")
    verdicts = _verdicts(txn, records, evaluators, settings)
    eroded = [(records[i].ref, "; ".join(v.because)) for i, v in verdicts.items() if v.verdict is Verdict.EROSION]
    missing = tuple(_missing(txn, evaluators, settings))
    summary = Architecture(counted(list(verdicts.values())), missing, tuple(errors), tuple(eroded[:_NAMED]))
    return Judgement(verdicts, summary)


def _manifests(txn: Snapshot, namespaces: Sequence[Namespace]) -> Iterable[tuple[_Tree, str]]:
    """The text of each manifest: its pieces in the order of their lines."""
    for namespace in namespaces:
        pieces: dict[str, list[Record]] = {}
        for record in txn.path_records(namespace, FILE):
            if record.path == FILE and not record.removed:
                pieces.setdefault(record.source, []).append(record)
        for source, held in sorted(pieces.items()):
            held.sort(key=lambda record: (record.lines.start if record.lines else 0, record.ref))
            yield (namespace, source), "\n".join(record.text for record in held)


def _verdicts(
    txn: Snapshot, records: Mapping[int, Record], evaluators: Mapping[_Tree, Evaluator], settings: ArchitectureSettings
) -> dict[int, Judged]:
    by_file: dict[tuple[_Tree, str], Judged] = {}
    verdicts: dict[int, Judged] = {}
    for record_id, record in records.items():
        tree = (record.namespace, record.source)
        if not record.path or tree not in evaluators:
            continue
        file = (tree, record.path)
        if file not in by_file:
            if len(by_file) == settings.files:
                break
            by_file[file] = _judged(txn, record, evaluators[tree], settings)
        verdicts[record_id] = by_file[file]
    return verdicts


def _judged(txn: Snapshot, record: Record, evaluator: Evaluator, settings: ArchitectureSettings) -> Judged:
    """A file of a language without imports, or with more edges than are read, is not bedrock: it is unproven."""
    of_file = [r for r in txn.path_records(record.namespace, record.path, texts=False) if r.source == record.source]
    if not any(r.language for r in of_file):
        return evaluator.judge(record.path, None)
    imports, whole = _imports(txn, of_file, settings)
    judged = evaluator.judge(record.path, imports)
    return judged if whole or judged.verdict is not Verdict.BEDROCK else Judged(Verdict.UNPROVEN)


def _imports(txn: Snapshot, of_file: Sequence[Record], settings: ArchitectureSettings) -> tuple[set[str], bool]:
    """Paths of the same tree that the file imports, and whether all its edges were read: they start at its first."""
    first = min(of_file, key=lambda record: (record.lines.start if record.lines else 0, record.ref))
    record_id = txn.record_id(first.ref)
    if record_id is None:
        return set(), False
    neighbours = txn.neighbours(record_id, limit=settings.edges_per_file + 1)
    ids = [
        other
        for other, relation, outgoing in neighbours[: settings.edges_per_file]
        if outgoing and relation == _IMPORTS
    ]
    targets = txn.records_by_id(ids, txn.cut([first.namespace]), texts=False)
    paths = {target.path for target in targets if target is not None and target.source == first.source}
    return paths - {""}, len(neighbours) <= settings.edges_per_file


def _missing(txn: Snapshot, evaluators: Mapping[_Tree, Evaluator], settings: ArchitectureSettings) -> Iterable[str]:
    for (namespace, source), evaluator in evaluators.items():
        if not evaluator.requires:
            continue
        paths = [path for path, _ in txn.paths(namespace, source)]
        if len(paths) <= settings.required_paths:
            yield from (f"{namespace}: {pattern}" for pattern in evaluator.missing(paths))
