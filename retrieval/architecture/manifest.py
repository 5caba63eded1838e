"""The manifest of a source tree: which parts may import which, and what must be there.

It is a file of the tree like any other, at its root, so that it is read at the cut:

    version = 1

    [[layer_order]]          # a layer may import itself and the layers after it
    layers = ["daemon/**", "retrieval/**", "workingset/**"]

    [[forbid]]
    from = "workingset/**"
    to = "retrieval/**"
    because = "the core is pure"

    [[require_exists]]
    path = "docs/adr/*.md"

A pattern is a path from the root; `*` stops at a slash, `**` crosses slashes, as git's ignore patterns read them.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from retrieval.architecture.errors import BadManifest

FILE: Final = "hotset.architecture.toml"
"""The manifest's path from the root of its tree."""
VERSION: Final = 1

_Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=512)]
_MAX = 256


class Forbid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files of one pattern may not import files of another."""

    source: _Pattern = msgspec.field(name="from")
    target: _Pattern = msgspec.field(name="to")
    because: str = ""


class LayerOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Layers from the outermost to the innermost: a file may import files of its own layer and of later ones."""

    layers: Annotated[tuple[_Pattern, ...], msgspec.Meta(min_length=2, max_length=_MAX)]


class RequireExists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """At least one file of the pattern must be in the tree."""

    path: _Pattern
    because: str = ""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All rules of one tree."""

    version: int
    forbid: Annotated[tuple[Forbid, ...], msgspec.Meta(max_length=_MAX)] = ()
    layer_order: Annotated[tuple[LayerOrder, ...], msgspec.Meta(max_length=_MAX)] = ()
    require_exists: Annotated[tuple[RequireExists, ...], msgspec.Meta(max_length=_MAX)] = ()


def read_manifest(text: str) -> Manifest:
    """Parse a manifest; raises BadManifest naming the rule and the field."""
    try:
        manifest = msgspec.toml.decode(text.encode("utf-8", "surrogatepass"), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as failure:
        raise BadManifest(f"{FILE}: {failure}") from failure
    if manifest.version != VERSION:
        raise BadManifest(f"{FILE}: version {manifest.version} is not known: write version = {VERSION}")
    if not (manifest.forbid or manifest.layer_order or manifest.require_exists):
        raise BadManifest(f"{FILE}: it holds no rule: add forbid, layer_order or require_exists")
    return manifest
