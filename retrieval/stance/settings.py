"""The numbers of stance cues, and of the lane that searches by them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CueSettings:
    """What each cue adds to the order of the opposing lane, where the best fit to the topic by words counts 1, and that
    by likeness 1.

    Cues hardly separate texts against a claim from texts for it (measured: design, recipes, 3: AUROC .54 to .61 for
    negation, .50 for contrast, .50 to .54 for numbers), so they decide between texts that fit about alike.
    """

    negation_weight: float = 0.25
    """One round number for all, chosen on half A of FEVER-symmetric (186 claims), where up to .5 the lane's recall of
    neither side changes: of its first texts that are labelled 32 % oppose, 17 % without cues."""
    antonym_weight: float = 0.25
    """As above."""
    number_weight: float = 0.25
    """As above."""
    date_weight: float = 0.25
    """As above."""
    object_weight: float = 0.1
    """Guess: less than the others, for a text beside the point has another object too."""
    contrast_weight: float = 0.0
    """Measured (design, recipes, 3): at chance, so it is told and counts nothing."""
    other_number_share: float = 0.5
    """Guess: a text that has other numbers, none of them of the claim's unit, disagrees half."""
    read_characters: int = 2_000
    """Guess: a page; what lies behind gives no cue."""


@dataclass(frozen=True, slots=True)
class OpposingSettings:
    """What the opposing lane looks at, and how it orders."""

    lexical_hits: int = 64
    """Guess: six windows of ten; opposing text is less like the claim, so the pool is deep."""
    vector_hits: int = 64
    """Guess, as above."""
    feedback_hits: int = 32
    """Guess: half as many near the best of the pool."""
    feedback_results: int = 3
    """Cited (design, recipes, 3): the centroid of the best 3."""
    feedback_share: float = 0.5
    """Cited, as above: claim + .5 centroid."""
    least_cosine: float = 0.30
    """Measured over 250 functions of the standard library: 3 unrelated goals found none above .24. What is less like
    the topic is no candidate, unless it holds its words."""
    least_covered_share: float = 0.34
    """Guess: a third of the topic's words makes a candidate of a text that is not like it."""
    least_feedback_cosine: float = 0.40
    """Guess: near topic and best together; as much likeness as passes for relevance alone."""
    lexical_weight: float = 1.0
    """Cited, as above: BM25 and cosine, each over the best one's, count alike."""
    vector_weight: float = 1.0
    """Cited, as above."""
    cued_texts: int = 32
    """Guess: candidates whose text is read for cues, the best first; as many as are returned."""
    hits: int = 32
    """Guess: eight windows of four places."""
    judged_texts: int = 32
    """Guess: as many as are returned; a model may take some 30 ms a text."""
    judged_weight: float = 3.0
    """Guess: a sure judgement outweighs likeness and cues together."""
    lag_probe: int = 2_000
    """Guess: changes counted behind an index before saying "at least", as for other lanes."""
    cues: CueSettings = field(default_factory=CueSettings)

    def __post_init__(self) -> None:
        for name in ("lexical_hits", "vector_hits", "feedback_hits", "feedback_results", "cued_texts", "hits"):
            if getattr(self, name) < 1:
                raise ValueError(f"opposing.{name}: give 1 or more")
        if self.lexical_weight < 0.0 or self.vector_weight < 0.0 or self.judged_weight < 0.0:
            raise ValueError("opposing: no weight may be below 0")
