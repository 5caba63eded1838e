"""Every number that steers the core, each with its unit and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from workingset.vocabulary import Tokens

_COMMON_FILE_NAMES = """
    __init__.py __main__.py conftest.py setup.py main.py utils.py app.py index.js index.ts index.tsx index.html main.go
    doc.go mod.rs lib.rs main.rs README.md CHANGELOG.md LICENSE Makefile Dockerfile package.json pyproject.toml
    tsconfig.json Cargo.toml go.mod
"""


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
    uses_limit_per_turn: int = 3
    """Guess: so that a loop of reads within a turn counts as a few uses; more are faults or hits all the same."""
    slow_kinds: tuple[str, ...] = ("ruled_out", "identifier")
    """The design: what is known not to work, and names, stay useful long after they were last spoken of."""
    slow_half_life_turns: float = 24.0
    """Guess: four times the common one."""
    wall_half_life_seconds: float = 0.0
    """0: an idle week cools nothing (the design). Else heat also halves after so long without a turn."""
    heat_limit: float = 8.0
    """Guess: so that a loop of reads cannot keep an entry hot for ever; three half-lives above one read."""
    cold_heat: float = 0.15
    """Guess: below it, and irrelevant to the goal, an entry that nobody used leaves though there is room."""
    idle_turns: int = 400
    """Guess: after so long without use, and irrelevant to the goal, any resident leaves though there is room. Measured
    on 287 open traces: dropping what was unused for 240 turns still costs 0.4 points of faults at 32k tokens."""
    refocus_share: float = 0.2
    """Guess: what a refocus leaves of the heat of entries that are not mandatory: enough that what was just read is not
    cold at once, and is had for a few turns where there is room."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How long packing looks for better than its first answer."""

    gap_share: float = 0.01
    """Measured (tests/golden/packing): so near the relaxation it looks no further. 0.02 costs up to 1.3 % of the worth
    of four inputs; 0.005 gains up to 0.4 % on five more and takes 40 % longer."""
    misfits_retried: int = 8
    """Measured, as above: so many of what did not fit are tried first; 16 found nothing more."""
    units_exchanged: int = 8
    """Measured, as above: so many of the units taken last are tried to be replaced."""
    units_looked_at: int = 6_000
    """Guess: units that all tries may look at together, each try at all there are: eight tries among the largest window
    and its entries; of more units than this the first answer stands. Measured, as above: among up to 136 units 400
    costs 3 % of the worth of one input, and more than 1,400 gains nothing."""


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
    newcomers_share: float = 0.5
    """Guess: share of the room that residents may be asked to make for the results of one turn."""
    cold_share: float = 0.15
    """Guess: share of the budget that cold entries may take before they leave, together: each leaving breaks the prefix
    that a host's prompt cache keeps, and until then they fill room that nothing else asks for. In a made-up session of
    ten follow-ups at 16k tokens 0, 0.1 and 0.2 gave prefix stabilities of 0.52, 0.74 and 0.87."""
    kept_share: float = 0.05
    """Guess: share of the budget up to which a record of history enters whole, or else as its outline."""
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
    search: SearchSettings = field(default_factory=SearchSettings)


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
    """Measured, as above; uses of earlier stays count too."""
    edit_weight: float = 0.6
    """Measured, as above: a page just edited is done with."""
    relevance_weight: float = 1.2
    """Measured on 287 open traces, by our relevance instead of BM25: 0.6 to 1.2 is flat, 1.2 best on both halves."""
    late_margin: float = 0.5
    """Measured, as above: of pages whose score is so near the lowest the latest in the block goes; 0.5 to 0.7 on
    both halves. Prefix stability rises by 2 to 3 points and faults at 16k fall by 0.4."""
    unused_group_tokens: Tokens = Tokens(200)
    """Measured: the median page on 287 open traces has 192; the width that a page nobody used yet is taken to have."""
    wide_prior_references: int = 4
    """Measured, as above: uses with a range of lines that an agent is taken to have made before its first."""
    batch_share: float = 0.0
    """Share of the budget that is freed beyond what is short. Measured, as above: each 5 % costs 0.1 to 0.6 points of
    faults for 0 to 2 of prefix stability; late victims give more of it for nothing."""
    minimum_stay_turns: int = 1
    """Guess: no newcomer displaces an entry that was used in the turn after it entered."""
    refault_protection_turns: int = 3
    """Guess, after Linux mm/workingset.c: so long no newcomer displaces an entry that came back by a fault no more uses
    after it was evicted than the set has texts."""
    ghosts_limit: int = 256
    """Guess: about ten turns of eviction at the default window."""
    s3fifo_small_share: float = 0.1
    """Cited: S3-FIFO (SOSP 2023): share of the room that the small queue has."""
    s3fifo_gone_share: float = 0.9
    """Cited, as above: as much of what went is remembered as the main queue holds."""
    s3fifo_promotion_uses: int = 2
    """Cited, as above: uses in the small queue that take a page to the main one."""
    s3fifo_uses_limit: int = 3
    """Cited, as above: two bits a page."""
    wtinylfu_window_share: float = 0.5
    """Measured (design, policy, section 1): of 0.01, 0.2 and 0.5 the best at 4k and 8k, no worse at more."""
    wtinylfu_protected_share: float = 0.8
    """Cited: W-TinyLFU (TOS 2017): share of the main part that pages used again there have."""
    wtinylfu_sample_uses: int = 2_000
    """Cited (design, policy): uses after which all counts are halved."""


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
class ObservationSettings:
    """What counts as a use in what the agent did and saw, and how much of that is looked at."""

    observation_characters: int = 1_000_000
    """Guess: more of one observation is looked at only at its beginning and its end; the rest is counted."""
    call_characters: int = 4_000_000
    """Guess: of all observations of one call together, in their order."""
    command_characters: int = 16_000
    """Guess: the longest command line, here-documents apart, that is taken apart into commands."""
    path_characters: int = 1_024
    """Guess: a longer word is no path; as long as the longest path of a document."""
    uses: int = 512
    """Guess: uses found in one call; as many as may be reported. What is beyond is counted."""
    distinctive_name_characters: int = 6
    """Guess: a name of the form `a_b` or `aB`. Measured: 4 and 8 give as many false citations (`observation.names`)."""
    plain_name_characters: int = 3
    """Guess: a plain word as a name counts only in backticks, from so many characters on."""
    pages_of_mentioned_file: int = 8
    """Guess: naming a file without lines cites its pages in the set only where there are no more than these."""
    open_end_lines: int = 400
    """Cited: measure M1 of the design reads a range without an end so far."""
    matched_characters: int = 120
    """Guess: how much of the words that were matched is told."""
    own_tools: tuple[str, ...] = ("hotset",)
    """Tools and commands with such a word in their name answer with our own block: their output is no use of it."""
    common_file_names: tuple[str, ...] = tuple(_COMMON_FILE_NAMES.split())
    """Guess: file names that many folders have: such a name alone says nothing of which file is meant."""


@dataclass(frozen=True, slots=True)
class WorkingSetSettings:
    """All settings of the core."""

    heat: HeatSettings = field(default_factory=HeatSettings)
    packing: PackingSettings = field(default_factory=PackingSettings)
    eviction: EvictionSettings = field(default_factory=EvictionSettings)
    pins: PinSettings = field(default_factory=PinSettings)
    drift: DriftSettings = field(default_factory=DriftSettings)
    sufficiency: SufficiencySettings = field(default_factory=SufficiencySettings)
    observation: ObservationSettings = field(default_factory=ObservationSettings)
    full_fidelity_share: float = 0.9
    """Cited: measure M1 of the design: a reference is a hit when this share of its lines is rendered in full."""
    moves_between_limit: int = 1_000
    """Guess: moves between two turns that the next receipt names; older ones are counted."""
    omissions_named: int = 5
    """The worked example of the design: the best five of what was left out."""
