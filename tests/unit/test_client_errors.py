"""gRPC statuses and the daemon's reasons as errors of the client."""

from __future__ import annotations

import inspect
import re

import grpc
import pytest

from hotset import errors
from hotset._wire.status import BY_REASON, BY_STATUS, REASON_KEY, error_of
from hotset.v1 import common_pb2

TARGET = "unix:/socket"
CONNECT = "failed to connect to all addresses; last error: UNKNOWN: unix:/socket: connect failed: "


def reason(**fields: str) -> list[tuple[str, str | bytes]]:
    return [("other", "x"), (REASON_KEY, common_pb2.ErrorReason(**fields).SerializeToString())]


def test_each_status_has_an_error() -> None:
    assert set(BY_STATUS) == set(grpc.StatusCode)


def test_the_docstring_draws_the_whole_tree_in_its_true_shape() -> None:
    drawn: dict[str, str] = {}
    parents: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r"([│├└─\s]*)([A-Z][A-Za-z]+)(?:\s{2,}|$)", line)
        if match is not None:
            depth = len(match[1]) // 4
            parents[depth:] = [match[2]]
            drawn[match[2]] = parents[depth - 1] if depth else "Exception"
    classes = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind)}
    assert drawn == {name: kind.__bases__[0].__name__ for name, kind in classes.items()}
    assert sorted(classes) == sorted(errors.__all__)


@pytest.mark.parametrize(("code", "kind"), [(code, BY_STATUS[code]) for code in grpc.StatusCode])
def test_a_status_without_a_reason_is_named_by_its_code(code: grpc.StatusCode, kind: type) -> None:
    error = error_of(code, "what happened", [], TARGET)
    assert type(error) is kind
    assert (error.reason, error.status, error.field) == (code.name, code.name, "")
    assert str(error)


@pytest.mark.parametrize(("word", "kind"), sorted(BY_REASON.items()))
def test_a_reason_decides_before_the_status(word: str, kind: type) -> None:
    assert type(error_of(grpc.StatusCode.UNKNOWN, "what", reason(reason=word), TARGET)) is kind


def test_each_field_of_the_reason_reaches_the_caller() -> None:
    fields = {"reason": "BAD_FIELD", "field": "goal", "what_to_do": "say more", "request_id": "r-1"}
    assert set(fields) == {each.name for each in common_pb2.ErrorReason.DESCRIPTOR.fields}
    error = error_of(grpc.StatusCode.INVALID_ARGUMENT, "goal: is empty", reason(**fields), TARGET)
    assert type(error) is errors.BadRequest
    assert {name: getattr(error, name) for name in fields} == fields
    assert (str(error), error.message, error.status) == ("goal: is empty", "goal: is empty", "INVALID_ARGUMENT")


def test_an_unknown_reason_falls_back_on_the_status() -> None:
    error = error_of(grpc.StatusCode.NOT_FOUND, "no such thing", reason(reason="UNHEARD_OF"), TARGET)
    assert type(error) is errors.NotFound
    assert error.reason == "UNHEARD_OF"


def test_a_reason_that_does_not_decode_hides_nothing() -> None:
    error = error_of(grpc.StatusCode.NOT_FOUND, "no such thing", [(REASON_KEY, b"\xff\xff")], TARGET)
    assert (type(error), error.reason, str(error)) == (errors.NotFound, "UNREADABLE_REASON", "no such thing")


@pytest.mark.parametrize("why", ["No such file or directory", "Connection refused"])
def test_where_nothing_listens_the_daemon_is_not_running_and_the_error_says_what_to_do(why: str) -> None:
    error = error_of(grpc.StatusCode.UNAVAILABLE, CONNECT + why, [], TARGET)
    assert type(error) is errors.DaemonNotRunning
    assert TARGET in str(error)
    assert "hotset serve" in error.what_to_do


def test_a_socket_of_another_user_is_a_matter_of_authority() -> None:
    error = error_of(grpc.StatusCode.UNAVAILABLE, CONNECT + "Permission denied", [], TARGET)
    assert type(error) is errors.NotAuthorised


def test_a_lost_connection_and_a_draining_daemon_are_unavailable_only() -> None:
    assert type(error_of(grpc.StatusCode.UNAVAILABLE, "Socket closed", [], TARGET)) is errors.Unavailable
    draining = error_of(grpc.StatusCode.UNAVAILABLE, "draining", reason(reason="DRAINING"), TARGET)
    assert type(draining) is errors.Unavailable
