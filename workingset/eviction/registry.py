"""The one place where eviction policies are listed by name."""

from __future__ import annotations

from workingset.eviction.hit_density import HitDensity
from workingset.eviction.lru import LeastRecentlyUsed
from workingset.eviction.policy import EvictionPolicy

POLICIES: dict[str, EvictionPolicy] = {policy.name: policy for policy in (HitDensity(), LeastRecentlyUsed())}


def policy_named(name: str) -> EvictionPolicy:
    """Return a policy; raises KeyError with the names there are."""
    if name not in POLICIES:
        raise KeyError(f"no eviction policy {name!r}: there are {', '.join(sorted(POLICIES))}")
    return POLICIES[name]
