"""One real daemon for all RPC tests of a session; each test uses agents and namespaces of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hotset import HotsetClient, RecordInput
from tests.rpc.real_daemon import CONFIGURATION, RealDaemon

TCP = CONFIGURATION + '\n[server]\ntcp_address = "127.0.0.1:0"\n'


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealDaemon]:
    daemon = RealDaemon(tmp_path_factory.mktemp("rpc") / "home")
    daemon.start()
    with HotsetClient(daemon.address, agent="filler") as client:
        records = [RecordInput(id=f"r{i}", kind="note", title=f"rule {i}", text=f"refund rule {i}") for i in range(40)]
        for _ in client.ingest_records("rules", records):
            pass
    yield daemon
    assert daemon.stop() == 0
    assert "Traceback" not in daemon.log(), daemon.log()


@pytest.fixture
def client(daemon: RealDaemon, request: pytest.FixtureRequest) -> Iterator[HotsetClient]:
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)[:100]
    with HotsetClient(daemon.address, agent=name) as client:
        yield client
