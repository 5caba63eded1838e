"""The command `hotset`: every command for people and for programs, its statuses, and its behaviour on bad input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from rich.cells import cell_len

import hotset
from hotset.cli import exits
from hotset.cli.app import run
from hotset.v1 import attention_pb2, common_pb2, corpus_pb2, operator_pb2
from tests.rpc.client_fakes import Failure, FakeDaemon, filled, plain_of


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: bytes
    err: str


class Shell:
    """Runs commands in this process against a daemon."""

    def __init__(self, daemon: FakeDaemon, capture: pytest.CaptureFixture[bytes]) -> None:
        self.daemon = daemon
        self.capture = capture

    def __call__(self, *arguments: str, to_daemon: bool = True) -> Ended:
        connection = ["--address", self.daemon.address, "--no-autostart"] if to_daemon else []
        with pytest.raises(SystemExit) as ended:
            run([*arguments, *connection])
        out, err = self.capture.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, out, err.decode())


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDaemon]:
    monkeypatch.setenv("COLUMNS", "80")
    with FakeDaemon() as daemon:
        yield daemon


@pytest.fixture
def shell(daemon: FakeDaemon, capsysbinary: pytest.CaptureFixture[bytes]) -> Shell:
    return Shell(daemon, capsysbinary)


COMMANDS: list[tuple[list[str], str, Any]] = [
    (["check", "a goal"], "Check", attention_pb2.CheckReply),
    (["status"], "Status", attention_pb2.StatusReply),
    (["touch", "a.py:1-2"], "Touch", attention_pb2.TouchReply),
    (["unpin", "n:a"], "Unpin", attention_pb2.UnpinReply),
    (["evict", "n:a", "--reason", "done"], "Evict", attention_pb2.EvictReply),
    (["observe", "user", __file__], "Touch", attention_pb2.TouchReply),
    (["undo"], "UndoRefocus", attention_pb2.UndoRefocusReply),
    (["close-request"], "CloseRequest", attention_pb2.CloseRequestReply),
    (["fork", "b"], "Fork", attention_pb2.ForkReply),
    (["handoff", "b"], "Handoff", attention_pb2.HandoffReply),
    (["forget", "a", "--yes"], "Forget", attention_pb2.ForgetReply),
    (["explain", "--turn", "3"], "Explain", attention_pb2.ExplainReply),
    (["replay", "a/3"], "Replay", attention_pb2.ReplayReply),
    (["collect", "n", "--older-than", "30d", "--yes"], "Collect", operator_pb2.CollectReply),
    (["reset"], "ResetContext", attention_pb2.ResetContextReply),
    (["get", "n:a"], "Get", corpus_pb2.GetReply),
    (["describe", "n"], "DescribeNamespace", corpus_pb2.DescribeNamespaceReply),
    (["source", "add", ".", "-n", "n", "--no-wait"], "AddSource", corpus_pb2.AddSourceReply),
    (["source", "list"], "ListSources", corpus_pb2.ListSourcesReply),
    (["source", "remove", ".", "-n", "n"], "RemoveSource", corpus_pb2.RemoveSourceReply),
]


def answered_ok(method: str, reply: Any) -> Any:
    message = filled(reply)
    if "answer" in message.DESCRIPTOR.fields_by_name:
        message.answer = attention_pb2.ANSWER_OK
    if "verdict" in message.DESCRIPTOR.fields_by_name:
        message.verdict = attention_pb2.REPLAY_VERDICT_EQUAL
    return message


@pytest.mark.parametrize(("arguments", "method", "reply"), COMMANDS, ids=[each[0][0] for each in COMMANDS])
def test_a_command_prints_json_and_nothing_else(
    shell: Shell, daemon: FakeDaemon, arguments: list[str], method: str, reply: Any
) -> None:
    message = answered_ok(method, reply)
    daemon.script[method].append(message)
    ended = shell(*arguments, "--json")
    assert (ended.status, ended.err) == (exits.OK, "")
    assert json.loads(ended.out) == plain_of(message)


@pytest.mark.parametrize(("arguments", "method", "reply"), COMMANDS, ids=[each[0][0] for each in COMMANDS])
def test_a_command_prints_for_people_in_80_columns_without_colour(
    shell: Shell, daemon: FakeDaemon, arguments: list[str], method: str, reply: Any
) -> None:
    daemon.script[method].append(answered_ok(method, reply))
    ended = shell(*arguments)
    assert (ended.status, ended.err) == (exits.OK, "")
    lines = ended.out.decode().splitlines()
    assert lines
    assert all(cell_len(line) <= 80 for line in lines)
    assert "\x1b" not in ended.out.decode()


@pytest.mark.parametrize(
    "arguments", [[*each[0]] for each in COMMANDS] + [["focus", "g"], ["ingest", "."], ["list", "n"]]
)
@pytest.mark.parametrize("output", [[], ["--json"]])
def test_an_error_is_a_message_that_says_what_to_do(
    shell: Shell, daemon: FakeDaemon, arguments: list[str], output: list[str]
) -> None:
    reason = common_pb2.ErrorReason(reason="NEW_REASON", field="x", what_to_do="mend \x1b[31mx")
    for method in {*(each[1] for each in COMMANDS), "Focus", "Ingest", "List"}:
        daemon.script[method].append(Failure(grpc.StatusCode.INVALID_ARGUMENT, "x: is \x07 wrong", reason))
    ended = shell(*arguments, *output)
    assert (ended.status, ended.out) == (exits.USAGE, b"")
    assert ended.err == "hotset: x: is \\x07 wrong\n  mend \\x1b[31mx\n"


def focus_reply(**changes: Any) -> attention_pb2.FocusReply:
    message = filled(attention_pb2.FocusReply)
    for name in ("check", "status", "over_budget"):
        message.ClearField(name)
    message.answer = attention_pb2.ANSWER_OK
    message.filtering_reason = 0
    for name, value in changes.items():
        if isinstance(value, (str, int)):
            setattr(message, name, value)
        else:
            getattr(message, name).CopyFrom(value)
    return message


def test_focus_sends_what_it_was_told(shell: Shell, daemon: FakeDaemon) -> None:
    daemon.script["Focus"].append(focus_reply())
    told = ["--agent", "dev-7", "-b", "4000", "-n", "a", "-n", "b", "--top-k", "3", "--request", "mend it"]
    ended = shell("focus", "the goal", *told, "--profile", "mine", "--no-page-in", "--json")
    assert ended.status == exits.OK
    request = daemon.requests["Focus"][0]
    assert (request.user_request, request.page_in) == ("mend it", attention_pb2.PAGE_IN_OFF)
    assert (request.agent, request.goal, request.budget_tokens) == ("dev-7", "the goal", 4000)
    assert (list(request.namespaces), request.top_k, request.profile) == (["a", "b"], 3, "mine")
    assert json.loads(ended.out) == plain_of(focus_reply()) | {"filtering_reason": None}


def test_focus_sends_where_the_work_is(shell: Shell, daemon: FakeDaemon, tmp_path: Path) -> None:
    daemon.script["Focus"].append(focus_reply())
    (there := tmp_path / "there.py").write_text("X = 1\n")
    (diff := tmp_path / "work.diff").write_bytes(b"--- a/x\n+++ b/x\n\xff")
    told = ["--changed", str(there), "--changed", "gone.py", "--open", "o.py", "--read", "r.py", "--diff", str(diff)]
    assert shell("focus", "commit this", *told).status == exits.OK
    hints = daemon.requests["Focus"][0].hints
    assert (list(hints.changed_paths), list(hints.open_paths)) == ([str(there), "gone.py"], ["o.py"])
    assert (list(hints.read_paths), hints.diff) == (["r.py"], "--- a/x\n+++ b/x\n\ufffd")


def test_focus_without_hints_sends_none(shell: Shell, daemon: FakeDaemon) -> None:
    daemon.script["Focus"].append(focus_reply())
    shell("focus", "commit this")
    assert not daemon.requests["Focus"][0].HasField("hints")


def test_a_diff_that_is_not_there_is_named(shell: Shell, tmp_path: Path) -> None:
    ended = shell("focus", "commit this", "--diff", str(tmp_path / "none"))
    assert ended.status == exits.USAGE
    assert "--diff" in ended.err


def test_focus_shows_the_turn(shell: Shell, daemon: FakeDaemon) -> None:
    daemon.script["Focus"].append(focus_reply())
    ended = shell("focus", "the goal")
    shown = ended.out.decode()
    assert (ended.status, daemon.requests["Focus"][0].agent) == (exits.OK, "default")
    assert daemon.requests["Focus"][0].page_in == attention_pb2.PAGE_IN_ON
    for words in ("the goal", "enough?", "drift", "budget", "coverage", "Moves:", "In the block:", "Left out:"):
        assert words in shown
    assert all(cell_len(line) <= 80 for line in shown.splitlines())


def test_focus_block_is_the_block_byte_for_byte(shell: Shell, daemon: FakeDaemon) -> None:
    block = "def café():\r\n    return '退款 🧾'\t\x1b[0m\n\n"
    daemon.script["Focus"].append(focus_reply(block=block))
    ended = shell("focus", "goal", "--block")
    assert (ended.status, ended.out, ended.err) == (exits.OK, block.encode(), "")


@pytest.mark.parametrize("output", [[], ["--json"], ["--block"]])
def test_over_budget_has_a_status_of_its_own(shell: Shell, daemon: FakeDaemon, output: list[str]) -> None:
    over = attention_pb2.OverBudget(needed_tokens=5200)
    daemon.script["Focus"].append(focus_reply(answer=attention_pb2.ANSWER_OVER_BUDGET, over_budget=over, block=""))
    ended = shell("focus", "goal", *output)
    assert ended.status == exits.OVER_BUDGET
    if output == ["--block"]:
        assert ended.out == b""
        assert "OVER BUDGET" in ended.err
    else:
        assert b"5,200" in ended.out if not output else json.loads(ended.out)["over_budget"]["needed_tokens"] == 5200


def test_a_pin_that_can_never_fit_is_over_budget(shell: Shell, daemon: FakeDaemon) -> None:
    over = attention_pb2.OverBudget(needed_tokens=5200)
    daemon.script["Pin"].append(attention_pb2.PinReply(answer=attention_pb2.ANSWER_OVER_BUDGET, over_budget=over))
    ended = shell("pin", "--text", "never log card numbers", "--reason", "law", "--turns", "3", "--owner", "agent")
    assert ended.status == exits.OVER_BUDGET
    request = daemon.requests["Pin"][0]
    assert (request.text, request.reason, request.expires_turns) == ("never log card numbers", "law", 3)
    assert request.owner == attention_pb2.PIN_OWNER_AGENT


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200), ("1d12h", 129_600), ("1H5M3S", 3903)],
)
def test_a_pin_lasts_as_long_as_was_said(shell: Shell, daemon: FakeDaemon, duration: str, seconds: int) -> None:
    ended = shell("pin", "n:a", "--for", duration, "--until-reset", "--follow", "--json")
    request = daemon.requests["Pin"][0]
    assert request.expires_seconds == seconds
    assert (request.expires_with_epoch, request.follow_successor) == (True, True)
    assert json.loads(ended.out)["pin"]["expires_with_epoch"]


def test_touch_reads_places_and_refs(shell: Shell, daemon: FakeDaemon) -> None:
    shell("touch", "src/a.py:10-48", "b.py:7", "c.py", "shop:issue_refund", "--ref", "shop:42", "--edit", "-n", "shop")
    uses = [(each.ref, each.path, each.lines.start, each.lines.end) for each in daemon.requests["Touch"][0].uses]
    assert uses == [
        ("", "src/a.py", 10, 48),
        ("", "b.py", 7, 7),
        ("", "c.py", 0, 0),
        ("shop:issue_refund", "", 0, 0),
        ("shop:42", "", 0, 0),
    ]
    assert {each.action for each in daemon.requests["Touch"][0].uses} == {attention_pb2.USE_ACTION_EDIT}
    assert daemon.requests["Touch"][0].uses[0].namespace == "shop"


def test_observe_sends_a_file_byte_for_byte(shell: Shell, daemon: FakeDaemon, tmp_path: Path) -> None:
    file = tmp_path / "output"
    file.write_bytes("a.py:3: café\r\n\x00退款\n".encode())
    ended = shell("observe", "tool-output", str(file), "--tool", "pytest", "--keep")
    (seen,) = daemon.requests["Touch"][0].observed
    assert (ended.status, seen.text, seen.tool) == (exits.OK, file.read_bytes().decode(), "pytest")
    assert seen.kind == attention_pb2.OBSERVATION_KIND_TOOL_OUTPUT
    assert daemon.requests["Touch"][0].keep_history


def test_observe_reads_standard_input(daemon: FakeDaemon) -> None:
    process = command(daemon, "observe", "agent", "--json")
    out, err = process.communicate("I changed shop/refund.py, naïvely".encode(), timeout=30)
    assert (process.returncode, err) == (exits.OK, b"")
    assert json.loads(out) == plain_of(filled(attention_pb2.TouchReply))
    (seen,) = daemon.requests["Touch"][0].observed
    assert (seen.kind, seen.text) == (attention_pb2.OBSERVATION_KIND_AGENT, "I changed shop/refund.py, naïvely")
    assert not daemon.requests["Touch"][0].keep_history


def test_observe_refuses_what_is_not_text(shell: Shell, daemon: FakeDaemon, tmp_path: Path) -> None:
    file = tmp_path / "picture"
    file.write_bytes(b"ok \xff\xfe")
    ended = shell("observe", "tool-output", str(file))
    assert (ended.status, ended.out) == (exits.USAGE, b"")
    assert "text: byte 3" in ended.err
    assert "UTF-8" in ended.err
    assert not daemon.metadata


def test_forget_asks_before_it_deletes(daemon: FakeDaemon) -> None:
    process = command(daemon, "forget", "dev-7", "--json")
    out, err = process.communicate(b"y\n", timeout=30)
    assert process.returncode == exits.OK
    assert out.startswith(b"{")
    assert json.loads(out)["verified"]
    assert b"agent dev-7" in err
    assert daemon.requests["Forget"][0].agent == "dev-7"


@pytest.mark.parametrize("said", [b"n\n", b"\n", b""])
def test_forget_without_a_yes_deletes_nothing(daemon: FakeDaemon, said: bytes) -> None:
    process = command(daemon, "forget", "dev-7")
    out, err = process.communicate(said, timeout=30)
    assert (process.returncode, out) == (exits.ERROR, b"")
    assert b"nothing of dev-7 was deleted" in err
    assert b"--yes" in err
    assert not daemon.metadata


@pytest.mark.parametrize("output", [[], ["--json"]])
def test_forget_fails_where_something_is_left(shell: Shell, daemon: FakeDaemon, output: list[str]) -> None:
    left = attention_pb2.Deleted(what="stored answers", count=4, left=2)
    daemon.script["Forget"].append(attention_pb2.ForgetReply(agent="dev-7", deleted=[left]))
    ended = shell("forget", "dev-7", "--yes", *output)
    assert ended.status == exits.ERROR
    assert "something of dev-7 is left" in ended.err
    if output:
        assert json.loads(ended.out)["deleted"] == [{"what": "stored answers", "count": 4, "left": 2}]
    else:
        assert "LEFT" in ended.out.decode()


def test_resolve_prints_whole_texts(shell: Shell, daemon: FakeDaemon) -> None:
    text = f"def issue_refund():\n\treturn '[bold]'  \x1b[31m\n    # {'long ' * 40}"
    daemon.script["Resolve"].append(
        attention_pb2.ResolveReply(records=[attention_pb2.ResolvedRecord(ref="s:a", title="issue_refund", text=text)])
    )
    ended = shell("resolve", "s:a")
    assert "return '[bold]'  \\x1b[31m\n" in ended.out.decode()
    assert f"    # {'long ' * 40}\n" in ended.out.decode()


def test_ingest_names_the_namespace_after_the_directory(shell: Shell, daemon: FakeDaemon, tmp_path: Path) -> None:
    directory = tmp_path / "Ünï Code_2.0 (old)"
    directory.mkdir()
    ended = shell("ingest", str(directory), "--force", "--json")
    assert ended.status == exits.OK
    assert json.loads(ended.out) == plain_of(filled(corpus_pb2.IngestSummary))
    header, tree = daemon.requests["Ingest"][0]
    assert header.header.namespace == "u-ni-code_2.0-old"
    assert (tree.tree.root, tree.tree.force) == (str(directory), True)
    shell("ingest", str(directory), "-n", "mine")
    assert daemon.requests["Ingest"][1][0].header.namespace == "mine"


def test_ingest_shows_what_was_passed_over(shell: Shell, tmp_path: Path) -> None:
    ended = shell("ingest", str(tmp_path), "-n", "shop")
    assert "passed over" in ended.out.decode()
    assert "Ingested into" in ended.out.decode()


@pytest.mark.parametrize(("limit", "shown", "more"), [("2", 2, True), ("3", 3, False), ("0", 3, False)])
def test_list_is_limited_and_says_so(shell: Shell, daemon: FakeDaemon, limit: str, shown: int, more: bool) -> None:
    records = [corpus_pb2.StoredRecord(ref=f"n:{place}", title=f"title {place}") for place in range(3)]
    for _ in range(2):
        daemon.script["List"] += [
            corpus_pb2.ListReply(records=records[:2], next_cursor="1"),
            corpus_pb2.ListReply(records=records[2:]),
        ]
    ended = shell("list", "n", "--limit", limit, "--kind", "function", "--path", "src/", "--json")
    listed = json.loads(ended.out)
    assert (listed["namespace"], len(listed["records"]), listed["more"]) == ("n", shown, more)
    assert (daemon.requests["List"][0].kind, daemon.requests["List"][0].path_prefix) == ("function", "src/")
    daemon.script["List"].clear()
    daemon.script["List"] += [corpus_pb2.ListReply(records=records)]
    people = shell("list", "n", "--limit", limit).out.decode()
    assert ("and more" in people) is more
    assert "title 0" in people


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-command"],
        ["focus"],
        ["focus", "g", "--budget", "many"],
        ["focus", "g", "--block", "--json"],
        ["touch"],
        ["touch", "a.py", "--edit", "--cite"],
        ["pin"],
        ["pin", "n:a", "--text", "words"],
        ["pin", "n:a", "--for", "a while"],
        ["pin", "n:a", "--for", "0"],
        ["observe"],
        ["observe", "somebody"],
        ["observe", "user", "/no/such/file"],
        ["fork"],
        ["handoff"],
        ["forget"],
        ["forget", "--yes"],
        ["collect", "--older-than", "for ever", "--yes"],
        ["collect", "n", "--before", "-1"],
        ["explain", "--turn", "-1"],
        ["ingest", "/no/such/directory"],
        ["ingest", "/no/such/\udcff"],
        ["list"],
        ["status", "--timeout", "0"],
    ],
)
def test_usage_errors_are_told_apart(shell: Shell, arguments: list[str]) -> None:
    ended = shell(*arguments, to_daemon=False)
    assert ended.status == exits.USAGE
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["focus", "\udcff\udcfe"],
        ["focus", "g", "--agent", "\ud800"],
        ["focus", "g", "--budget", str(1 << 80)],
        ["touch", "\udcff.py:1-2"],
        ["touch", "a.py:9-2"],
        ["get", "\udcff"],
        ["ingest", "."],
        ["status", "--address", "example.org:80"],
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(
    shell: Shell, daemon: FakeDaemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    (tmp_path / "---").mkdir()
    monkeypatch.chdir(tmp_path / "---")  # no namespace can be made of it
    ended = shell(*arguments, "--no-autostart", to_daemon="--address" not in arguments)
    assert (ended.status, ended.out) == (exits.USAGE, b"")
    assert ended.err.startswith("hotset: ")
    assert len(ended.err.splitlines()) >= 2
    assert not daemon.metadata


def test_where_nothing_listens_the_command_says_what_to_do(shell: Shell) -> None:
    ended = shell("status", "--address", "unix:/nonexistent/hotsetd.sock", "--no-autostart", to_daemon=False)
    assert ended.status == exits.ERROR
    assert "no daemon answers at unix:/nonexistent/hotsetd.sock" in ended.err
    assert "start one with `hotset serve`, or leave --no-autostart out" in ended.err
    assert "autostart=True" not in ended.err


def test_the_token_comes_from_the_environment(
    shell: Shell, daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTSET_TOKEN", "secret")
    shell("status", "--json")
    assert daemon.metadata[0]["authorization"] == "Bearer secret"


def test_the_version_is_told(shell: Shell) -> None:
    assert shell("--version", to_daemon=False).out == f"hotset {hotset.__version__}\n".encode()


def test_serve_becomes_the_daemon(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "hotsetd"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    seen: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(os, "execv", lambda path, arguments: seen.append((path, arguments)))
    shell("serve", "--home", "/srv/h", "--config", "c.toml", "--tcp", "7000", to_daemon=False)
    arguments = [str(program), "--home", "/srv/h", "--config", "c.toml", "--tcp", "7000"]
    assert seen == [(str(program), arguments)]


def test_serve_without_a_daemon_says_how_to_get_one(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    ended = shell("serve", to_daemon=False)
    assert ended.status == exits.ERROR
    assert "pip install ." in ended.err


def test_commands_start_a_daemon_unless_told_not_to(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    ended = shell("status", "--home", "/nonexistent/home", to_daemon=False)
    assert ended.status == exits.ERROR
    assert "hotsetd is neither beside /nowhere/python nor on PATH" in ended.err


def command(daemon: FakeDaemon, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", "from hotset.cli import main; main()", *arguments, "--address", daemon.address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | environment,
        # What starts tests in the background may have it ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def test_ctrl_c_cancels_the_call_in_the_daemon_and_leaves_no_traceback(daemon: FakeDaemon) -> None:
    daemon.script["Status"].append(daemon.hang)
    process = command(daemon, "status")
    assert daemon.entered.wait(30)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (exits.INTERRUPTED, b"", b"hotset: cancelled\n")
    assert daemon.cancelled.wait(10)


def test_a_terminal_that_knows_ascii_only_is_served(daemon: FakeDaemon) -> None:
    daemon.script["Focus"].append(focus_reply(block="退款"))
    process = command(daemon, "focus", "refund", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (exits.OK, b"")
    assert out.isascii()
    assert b"Left out" in out
