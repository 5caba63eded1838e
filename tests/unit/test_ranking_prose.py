"""How titled texts are ordered: what the question names, and where its best answers lead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval.project import Retrieval
from retrieval.ranking.prose.names import names
from retrieval.ranking.prose.ranker import ProseRanker
from retrieval.ranking.prose.settings import ProseRankingSettings
from retrieval.ranking.prose.titles import Mentions, folded, folded_title
from retrieval.ranking.query_class import QueryClass
from retrieval.record import Record
from retrieval.settings import GoalSettings, RelevanceSettings, RetrievalSettings
from tests.world import World, record, refs
from workingset.candidate import Candidate


def passage(title: str, text: str) -> Record:
    return replace(record(folded(title).replace(" ", "-"), text, title=title), kind="passage")


RIVER = passage("Ossel (river)", "The Ossel is a river. It rises in Vantria and flows to the sea.")
COUNTRY = passage("Vantria", "Vantria is a land of hills. Its parliament sits in Cadwick since 1861.")
TOWN = passage("Cadwick", "Cadwick is known for its glass. The town has two bridges.")
OTHERS = [
    passage(f"Village {number}", f"Village {number} lies beside a lake. Fishing feeds the {number} families there.")
    for number in range(12)
]


@pytest.fixture
def atlas() -> World:
    world = World()
    world.put(RIVER, COUNTRY, TOWN, *OTHERS)
    return world


def features(world: World, question: str, wanted: Record) -> dict[str, float]:
    found = next(c for c in world.ask(question).ranked if c.ref == wanted.ref)
    return dict(found.features)


def test_names_are_runs_of_capitals_and_years_without_what_only_begins_a_sentence() -> None:
    text = "In 1861 the Bank of Upper Vantria failed. However, King Osk II. of Ell and the queen fled. The End"
    assert names(text, 8) == ("1861", "Bank of Upper Vantria", "King Osk II of Ell", "End")


def test_a_shout_is_no_name() -> None:
    assert names("BUY THE BEST AND ONLY GLASS OF CADWICK TODAY now in Cadwick", 3) == ("Cadwick",)


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Brother (Pearl Jam song)", "brother"), ("Akinoshū Kenji", "akinoshu kenji"), ("A–Z, 2nd ed.", "a z 2nd ed")],
)
def test_titles_are_compared_without_case_accents_and_brackets(title: str, expected: str) -> None:
    assert folded_title(title) == expected


def test_a_title_is_mentioned_as_whole_words_of_enough_letters() -> None:
    text = Mentions("The Ossel, in Vantria.")
    assert text.hold("ossel", 4)
    assert text.hold("in vantria", 4)
    assert not text.hold("ossel in van", 4)
    assert not text.hold("in", 4)


def test_what_the_best_answer_leads_to_is_brought_and_ranked(atlas: World) -> None:
    question = "Where does the parliament of the country sit in which the Ossel rises?"
    ranked = refs(atlas.ask(question))
    assert ranked[:2] == [RIVER.ref, COUNTRY.ref] or ranked[:2] == [COUNTRY.ref, RIVER.ref]
    found = features(atlas, question, COUNTRY)
    assert found["mentioned"] > 0.0
    assert found["shared"] > 0.0
    assert features(atlas, question, RIVER)["named"] == 1.0


def test_a_text_without_a_word_of_the_question_is_found_through_another(atlas: World) -> None:
    question = "What is the place known for where the parliament of Vantria sits?"
    town = next(c for c in atlas.ask(question).ranked if c.ref == TOWN.ref)
    assert "links" in town.lanes
    assert dict(town.features)["linked"] >= 0.4
    strangers = {record.ref for record in OTHERS}
    assert not strangers.intersection(refs(atlas.ask(question))[:3])


def test_what_a_seed_leaves_open_counts_for_those_that_have_it() -> None:
    world = World()
    world.put(
        passage("Opera", "The opera was written by Ilse Moor in Vienna."),
        passage("Ilse Moor", "Ilse Moor studied law and married a baker."),
        passage("Moor", "Ilse Moor and other people of that name."),
    )
    question = "Whom did the writer of the opera marry?"
    assert (
        features(world, question, passage("Ilse Moor", ""))["answering"]
        > features(world, question, passage("Moor", ""))["answering"]
    )


def test_no_more_is_brought_than_the_settings_say(atlas: World) -> None:
    few = replace(RetrievalSettings(), prose=ProseRankingSettings(seeds=1, brought_hits=1, title_hits=1))
    many = atlas.ask("Which families live by fishing beside a lake?")
    some = atlas.ask("Which families live by fishing beside a lake?", atlas.retrieval(few))
    assert brought(some.ranked) < brought(many.ranked)
    assert brought(some.ranked) <= 4


def test_a_question_that_names_nothing_of_the_store_leads_nowhere(atlas: World) -> None:
    assert refs(atlas.ask("qwzx vbnm")) == []


def test_equal_questions_get_equal_orders_whatever_the_ids(atlas: World) -> None:
    question = "Where does the parliament of the country sit in which the Ossel rises?"
    again = World()
    again.put(*reversed(OTHERS), TOWN, COUNTRY, RIVER)
    assert refs(again.ask(question))[:3] == refs(atlas.ask(question))[:3]


def test_a_profile_can_be_replaced_by_another_of_the_same_class(atlas: World) -> None:
    settings = RetrievalSettings(relevance=RelevanceSettings())
    blind = ProseRanker(replace(settings.prose, mentioned_weight=0.0, shared_weight=0.0, answering_weight=0.0))
    retrieval = Retrieval(
        atlas.lexical,
        atlas.vector,
        atlas.embedder,
        atlas.progress,
        None,
        settings,
        ranked_by={QueryClass.PROSE: blind},
    )
    question = "What is the place known for where the parliament of Vantria sits?"
    seeing, blinded = atlas.ask(question), atlas.ask(question, retrieval)
    assert score_of(seeing.ranked, TOWN) > score_of(blinded.ranked, TOWN)


def score_of(ranked: tuple[Candidate, ...], wanted: Record) -> float:
    return next(candidate.selection_score for candidate in ranked if candidate.ref == wanted.ref)


def brought(ranked: tuple[Candidate, ...]) -> int:
    return sum("links" in candidate.lanes for candidate in ranked)


def test_of_a_long_question_so_many_terms_are_looked_up_as_titles_and_the_rest_is_counted(atlas: World) -> None:
    settings = RetrievalSettings(prose=ProseRankingSettings(question_terms=3))

    projection = atlas.ask("what glass is made in the town of Cadwick", atlas.retrieval(settings))

    lexical = next(lane for lane in projection.lanes if lane.lane == "lexical")
    assert "1 words not looked up as titles or speakers" in lexical.note


def test_titles_behind_what_is_read_of_a_question_change_nothing(atlas: World) -> None:
    short = "which hills are in the land"
    settings = RetrievalSettings(goal=GoalSettings(read_characters=len(short)))

    plain = atlas.ask(short, atlas.retrieval(settings))
    long = atlas.ask(f"{short} of Vantria or Cadwick", atlas.retrieval(settings))

    assert [(c.ref, c.features) for c in long.ranked] == [(c.ref, c.features) for c in plain.ranked]
