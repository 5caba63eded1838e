"""The attention profiles that ship, as data. A cheap look-up does not pay for all obligations.

Users add profiles of their own by configuration; a name of these cannot be taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.profile import AttentionProfile
from workingset.obligation import ObligationKind as Kind

DEFAULT: Final = "default"
OPPOSING: Final = "opposing"
"""The lane that searches for text against a claim."""

_SUPPORT = Obligation(Kind.SUPPORT, results=200, work=8_192)
_DEFEATER = Obligation(Kind.DEFEATER, results=200)
_SCOPE = Obligation(Kind.SCOPE, required=False)
_VALID = Obligation(Kind.TEMPORAL_VALIDITY, required=False)

PLAIN: Final = AttentionProfile(
    DEFAULT,
    1,
    "What results need and what is known to speak against them comes with them.",
    (_SUPPORT, _DEFEATER, _SCOPE, _VALID),
)
"""The profile of whoever names none."""

SHIPPED: Final[tuple[AttentionProfile, ...]] = (
    PLAIN,
    AttentionProfile(
        "current_facts",
        1,
        "Only what is known to be current counts as evidence; stale text is shown as stale.",
        (
            _SUPPORT,
            _DEFEATER,
            Obligation(Kind.FRESHNESS, current_only=True),
            Obligation(Kind.TEMPORAL_VALIDITY),
            _SCOPE,
        ),
        fresh_seconds=30 * 86_400,
    ),
    AttentionProfile(
        "contested_claims",
        1,
        "Counter-evidence is searched for, and sources are counted, not copies.",
        (
            _SUPPORT,
            _DEFEATER,
            Obligation(Kind.OPPOSITION, lanes=(OPPOSING,)),
            Obligation(Kind.INDEPENDENT_ORIGIN, least=2, required=False),
            Obligation(Kind.FRESHNESS, required=False),
            _SCOPE,
            _VALID,
        ),
        opposing_places=4,
    ),
    AttentionProfile(
        "identity_merge",
        1,
        "Before two records are taken for one: what says that they are the same, and what says that they differ.",
        (
            _SUPPORT,
            _DEFEATER,
            Obligation(Kind.IDENTITY),
            Obligation(Kind.INDEPENDENT_ORIGIN, least=2),
            Obligation(Kind.DEFINITION, required=False),
            _SCOPE,
        ),
    ),
    AttentionProfile(
        "irreversible_action",
        1,
        "Before what cannot be undone: rules, guards, exceptions, counter-evidence and current facts, all required.",
        (
            _SUPPORT,
            _DEFEATER,
            Obligation(Kind.EXCEPTION),
            Obligation(Kind.OPPOSITION, lanes=(OPPOSING,)),
            Obligation(Kind.FRESHNESS, current_only=True),
            Obligation(Kind.TEMPORAL_VALIDITY),
            Obligation(Kind.SCOPE),
        ),
        opposing_places=3,
        fresh_seconds=86_400,
    ),
    AttentionProfile(
        "adversarial_corpus",
        1,
        "Where texts may be planted: independent origins are required, and counter-evidence is searched for.",
        (
            _SUPPORT,
            _DEFEATER,
            Obligation(Kind.OPPOSITION, lanes=(OPPOSING,)),
            Obligation(Kind.INDEPENDENT_ORIGIN, least=3),
            Obligation(Kind.IDENTITY, required=False),
            Obligation(Kind.SCOPE),
            _VALID,
        ),
        opposing_places=4,
    ),
)


def profiles(own: Iterable[AttentionProfile] = ()) -> Mapping[str, AttentionProfile]:
    """All profiles by name; raises ValueError where a name is taken twice."""
    found: dict[str, AttentionProfile] = {}
    for one in (*SHIPPED, *own):
        if one.name in found:
            raise ValueError(f"profiles.{one.name}: there is a profile of that name already: choose another")
        found[one.name] = one
    return found
