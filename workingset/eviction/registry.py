"""The one place where eviction policies are listed by name."""

from __future__ import annotations

from collections.abc import Callable

from workingset.eviction.arc import AdaptiveReplacement
from workingset.eviction.gdsf import GreedyDualSizeFrequency
from workingset.eviction.hit_density import HitDensity
from workingset.eviction.lfu import LeastFrequentlyUsed
from workingset.eviction.lru import LeastRecentlyUsed
from workingset.eviction.policy import EvictionPolicy
from workingset.eviction.s3fifo import S3Fifo
from workingset.eviction.wtinylfu import WTinyLfu
from workingset.settings import EvictionSettings

POLICIES: dict[str, Callable[[EvictionSettings], EvictionPolicy]] = {
    HitDensity.name: HitDensity,
    LeastRecentlyUsed.name: LeastRecentlyUsed,
    LeastFrequentlyUsed.name: LeastFrequentlyUsed,
    AdaptiveReplacement.name: AdaptiveReplacement,
    S3Fifo.name: S3Fifo,
    WTinyLfu.name: WTinyLfu,
    GreedyDualSizeFrequency.name: GreedyDualSizeFrequency,
}


def policy_of(settings: EvictionSettings) -> EvictionPolicy:
    """Return the policy that the settings name; raises KeyError with the names there are."""
    if settings.policy not in POLICIES:
        raise KeyError(f"no eviction policy {settings.policy!r}: there are {', '.join(sorted(POLICIES))}")
    return POLICIES[settings.policy](settings)
