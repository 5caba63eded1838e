"""Every number that steers the core, each with its unit and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class HeatSettings:
    """Weights of the events that warm an entry, and how fast it cools."""

    half_life_turns: float = 6.0
    """Guess: a page unused for a handful of turns is rarely wanted again (median reuse on open traces is short)."""
    read_heat: float = 1.0
    """The unit: one reported read."""
    edit_heat: float = 2.0
    """Guess: an edit says more than a read."""
    cite_heat: float = 1.0
    """Guess: a citation counts as a read."""
    selection_heat: float = 0.5
    """Guess: a selection at relevance 1 counts half a read; rendering alone counts nothing."""
    heat_limit: float = 8.0
    """Guess: so that a loop of reads cannot keep an entry hot for ever; three half-lives above one read."""
    cold_heat: float = 0.15
    """Guess: below it, and irrelevant to the goal, an entry is demoted."""
    refocus_share: float = 0.1
    """Guess: what a refocus leaves of the heat of entries that are not mandatory; a much used one stays a few turns."""


@dataclass(frozen=True, slots=True)
class PackingSettings:
    """The worth of a rendering, and what may enter."""

    outline_share: float = 0.35
    """Guess: worth of an outline against the full text."""
    gist_share: float = 0.08
    """Guess: worth of one line against the full text."""
    worth_exponent: float = 2.0
    """Guess: prefers few strong results at full fidelity over many weak ones as gists."""
    stay_margin: float = 0.25
    """Guess: how much better a newcomer must be than what it displaces."""
    top_k_results: int = 20
    """Guess: a default window; the caller sets its own."""
    top_k_limit_results: int = 200
    """Guess: the largest window a caller may ask for; retrieval closes over as many."""
    frontier_share: float = 0.05
    """Guess: share of the budget kept for one-line references; the worked example spends 180 of 4,000 tokens."""
    frontier_lines: int = 12
    """The worked example of the design."""
    entries_limit: int = 512
    """Guess: bounds a set that is touched without a Focus."""


@dataclass(frozen=True, slots=True)
class EvictionSettings:
    """The default policy (design, policy, E) and the guards around it."""

    policy: str = "hit_density"
    """A name in `workingset.eviction.registry`."""
    age_weight: float = 0.85
    """Measured on 249 open traces (design, policy, section 1)."""
    group_weight: float = 0.9
    """Measured, as above: width of the group a page was touched with."""
    uses_weight: float = 0.6
    """Measured, as above."""
    edit_weight: float = 0.6
    """Measured, as above: a page just edited is done with."""
    relevance_weight: float = 0.6
    """Measured, as above, for BM25 over the best page's; here on the relevance scale."""
    minimum_stay_turns: int = 1
    """Guess: the policy does not nominate an entry in the turn after it entered."""
    refault_protection_turns: int = 3
    """Guess, after Linux mm/workingset.c: the policy does not nominate an entry that came back by a fault so long."""
    ghosts_limit: int = 256
    """Guess: about ten turns of eviction at the default window."""


@dataclass(frozen=True, slots=True)
class PinSettings:
    """What an agent may pin for itself; a host's pins are bounded by the budget alone."""

    agent_pins_limit: int = 8
    """Guess."""
    agent_pin_turns: int = 10
    """Guess: used where the agent names no expiry."""
    agent_pin_turns_limit: int = 50
    """Guess."""
    text_bytes_limit: int = 16_384
    """Guess: a pin is a rule or a note, not a document."""


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """Thresholds of the drift signals. All uncalibrated."""

    goal_distance_floor: float = 0.6
    """Guess: 1 - cosine between goals; follow-ups on open traces lie below."""
    term_distance_floor: float = 0.8
    """Guess: 1 - shared terms over the shorter goal's terms."""
    mass_lost_floor: float = 0.75
    """Guess: share of the new goal's relevance that the present set does not hold."""
    stale_share_floor: float = 0.25
    """Guess: share of entries whose record changed or went."""
    turns_between: int = 1
    """Guess: a refocus is not followed by another in the next turn; the first goal of all needs no such rest."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds of sufficiency with where they were measured."""

    name: str
    queries: int
    date: str
    too_early_rate: float
    too_late_rate: float


@dataclass(frozen=True, slots=True)
class SufficiencySettings:
    """The first rule: a fixed floor on the best thing left out."""

    left_out_floor: float = 0.18
    """Cited: the fixed rule of the design (measure M5); uncalibrated."""
    weak_floor: float = 0.3
    """Guess: a best match below it is weak."""
    calibration: Calibration | None = None
    """None caps the state at `gathering`."""


@dataclass(frozen=True, slots=True)
class WorkingSetSettings:
    """All settings of the core."""

    heat: HeatSettings = field(default_factory=HeatSettings)
    packing: PackingSettings = field(default_factory=PackingSettings)
    eviction: EvictionSettings = field(default_factory=EvictionSettings)
    pins: PinSettings = field(default_factory=PinSettings)
    drift: DriftSettings = field(default_factory=DriftSettings)
    sufficiency: SufficiencySettings = field(default_factory=SufficiencySettings)
    full_fidelity_share: float = 0.9
    """Cited: measure M1 of the design: a reference is a hit when this share of its lines is rendered in full."""
    omissions_named: int = 5
    """The worked example of the design: the best five of what was left out."""
