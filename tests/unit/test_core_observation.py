"""Observed use: what counts as a use in tool calls, words and outputs, and what does not."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from tests.core_scenes import Agent, Corpus, record, ref
from workingset.entry import Entry
from workingset.observation.finding import find
from workingset.observation.pairing import answered_calls
from workingset.observation.seen import Findings, Found, Observation, Speaker
from workingset.rendering import place_of
from workingset.settings import ObservationSettings
from workingset.tier import Tier
from workingset.transitions.touch import Action
from workingset.vocabulary import Digest, Fidelity, Generation, Lines, Namespace, Ref, Turn

SETTINGS = ObservationSettings()
USER, AGENT, CALL, OUTPUT = Speaker.USER, Speaker.AGENT, Speaker.TOOL_CALL, Speaker.TOOL_OUTPUT


def entry(name: str, title: str = "", path: str = "", lines: tuple[int, int] | None = None, **more: object) -> Entry:
    """An entry of a set, with nothing but what it can be known by."""
    made = Entry(
        ref=ref(name),
        namespace=Namespace("shop"),
        kind="function",
        title=title,
        tier=Tier.RESIDENT,
        fidelity=Fidelity.FULL,
        generation=Generation(1),
        digest=Digest(name),
        admitted_turn=Turn(1),
        order=0,
        path=path,
        lines=Lines(*lines) if lines else None,
    )
    return replace(made, **more)  # type: ignore[arg-type]


SET = (
    entry("head", "cart.py", "src/shop/cart.py", (1, 9)),
    entry("cart", "Cart", "src/shop/cart.py", (10, 19)),
    entry("total", "Cart.total", "src/shop/cart.py", (20, 39)),
    entry("tax", "compute_tax", "src/shop/cart.py", (40, 60)),
    entry("server", "Server.serve", "web/server.go", (1, 80)),
    entry("limits", "LIMIT, MAX_ITEMS", "src/shop/limits.py", (1, 6)),
    entry("readme", "Shop", "README.md", (1, 30)),
    entry("rule", "Refunds within 30 days"),
    entry("init", "__init__.py", "src/shop/__init__.py", (1, 3)),
)


def seen(speaker: Speaker, text: str, tool: str = "", entries: tuple[Entry, ...] = SET) -> Findings:
    return find([Observation(speaker, text, tool)], entries, SETTINGS)


def cited(speaker: Speaker, text: str, tool: str = "") -> set[str]:
    """The names of the entries that an observation cites."""
    found = seen(speaker, text, tool).found
    assert all(f.action is Action.CITE and f.ref is not None for f in found), found
    return {f.ref.partition(":")[2] for f in found if f.ref}


def called(tool: str, arguments: dict[str, object] | str) -> list[tuple[str, str, list[tuple[int, int]]]]:
    """(action, path, lines) of the files that a tool call used."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return [
        (f.action.value, f.path, [(lines.start, lines.end) for lines in f.lines])
        for f in seen(CALL, text, tool).found
        if f.path
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The rule shop:rule says so.", {"rule"}),
        ("(shop:rule), shop:tax; 'shop:total'.", {"rule", "tax", "total"}),
        ("見 shop:rule。", {"rule"}),
        ("shop:rules, xshop:rule, shop:rule2, other/shop:rule and http://shop:rule", set()),
        ("src/shop/cart.py:22 is wrong", {"total"}),
        ("src/shop/cart.py:22-45", {"total", "tax"}),
        ("see `shop/cart.py:45:7`.", {"tax"}),
        ("at src/shop/cart.py#L15-L21", {"cart", "total"}),
        ("cart.py#L15", {"cart"}),
        ("src/shop/cart.py lines 12-14", {"cart"}),
        ("src/shop/cart.py, lines 12 to 22", {"cart", "total"}),
        ("lines 41–43 of `src/shop/cart.py`", {"tax"}),
        ('File "/home/me/repo/src/shop/cart.py", line 22, in total', {"total"}),
        ("C:\\repo\\src\\shop\\cart.py(41,5): error", {"tax"}),
        ("[the cart](src/shop/cart.py#L12)", {"cart"}),
        ("look at src/shop/cart.py", {"head", "cart", "total", "tax"}),
        ("look at src/shop/cart.py, mostly src/shop/cart.py:41", {"tax"}),
        ("mycart.py, cart.pyc, cart.py.orig, lib/cart.py, cart/py", set()),
        ("the __init__.py of it, some README.md", {"readme"}),
        ("src/shop/cart.py:900", set()),
        ("Cart.total is wrong; see shop.cart.Cart.total and Server::serve", {"total", "server"}),
        ("compute_tax(3) and self.compute_tax", {"tax"}),
        ("recompute_tax, compute_taxes, compute_tax2, COMPUTE_TAX", set()),
        ("the cart total, Cart and Server, total() and serve", set()),
        ("the class `Cart` and `LIMIT`", {"cart", "limits"}),
        ("MAX_ITEMS is ten", {"limits"}),
    ],
)
def test_words_cite_entries_by_ref_path_lines_and_name(text: str, names: set[str]) -> None:
    assert cited(AGENT, text) == names
    assert cited(USER, text) == names


