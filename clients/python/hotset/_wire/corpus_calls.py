"""Unary calls of the Corpus service."""

from __future__ import annotations

from collections.abc import Iterable

from hotset import types as t
from hotset._wire import corpus
from hotset._wire.call import Call, call, request_id
from hotset._wire.fields import text, texts, unsigned
from hotset._wire.shared import cut_message
from hotset.v1 import corpus_pb2 as pb

SERVICE = "/hotset.v1.Corpus/"


def remove(
    namespace: str, *, refs: Iterable[str], source: str, path: str, repeat_id: str | None
) -> Call[t.RemoveAnswer]:
    """Make a Remove."""
    identity = request_id(repeat_id)
    request = pb.RemoveRequest(
        namespace=text("namespace", namespace),
        refs=texts("refs", refs),
        source=text("source", source),
        path=text("path", path),
        request_id=text("request_id", identity),
    )
    return call(SERVICE + "Remove", request, pb.RemoveReply, corpus.remove, repeatable=bool(identity))


def get(ref: str, cut: t.Cut | None) -> Call[t.GetAnswer]:
    """Make a Get."""
    request = pb.GetRequest(ref=text("ref", ref), cut=cut_message(cut))
    return call(SERVICE + "Get", request, pb.GetReply, corpus.get, repeatable=True)


def list_page(namespace: str, *, kind: str, path_prefix: str, page_size: int, cursor: str) -> Call[t.ListPage]:
    """Make a List."""
    request = pb.ListRequest(
        namespace=text("namespace", namespace),
        kind=text("kind", kind),
        path_prefix=text("path_prefix", path_prefix),
        page_size=unsigned("page_size", page_size, 32),
        cursor=text("cursor", cursor),
    )
    return call(SERVICE + "List", request, pb.ListReply, corpus.list_page, repeatable=True)


def describe_namespace(namespace: str) -> Call[t.NamespaceDescription]:
    """Make a DescribeNamespace."""
    request = pb.DescribeNamespaceRequest(namespace=text("namespace", namespace))
    return call(SERVICE + "DescribeNamespace", request, pb.DescribeNamespaceReply, corpus.namespace, repeatable=True)
