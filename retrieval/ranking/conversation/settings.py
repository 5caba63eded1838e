"""The numbers of the conversation ranker `conversation-1`: plain round numbers, fitted on nothing.

They were written down near weights that open LoCoMo rows (CC BY-NC 4.0, for evaluation only) had shown to matter
(design, recipes, 2), and changed by halves at the most afterwards; those rows report only.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConversationRankingSettings:
    """What counts for turns of a conversation, and what looking for it may cost."""

    window_weight: float = 4.0
    """Round number, see above: BM25 of the turn with its neighbours' words, over the best one's."""
    vector_weight: float = 5.0
    """Round number, see above: cosine of the turn's own text to the question without speakers' names."""
    speaker_weight: float = 3.0
    """Round number, see above: the one speaker that the question names said it."""
    session_window_weight: float = 1.0
    """Round number, see above: mean of the best windows of the turn's session."""
    session_vector_weight: float = 2.0
    """Round number, see above: mean of the best cosines of the turn's session."""
    date_weight: float = 3.0
    """Round number, see above: it was said on a date that the question names, or names it."""
    time_weight: float = 2.0
    """Round number, see above: the question asks when, and the turn speaks of a time."""
    asking_weight: float = 0.5
    """Round number, see above: taken off where the turn asks something, for it is the next that tells."""
    exact_names_weight: float = 4.0
    """Guess: as much as the best window; a ref, a path or a quoted string of the question is the record's own."""
    graph_mass_weight: float = 0.5
    """Guess: edges and what is warm decide between equals."""
    session_repeat_weight: float = 0.1
    """Round number, see above: taken off for each better turn of the same session, so that what is collected from many
    sessions is found in all of them."""
    session_best: int = 3
    """Measured (design, recipes, 2): so many of the best turns speak for their session."""
    same_day_share: float = 0.7
    """Measured (design, recipes, 2): the day named, beside the month."""
    days_after_share: float = 0.4
    """Measured (design, recipes, 2): within a week after the day named, for things are told later."""
    days_after: int = 7
    """Measured, as above."""
    month_after_share: float = 0.3
    """Measured (design, recipes, 2): in the first week of the month after the one named."""
    other_year_share: float = 0.3
    """Measured (design, recipes, 2): the month is named with another year."""
    window_hits: int = 200
    """Guess: turns whose window counts; behind them no word of the question stands out."""
    brought_windows: int = 64
    """Guess: three screens of turns; of the best windows so many are ordered with what the lanes found."""
    brought_alike: int = 32
    """As many as the vector lane finds."""
    speaker_look_ups: int = 2_048
    """Guess, some 20 ms: words of the question that are looked up as speakers, in all namespaces together."""
    least_cosine: float = 0.15
    """Guess: a question and the turn that answers it are less alike than code and what is said of it; the nearest of
    unrelated texts have some 0.2."""