def test_a_name_or_an_ending_that_several_have_names_none() -> None:
    entries = (
        *SET,
        entry("other", "Order.compute_tax", "src/shop/order.py", (1, 9)),
        entry("lib", "cart.py", "lib/cart.py", (1, 9)),
    )
    assert seen(AGENT, "compute_tax", entries=entries).found == ()
    assert seen(AGENT, "cart.py:3", entries=entries).found == ()
    assert [f.ref for f in seen(AGENT, "Order.compute_tax and lib/cart.py", entries=entries).found] == [
        ref("other"),
        ref("lib"),
    ]


def test_a_path_of_two_namespaces_is_not_guessed() -> None:
    twin = entry("twin", "cart", "src/shop/cart.py", (1, 9), namespace=Namespace("fork"), ref=Ref("fork:twin"))
    assert seen(AGENT, "src/shop/cart.py:3", entries=(*SET, twin)).found == ()


def test_a_citation_names_its_lines_and_its_words() -> None:
    [found] = seen(USER, "In src/shop/cart.py:22-25 and then src/shop/cart.py:24-30.").found
    assert found == Found(0, Action.CITE, "src/shop/cart.py:22-25", ref=ref("total"), lines=(Lines(22, 30),))
    [found] = seen(USER, "shop:total").found
    assert found.lines == (Lines(20, 39),)


def test_naming_a_file_of_many_pages_cites_none_and_is_counted() -> None:
    pages = tuple(entry(f"p{i}", f"f{i}", "big.py", (10 * i + 1, 10 * i + 10)) for i in range(9))
    findings = seen(AGENT, "I read big.py", entries=pages)
    assert findings == Findings((), (("files_without_lines", 1),))
    assert [f.ref for f in seen(AGENT, "I read big.py:15", entries=pages).found] == [ref("p1")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("src/shop/cart.py:22:    def total(self):\nsrc/shop/cart.py:41:def compute_tax(x):\n", {"total", "tax"}),
        ("src/shop/cart.py\nweb/server.go\nREADME.md\n", set()),
        ("    def compute_tax(x):\n        return Cart.total(x)\n", set()),
        ('  File "src/shop/cart.py", line 22, in total\nValueError: no', {"total"}),
        ("shop:rule Refunds", {"rule"}),
        (
            "diff --git a/src/shop/cart.py b/src/shop/cart.py\n--- a/src/shop/cart.py\n+++ b/src/shop/cart.py\n"
            "@@ -41,3 +41,4 @@ def compute_tax(x):\n context\n+new\n",
            {"tax"},
        ),
    ],
)
def test_an_output_cites_only_refs_and_lines_of_paths(text: str, names: set[str]) -> None:
    assert cited(OUTPUT, text, "bash") == names


