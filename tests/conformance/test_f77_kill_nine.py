"""F77: kill -9 during 1,000 writes / restart / set equals the last acknowledged turn; Status answers before re-ingest.

A tenth of the writes here, killed at a random one of them, several times over.
"""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from hotset import HotsetClient, HotsetError, RecordInput, StatusAnswer
from tests.rpc.real_daemon import RealDaemon

WRITES = 100


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_f77_the_set_after_a_kill_is_that_of_the_last_acknowledged_turn(tmp_path: Path, seed: int) -> None:
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    try:
        with HotsetClient(daemon.address, agent="dev") as client:
            records = [RecordInput(id=f"r{i}", kind="note", title=f"r{i}", text=f"refund rule {i}") for i in range(30)]
            for _ in client.ingest_records("shop", records):
                pass
            client.focus("refund rule", budget_tokens=500)
            acknowledged = _write_until_killed(client, daemon, after=random.Random(seed).randrange(5, WRITES))

        daemon.start()
        with HotsetClient(daemon.address, agent="dev") as client:
            status = _status(client, daemon)
            assert status.turn in {acknowledged[0], acknowledged[0] + 1}
            if status.turn == acknowledged[0] and acknowledged[1]:
                assert status.state_digest == acknowledged[1]
            assert client.focus("refund rule").turn == status.turn + 1
    finally:
        daemon.stop()


def _status(client: HotsetClient, daemon: RealDaemon) -> StatusAnswer:
    try:
        return client.status()
    except HotsetError as error:
        raise AssertionError(daemon.last_words()) from error


def _write_until_killed(client: HotsetClient, daemon: RealDaemon, after: int) -> tuple[int, str]:
    """Take turns while another thread kills; returns turn and state digest of the last acknowledged one.

    The kill may fall between a commit and its acknowledgement: then the turn after the acknowledged one is there too.
    """
    reached = threading.Event()
    killer = threading.Thread(target=lambda: (reached.wait(), daemon.kill()))
    killer.start()
    last = (0, "")
    try:
        for write in range(WRITES * 50):
            if write == after:
                reached.set()
            answer = client.focus(f"refund rule {write % 30}", request_id="", timeout_seconds=10)
            last = (answer.turn, "")
            last = (answer.turn, client.status(timeout_seconds=10).state_digest)
    except HotsetError as error:
        if not reached.is_set():
            raise AssertionError(f"it failed before it was killed: {daemon.last_words()}") from error
    finally:
        reached.set()
        killer.join()
    return last
