"""The process: one a home, owner-only, stopped in order, readable by standard tools."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from hotset import HotsetClient
from tests.rpc.real_daemon import RealDaemon


def test_the_socket_is_the_owners_alone(daemon: RealDaemon) -> None:
    run = daemon.home / "run"

    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert stat.S_IMODE((run / "hotsetd.sock").stat().st_mode) == 0o600


def test_a_second_daemon_on_a_home_refuses_and_leaves_the_first_alone(daemon: RealDaemon) -> None:
    command = [sys.executable, "-m", "hotsetd", "--home", str(daemon.home)]
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert second.returncode == 3
    assert str(daemon.process.pid) in second.stderr
    with HotsetClient(daemon.address, agent="dev") as client:
        client.wait_ready(timeout_seconds=10)


def test_health_and_reflection_answer(daemon: RealDaemon) -> None:
    with grpc.insecure_channel(daemon.address) as channel:
        for service in ("", "hotset.v1.Attention", "hotset.v1.Corpus"):
            reply = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(service=service), timeout=10
            )
            assert reply.status == health_pb2.HealthCheckResponse.SERVING
        request = reflection_pb2.ServerReflectionRequest(list_services="")
        replies = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([request]), timeout=10)
        names = {service.name for service in next(iter(replies)).list_services_response.service}
        assert {"hotset.v1.Attention", "hotset.v1.Corpus", "grpc.health.v1.Health"} <= names


def test_a_stop_keeps_what_was_acknowledged_and_removes_the_socket(tmp_path: Path) -> None:
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    with HotsetClient(daemon.address, agent="dev") as client:
        client.focus("anything at all", budget_tokens=300)
        before = client.status().state_digest
    assert daemon.stop() == 0
    assert not (daemon.home / "run" / "hotsetd.sock").exists()

    daemon.start()
    try:
        with HotsetClient(daemon.address, agent="dev") as client:
            assert client.status().state_digest == before
    finally:
        assert daemon.stop() == 0


def _stop(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from hotset.cli import main; main()", "stop", "--home", str(home), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_stop_ends_the_daemon_in_order_and_waits_for_it(tmp_path: Path) -> None:
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    pid = daemon.process.pid
    ended = _stop(daemon.home, "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {"address": daemon.address, "process": pid}
    assert daemon.process.wait(0.0 if daemon.process.poll() is not None else 10) == 0
    assert not (daemon.home / "run" / "hotsetd.sock").exists()
    assert (daemon.home / "run" / "hotsetd.lock").read_text() == "", "no number for anybody to signal"
    assert "Traceback" not in daemon.log()

    again = _stop(daemon.home)
    assert (again.returncode, again.stderr) == (0, "")
    assert "no daemon runs" in again.stdout


def test_what_a_killed_daemon_left_behind_leads_to_no_other_process(tmp_path: Path) -> None:
    daemon = RealDaemon(tmp_path / "home")
    daemon.start()
    daemon.kill()
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (daemon.home / "run" / "hotsetd.lock").write_text(f"{stranger.pid}\n")
        ended = _stop(daemon.home)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "no daemon runs" in ended.stdout
        assert stranger.poll() is None
    finally:
        stranger.communicate(b"\n", timeout=30)


def test_stop_is_for_sockets(tmp_path: Path) -> None:
    refused = _stop(tmp_path, "--address", "localhost:7717")
    assert refused.returncode == 2
    assert "--home" in refused.stderr


def test_a_bad_configuration_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "hotsetd.toml").write_text("[limits]\ngoal_byte = 3\n")
    command = [sys.executable, "-m", "hotsetd", "--home", str(tmp_path)]
    failed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert failed.returncode == 1
    assert "limits.goal_byte" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_tcp_on_the_loopback_by_option_and_nowhere_else(tmp_path: Path) -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "hotsetd", "--home", str(tmp_path / "a"), "--tcp", "0.0.0.0:7717"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert refused.returncode == 1
    assert "tcp_address" in refused.stderr

    port = 20_000 + os.getpid() % 20_000
    daemon = RealDaemon(tmp_path / "home", "[jobs]\nembed_in_background = false\n", "--tcp", f"127.0.0.1:{port}")
    daemon.start()
    try:
        with HotsetClient(f"127.0.0.1:{port}", agent="dev") as client:
            assert client.focus("anything").turn == 1
    finally:
        daemon.stop()


@pytest.mark.parametrize("command", [["status"], ["status", "--json"], ["focus", "refund", "--block"]])
@pytest.mark.parametrize("stdout", [">/dev/full", ">&-"])
def test_an_answer_that_cannot_be_written_is_said_in_a_line(
    daemon: RealDaemon, command: list[str], stdout: str
) -> None:
    with HotsetClient(daemon.address, agent="default") as client:
        client.focus("refund")
    program = Path(sys.executable).parent / "hotset"
    line = f'"$0" "$@" {stdout}'
    arguments = ["sh", "-c", line, str(program), *command, "--home", str(daemon.home)]
    ended = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode == 1
    assert ended.stderr.startswith("hotset: the answer cannot be written")
    assert ended.stderr.count("\n") == 1


def test_what_is_in_the_way_of_starting_is_said_in_a_line(tmp_path: Path) -> None:
    for number, blocked in enumerate(("run/hotsetd.lock", "run/hotsetd.sock", "hotsetd.toml")):
        home = tmp_path / str(number)
        (home / blocked).mkdir(parents=True)
        command = [sys.executable, "-m", "hotsetd", "--home", str(home)]
        failed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

        assert failed.returncode == 1
        assert "Traceback" not in failed.stderr
        assert blocked in failed.stderr


def test_a_port_that_is_taken_is_said_in_a_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "hotsetd", "--home", str(tmp_path), "--tcp", address]
        failed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].startswith(f"hotsetd: server.tcp_address: cannot listen on {address}")
    assert "Traceback" not in failed.stderr
