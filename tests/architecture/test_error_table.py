"""Every error of every room has a line in the one table, by itself or by a base that is no room's root."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from types import ModuleType

import pytest
from google.protobuf.descriptor import ServiceDescriptor
from grpc import StatusCode

import hotsetd
import retrieval
import workingset
from hotset.cli.advice import advice
from hotset.errors import HotsetError
from hotset.v1 import attention_pb2, corpus_pb2, operator_pb2
from hotsetd import status
from hotsetd.errors import DaemonError
from retrieval.errors import RetrievalError
from workingset.errors import WorkingSetError

ROOTS = (WorkingSetError, RetrievalError, DaemonError)


def _load(package: object) -> None:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):  # type: ignore[attr-defined]
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _below(kind: type[Exception]) -> Iterator[type[Exception]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def test_every_error_is_in_the_table() -> None:
    for package in (workingset, retrieval, hotsetd):
        _load(package)
    errors = {kind for root in ROOTS for kind in _below(root)}

    missing = [kind.__name__ for kind in errors if not any(base in status.TABLE for base in kind.__mro__)]

    assert len(errors) > 20
    assert not missing


@pytest.mark.parametrize("kind", status.TABLE, ids=lambda kind: kind.__name__)
def test_every_line_says_what_to_do(kind: type[Exception]) -> None:
    answer = status.TABLE[kind]

    assert answer.what_to_do
    assert answer.reason == answer.reason.upper()
    assert answer.code is not StatusCode.OK
    assert issubclass(kind, ROOTS)


@pytest.mark.parametrize("kind", status.TABLE, ids=lambda kind: kind.__name__)
def test_the_command_line_says_what_to_do_in_its_own_words(kind: type[Exception]) -> None:
    answer = status.TABLE[kind]
    said = advice(HotsetError("", reason=answer.reason, what_to_do=answer.what_to_do, status=answer.code.name))
    services = (service for file in (attention_pb2, corpus_pb2, operator_pb2) for service in _services(file))
    calls = {method.name for service in services for method in service.methods}

    assert said
    assert not calls & set(re.findall(r"\w+", said))
    assert not re.search(r"\w+_\w+(?![.\w])|\w=\w", said.replace("replay.kept_turns", ""))


def _services(file: ModuleType) -> Iterable[ServiceDescriptor]:
    return tuple(file.DESCRIPTOR.services_by_name.values())


def test_an_unknown_error_is_a_defect_that_says_nothing_of_itself() -> None:
    assert status.answer_for(KeyError("secret")) is status.DEFECT
