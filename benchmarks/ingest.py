"""How long until a tree is known, against Aider's first scan and against tree-sitter alone, and what does it cost?

On CPython's standard library, a Go and a TypeScript tree: the first ingest by stage, in files and megabytes a second;
the second over the unchanged tree; the next after ten edits; one edit of which ingest is told; memory and the size of
the store. Then in a daemon that does not embed: until the exact, lexical and graph lanes see all of it. Every program
runs in a process of its own, one after another, `--repeats` times in turn. Of each the quickest run is told; ratios are
medians of those within a turn, since a machine's speed changes from one turn to the next. RESULT lines are for
programs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from math import nan
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.daemon import running
from benchmarks.data import GIT_DIRS
from benchmarks.ingest_run import files_of
from benchmarks.ingest_trees import PYTHON, TREES, public_tree, python_library
from benchmarks.results import result_line, table
from benchmarks.trees import TreeMissing
from hotset import HotsetClient, IngestSummary

NAMESPACE = "tree"
_NO_EMBEDDING = "[jobs]\nembed_in_background = false\n"
_AIDER_MISSING = (
    "Aider is left out: give --aider-python. Make one:"
    " python3 -m venv /tmp/aider && /tmp/aider/bin/pip install aider-chat, then --aider-python /tmp/aider/bin/python"
)


@dataclass(frozen=True, slots=True)
class Searchable:
    """What a daemon needed until its lanes saw the tree."""

    seconds: float
    index_bytes: int
    peak_mib: float


@dataclass(frozen=True, slots=True)
class Row:
    """One tree's figures. `ours` is `ingest_run.Measured` as read from JSON; `aider_seconds` is nan where it is not
    there."""

    name: str
    ours: dict[str, Any]
    aider_seconds: float
    parsing_seconds: float
    aider_ratio: float
    aider_cpu_ratio: float
    parsing_ratio: float
    ten_edits_ratio: float
    daemon: Searchable


def main() -> None:
    """Measure each tree, print."""
    options = _options()
    if options.aider_python is None:
        print(_AIDER_MISSING)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
        for root in _trees(options, Path(folder)):
            rows.append(_measure(root, options, Path(folder)))
            _print_tree(rows[-1])
            shutil.rmtree(root)
    if not rows:
        raise SystemExit(2)
    print(f"\n{_comparison(rows)}\n")
    for row in rows:
        print(_result(row))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, help="a tree of Python instead of the running one's standard library")
    parser.add_argument("--git-dirs", type=Path, default=GIT_DIRS, help="bare clones, at DIR/owner+name/repo")
    parser.add_argument("--aider-python", type=Path, help="the Python of an environment that has aider-chat")
    parser.add_argument("--repeats", type=int, default=5, help="turns, each with one run of every program")
    names = [PYTHON, *(tree.name for tree in TREES)]
    parser.add_argument("--trees", nargs="+", choices=names, default=names)
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats: give 1 or more")
    return options


def _trees(options: argparse.Namespace, folder: Path) -> list[Path]:
    found = [python_library(folder, options.root)] if PYTHON in options.trees else []
    for tree in TREES:
        if tree.name in options.trees:
            try:
                found.append(public_tree(tree, options.git_dirs, folder))
            except TreeMissing as error:
                print(f"{tree.name} is left out: {error}")
    return found


def _measure(root: Path, options: argparse.Namespace, folder: Path) -> Row:
    paths = [file.path for file in files_of(root)]
    ours: list[dict[str, Any]] = []
    aider: list[dict[str, float]] = []
    alone: list[float] = []
    for turn in range(options.repeats):
        if options.aider_python is not None:
            aider.append(_aider(options.aider_python, root, paths))
        alone.append(_run("-m", "benchmarks.ingest_run", str(root))["seconds"])
        copy, home = folder / f"{root.name}-{turn}", folder / f"store-{turn}"
        shutil.copytree(root, copy, symlinks=True)
        ours.append(_run("-m", "benchmarks.ingest_run", str(copy), str(home)))
        shutil.rmtree(copy)
        shutil.rmtree(home)
    first = [run["first"] for run in ours]
    times = {"seconds": nan, "cpu_seconds": nan}
    rivals = aider or [times] * len(ours)
    ratios = (
        _ratio([run["seconds"] for run in first], [run["seconds"] for run in rivals]),
        _ratio([run["cpu_seconds"] for run in first], [run["cpu_seconds"] for run in rivals]),
        _ratio([run["seconds"] for run in first], alone),
        _ratio([run["seconds"] for run in first], [run["edited"]["seconds"] for run in ours]),
    )
    quickest = min(ours, key=lambda run: run["first"]["seconds"])
    for key in ("again", "edited", "one"):
        quickest[key] = min((run[key] for run in ours), key=lambda scan: scan["seconds"])
    seconds = min((run["seconds"] for run in aider), default=nan)
    return Row(root.name, quickest, seconds, min(alone), *ratios, _in_daemon(root))


def _ratio(these: list[float], those: list[float]) -> float:
    """The median of the ratios within each turn."""
    return median(this / that for this, that in zip(these, those, strict=True))


def _aider(python: Path, root: Path, paths: list[str]) -> dict[str, float]:
    program = Path(__file__).with_name("ingest_aider.py")
    return _run(str(program), python=python, given=json.dumps({"root": str(root), "paths": paths}))


def _run(*words: str, python: Path = Path(sys.executable), given: str = "") -> dict[str, Any]:
    done = subprocess.run([python, *words], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _in_daemon(root: Path) -> Searchable:
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        (home / "hotsetd.toml").write_text(_NO_EMBEDDING)
        with running(Path(folder)) as daemon, HotsetClient(daemon.address, agent="bench") as client:
            began = time.perf_counter()
            generation = _ingest(client, root).generation
            client.focus("ready", namespaces=[NAMESPACE], at_least_generation=generation, timeout_seconds=600)
            seconds, peak = time.perf_counter() - began, daemon.memory_mib("VmHWM")
        index = sum(file.stat().st_size for file in (home / "index").rglob("*") if file.is_file())
    return Searchable(seconds, index, peak)


def _ingest(client: HotsetClient, root: Path) -> IngestSummary:
    for event in client.ingest_tree(NAMESPACE, root, timeout_seconds=3_600):
        if isinstance(event, IngestSummary):
            return event
    raise SystemExit("the daemon sent no summary")


def _print_tree(row: Row) -> None:
    first = row.ours["first"]
    files, megabytes = first["files_taken"], first["bytes"] / 1e6
    found = f"{row.ours['records']:,} records, {row.ours['edges']:,} edges"
    print(f"\n{row.name}: {files:,} files, {megabytes:.1f} MB -> {found}")
    stages = [*first["stages"].items(), ("all", first["seconds"])]
    rows: list[tuple[str, ...]] = [
        (
            stage,
            f"{seconds:.2f}",
            f"{files / seconds:,.0f}" if seconds else "-",
            f"{megabytes / seconds:.1f}" if seconds else "-",
        )
        for stage, seconds in stages
    ]
    print(table(("stage", "seconds", "files/s", "MB/s"), rows))
    print("parse is waiting for workers where parse_workers, their processor time, is listed; write is waiting for the")
    print("batch before, which is written beside parsing")


def _comparison(rows: list[Row]) -> str:
    head: tuple[str, ...] = ("tree", "first s", "Aider s", "ratio", "CPU ratio", "tree-sitter s", "ratio")
    head += ("again s", "10 edits s", "first / 10 edits", "1 edit s", "searchable s")
    head += ("peak MiB", "worker MiB", "store MB", "index MB")
    return table(head, [_cells(row) for row in rows])


def _cells(row: Row) -> tuple[str, ...]:
    ours, first = row.ours, row.ours["first"]["seconds"]
    seconds = {key: ours[key]["seconds"] for key in ("again", "edited", "one")}
    return (
        *(row.name, f"{first:.2f}", f"{row.aider_seconds:.2f}", f"{row.aider_ratio:.2f}"),
        f"{row.aider_cpu_ratio:.2f}",
        *(f"{row.parsing_seconds:.2f}", f"{row.parsing_ratio:.1f}"),
        *(f"{seconds['again']:.3f}", f"{seconds['edited']:.3f}", f"{row.ten_edits_ratio:.1f}"),
        *(f"{seconds['one']:.3f}", f"{row.daemon.seconds:.2f}"),
        *(f"{max(ours['peak_mib'], row.daemon.peak_mib):.0f}", f"{ours['worker_peak_mib']:.0f}"),
        *(f"{ours['store_bytes'] / 1e6:.0f}", f"{row.daemon.index_bytes / 1e6:.0f}"),
    )


def _result(row: Row) -> str:
    ours, first = row.ours, row.ours["first"]
    return result_line(
        "M7",
        {
            "set": row.name,
            "n": first["files_taken"],
            "records": ours["records"],
            "operation": "ingest",
            "seconds": first["seconds"],
            "files_per_second": first["files_taken"] / first["seconds"],
            "mb_per_second": first["bytes"] / 1e6 / first["seconds"],
            "aider_seconds": row.aider_seconds,
            "aider_ratio": row.aider_ratio,
            "aider_cpu_ratio": row.aider_cpu_ratio,
            "tree_sitter_seconds": row.parsing_seconds,
            "tree_sitter_ratio": row.parsing_ratio,
            "again_seconds": ours["again"]["seconds"],
            "ten_edits_seconds": ours["edited"]["seconds"],
            "ten_edits_ratio": row.ten_edits_ratio,
            "one_edit_seconds": ours["one"]["seconds"],
            "searchable_seconds": row.daemon.seconds,
            "peak_mib": ours["peak_mib"],
            "worker_peak_mib": ours["worker_peak_mib"],
            "daemon_peak_mib": row.daemon.peak_mib,
            "store_bytes": ours["store_bytes"],
            "index_bytes": row.daemon.index_bytes,
        },
    )


if __name__ == "__main__":
    main()
