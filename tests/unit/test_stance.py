"""Cues between a claim and a text, and what a claim is about: sentences in several forms."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from retrieval.deadline import Deadline
from retrieval.errors import DeadlinePassed
from retrieval.goal import parse_goal
from retrieval.settings import GoalSettings
from retrieval.stance.cues import Cues, cues
from retrieval.stance.otherwise import says_otherwise
from retrieval.stance.reading import read, read_claim
from retrieval.stance.scoring import JUDGED, by_stance
from retrieval.stance.settings import CueSettings, OpposingSettings
from retrieval.stance.topic import topic_terms, topic_text
from retrieval.stance.words import OPPOSITES, POLARITY
from tests.fakes import FakeClock

CUES = CueSettings()


def found(claim: str, text: str, settings: CueSettings = CUES) -> Cues:
    return cues(read_claim(claim, settings.read_characters), read(text, settings.read_characters), settings)


def names(claim: str, text: str) -> set[str]:
    """The cues but `object`, which nearly every text has a little of."""
    return {name for name, _ in found(claim, text).named()} - {"object"}


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The valve is open at night.", "The valve is not open at night."),
        ("The valve isn't open at night.", "The valve is open at night."),
        ("The pump can fail.", "The pump runs for years."),
        ("The gate has locks.", "The gate has no locks. The wall has some."),
        ("The pump doesn’t leak.", "The pump leaks."),
    ],
)
def test_one_of_both_is_negated(claim: str, text: str) -> None:
    assert "negation" in names(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The valve is not open.", "The valve is never open."),
        ("The valve is open.", "The valve is open. Nobody likes the colour of the wall."),
        ("Nothing grows in Vantria.", "In Vantria nothing grows but moss."),
    ],
)
def test_both_are_negated_or_another_sentence_is(claim: str, text: str) -> None:
    assert "negation" not in names(claim, text)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Sales of lamps increased in spring.", "Sales of lamps decreased in spring."),
        ("The north harbour is deep.", "The harbour is shallow at its north end."),
        ("The contract is lawful.", "The contract is illegal."),
        ("The team is able.", "The team is unable."),
        ("The lamp is flammable.", "The lamp is non-flammable."),
        ("The baker was unmarried.", "The baker was married."),
    ],
)
def test_a_word_and_its_opposite(claim: str, text: str) -> None:
    assert "antonym" in names(claim, text)


def test_opposites_that_both_texts_hold_are_none() -> None:
    assert names("It rises and falls.", "It falls and rises.") == set()


@pytest.mark.parametrize(
    ("claim", "text", "strength"),
    [
        ("The tower is 300 metres tall.", "The tower rises 310 metres.", 1.0),
        ("The tower has 1,200 steps.", "The tower has 1200 steps.", 0.0),
        ("The tower has twelve steps.", "The tower has 12 steps.", 0.0),
        ("The tower has three floors.", "Seven floors are in the tower.", 1.0),
        ("Growth was 3.50 % there.", "Growth there was 3.5%.", 0.0),
        ("The tower has 40 lamps.", "The tower is 310 metres tall.", 0.5),
        ("The tower has 40 lamps.", "The tower has lamps.", 0.0),
        ("The tower has lamps.", "The tower has 40 lamps.", 0.0),
    ],
)
def test_numbers_that_differ(claim: str, text: str, strength: float) -> None:
    assert found(claim, text).number == strength


@pytest.mark.parametrize(
    ("claim", "text", "differ"),
    [
        ("Ossel was founded in 1962.", "Ossel, founded in 1990, is a town.", True),
        ("Ossel was founded in 1962.", "Ossel (1962 to 1990) was a town.", False),
        ("Ossel was founded in 1962.", "Ossel is a town.", False),
        ("Ossel opened on 14 March.", "Ossel opened on March 15th.", True),
        ("Ossel opened on 14 March.", "Ossel opened on the 14th of March 1990.", False),
        ("Ossel opened on 2021-03-14.", "Ossel opened on Mar. 14, 2021.", False),
        ("Ossel opened on 2021-03-14.", "Ossel opened on 2021-04-14.", True),
        ("Ossel shone in the 1960s.", "Ossel shone in the 1970s.", True),
    ],
)
def test_dates_that_have_nothing_in_common(claim: str, text: str, differ: bool) -> None:
    assert found(claim, text).date == float(differ)


def test_a_year_is_no_number() -> None:
    assert found("Ossel has 40 lamps.", "Ossel was founded in 1990.").number == 0.0


def test_the_same_subject_with_another_object() -> None:
    claim = "Murda Ossel sings opera in Vantria"
    other = found(claim, "Murda Ossel paints houses.").object
    same = found(claim, "In Vantria Murda Ossel sings opera.").object
    stranger = found(claim, "Opera is sung in Cadwick.").object

    assert other == 1.0
    assert same == stranger == 0.0


def test_words_of_contrast_are_told_and_count_nothing() -> None:
    against = found("The valve is open.", "It is a myth that the valve is open.")

    assert against.contrast == 1.0
    assert CUES.contrast_weight == 0.0


def test_a_text_that_shares_no_word_has_no_cue() -> None:
    assert found("The valve is open.", "No lamp burned in 1990.") == Cues()
    assert found("The valve is open.", "") == Cues()
    assert found("", "Not so.") == Cues()


@pytest.mark.parametrize("name", ["negation", "antonym", "number", "date", "object", "contrast"])
def test_every_cue_is_bounded_and_named(name: str) -> None:
    every = Cues(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)

    assert dict(every.named())[name] == 1.0
    assert every.strength(CUES) == pytest.approx(1.1)
    assert Cues().strength(CUES) == 0.0


def test_what_lies_behind_the_bound_is_not_read() -> None:
    short = CueSettings(read_characters=20)

    assert found("The valve is open.", "The valve is open. " * 9 + "The valve is open, not.", short).negation == 0.0


@pytest.mark.parametrize(
    ("claim", "topic"),
    [
        ("Sales of lamps increased in Vantria", "Sales lamps Vantria"),
        ("The pump doesn't leak", "pump leak"),
        ("Hot Right Now is mistakenly attributed to DJ Fresh", "Hot Right Now attributed DJ Fresh"),
        ("It is a myth that the harbour is deep", "harbour deep"),
        ("never", "never"),
        ("`lease_end` is not set", "lease_end set"),
        ("岐阜は海に面していない", "岐阜は海に面していない"),
    ],
)
def test_the_topic_is_the_claim_without_its_verdict(claim: str, topic: str) -> None:
    assert topic_text(claim) == topic


def test_the_topics_terms_leave_the_verdict_out_and_keep_names() -> None:
    def kept(claim: str) -> set[str]:
        return {term.term for term in topic_terms(parse_goal(claim, GoalSettings()).terms, topic_text(claim))}

    assert kept("Sales of lamps increased") == {"sale", "lamp"}
    assert "right" in kept("Hot Right Now is right")
    assert kept("increased") == {"increas"}


@pytest.mark.parametrize(
    ("one", "other", "otherwise"),
    [
        ("The valve is open at night", "The valve is not open at night", True),
        ("The valve is not open at night", "The valve isn't open at night", False),
        ("It rose by 4 % in 1990", "It rose by 5 % in 1990", True),
        ("It rose by 4 % in 1990", "It rose by 4% in 1991", True),
        ("It rose by 4 % in 1990", "It fell by 4 % in 1990", True),
        ("It rose by 4 % in 1990", "In 1990 it rose by 4 %!", False),
        ("It rose", "It rose", False),
    ],
)
def test_near_duplicates_that_say_otherwise_are_told_from_repeats(one: str, other: str, otherwise: bool) -> None:
    assert says_otherwise(one, other, 2_000) is otherwise
    assert says_otherwise(other, one, 2_000) is otherwise


def test_opposites_go_both_ways_and_kinds_stay_in_the_topic() -> None:
    assert all(word in OPPOSITES[other] for word, others in OPPOSITES.items() for other in others)
    assert {"increased", "not", "myth"} <= POLARITY
    assert not {"north", "wife", "profit"} & POLARITY


class Judge:
    """Knows by a word which texts are against anything."""

    name = "judge-1"

    def __init__(self, answer: Sequence[float] | Exception | None = None) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._answer = answer

    def judge(self, claim: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append((claim, tuple(texts)))
        if isinstance(self._answer, Exception):
            raise self._answer
        return [float("gainsay" in text) for text in texts] if self._answer is None else self._answer


FITS = {1: 2.0, 2: 1.9, 3: 0.5}
TEXTS = {1: "the valve is open", 2: "the valve is never open", 3: "valves: sources gainsay it"}
SOON = Deadline(9.0, FakeClock())


def test_cues_settle_between_texts_that_fit_alike() -> None:
    ordering = by_stance("the valve is open", FITS, TEXTS, OpposingSettings(), None, SOON)

    assert [each.record_id for each in ordering.scored] == [2, 1, 3]
    assert ("negation", 1.0) in ordering.scored[0].cues
    assert ordering.notes == ()


def test_a_judge_orders_what_it_was_asked_and_is_named() -> None:
    judge = Judge()

    ordering = by_stance("the valve is open", FITS, TEXTS, OpposingSettings(), judge, SOON)

    assert [each.record_id for each in ordering.scored] == [3, 2, 1]
    assert (JUDGED, 1.0) in ordering.scored[0].cues
    assert ordering.notes == ("3 judged by judge-1",)
    assert judge.asked == [("the valve is open", (TEXTS[2], TEXTS[1], TEXTS[3]))]


def test_a_judge_is_asked_for_so_many_and_no_more() -> None:
    judge = Judge()

    by_stance("the valve is open", FITS, TEXTS, OpposingSettings(judged_texts=1), judge, SOON)

    assert [len(texts) for _, texts in judge.asked] == [1]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (RuntimeError("out of memory"), "failed, cues order: RuntimeError: out of memory"),
        ([1.0], "was not heard, cues order: 1 scores for 3 texts"),
        ([0.0, 1.5, 0.0], "was not heard, cues order: a score outside of 0 to 1"),
        ([0.0, float("nan"), 0.0], "was not heard, cues order: a score outside of 0 to 1"),
    ],
)
def test_a_judge_that_fails_costs_its_word_and_nothing_else(answer: Sequence[float] | Exception, told: str) -> None:
    plain = by_stance("the valve is open", FITS, TEXTS, OpposingSettings(), None, SOON)
    ordering = by_stance("the valve is open", FITS, TEXTS, OpposingSettings(), Judge(answer), SOON)

    assert ordering.scored == plain.scored
    assert ordering.notes == (f"the judge judge-1 {told}",)


def test_texts_beyond_the_bound_and_unread_ones_keep_their_fit() -> None:
    ordering = by_stance("the valve is open", FITS, {2: TEXTS[2]}, OpposingSettings(cued_texts=1), Judge(), SOON)

    assert {each.record_id: each.cues for each in ordering.scored if each.record_id != 2} == {1: (), 3: ()}
    assert len(ordering.scored) == 3


def test_a_deadline_ends_it() -> None:
    with pytest.raises(DeadlinePassed):
        by_stance("the valve is open", FITS, TEXTS, OpposingSettings(), None, Deadline(-1.0, FakeClock()))


@pytest.mark.parametrize("change", [{"hits": 0}, {"feedback_results": 0}, {"judged_weight": -1.0}])
def test_settings_that_cannot_be_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="opposing"):
        OpposingSettings(**change)  # type: ignore[arg-type]