@pytest.mark.parametrize(
    ("tool", "arguments", "uses"),
    [
        ("Read", {"file_path": "/r/src/a.py"}, [("read", "/r/src/a.py", [])]),
        ("Read", {"file_path": "a.py", "offset": 10, "limit": 5}, [("read", "a.py", [(10, 14)])]),
        ("Read", {"file_path": "a.py", "offset": 10}, [("read", "a.py", [(10, 409)])]),
        ("Read", {"file_path": "a.py", "limit": 7}, [("read", "a.py", [(1, 7)])]),
        ("read_file", {"path": "a.py", "start_line": 3, "end_line": 9}, [("read", "a.py", [(3, 9)])]),
        (
            "read_file",
            {
                "target_file": "a.py",
                "start_line_one_indexed": "3",
                "end_line_one_indexed_inclusive": "9",
                "should_read_entire_file": False,
            },
            [("read", "a.py", [(3, 9)])],
        ),
        ("open_file", {"uri": "file:///r/a.py"}, [("read", "/r/a.py", [])]),
        (
            "str_replace_based_edit_tool",
            {"command": "view", "path": "a.py", "view_range": [5, -1]},
            [("read", "a.py", [(5, 404)])],
        ),
        (
            "str_replace_based_edit_tool",
            {"command": "insert", "path": "a.py", "insert_line": 4, "new_str": "x"},
            [("edit", "a.py", [(4, 4)])],
        ),
        ("Write", {"file_path": "a.py", "content": "x"}, [("edit", "a.py", [])]),
        ("view", {"paths": ["a.py", "b.py"], "lines": "3-9"}, [("read", "a.py", [(3, 9)]), ("read", "b.py", [(3, 9)])]),
        (
            "read_files",
            {"files": [{"path": "a.py", "line_range": [1, 5]}, {"path": "b.py"}]},
            [("read", "a.py", [(1, 5)]), ("read", "b.py", [])],
        ),
        ("view", "src/a.py:3-9", [("read", "src/a.py", [(3, 9)])]),
        ("Grep", {"pattern": "x", "path": "src/a.py"}, []),
        ("Read", {"file_path": "a.py", "offset": 10**30, "limit": True}, [("read", "a.py", [])]),
        ("Read", {"file_path": ["a.py", 7, None, {"path": "b.py"}]}, [("read", "b.py", []), ("read", "a.py", [])]),
        ("Read", '{"file_path": "a.py"', []),
        ("Read", "[" * 100_000, []),
    ],
)
def test_a_tool_call_uses_the_paths_of_its_arguments(
    tool: str, arguments: dict[str, object] | str, uses: list[tuple[str, str, list[tuple[int, int]]]]
) -> None:
    assert sorted(called(tool, arguments)) == sorted(uses)


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("cat a.py b.py", [("read", "a.py", []), ("read", "b.py", [])]),
        ("sed -n '10,20p' a.py", [("read", "a.py", [(10, 20)])]),
        ("sed -n -e '10,20p' -e '18,30p;50p' a.py", [("read", "a.py", [(10, 30), (50, 50)])]),
        ("sed -n '10,$p' a.py", [("read", "a.py", [(10, 409)])]),
        ("sed -n '10,+5p' a.py", [("read", "a.py", [(10, 15)])]),
        ("sed -i '12s/a/b/' a.py", [("edit", "a.py", [(12, 12)])]),
        ("head -n 50 a.py", [("read", "a.py", [(1, 50)])]),
        ("head -20 a.py", [("read", "a.py", [(1, 20)])]),
        ("tail -n +100 a.py", [("read", "a.py", [(100, 499)])]),
        ("cat a.py | head -30", [("read", "a.py", [(1, 30)])]),
        ("nl -ba a.py | sed -n '80,120p'", [("read", "a.py", [(80, 120)])]),
        ("cat -n a.py | grep foo", []),
        ("awk 'NR>=5 && NR<=9' a.py", [("read", "a.py", [(5, 9)])]),
        ("bat -r 3:9 a.py", [("read", "a.py", [(3, 9)])]),
        ("cd src && cat a.py; cat ./b.py", [("read", "src/a.py", []), ("read", "src/b.py", [])]),
        ("cd /r/src && sudo -n cat a.py /etc/b.py", [("read", "/r/src/a.py", []), ("read", "/etc/b.py", [])]),
        ("bash -lc 'cat a.py'", [("read", "a.py", [])]),
        ("LANG=C timeout 10 cat a.py 2>/dev/null", [("read", "a.py", [])]),
        ("cat > a.py <<'EOF'\ncat b.py\nEOF\ncat c.py", [("edit", "a.py", []), ("read", "c.py", [])]),
        ("echo x >> a.py", [("edit", "a.py", [])]),
        ("cp a.py b.py", [("edit", "b.py", [])]),
        ("mv a.py b.py", [("edit", "a.py", []), ("edit", "b.py", [])]),
        ("cat a.py > b.py", [("edit", "b.py", [])]),
        ("cat a.py # and b.py\ncat c.py", [("read", "a.py", []), ("read", "c.py", [])]),
        ("git show HEAD~1:src/a.py | head -9", [("read", "src/a.py", [(1, 9)])]),
        ("git checkout -- a.py", [("edit", "a.py", [])]),
        ("sort < a.py", [("read", "a.py", [])]),
        ("vim +12 a.py", [("read", "a.py", [(12, 411)])]),
        ('cat src/*.py $FILE "$(ls)" -', []),
        ("grep -rn total src/ | cat", []),
        ("echo 'it is not closed; cat a.py", []),
        ("ls; pwd; python -m pytest tests", []),
    ],
)
def test_a_command_line_reads_and_edits_files(line: str, uses: list[tuple[str, str, list[tuple[int, int]]]]) -> None:
    for arguments in ({"command": line}, {"cmd": ["bash", "-lc", line]}, line):
        assert sorted(called("bash", arguments)) == sorted(uses), arguments


