"""Identity domains: what a key names, and in whose terms. Two sides are joined in one domain, or by a mapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval.errors import BadField


@dataclass(frozen=True, slots=True)
class Domain:
    """Whose names keys are, such as `ref`, `path of shop`, `e-mail`; equal names are equal domains."""

    name: str


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys of one domain as keys of another; a key without a counterpart maps to none."""

    source: Domain
    target: Domain
    apply: Callable[[str], str | None]


def identity_of(domain: Domain) -> Mapping:
    """The mapping of a domain to itself."""
    return Mapping(domain, domain, lambda key: key)


def between(left: Domain, right: Domain, mapping: Mapping | None) -> Mapping:
    """The mapping that a join over these sides uses; raises BadField where there is none, before anything is read."""
    if mapping is None:
        if left == right:
            return identity_of(left)
        raise BadField("join", f"keys of {left.name!r} are not keys of {right.name!r}: give a mapping between the two")
    if (mapping.source, mapping.target) != (left, right):
        given = f"{mapping.source.name!r} to {mapping.target.name!r}"
        raise BadField("join.mapping", f"maps {given}, where {left.name!r} to {right.name!r} is needed")
    return mapping
