"""Each feature of the ranker of code on a small repository: what raises a file, and what of a file comes first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retrieval.index.sensor import Hit
from retrieval.ingest.languages.testing import is_test_path
from retrieval.ranking.code.past import Place
from retrieval.ranking.code.paths import is_wordy, lies_aside, only_gathers
from retrieval.ranking.code.table import Places
from tests.unit.code_ranking_room import CodeRoom, code_room

FILES = {
    "shop/prices.py": '''"""Prices of articles."""

RATE = 19


def gross_price(net, rate=RATE):
    """Add the tax to a net price."""
    if rate < 0:
        raise ValueError("a rate below zero is no tax")
    return net * (100 + rate) / 100


def rounded(amount):
    """Round an amount to cents."""
    return round(amount, 2)
''',
    "shop/orders.py": '''"""Orders of customers."""

from shop.prices import gross_price


class Order:
    """Articles that a customer wants."""

    def total(self, articles):
        """What the customer pays for all articles."""
        return sum(gross_price(article.net) for article in articles)

    def cancel(self):
        """Take the order back."""
        self.open = False
''',
    "shop/mail.py": '''"""Letters to customers."""


def send_letter(address, text):
    """Put a letter into the queue."""
    return (address, text)
''',
    "shop/__init__.py": '"""A shop: prices, orders, letters."""\n\nfrom shop.prices import gross_price\n',
    "tests/test_prices.py": """from shop.prices import gross_price


def test_gross_price():
    assert gross_price(100) == 119
