"""The relation schema: which relations there are and the role each plays.

A role is declared, never guessed (design, retrieval, section 1). Users add relations of their own with a role; a
known relation's role cannot be changed by data.
"""

from __future__ import annotations

from enum import Enum, unique

from retrieval.errors import BadField


@unique
class Role(Enum):
    """What a relation means for admission: mandatory ones are closed over, the others never are."""

    MANDATORY = "mandatory"
    ASSOCIATIVE = "associative"
    OPPOSING = "opposing"
    IDENTITY = "identity"
    ORIGIN = "origin"
    SUCCESSION = "succession"


BUILT_IN: dict[str, Role] = {
    "depends_on": Role.MANDATORY,
    "premise_of": Role.MANDATORY,
    "guard_of": Role.MANDATORY,
    "rule_for": Role.MANDATORY,
    "calls": Role.ASSOCIATIVE,
    "imports": Role.ASSOCIATIVE,
    "contains": Role.ASSOCIATIVE,
    "references": Role.ASSOCIATIVE,
    "mentions": Role.ASSOCIATIVE,
    "changed": Role.ASSOCIATIVE,
    "co_changed": Role.ASSOCIATIVE,
    "tests": Role.ASSOCIATIVE,
    "overrides": Role.ASSOCIATIVE,
    "follows": Role.ASSOCIATIVE,
    "opposes": Role.OPPOSING,
    "defeats": Role.OPPOSING,
    "same_as": Role.IDENTITY,
    "different_from": Role.IDENTITY,
    "copy_of": Role.ORIGIN,
    "derived_from": Role.ORIGIN,
    "published_by": Role.ORIGIN,
    "supersedes": Role.SUCCESSION,
}

LIMITING = frozenset({"guard_of", "rule_for"})
"""Mandatory relations by which a record limits another: what must not be done, what must hold."""

MUTUAL = frozenset({"opposes"})
"""Opposing relations that hold both ways. `defeats`, and a user's opposing relation, only speak against their
target."""

NEEDED_BY_TARGET = frozenset({"premise_of", "guard_of", "rule_for"})
"""Mandatory relations whose *target* needs their source: `rule premise_of result` means result needs rule.

`depends_on`, and a user's mandatory relation, read the other way: the source needs its target.
"""


def role_of(relation: str, declared: Role | None, known: Role | None) -> Role:
    """Return the role of a relation, or raise BadField where it has none or a different one.

    `known` is the role an earlier edge declared in the store, if any.
    """
    settled = BUILT_IN.get(relation) or known
    if settled is None:
        if declared is None:
            raise BadField("role", f"the relation {relation!r} is not in the schema: declare a role for it")
        return declared
    if declared is not None and declared is not settled:
        raise BadField(
            "role", f"the relation {relation!r} has the role {settled.value}; it cannot become {declared.value}"
        )
    return settled
