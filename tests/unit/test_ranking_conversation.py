"""How turns are ordered: who was asked for, when it was, what was said around it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from retrieval.goal import parse_goal
from retrieval.ranking.conversation.asked_dates import AskedDate, asked_dates, asks_when, fit
from retrieval.ranking.conversation.sessions import session_means, spread
from retrieval.ranking.conversation.settings import ConversationRankingSettings
from retrieval.ranking.conversation.speakers import named_speakers, without_speakers
from retrieval.ranking.conversation.turns import Days, TurnFacts, speaks_of_time, turn_facts
from retrieval.record import TURN_KIND, Name, NameKind, Record
from retrieval.scoping import scope_of
from retrieval.settings import GoalSettings, RetrievalSettings
from tests.world import CODE, TENANT, World, record, refs
from workingset import entry

SETTINGS = ConversationRankingSettings()


def turn(
    local: str, speaker: str, text: str, *, day: date | None = None, beside: str = "", session: str = "1"
) -> Record:
    seconds = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()) if day else 0
    known = {"conversation": "c", "speaker": speaker, "session": session, "time": str(seconds) if seconds else ""}
    return replace(
        record(local, text, title=speaker),
        kind=TURN_KIND,
        beside=beside,
        names=(Name(NameKind.SPEAKER, speaker),),
        attributes=tuple(sorted((key, value) for key, value in known.items() if value)),
    )


def said(day: date | None, *named: Days) -> TurnFacts:
    return TurnFacts("Ann", (), day, named)


@pytest.mark.parametrize(
    ("question", "dates"),
    [
        ("What did Ann buy on 3 July 2023?", (AskedDate(7, 3, 2023),)),
        ("What happened on July 3rd, 2023", (AskedDate(7, 3, 2023),)),
        ("Where was he in Aug?", (AskedDate(8),)),
        ("What came after the 2nd of March?", (AskedDate(3, 2),)),
        ("Which book did she read in May 2022?", (AskedDate(5, 0, 2022),)),
        ("May I ask what he sang?", ()),
        ("Who came between 2023-05-07 and 2023-06?", (AskedDate(5, 7, 2023), AskedDate(6, 0, 2023))),
        ("How did the march go?", ()),
        ("When did she move, Sept 2022 or Sep. 2023?", (AskedDate(9, 0, 2022), AskedDate(9, 0, 2023))),
        ("When did Augusta visit the Marching band of Juneau and the Decemberists, Julya?", ()),
        ("Is Mayor 3 older than Marchand 2021?", ()),
    ],
)
def test_dates_are_read_from_questions(question: str, dates: tuple[AskedDate, ...]) -> None:
    assert asked_dates(question) == dates


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("When did it end?", True),
        ("On what day was it?", True),
        ("How long did it take?", True),
        ("What ended?", False),
    ],
)
def test_questions_for_a_time_are_known_by_how_they_begin(question: str, *, asks: bool) -> None:
    assert asks_when(question) is asks


def test_the_day_named_fits_best_then_the_week_after_then_the_month() -> None:
    third = (AskedDate(7, 3, 2023),)
    scores = [fit(third, said(date(2023, 7, day)), SETTINGS) for day in (3, 8, 20)]
    assert scores == [1.7, 1.4, 1.0]
    assert fit(third, said(date(2023, 8, 5)), SETTINGS) == 0.3
    assert fit(third, said(date(2022, 7, 3)), SETTINGS) == pytest.approx(0.3 * 1.7)
    assert fit(third, said(date(2023, 9, 3)), SETTINGS) == fit(third, said(None), SETTINGS) == 0.0


@pytest.mark.parametrize("month", range(1, 13))
def test_every_month_is_told_of_in_the_first_week_of_the_next(month: int) -> None:
    told = date(2023, month + 1, 4) if month < 12 else date(2024, 1, 4)
    assert fit((AskedDate(month, 0, 2023),), said(told), SETTINGS) == 0.3
    assert fit((AskedDate(month, 0, 2023),), said(told.replace(day=9)), SETTINGS) == 0.0


def test_a_month_that_is_a_speakers_name_counts_with_a_day_or_a_year_only() -> None:
    assert asked_dates("What did June tell April?", ("June", "April")) == ()
    assert asked_dates("What did June do in April?", ("June",)) == (AskedDate(4),)
    assert asked_dates("What did June do in June 2023?", ("June",)) == (AskedDate(6, 0, 2023),)


def test_who_is_called_like_a_month_is_asked_for_and_not_the_month() -> None:
    world = World()
    world.put(
        turn("spring", "June", "We went swimming", day=date(2023, 5, 8)),
        turn("summer", "Ann", "We went swimming", day=date(2023, 6, 3), session="2"),
    )
    ranked = world.ask("Where did June go swimming?").ranked
    assert all(dict(candidate.features)["date"] == 0.0 for candidate in ranked)


def test_of_a_long_question_so_much_is_read_and_the_rest_is_counted(talk: World) -> None:
    settings = RetrievalSettings()
    settings = replace(settings, conversation=replace(settings.conversation, speaker_look_ups=3))

    projection = talk.ask("who of ann and bob bought a red bicycle", talk.retrieval(settings))

    lexical = next(lane for lane in projection.lanes if lane.lane == "lexical")
    assert "6 words not looked up as titles or speakers" in lexical.note


def test_what_lies_behind_what_is_read_of_a_question_changes_nothing(talk: World) -> None:
    settings = RetrievalSettings(goal=GoalSettings(read_characters=30))
    short = "Who bought a red bicycle there"

    plain = talk.ask(short, talk.retrieval(settings))
    long = talk.ask(f"{short} with Mary and Bob on 3 July 2023", talk.retrieval(settings))

    assert [(c.ref, c.features) for c in long.ranked] == [(c.ref, c.features) for c in plain.ranked]


def test_a_day_that_the_words_name_fits_as_the_day_of_telling_does() -> None:
    named = said(date(2023, 9, 1), Days(date(2023, 6, 26), date(2023, 7, 2)))
    assert fit((AskedDate(7, 1),), named, SETTINGS) == 1.7
    assert fit((AskedDate(7, 9),), named, SETTINGS) == 1.0
    assert fit((AskedDate(7),), said(None, Days(date(2023, 1, 1), date(2023, 12, 31))), SETTINGS) == 0.0


def test_core_and_retrieval_call_a_turn_by_the_same_word() -> None:
    assert TURN_KIND == entry.TURN_KIND


def test_facts_are_read_from_attributes_and_nonsense_is_as_good_as_nothing() -> None:
    facts = turn_facts(turn("a", "Ann", "hello", day=date(2023, 5, 8)))
    assert (facts.speaker, facts.said, facts.session) == ("Ann", date(2023, 5, 8), ("code", "c", "1"))
    known = (("dates", "2023-05-07,x,2023-05-01/2023-05-07"), ("time", "soon"))
    odd = turn_facts(replace(turn("b", "Ann", "hello"), attributes=known))
    assert odd.named == (Days(date(2023, 5, 7), date(2023, 5, 7)), Days(date(2023, 5, 1), date(2023, 5, 7)))
    assert (odd.speaker, odd.said, odd.session) == ("", None, ())


def test_a_turn_that_speaks_of_time_is_known_by_its_words() -> None:
    assert speaks_of_time(turn("a", "Ann", "I went there Last week."))
    assert not speaks_of_time(turn("b", "Ann", "I went there."))


def test_of_two_equal_turns_the_one_that_asks_comes_last() -> None:
    world = World()
    world.put(turn("asks", "Ann", "Do you have a new kite?"), turn("tells", "Ann", "I have a new kite."))
    assert refs(world.ask("Does Ann have a new kite"))[0] == "code:tells"


def test_sessions_are_as_good_as_their_best_turns() -> None:
    sessions: dict[int, tuple[str, ...]] = {1: ("s",), 2: ("s",), 3: ("s",), 4: ("t",), 5: ()}
    means = session_means({1: 1.0, 2: 0.5, 3: 0.1, 4: 1.0, 5: 1.0}, sessions, 2)
    assert means == {1: 0.75, 2: 0.75, 3: 0.75, 4: 0.5, 5: 0.0}


def test_a_session_pays_for_every_turn_that_was_taken_of_it() -> None:
    sessions: dict[int, tuple[str, ...]] = {1: ("s",), 2: ("s",), 3: ("t",), 4: ()}
    assert spread({1: 3.0, 2: 2.9, 3: 2.85, 4: 1.0}, sessions, [1, 2, 3, 4], 0.1) == {1: 3.0, 2: 2.8, 3: 2.85, 4: 1.0}


@pytest.fixture
def talk() -> World:
    world = World()
    world.put(
        turn("a1", "Ann", "I bought a red bicycle yesterday", day=date(2023, 5, 8)),
        turn("b1", "Bob", "I bought a red bicycle yesterday too", day=date(2023, 5, 8)),
        turn("a2", "Ann", "It squeaks", day=date(2023, 5, 8), beside="I bought a red bicycle yesterday too"),
        turn("b2", "Bob", "We painted the whole kitchen green", day=date(2023, 7, 3), session="2"),
        turn("a3", "Ann", "Mary Ann and I sang", day=date(2023, 7, 3), session="2"),
        turn("m1", "Mary Ann", "We sang together", day=date(2023, 7, 3), session="2"),
    )
    return world


def test_speakers_are_those_who_spoke_by_their_first_names_too(talk: World) -> None:
    with talk.store.snapshot(TENANT) as txn:
        scope = scope_of(txn, (CODE,))
        assert named_speakers(txn, scope, "What did Ann and Mary tell Carl?", 99) == (("Ann", "Mary"), 0)
        assert named_speakers(txn, scope, "what did ann say to An and Bobby", 99) == ((), 0)


def test_a_goal_without_its_speakers_keeps_its_text() -> None:
    goal = parse_goal("What did Ann's sister buy for Ann?", GoalSettings())
    bare = without_speakers(goal, ("Ann",), GoalSettings())
    assert bare.text == goal.text
    assert bare.embedded == "What did sister buy for ?"
    assert {term.term for term in goal.terms} - {term.term for term in bare.terms} == {"ann"}
    assert without_speakers(parse_goal("Ann?", GoalSettings()), ("Ann",), GoalSettings()).terms


def test_the_turn_of_the_speaker_who_was_asked_for_comes_first(talk: World) -> None:
    assert refs(talk.ask("Who bought a red bicycle, Ann"))[0] == "code:a1"
    assert refs(talk.ask("Did Bob buy a red bicycle?"))[0] == "code:b1"


def test_a_turn_is_found_by_what_was_said_around_it(talk: World) -> None:
    projection = talk.ask("What does the red bicycle do?")
    assert "code:a2" in refs(projection)
    assert projection.fusion.startswith("conversation; conversation-1;")


def test_the_date_asked_for_decides_between_equals() -> None:
    world = World()
    world.put(
        turn("spring", "Ann", "We went swimming", day=date(2023, 5, 8)),
        turn("summer", "Ann", "We went swimming again", day=date(2023, 7, 3), session="2"),
    )
    assert refs(world.ask("Where did Ann go swimming in July 2023?"))[0] == "code:summer"
    assert refs(world.ask("Where did Ann go swimming on 7 May 2023?"))[0] == "code:spring"


def test_asked_when_the_turn_that_tells_a_time_comes_first() -> None:
    world = World()
    world.put(turn("plain", "Ann", "I moved to Lyon"), turn("timed", "Ann", "I moved to Lyon last year"))
    ranked = world.ask("When did Ann move to Lyon?").ranked
    assert ranked[0].ref == "code:timed"
    assert dict(ranked[0].features)["time"] == 1.0


def test_a_question_of_nothing_but_a_speaker_is_answered_by_likeness(talk: World) -> None:
    assert refs(talk.ask("What does Ann do?"))


def test_records_that_are_no_turns_are_ordered_among_them_by_their_own_words(talk: World) -> None:
    talk.put(record("manual", "how to oil the chain of a red bicycle that squeaks", title="Bicycle manual"))
    projection = talk.ask("how to oil the chain of a bicycle")
    assert projection.fusion.startswith("conversation;")
    assert refs(projection)[0] == "code:manual"


def test_turns_of_hosts_that_tell_nothing_else_are_ordered_by_words() -> None:
    world = World()
    bare = replace(record("bare", "the parser fails on tabs"), kind=TURN_KIND)
    world.put(bare, replace(record("other", "the tabs are fine"), kind=TURN_KIND))
    assert refs(world.ask("why does the parser fail"))[0] == bare.ref