""",
    "CHANGES.rst": "Changes\n=======\n\ngross price: the tax is added to a net price, articles, orders, letters.\n",
    "docs/conf.py": '"""Settings of the manual: gross price, tax, articles."""\n\nTITLE = "gross price"\n',
}
COMMITS = (
    ("Let vouchers lower what is paid", {"shop/orders.py": FILES["shop/orders.py"] + "\n\nVOUCHERS = ()\n"}),
    ("Rework bookkeeping", {"shop/prices.py": FILES["shop/prices.py"] + "\n\nDIGITS = 2\n"}),
    ("Say what a letter is", {"shop/mail.py": FILES["shop/mail.py"] + "\n\nKIND = 'letter'\n"}),
)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeRoom]:
    with code_room(tmp_path_factory.mktemp("code"), FILES, COMMITS) as opened:
        yield opened


def test_words_find_the_file_and_its_best_part(room: CodeRoom) -> None:
    assert room.ask("the tax is not added to a net price")[0] == "shop/prices.py:gross_price"
    assert room.of_file("shop/prices.py")["chunk"] > room.of_file("shop/mail.py")["chunk"]
    assert room.of_part("gross_price")["chunk"] > 0.9


def test_the_first_line_counts_by_itself(room: CodeRoom) -> None:
    room.ask("letters are lost\n\nsince orders have a total of all articles, articles, articles")
    assert room.of_file("shop/mail.py")["first_line"] > room.of_file("shop/orders.py")["first_line"]
    assert room.of_file("shop/orders.py")["chunk"] > room.of_file("shop/mail.py")["chunk"]


def test_words_of_the_path_count(room: CodeRoom) -> None:
    room.ask("mail arrives twice for customers")
    assert room.of_file("shop/mail.py")["path"] == 1.0


@pytest.mark.parametrize("written", ["shop/orders.py", "src/shop/orders.py", "orders.py", "shop.orders"])
def test_a_file_that_is_written_comes_first(room: CodeRoom, written: str) -> None:
    assert room.files(f"something is wrong with the tax in {written}")[0] == "shop/orders.py"
    assert room.of_file("shop/orders.py")["mention"] > 0.0


def test_a_base_name_alone_counts_less_than_a_path(room: CodeRoom) -> None:
    room.ask("look at shop/orders.py")
    whole = room.of_file("shop/orders.py")["mention"]
    room.ask("look at elsewhere/orders.py")
    assert 0.0 < room.of_file("shop/orders.py")["mention"] < whole


def test_the_last_frame_of_a_traceback_counts_most(room: CodeRoom) -> None:
    trace = '  File "shop/orders.py", line 12, in total\n  File "shop/prices.py", line 9, in gross_price\nValueError'
    room.ask(f"customers cannot pay\n{trace}")
    assert room.of_file("shop/prices.py")["frame"] > room.of_file("shop/orders.py")["frame"] > 0.0
    assert room.of_part("gross_price")["line"] == 1.0
    assert room.of_part("rounded")["line"] == 0.0


def test_a_named_symbol_counts_where_it_is_defined_and_where_it_is_used(room: CodeRoom) -> None:
    room.ask("`gross_price` is wrong for customers")
    assert room.of_file("shop/prices.py")["defines"] > 0.0
    assert room.of_file("shop/orders.py")["defines"] == 0.0
    assert room.of_file("tests/test_prices.py")["defines"] == 0.0
    assert room.of_file("shop/orders.py")["uses"] > 0.0
    assert room.of_part("gross_price")["defines"] > 0.0


def test_a_message_is_found_word_for_word(room: CodeRoom) -> None:
    room.ask('customers see "a rate below zero is no tax" since yesterday')
    assert room.of_file("shop/prices.py")["phrase"] == 1.0
    assert room.of_file("shop/orders.py")["phrase"] == 0.0


def test_commit_messages_lead_to_what_they_changed(room: CodeRoom) -> None:
    room.ask("vouchers of customers are not taken")
    assert room.of_file("shop/orders.py")["commits"] == 1.0
    assert room.of_file("shop/prices.py")["commits"] == 0.0


def test_a_commit_message_alone_makes_a_file_a_result(room: CodeRoom) -> None:
    assert "shop/prices.py" in room.files("bookkeeping of the queue")
    assert room.projection is not None
    found = next(each for each in room.projection.ranked if each.path == "shop/prices.py")
    assert "links" in found.lanes
    assert "lexical" not in found.lanes
    assert 0.18 <= found.relevance < 0.5


def test_recent_and_frequent_change_count(room: CodeRoom) -> None:
    room.ask("the tax of a letter to customers")
    assert room.of_file("shop/mail.py")["recent"] > room.of_file("shop/prices.py")["recent"]
    assert room.of_file("shop/mail.py")["frequent"] > room.of_file("shop/prices.py")["frequent"]


def test_the_folder_of_the_best_files_counts(room: CodeRoom) -> None:
    room.ask("the tax of an article in an order")
    assert room.of_file("shop/mail.py")["folder"] > room.of_file("docs/conf.py")["folder"]


def test_tests_word_files_and_gathering_files_come_after_what_they_speak_of(room: CodeRoom) -> None:
    files = room.files("the tax is not added to a net price, gross_price is wrong")
    assert files[0] == "shop/prices.py"
    after = {
        "tests/test_prices.py": "test",
        "CHANGES.rst": "wordy",
        "docs/conf.py": "aside",
        "shop/__init__.py": "initial",
    }
    assert {feature for path, feature in after.items() if room.of_file(path)[feature] == 1.0} == set(after.values())


def test_a_goal_about_nothing_here_finds_nothing(room: CodeRoom) -> None:
    assert room.ask("photosynthesis of algae under ultraviolet illumination") == []


def test_one_word_that_one_file_holds_makes_no_other_file_a_result(tmp_path: Path) -> None:
    bodies = {f"pkg/m{n}.py": f"def handler_{n}(request):\n    return request + {n}\n" for n in range(20)}
    changes = [("Tweak", {f"pkg/m{n}.py": f"{bodies[f'pkg/m{n}.py']}\nX = {n}\n"}) for n in range(3)]
    with code_room(tmp_path, {**bodies, "pkg/odd.py": "def lunch():\n    return 5\n"}, changes) as small:
        small.ask("sourdough lunch")

    assert small.projection is not None
    assert [c.path for c in small.projection.ranked if dict(c.features)["linked"] > 0.0] == ["pkg/odd.py"]


def test_of_a_file_that_says_little_the_best_part_alone_is_a_result(room: CodeRoom) -> None:
    room.ask("bookkeeping of the queue")

    assert room.projection is not None
    linked = [c.title for c in room.projection.ranked if c.path == "shop/prices.py" and "links" in c.lanes]
    assert len(linked) == 1


def test_the_answer_names_the_profile_and_shows_the_features(room: CodeRoom) -> None:
    room.ask("the tax is not added to a net price")
    assert room.projection is not None
    assert "code-1" in room.projection.fusion
    assert room.projection.model_calls == 0
    shown = dict(room.projection.ranked[0].features)
    assert shown["file.chunk"] > 0.9


def test_after_the_deadline_nothing_is_searched_for(room: CodeRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> list[Hit]:
        raise AssertionError("searched after the deadline")

    monkeypatch.setattr(room.lexical, "search", refused)

    projection = room.retrieval_of("customers pay a wrong total, `gross_price` is wrong", seconds=0.0)

    assert {lane.lane: lane.state for lane in projection.lanes}["links"] == "timed_out"
    assert "by ranks, for the ranker could not work: the deadline ran out" in projection.fusion


def test_what_is_known_of_files_may_be_forgotten_at_any_moment(room: CodeRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = "the tax is not added to a net price for customers"
    first = room.ask(goal)

    def emptied(self: Places, file: int) -> bool:
        found = dict.__contains__(self, file)
        self.clear()
        return found

    def forgotten(self: Places, file: int, default: Place | None = None) -> Place | None:
        found = dict.get(self, file, default)
        self.clear()
        return found

    monkeypatch.setattr(Places, "__contains__", emptied)
    monkeypatch.setattr(Places, "get", forgotten)

    assert room.ask(goal) == first


def test_records_without_a_file_do_not_make_a_name_common(room: CodeRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = "`gross_price` is wrong for customers"
    room.ask(goal)
    alone = room.of_file("shop/orders.py")["uses"]
    search = room.lexical.search

    def with_notes(*args: Any, **named: Any) -> list[Hit]:
        return [*search(*args, **named), Hit(2**40, 0.1, 0)]

    monkeypatch.setattr(room.lexical, "search", with_notes)
    room.ask(goal)

    assert room.of_file("shop/orders.py")["uses"] == alone


def test_equal_questions_get_equal_answers(room: CodeRoom) -> None:
    goal = "customers pay a wrong total, see shop/orders.py and `gross_price`"
    first = room.ask(goal)
    assert [room.ask(goal) for _ in range(3)] == [first] * 3


@pytest.mark.parametrize(
    ("path", "test", "wordy", "aside", "gathers"),
    [
        ("a/tests/x.py", True, False, False, False),
        ("a/test_x.py", True, False, False, False),
        ("pkg/x_test.go", True, False, False, False),
        ("web/x.spec.ts", True, False, False, False),
        ("src/XTest.java", True, False, False, False),
        ("a/attest.py", False, False, False, False),
        ("a/latest.c", False, False, False, False),
        ("a/foo_unittest.cc", True, False, False, False),
        ("lib/foo_spec.rb", True, False, False, False),
        ("src/FooIT.java", True, False, False, False),
        ("src/AUDIT.java", False, False, False, False),
        ("src/KeySpec.java", False, False, False, False),
        ("src/FooTestCase.java", True, False, False, False),
        ("src/TestFoo.java", True, False, False, False),
        ("Shop.Tests/Prices.cs", True, False, False, False),
        ("web/a.e2e.ts", True, False, False, False),
        ("web/a.cy.ts", True, False, False, False),
        ("unittests/a.cpp", True, False, False, False),
        ("a/foo_tests.py", True, False, False, False),
        ("lib/foo_test.exs", True, True, False, False),
        ("a/conftest.py", True, False, False, False),
        ("tests/data/a.json", True, True, False, False),
        ("docs/x.rst", False, True, True, False),
        ("examples/x.py", False, False, True, False),
        ("CHANGES", False, True, False, False),
        ("a/__init__.py", False, False, False, True),
        ("web/index.ts", False, False, False, True),
    ],
)
def test_what_a_path_says(path: str, test: bool, wordy: bool, aside: bool, gathers: bool) -> None:
    assert (is_test_path(path), is_wordy(path), lies_aside(path), only_gathers(path)) == (test, wordy, aside, gathers)
