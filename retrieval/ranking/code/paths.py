"""What a path says of its file, and the number that stands for a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from retrieval.index.lexical_fields import file_number
from retrieval.ingest.languages.registry import language_of
from retrieval.ingest.languages.testing import is_test_path
from retrieval.ranking.look import Look
from retrieval.record import Record
from workingset.vocabulary import Namespace, TenantId

_ASIDE = re.compile(
    r"(?:^|/)(?:docs?|examples?|benchmarks?|bench|asv_bench|release|tutorials?|scripts?|demos?|samples?)/|(?:^|/)setup\.py$"
)
_REMEMBERED = 65_536
"""Paths whose answers are kept: a large repository's."""
_GATHERING = frozenset({"__init__.py", "index.ts", "index.js", "index.tsx", "index.jsx", "mod.rs", "lib.rs", "doc.go"})


def only_gathers(path: str) -> bool:
    """Whether the file's name is one of files that gather others."""
    return path.rpartition("/")[2] in _GATHERING


@lru_cache(_REMEMBERED)
def is_wordy(path: str) -> bool:
    """Whether the file's name says that it is of no programming language with a grammar."""
    return language_of(path, "") is None


@lru_cache(_REMEMBERED)
def lies_aside(path: str) -> bool:
    """Whether the file lies where documentation, examples, benchmarks or scripts do."""
    return _ASIDE.search(path) is not None


@dataclass(frozen=True, slots=True)
class OfPath:
    """What the path alone says of a file, 1 or 0 each, and its folder."""

    folder: str
    initial: float
    test: float
    wordy: float
    aside: float


@lru_cache(_REMEMBERED)
def of_path(path: str) -> OfPath:
    """All that features of files need of a path, remembered."""
    initial, wordy = float(only_gathers(path)), float(is_wordy(path))
    return OfPath(folder_of(path), initial, float(is_test_path(path)), wordy, float(lies_aside(path)))


def only_base_name(written: str, path: str) -> bool:
    """Whether of a written path with folders nothing but the file's own name is the path's."""
    folders = [part for part in written.split("/")[:-1] if part not in {"", ".", "..", "~"}]
    return bool(folders) and path.split("/")[-2:-1] != folders[-1:]


def folder_of(path: str) -> str:
    """The folder a file lies in."""
    return path.rpartition("/")[0]


@lru_cache(_REMEMBERED)
def number_of(tenant: TenantId, namespace: Namespace, path: str) -> int:
    """The number that the lexical index gives to a file."""
    return file_number(tenant, namespace, path)


def file_of(look: Look, record: Record) -> int:
    """The number that the lexical index gives to the record's file."""
    return number_of(look.scope.tenant, record.namespace, record.path)
