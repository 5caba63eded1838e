"""Freshness is said only of files that were looked at for the answer."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from retrieval.ingest.digests import source_digest
from retrieval.record import Record
from retrieval.sources import TREE_SOURCE, FileSources, SourceSettings
from workingset.vocabulary import Digest, Freshness, Namespace, Ref


def _record(root: Path, content: bytes) -> Record:
    return Record(
        ref=Ref("shop:a"),
        namespace=Namespace("shop"),
        kind="function",
        title="f",
        text="def f(): ...",
        outline="",
        gist="",
        digest=Digest("d"),
        path="a.py",
        source=f"{TREE_SOURCE}{root}",
        source_digest=source_digest(content),
    )


def test_a_file_is_compared_each_time_it_may_have_changed(tmp_path: Path) -> None:
    check = FileSources(SourceSettings())
    file = tmp_path / "a.py"
    file.write_bytes(b"one")
    record = _record(tmp_path, b"one")
    assert check(record) is Freshness.CURRENT
    assert check(record) is Freshness.CURRENT

    file.write_bytes(b"two")
    os.utime(file, ns=(1, 1))
    assert check(record) is Freshness.STALE

    file.write_bytes(b"one")
    os.utime(file, ns=(2, 2))
    assert check(record) is Freshness.CURRENT

    file.unlink()
    assert check(record) is Freshness.STALE


def test_what_cannot_be_looked_at_is_unknown(tmp_path: Path) -> None:
    check = FileSources(SourceSettings())
    (tmp_path / "a.py").write_bytes(b"one")
    record = _record(tmp_path, b"one")

    assert check(replace(record, source="sent")) is Freshness.UNKNOWN
    assert check(replace(record, source_digest=Digest(""))) is Freshness.UNKNOWN
    assert check(replace(record, removed=True)) is Freshness.STALE
    (tmp_path / "a.py").unlink()
    (tmp_path / "b.py").write_bytes(b"one")
    (tmp_path / "a.py").symlink_to("b.py")
    assert check(record) is Freshness.UNKNOWN
