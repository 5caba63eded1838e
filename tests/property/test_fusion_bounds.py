"""The bound of unseen records is never below the truth, and everything in a projection adds up."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from retrieval.index.sensor import WeightedTerm
from retrieval.query import Query
from retrieval.relevance import TermWeights
from retrieval.settings import LaneSettings, RelevanceSettings, RetrievalSettings
from tests.fakes import FakeDemand
from tests.world import CODE, World, record
from workingset.vocabulary import Generation

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


_words_of_records = st.lists(st.frozensets(st.sampled_from(_WORDS), min_size=1), min_size=1, max_size=24)
_caps = st.integers(1, 8)


@settings(max_examples=25)
@given(_words_of_records, _caps, _caps, st.integers(1, 16))
@example([frozenset({"word0"}), frozenset({"word0"}), frozenset({"word1"})], 1, 1, 512)
def test_no_relevant_record_is_lost_without_being_counted(
    held: list[frozenset[str]], lexical_cap: int, vector_cap: int, vector_probe: int
) -> None:
    world = World()
    world.put(*(record(f"r{i:02}", " ".join(sorted(words))) for i, words in enumerate(held)))
    goal = "word0 word1 word2"
    lanes = LaneSettings(lexical_hits=lexical_cap, vector_hits=vector_cap, vector_probe=vector_probe)
    narrow = RetrievalSettings(lanes=lanes)

    everything, some = world.ask(goal), world.ask(goal, world.retrieval(narrow))

    assert everything.overflow == 0
    assert len(some.ranked) + some.overflow >= len(everything.ranked)
    assert {c.ref for c in some.ranked} <= {c.ref for c in everything.ranked}
    assert [c.ref for c in some.ranked] == [
        c.ref for c in sorted(some.ranked, key=lambda c: (-c.selection_score, c.ref))
    ]


_NAMES = ["parse_it", "load_it"]
_PATHS = ["", "a/x.py", "b/x.py", "c/x.py", "d/y.py"]
_pieces = st.tuples(
    st.frozensets(st.sampled_from(_WORDS), max_size=4),
    st.lists(st.sampled_from(_NAMES), max_size=2, unique=True),
    st.sampled_from(_PATHS),
)
_goals = st.sampled_from(["`parse_it` word0 in x.py", "parse_it load_it", "a/x.py d/y.py word1 `parse_it` `load_it`"])


@settings(max_examples=25)
@given(st.lists(_pieces, min_size=1, max_size=16), st.lists(st.integers(1, 6), min_size=4, max_size=4), _goals)
def test_a_named_record_beyond_any_cap_is_counted(
    pieces: list[tuple[frozenset[str], list[str], str]], caps: list[int], goal: str
) -> None:
    world = World()
    world.put(
        *(
            record(f"r{i:02}", " ".join(sorted(words)), symbols=names, path=path)
            for i, (words, names, path) in enumerate(pieces)
        )
    )
    lexical, vector, of_name, exact = caps
    lanes = LaneSettings(lexical_hits=lexical, vector_hits=vector, exact_hits_per_name=of_name, exact_hits=exact)

    everything, some = world.ask(goal), world.ask(goal, world.retrieval(RetrievalSettings(lanes=lanes)))

    assert len({c.ref for c in everything.ranked} - {c.ref for c in some.ranked}) <= some.overflow


@settings(max_examples=25)
@given(_words_of_records, st.sets(st.integers(0, 23)), _caps, _caps, st.booleans())
def test_while_vectors_are_missing_what_words_find_beyond_the_cap_is_counted(
    held: list[frozenset[str]], without: set[int], lexical_cap: int, vector_cap: int, demanding: bool
) -> None:
    world = World()
    records = [record(f"r{i:02}", " ".join(sorted(words))) for i, words in enumerate(held)]
    world.put(*(r for i, r in enumerate(records) if i not in without))
    world.put(*(r for i, r in enumerate(records) if i in without), vectors=False)
    world.progress.behind["vector", CODE] = Generation(0)
    demand = FakeDemand(world.embedder) if demanding else None
    narrow = RetrievalSettings(lanes=LaneSettings(lexical_hits=lexical_cap, vector_hits=vector_cap))

    everything = world.ask("word0 word1 word2", world.retrieval(demand=demand))
    some = world.ask("word0 word1 word2", world.retrieval(narrow, demand=demand))

    assert len({c.ref for c in everything.ranked} - {c.ref for c in some.ranked}) <= some.overflow


def test_a_known_record_beyond_the_caps_is_still_not_ranked() -> None:
    world = World()
    records = [record(f"r{i}", "leases expire") for i in range(3)]
    world.put(*records, vectors=False)
    lanes = LaneSettings(lexical_hits=1)

    query = Query("leases expire", known=tuple(r.ref for r in records))
    projection = world.ask(query, world.retrieval(RetrievalSettings(lanes=lanes)))

    assert (len(projection.ranked), projection.overflow) == (1, 2)


def test_hits_that_are_gone_hide_no_word_behind_the_cap() -> None:
    world = World()
    gone = record("gone", "leases expire")
    world.put(gone)
    world.put(record("kept", "leases expire"), vectors=False)
    world.remove(gone.ref, from_indexes=False)

    projection = world.ask("leases expire", world.retrieval(RetrievalSettings(lanes=LaneSettings(lexical_hits=1))))

    assert (projection.ranked, projection.overflow) == ((), 1)


@given(documents, weights, st.integers(0, 40), st.floats(0.01, 1.0), st.data())
def test_the_bound_holds_for_unchanged_records_while_seen_ones_changed(
    held: list[frozenset[str]], weighed: dict[str, float], seen: int, coverage: float, data: st.DataObject
) -> None:
    frequencies = {word: sum(word in document for document in held) for word in weighed}
    masses = TermWeights.of([WeightedTerm(w, m) for w, m in weighed.items()], frequencies, len(held), _RELEVANCE)
    changed = data.draw(st.sets(st.integers(0, max(0, min(seen, len(held)) - 1))))
    now = [frozenset(_WORDS) if i in changed else document for i, document in enumerate(held)]

    truth = sum(masses.coverage(document) >= coverage for document in held[seen:])

    assert masses.unseen(now[:seen], coverage, len(changed)) >= truth
