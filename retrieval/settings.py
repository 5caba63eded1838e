"""Every number that steers a projection, each with its unit and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.architecture.bias import ArchitectureSettings
from retrieval.hints import HintSettings
from retrieval.identities import IdentitySettings
from retrieval.origins import OriginSettings
from retrieval.ranking.code.settings import CodeRankingSettings
from retrieval.ranking.conversation.settings import ConversationRankingSettings
from retrieval.ranking.diversity import DiversitySettings
from retrieval.ranking.prose.settings import ProseRankingSettings
from retrieval.sources import SourceSettings
from retrieval.stance.settings import OpposingSettings


@dataclass(frozen=True, slots=True)
class GoalSettings:
    """How a goal's text becomes weighted terms and names."""

    read_characters: int = 20_000
    """Guess: a long issue with its traceback; what lies behind is not searched and the lexical lane says so."""
    prose_frequency_limit: float = 3.0
    """Measured on open localisation rows (design, recipes, 1.3): w = min(3, tf in prose) + ..."""
    code_weight: float = 0.5
    """Measured, as above: a term in fenced code counts half."""
    first_line_weight: float = 1.5
    """Measured, as above: the first line says what it is about."""
    terms_limit: int = 48
    """Guess: the heaviest terms; more cost the lexical index time and change little."""
    names_limit: int = 32
    """Guess: identifiers, quoted strings and paths looked up, of each."""
    short_goal_words: int = 3
    """Guess: in a goal this short every word may be the name of a symbol."""
    title_case_share: float = 0.5
    """Guess: where more of the words are capitalised, capitals say nothing about names."""
    embedded_characters: int = 1_500
    """Measured, as above: first line and 1,500 characters of prose; the model reads 128 tokens."""


@dataclass(frozen=True, slots=True)
class LaneSettings:
    """What each lane may spend and return. Each cap is probed one past, so that truncation is known."""

    lane_seconds: float = 2.0
    """Guess: a lane that takes longer is left out of the answer."""
    ref_strength: float = 1.0
    """A ref names one record."""
    line_strength: float = 0.95
    """Guess: a path with a line, as tracebacks give it, names what holds that line."""
    path_strength: float = 0.6
    """Guess: a named file is relevant, not each of its parts equally."""
    base_name_share: float = 0.7
    """Measured (design, recipes, 1.3): only the last part of a written path matches a file."""
    symbol_strength: float = 0.85
    """Guess: an identifier spelled as in code means that code."""
    word_strength: float = 0.5
    """Guess: a plain word that is also a symbol's name, in a short goal."""
    quoted_strength: float = 0.8
    """Guess."""
    part_strength: float = 0.5
    """Measured as a weight of parts of dotted names (design, recipes, 1.3)."""
    exact_hits_per_name: int = 128
    """Guess: a name that more records share is no name; bounds the records of one file."""
    exact_hits: int = 256
    """Guess: two names at their limit."""
    exact_count_probe: int = 4_096
    """Guess: records of one name counted beyond the cap before all of the scope is taken as the bound."""
    lexical_hits: int = 100
    """Guess: five times the default window of 20 results; each costs some 30 us to read and weigh."""
    vector_hits: int = 32
    """Measured: the best 20 re-ranked chunks do as well as 74 (design, recipes, 1.2); half as many again to be safe."""
    vector_probe: int = 512
    """Guess: where the nearest are all strong, so many are looked at to count how many more there are."""
    demand_hits: int = 20
    """Measured, as above: the lexical top 20 re-ranked by vectors is as good as all 74. Those of them that have no
    vector yet are embedded, and no others, so that a few turns settle a goal."""
    demand_seconds: float = 0.1
    """Guess: what a Focus may wait for missing vectors, some 3 to 6 texts; the rest are embedded first in the
    background."""
    lag_probe: int = 2_000
    """Guess: changes counted behind an index before saying "at least"."""


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """Forward push (Andersen, Chung, Lang, FOCS 2006) and its bounds."""

    restart_share: float = 0.3
    """Guess: stays near the seeds, two hops at most carry weight."""
    residual_floor: float = 1e-3
    """Guess: a node whose residual over its degree is smaller is not pushed."""
    pushes: int = 48
    """Guess: about 1 ms of edge reads."""
    edge_visits: int = 2_000
    """Guess: bounds a neighbourhood of wide nodes."""
    hub_neighbours: int = 64
    """Guess: a node with more neighbours spreads nothing: what everything touches says nothing."""
    hub_damping: float = 0.5
    """Guess: mass is divided by degree to this power (design, obligations: degree-normalised spreading)."""
    seeds: int = 8
    """Guess: the best few of the other lanes."""
    warm_seeds: int = 8
    """Guess: as many of the caller's own."""
    warm_weight: float = 0.5
    """Guess: what was used lately counts half of what the goal names."""
    hits: int = 16
    """Guess: twice the seeds; it adds to what other lanes find more than it finds."""
    relation_weights: tuple[tuple[str, float], ...] = (
        ("calls", 1.0),
        ("changed", 0.2),
        ("co_changed", 0.5),
        ("contains", 0.5),
        ("depends_on", 1.0),
        ("follows", 0.5),
        ("imports", 0.5),
        ("mentions", 0.7),
        ("references", 0.7),
        ("tests", 0.7),
    )
    """Guess: resolved use above mere neighbourhood."""
    other_relation_weight: float = 0.5
    """Guess: for relations not listed above."""
    backward_weight: float = 0.7
    """Guess: who uses a thing says less of it than what it uses."""


