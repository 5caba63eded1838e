"""The bounded nudge of a manifest: it re-orders near ties. Nothing is cut, and no relevance changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.architecture.verdict import Judged, Verdict


@dataclass(frozen=True, slots=True)
class ArchitectureSettings:
    """Whether manifests are heeded, and how much they may move."""

    enabled: bool = True
    """Without a manifest nothing changes."""
    tie_share: float = 0.01
    """Guess: scores that differ by no more than twice this share of the range of all scores are a near tie."""
    files: int = 200
    """As many as the largest window: files judged, of the best results."""
    edges_per_file: int = 1_024
    """Guess: edges read of a file's first record; one that has more is judged by these, and unproven where they break
    nothing."""
    required_paths: int = 50_000
    """Guess: paths of a tree looked through for `require_exists`; in a larger one it is not told."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.tie_share <= 0.05:
            raise ValueError("architecture.tie_share: give 0 to 0.05")


_NUDGE = {Verdict.BEDROCK: 1.0, Verdict.UNPROVEN: 0.0, Verdict.OVERGROWTH: -0.5, Verdict.EROSION: -1.0}


def nudged(
    scores: Mapping[int, float], verdicts: Mapping[int, Judged], settings: ArchitectureSettings
) -> dict[int, float]:
    """The scores, those of judged records moved by at most `tie_share` of the range of all."""
    values = scores.values()
    bound = settings.tie_share * (max(values) - min(values)) if scores else 0.0
    return {i: score + (bound * _NUDGE[verdicts[i].verdict] if i in verdicts else 0.0) for i, score in scores.items()}


def counted(verdicts: Sequence[Judged]) -> tuple[tuple[str, int], ...]:
    """Records by verdict, in the order of the verdicts."""
    counts = Counter(judged.verdict for judged in verdicts)
    return tuple((verdict.value, counts[verdict]) for verdict in Verdict if counts[verdict])
