"""The process: lock, build, bind, serve, and stop in order.

Start: the instance lock is taken before anything is bound, since a second daemon would silently take over a socket's
path. Stop: no new calls, calls under way get `drain_seconds`, then background work stops, indexes are saved, the store
is closed, and the lock is let go.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from hotset.v1 import (
    attention_pb2,
    attention_pb2_grpc,
    corpus_pb2,
    corpus_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
)
from hotsetd import __version__, status, telemetry
from hotsetd.build import Parts, build
from hotsetd.clock import Clock
from hotsetd.config import Home, ServerSettings, Settings
from hotsetd.errors import BadConfiguration
from hotsetd.instance_lock import InstanceLock
from hotsetd.interceptors import Outcomes
from hotsetd.queues import AgentQueues
from hotsetd.services.attention import AttentionService
from hotsetd.services.corpus import CorpusService
from hotsetd.services.operator import OperatorService
from hotsetd.telemetry import Log
from hotsetd.wire.attention import AttentionWire
from hotsetd.wire.common import Versions
from hotsetd.wire.focus import FocusWire
from hotsetd.work import Workers
from retrieval.obligations.profiles import PLAIN
from workingset.vocabulary import Tokens

ATTENTION = attention_pb2.DESCRIPTOR.services_by_name["Attention"].full_name
OPERATOR = operator_pb2.DESCRIPTOR.services_by_name["Operator"].full_name
CORPUS = corpus_pb2.DESCRIPTOR.services_by_name["Corpus"].full_name
_SOCKET_PATH_BYTES = 107
"""Cited: sizeof(sun_path) - 1 on Linux."""
_SOURCE_THREADS = 2
"""Guess: while a source's records are taken out, another one can be added."""


def prepare_home(home: Home) -> None:
    """Make the home and its folders, owner-only; raises BadConfiguration where that cannot be."""
    if len(str(home.socket).encode()) > _SOCKET_PATH_BYTES:
        what = f"{home.socket} is longer than the {_SOCKET_PATH_BYTES} bytes that a Unix socket's path may have"
        raise BadConfiguration("home", f"{what}: choose a shorter one")
    try:
        for folder in (home.path, home.run, home.indexes):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        home.run.chmod(0o700)
    except OSError as error:
        raise BadConfiguration("home", f"{home.path}: {error.strerror}") from error


async def serve(home: Home, settings: Settings, clock: Clock, log: Log, *, read_only: bool = False) -> None:
    """Run a daemon until it is told to stop; raises AlreadyRunning, BadConfiguration and what the store raises."""
    prepare_home(home)
    with InstanceLock(home.lock):
        started = clock.monotonic()
        parts = build(home, settings, clock, log, read_only=read_only)
        try:
            await Daemon(home, parts, clock, log).run(started)
        finally:
            parts.close()
            log.info(telemetry.STOPPED)