@dataclass(frozen=True, slots=True)
class RelevanceSettings:
    """The relevance scale `features-1`: weights of named features, all uncalibrated."""

    floor: float = 0.18
    """Cited: the fixed rule of the design (measure M5); a record below it is a near miss."""
    ungrounded_cap: float = 0.15
    """Below the floor by construction: where no word of the goal occurs in the scope, likeness alone is no answer."""
    coverage_exponent: float = 1.5
    """Guess: a fifth of the goal's words covered is chance (0.09), a half is a lead (0.35)."""
    term_weight_floor: float = 0.15
    """Guess: what a word in every record weighs against one in none."""
    full_mass_terms: int = 12
    """Guess: covering the weight of the 12 heaviest terms covers a long goal."""
    title_share: float = 0.25
    """Guess: how far covered words in the title or path close the gap to 1."""
    cosine_floor: float = 0.30
    """Measured over 250 functions of the standard library: 3 unrelated goals found none above 0.24."""
    cosine_full: float = 0.80
    """Guess: right answers to 4 goals over the same functions lay between 0.40 and 0.73."""
    cosine_weight: float = 0.8
    """Guess: likeness alone is never certain."""
    graph_weight: float = 0.05
    """Guess: a neighbour of what matters may matter; never enough to pass the floor alone."""
    hinted_weight: float = 0.5
    """Guess: changed lines count half of a certain name, a file that was read passes the floor by itself just so."""
    linked_weight: float = 0.5
    """Guess: what a strong result leads to for certain counts half of a certain name."""
    agreement_weight: float = 0.5
    """Guess: how far the second kind of evidence closes the gap to 1, for records at or above the floor."""
    memo_records: int = 4_096
    """Guess: analysed records remembered, some 6 KB each."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.ungrounded_cap < self.floor:
            raise ValueError("ungrounded_cap: must lie below floor")
        if self.cosine_full <= self.cosine_floor:
            raise ValueError("cosine_full: must lie above cosine_floor")

    @property
    def name(self) -> str:
        """The scale's name and version, as receipts show it."""
        return "features-1 (uncalibrated)"


@dataclass(frozen=True, slots=True)
class FusionSettings:
    """Reciprocal rank fusion (Cormack, Clarke, Buettcher, SIGIR 2009) with small k and lane weights."""

    k_ranks: int = 10
    """Measured on open code rows (design, dependencies): k=10 beats 60."""
    exact_weight: float = 2.0
    """Guess: what the goal names comes first."""
    lexical_weight: float = 0.5
    """Measured, as above: lexical 0.5 to vector 1."""
    vector_weight: float = 1.0
    """Measured, as above."""
    graph_weight: float = 0.25
    """Guess: measured to add little on files (design, recipes, 1.2)."""
    other_weight: float = 0.25
    """Guess: for lanes added later."""
    score_decimals: int = 6
    """Scores equal to this many decimals share a rank: f32 noise is no difference."""

    @property
    def name(self) -> str:
        """The fusion profile's name and version, as receipts show it."""
        return "rrf-1 (uncalibrated)"

    def weight(self, lane: str) -> float:
        """The weight of a lane's vote."""
        return {
            "exact": self.exact_weight,
            "lexical": self.lexical_weight,
            "vector": self.vector_weight,
            "graph": self.graph_weight,
        }.get(lane, self.other_weight)


@dataclass(frozen=True, slots=True)
class ClosureSettings:
    """Bounds of mandatory closure."""

    candidates: int = 200
    """As many as the largest window that a caller may ask for."""
    nodes_per_candidate: int = 64
    """Guess: a result that needs more is not one result."""
    nodes_per_origin: int = 512
    """Guess: a quarter of all; results of one origin share it, so that one source does not starve the others."""
    nodes: int = 2_048
    """Guess: all closures of one projection together."""
    edge_visits_per_candidate: int = 1_024
    """Guess: an eighth of all; where ids are walked and nothing is read yet."""
    edge_visits: int = 8_192
    """Guess: four a node."""
    opposers_per_candidate: int = 8
    """Guess: live records against one result that come with it; more are a gap that says how many."""
    edges_per_node: int = 256
    """Guess: needs of one record; more is resource_limited."""


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """All settings of a projection."""

    goal: GoalSettings = field(default_factory=GoalSettings)
    lanes: LaneSettings = field(default_factory=LaneSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    relevance: RelevanceSettings = field(default_factory=RelevanceSettings)
    fusion: FusionSettings = field(default_factory=FusionSettings)
    conversation: ConversationRankingSettings = field(default_factory=ConversationRankingSettings)
    code: CodeRankingSettings = field(default_factory=CodeRankingSettings)
    prose: ProseRankingSettings = field(default_factory=ProseRankingSettings)
    diversity: DiversitySettings = field(default_factory=DiversitySettings)
    opposing: OpposingSettings = field(default_factory=OpposingSettings)
    closure: ClosureSettings = field(default_factory=ClosureSettings)
    identities: IdentitySettings = field(default_factory=IdentitySettings)
    origins: OriginSettings = field(default_factory=OriginSettings)
    architecture: ArchitectureSettings = field(default_factory=ArchitectureSettings)
    sources: SourceSettings = field(default_factory=SourceSettings)
    hints: HintSettings = field(default_factory=HintSettings)
    entity_probes: int = 8
    """Guess: extra lexical look-ups for named things that no result shows, one each."""
    entity_probe_hits: int = 8
    """Guess: records looked at in each."""
