"""The bound of unseen records is never below the truth, and everything in a projection adds up."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.index.sensor import WeightedTerm
from retrieval.relevance import TermWeights
from retrieval.settings import LaneSettings, RelevanceSettings, RetrievalSettings
from tests.world import World, record

_WORDS = [f"word{i}" for i in range(8)]
_RELEVANCE = RelevanceSettings()

documents = st.lists(st.frozensets(st.sampled_from(_WORDS)), min_size=1, max_size=40)
weights = st.dictionaries(st.sampled_from(_WORDS), st.floats(0.5, 4.0), min_size=1)


@given(documents, weights, st.integers(0, 40), st.floats(0.01, 1.0))
def test_the_bound_of_unseen_covering_records_holds(
    held: list[frozenset[str]], weighed: dict[str, float], seen: int, coverage: float
) -> None:
    frequencies = {word: sum(word in document for document in held) for word in weighed}
    terms = [WeightedTerm(word, weight) for word, weight in weighed.items()]
    masses = TermWeights.of(terms, frequencies, len(held), _RELEVANCE)

    truth = sum(masses.coverage(document) >= coverage for document in held[seen:])

    assert masses.unseen(held[:seen], coverage) >= truth


@settings(max_examples=25)
@given(st.lists(st.frozensets(st.sampled_from(_WORDS), min_size=1), min_size=1, max_size=24), st.integers(1, 8))
def test_no_relevant_record_is_lost_without_being_counted(held: list[frozenset[str]], cap: int) -> None:
    world = World()
    world.put(*(record(f"r{i:02}", " ".join(sorted(words))) for i, words in enumerate(held)))
    goal = "word0 word1 word2"
    narrow = RetrievalSettings(lanes=LaneSettings(lexical_hits=cap, vector_hits=cap))

    everything, some = world.ask(goal), world.ask(goal, world.retrieval(narrow))

    assert everything.overflow == 0
    assert len(some.ranked) + some.overflow >= len(everything.ranked)
    assert {c.ref for c in some.ranked} <= {c.ref for c in everything.ranked}
    assert [c.ref for c in some.ranked] == [
        c.ref for c in sorted(some.ranked, key=lambda c: (-c.selection_score, c.ref))
    ]