def test_the_last_lines_of_a_file_are_counted_from_its_end() -> None:
    [found] = seen(CALL, "tail -n 20 a.py", "bash").found
    assert (found.path, found.lines, found.tail_lines) == ("a.py", (), 20)


def test_an_edit_is_of_the_pages_that_hold_what_it_quotes() -> None:
    arguments = {"file_path": "a.py", "old_string": "x = 1\n", "new_string": "x = 2\n", "replace_all": False}
    [found] = seen(CALL, json.dumps(arguments), "Edit").found
    assert (found.action, found.path, found.lines) == (Action.EDIT, "a.py", ())
    assert found.quotes == (("x = 1\n", "x = 2\n"),)
    several = {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "u"}]}
    [found] = seen(CALL, json.dumps(several), "MultiEdit").found
    assert found.quotes == (("x", "y"), ("u",))
    [found] = seen(CALL, "sed -i 's/old words/new words/g' a.py", "bash").found
    assert (found.action, found.quotes) == (Action.EDIT, (("old words", "new words"),))


@pytest.mark.parametrize("tool", ["apply_patch", "shell"])
def test_a_patch_edits_the_files_it_names(tool: str) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@ def f\n-x\n+y\n*** End Patch"
    diff = "--- a/b.py\n+++ b/b.py\n@@ -4,3 +4,5 @@\n x\n+y\n"
    text = f"{patch}\n{diff}" if tool == "apply_patch" else json.dumps({"command": ["apply_patch", f"{patch}\n{diff}"]})
    found = seen(CALL, text, tool).found
    assert [(f.action, f.path, f.lines) for f in found] == [
        (Action.EDIT, "src/a.py", ()),
        (Action.EDIT, "b.py", (Lines(4, 8),)),
    ]


def test_what_else_a_call_says_cites() -> None:
    found = seen(CALL, json.dumps({"pattern": "compute_tax", "path": "src/shop/limits.py"}), "Grep").found
    assert {(f.action, f.ref) for f in found} == {(Action.CITE, ref("tax")), (Action.CITE, ref("limits"))}
    found = seen(CALL, "python -m pytest -k 'not Cart.total' src/shop/limits.py", "bash").found
    assert {(f.action, f.ref) for f in found} == {(Action.CITE, ref("total")), (Action.CITE, ref("limits"))}