class Daemon:
    """One serving process over built parts."""

    def __init__(self, home: Home, parts: Parts, clock: Clock, log: Log) -> None:
        self._home = home
        self._parts = parts
        self._clock = clock
        self._log = log
        self._settings = parts.settings
        server = self._settings.server
        self._workers = Workers(server.worker_threads, "call", clock, server.default_deadline_seconds, self._unclaimed)
        self._ingest_workers = Workers(1, "ingest", clock, float("inf"), self._unclaimed)
        self._source_workers = Workers(_SOURCE_THREADS, "add-source", clock, float("inf"), self._unclaimed)
        self._health = health.aio.HealthServicer()  # type: ignore[attr-defined]  # missing from its stubs

    async def run(self, started: float) -> None:
        """Bind, serve, wait for SIGTERM or SIGINT, and stop."""
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        server = self._server()
        addresses = self._bind(server)
        await server.start()
        self._home.socket.chmod(0o600)
        if not self._parts.store.read_only:
            self._parts.jobs.start()
            self._parts.sources.start()
            self._parts.collecting.start()
        await self._say_serving()
        self._log.info(
            telemetry.STARTED,
            version=__version__,
            addresses=addresses,
            home=str(self._home.path),
            seconds=round(self._clock.monotonic() - started, 3),
        )
        await stop.wait()
        await self._stop(server)

    async def _stop(self, server: grpc.aio.Server) -> None:
        self._log.info(telemetry.STOPPING)
        await self._health.enter_graceful_shutdown()
        self._parts.ingesting.stop()
        self._parts.sources.stop_soon()
        await server.stop(self._settings.server.drain_seconds)
        self._workers.stop()
        self._ingest_workers.stop()
        self._source_workers.stop()
        with contextlib.suppress(FileNotFoundError):
            self._home.socket.unlink()

    def _unclaimed(self, error: BaseException) -> None:
        # That work was given up is the caller's doing; a defect in it is ours whether or not somebody waits.
        if status.answer_for(error) is status.DEFECT:
            self._log.error(telemetry.DEFECT, exc_info=error)

    def _server(self) -> grpc.aio.Server:
        limit = self._settings.limits.message_bytes
        options = [
            ("grpc.max_receive_message_length", limit),
            ("grpc.max_send_message_length", limit),
            ("grpc.so_reuseport", 0),
        ]
        server = grpc.aio.server(interceptors=[Outcomes(self._log, self._clock)], options=options)
        attention_pb2_grpc.add_AttentionServicer_to_server(self._attention(), server)
        corpus_pb2_grpc.add_CorpusServicer_to_server(self._corpus(), server)
        operator_pb2_grpc.add_OperatorServicer_to_server(self._operator(), server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        names = (ATTENTION, CORPUS, OPERATOR, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, server)
        return server

    def _attention(self) -> AttentionService:
        parts, core, versions = self._parts, self._settings.working_set, self._versions()
        focus_wire = FocusWire(
            versions,
            core.heat,
            estimated=not parts.counter.exact,
            ghosts_listed=self._settings.limits.ghosts_listed,
            default_budget=Tokens(self._settings.limits.default_budget_tokens),
        )
        return AttentionService(
            parts.turns,
            parts.hosting,
            parts.succession,
            parts.reading,
            parts.receipts,
            AgentQueues(self._settings.limits.waiting_calls),
            self._workers,
            parts.caller,
            focus_wire,
            AttentionWire(versions),
            versions,
        )

    def _versions(self) -> Versions:
        calibration = self._settings.working_set.sufficiency.calibration
        named = calibration.name if calibration else ""
        return Versions(self._parts.counter.name, self._parts.embedding_model, named, PLAIN.label)

    def _operator(self) -> OperatorService:
        parts = self._parts
        return OperatorService(parts.collection, self._workers, parts.caller, self._versions())

    def _corpus(self) -> CorpusService:
        parts = self._parts
        return CorpusService(
            parts.corpus,
            parts.ingesting,
            parts.sources,
            self._workers,
            self._ingest_workers,
            self._source_workers,
            parts.caller,
        )

    def _bind(self, server: grpc.aio.Server) -> list[str]:
        # A socket file that a killed daemon left behind: we hold the lock, so nobody listens on it.
        try:
            self._home.socket.unlink(missing_ok=True)
        except OSError as error:
            raise BadConfiguration("home", f"{self._home.socket} is in the way: {error.strerror}") from error
        addresses = [f"unix:{self._home.socket}"]
        _listen(server, addresses[0], "home")
        if tcp := tcp_address(self._settings.server):
            port = _listen(server, tcp, "server.tcp_address")
            addresses.append(f"{tcp.rpartition(':')[0]}:{port}")
        return addresses

    async def _say_serving(self) -> None:
        for service in ("", ATTENTION, CORPUS, OPERATOR):
            await self._health.set(service, health_pb2.HealthCheckResponse.SERVING)


def _listen(server: grpc.aio.Server, address: str, key: str) -> int:
    try:
        return server.add_insecure_port(address)
    except RuntimeError as error:
        what = f"cannot listen on {address}: is another process there, or may this one not?"
        raise BadConfiguration(key, what) from error


def tcp_address(settings: ServerSettings) -> str:
    """Return the TCP address to bind, or nothing; raises BadConfiguration for one that is not of the loopback."""
    address = settings.tcp_address
    if not address:
        return ""
    host, _, port = address.rpartition(":")
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        loopback = False
    if not loopback or not port.isdigit() or int(port) > 65535:
        what = f'{address!r} is not a loopback address and port: use for example "127.0.0.1:7717"'
        raise BadConfiguration("server.tcp_address", what)
    return address
