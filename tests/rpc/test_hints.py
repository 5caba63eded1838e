"""Hints through the process: what the host says of the work decides what a vague goal brings."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hotset import BadRequest, BranchCommit, Document, FocusAnswer, Hints, HotsetClient
from tests.rpc.real_daemon import RealDaemon

_GOAL = "commit this, then let's do the other bit"
_FILES = [
    Document(
        f"pay/{name}.py",
        f"def {name}_open(amount):\n    return amount\n\n\ndef {name}_close(amount):\n    return 0\n".encode(),
    )
    for name in ("bill", "cash", "loan", "fund")
]
_DIFF = "--- a/pay/loan.py\n+++ b/pay/loan.py\n@@ -6 +6 @@\n-    return 1\n+    return 0\n"


def _titles(answer: FocusAnswer) -> list[str]:
    return [item.title for item in answer.items if item.path]


def test_a_vague_goal_brings_what_was_changed(client: HotsetClient) -> None:
    for _ in client.ingest_documents("pay", _FILES, source="files"):
        pass

    told = client.focus(_GOAL, namespaces=["pay"], hints=Hints(diff=_DIFF, read=["pay/cash.py"]), agent="told")
    untold = client.focus(_GOAL, namespaces=["pay"], agent="untold")

    assert _titles(told)[0] == "loan_close"
    host = next(lane for lane in told.coverage.lanes if lane.lane == "host")
    assert (host.state.value, host.hits) == ("ok", 4)
    assert "loan_close" not in _titles(untold)
    assert not [lane for lane in untold.coverage.lanes if lane.lane == "host"]


def test_a_hint_that_matches_nothing_is_named(client: HotsetClient, daemon: RealDaemon) -> None:
    for _ in client.ingest_documents("pay", _FILES, source="files"):
        pass
    command = [
        *(sys.executable, "-c", "from hotset.cli import main; main()", "focus", _GOAL, "-n", "pay", "--agent", "named"),
        *("--changed", "pay/none.py", "--open", "pay/cash.py", "--address", daemon.address),
    ]

    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    answer = client.focus(_GOAL, namespaces=["pay"], hints=Hints(changed=["/etc/none"]), agent="none")

    assert shown.returncode == 0
    assert "1 of 2 hinted files match no record: pay/none.py" in " ".join(shown.stdout.replace("│", " ").split())
    host = next(lane for lane in answer.coverage.lanes if lane.lane == "host")
    assert host.note == "1 of 1 hinted files match no record: /etc/none"


def test_a_bad_hint_is_an_error_that_names_it(client: HotsetClient) -> None:
    hints = Hints(branch_commits=[BranchCommit("m", ["a.py", ""])])
    with pytest.raises(BadRequest) as caught:
        client.focus(_GOAL, hints=hints)
    assert caught.value.field == "hints.branch_commits[0].paths[1]"
