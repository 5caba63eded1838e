"""How long until a tree is searchable, and what does it cost?

Ingests `--root` (the running Python's standard library by default) into a fresh daemon and measures the time until the
exact, lexical and graph lanes see all of it, time by stage, the daemon's memory, and the second run over an unchanged
tree. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import sysconfig
import tempfile
import time
from pathlib import Path

from benchmarks.daemon import running
from hotset import HotsetClient, IngestSummary

NAMESPACE = "tree"


def main() -> None:
    """Ingest twice, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(sysconfig.get_path("stdlib")))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder, running(Path(folder)) as daemon:
        with HotsetClient(daemon.address, agent="bench") as client:
            idle = daemon.memory_mib("VmRSS")
            began = time.perf_counter()
            first = _ingest(client, options.root)
            client.focus("ready", namespaces=[NAMESPACE], at_least_generation=first.generation, timeout_seconds=600)
            searchable = time.perf_counter() - began
            seen = client.describe_namespace(NAMESPACE)
            peak = daemon.memory_mib("VmHWM")
            after = daemon.memory_mib("VmRSS")
            began = time.perf_counter()
            again = _ingest(client, options.root)
            second = time.perf_counter() - began
        size = sum(file.stat().st_size for file in (daemon.home / "store").rglob("*") if file.is_file())
    print(f"{first.files_taken:,} files, {first.bytes / 1e6:.1f} MB -> {seen.records:,} records, {seen.edges:,} edges")
    for stage in first.stages:
        print(f"  {stage.stage:<10} {stage.seconds:7.2f} s")
    print(f"searchable by exact, lexical and graph lanes after {searchable:.1f} s; again, unchanged: {second:.2f} s")
    print(f"memory: {idle:.0f} MiB idle, {peak:.0f} MiB peak while ingesting, {after:.0f} MiB after")
    print(f"store: {size / 1e6:.0f} MB")
    assert again.files_taken == 0
    print(
        f"RESULT measure=M7 records={seen.records} operation=ingest seconds={searchable:.2f} "
        f"again_seconds={second:.3f} peak_mib={peak:.0f} rss_mib={after:.0f}"
    )


def _ingest(client: HotsetClient, root: Path) -> IngestSummary:
    for event in client.ingest_tree(NAMESPACE, root, timeout_seconds=3_600):
        if isinstance(event, IngestSummary):
            return event
    raise SystemExit("the daemon sent no summary")


if __name__ == "__main__":
    main()