def test_a_file_that_was_read_in_part_is_not_cited_as_a_whole() -> None:
    found = seen(CALL, "cd /r && sed -n '41,45p' src/shop/cart.py", "bash").found
    assert [(f.action, f.path, f.lines) for f in found] == [(Action.READ, "/r/src/shop/cart.py", (Lines(41, 45),))]


def test_one_use_a_path_and_observation_with_the_edit_first() -> None:
    found = seen(CALL, "cat a.py && sed -n '1,5p' b.py && sed -n '4,9p' b.py && sed -i '3d' a.py", "bash").found
    assert [(f.action, f.path, f.lines) for f in found] == [
        (Action.EDIT, "a.py", (Lines(3, 3),)),
        (Action.READ, "a.py", ()),
        (Action.READ, "b.py", (Lines(1, 9),)),
    ]


def test_refs_that_a_call_names_as_such_need_not_be_in_the_set() -> None:
    found = seen(CALL, json.dumps({"refs": ["shop:elsewhere", "shop:rule"]}), "resolve").found
    assert [(f.action, f.ref) for f in found] == [(Action.READ, "shop:elsewhere"), (Action.READ, "shop:rule")]
    assert seen(CALL, json.dumps({"query": "shop:elsewhere"}), "search").found == ()


def block() -> tuple[Agent, str]:
    """An agent whose set holds texts, a gist and frontier lines, and its block."""
    corpus = Corpus.of(*(record(f"r{i}", 0.9 - i / 40, lines=30, title=f"handle_case_{i}") for i in range(12)))
    agent = Agent(corpus, budget=1_500)
    outcome = agent.focus("goal", top_k=6)
    assert {e.tier for e in agent.state.entries} >= {Tier.RESIDENT, Tier.FRONTIER_ONLY}
    return agent, outcome.block.text


@pytest.mark.parametrize("form", ["bare", "quoted", "numbered", "windows", "cut off"])
@pytest.mark.parametrize("speaker", [USER, AGENT, OUTPUT])
def test_our_own_block_handed_back_is_no_use(form: str, speaker: Speaker) -> None:
    agent, text = block()
    if form == "quoted":
        text = "".join(f"> {line}\n" for line in text.splitlines())
    elif form == "numbered":
        text = "".join(f"{number:6d}\t{line}\n" for number, line in enumerate(text.splitlines(), 1))
    elif form == "windows":
        text = text.replace("\n", "\r\n")
    elif form == "cut off":
        text = text[: text.rindex("~~~", 0, text.rindex("## "))]
    findings = find([Observation(speaker, f"Here it is:\n{text}", "memory")], agent.state.entries, SETTINGS)
    assert findings.found == ()
    assert dict(findings.skipped)["echoes"] >= 2


@pytest.mark.parametrize("mark", ["", " [stale]", " [superseded by shop:b]", "."])
@pytest.mark.parametrize("gist", ["", ": and what it begins with"])
def test_a_line_of_our_own_is_no_use_whatever_marks_it_had(mark: str, gist: str) -> None:
    held = next(e for e in SET if e.ref == ref("rule"))
    findings = find([Observation(AGENT, f"- {place_of(held)}{mark}{gist}\n")], SET, SETTINGS)
    assert findings == Findings((), (("echoes", 1),))


def test_words_beside_an_echo_still_count() -> None:
    agent, text = block()
    held = next(e for e in agent.state.entries if e.tier is Tier.RESIDENT)
    said = f"{text}\nI will change {held.ref} first, and then:\n- {held.ref} again\n"
    findings = find([Observation(AGENT, said)], agent.state.entries, SETTINGS)
    assert [f.ref for f in findings.found] == [held.ref]


@pytest.mark.parametrize(
    ("call", "tool"), [("{}", "mcp__hotset__focus"), ('{"command": "hotset focus \'fix it\'"}', "bash"), ("", "")]
)
def test_answers_of_our_own_tools_are_no_use(call: str, tool: str) -> None:
    observations = [Observation(CALL, call, tool), Observation(OUTPUT, "shop:rule\nsrc/shop/cart.py:22", tool)]
    findings = find(observations, SET, SETTINGS)
    if tool:
        assert findings == Findings((), (("own_answers", 1),))
    else:
        assert {f.ref for f in findings.found} == {ref("rule"), ref("total")}


def test_outputs_answer_calls_in_order_and_by_tool() -> None:
    observations = [
        Observation(CALL, "1", "read"),
        Observation(CALL, "2", "bash"),
        Observation(OUTPUT, "of 2", "bash"),
        Observation(OUTPUT, "of 1", ""),
        Observation(OUTPUT, "of none", ""),
        Observation(CALL, "3", "read"),
        Observation(USER, "stop"),
        Observation(OUTPUT, "late", "read"),
    ]
    assert answered_calls(observations) == (None, None, 1, 0, None, None, None, None)


def test_long_texts_are_looked_at_from_both_ends_and_the_rest_is_counted() -> None:
    settings = replace(SETTINGS, observation_characters=200)
    middle = "src/shop/cart.py:41: in the middle\n"
    filler = "x\n" * 500
    text = f"shop:rule\n{filler}{middle}{filler}src/shop/cart.py:22: at the end\n"
    findings = find([Observation(OUTPUT, text)], SET, settings)
    assert [f.ref for f in findings.found] == [ref("rule"), ref("total")]
    assert findings.skipped == (("characters", len(text) - 200),)


def test_uses_beyond_the_limit_are_counted() -> None:
    findings = find([Observation(USER, "shop:rule shop:tax shop:total")], SET, replace(SETTINGS, uses=2))
    assert (len(findings.found), findings.skipped) == (2, (("uses", 1),))


@pytest.mark.parametrize(
    "text",
    [
        "src/shop/cart.py:22: def total\n" * 30_000,
        "a" * 1_000_000 + "é",
        "## a:" + "a:" * 500_000,
        "## a:b\n" * 140_000 + "~~~\n",
        "## a:b\n~~~\n" * 90_000,
        "--- " + " " * 1_000_000,
        "- shop:rule " * 80_000,
        "*** Update File: " * 60_000,
        "cat " + "'" * 999_999,
        '{"path": ' * 100_000,
        "Cart." * 200_000,
        "cat <<A <<B <<C\n" * 60_000,
        "`" * 1_000_000,
        "~" * 1_000_000,
        "1" * 1_000_000,
    ],
    ids=range(15),
)
@pytest.mark.parametrize("speaker", [AGENT, CALL])
def test_work_is_linear_in_the_text_whatever_it_is(text: str, speaker: Speaker) -> None:
    """A second at most where it is; where it is not, 200,000 characters take minutes."""
    began = time.process_time()
    seen(speaker, text[:200_000], "bash")
    assert time.process_time() - began < 10.0


def test_english_and_code_of_another_project_cite_nothing() -> None:
    """Names that are words of English or of programming languages must not be taken for entries."""
    names = "run get set add remove start stop close open name value total list update parse main test data apply"
    entries = tuple(entry(f"e{i}", name, f"src/m{i}.py", (1, 9)) for i, name in enumerate(names.split()))
    prose = (
        "Please run the test suite, get the total of all data, update the list and parse each value. Then close it: "
        "stop(), start(), run(main), data.get(name), list.remove(value), self.apply(update), `run it`, `npm test`."
    )
    assert seen(AGENT, prose, entries=entries).found == ()


def test_equal_inputs_give_equal_findings() -> None:
    observations = [
        Observation(USER, "fix src/shop/cart.py:22 and MAX_ITEMS, compute_tax, shop:rule"),
        Observation(CALL, json.dumps({"file_path": "a.py", "edits": [{"old": "a"}, {"new": "b"}]}), "Edit"),
    ]
    assert find(observations, SET, SETTINGS) == find(observations, tuple(reversed(SET)), SETTINGS)
