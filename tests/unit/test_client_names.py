"""The public names of the client are frozen, and importing it brings in nothing that is not needed."""

from __future__ import annotations

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hotset
from hotset import AsyncHotsetClient, HotsetClient
from hotset.cli import render

ROOT = Path(__file__).parents[2] / "clients" / "python"

NAMES = """
AddSourceAnswer Answer Architecture AsyncHotsetClient AutostartFailed BadAddress BadRequest BranchCommit Budget
Cancelled Change CheckAnswer ClientSettings CloseAnswer CollectAnswer CollectedNamespace Conflict ConversationTurn
Coverage Cut CutExpired DaemonFault DaemonNotRunning DeadlineExceeded Deleted Delta DeltaEntry Document Drift
DriftHold DriftVerdict EdgeInput Entity Erosion EvictAnswer ExplainAnswer Faults Fidelity FileProblem FocusAnswer
FocusMode ForgetAnswer ForkAnswer Freshness Gap GetAnswer Ghost HandoffAnswer Health Hints HotsetClient HotsetError
Ignored IndexState IngestAcknowledged IngestEvent IngestProgress IngestSummary Item LaneReport LaneState Lines
ListPage Move NamespaceDescription NamespaceGeneration NotAuthorised NotFound Nothing Obligation ObligationKind
ObligationStatus Observation ObservationKind ObservedUse Offender Omission Opposed OppositionCoverage OverBudget
OverLimits PageIn Pin PinAnswer PinOwner PinReport ReasonCount ReceiptNode RecordInput RelationDescription
RelationRole RemoveAnswer RemoveSourceAnswer ReplayAnswer ReplayVerdict ResetAnswer ResolveAnswer ResolvePage
ResolvedRecord RetrySettings Robustness SearchCoverage Segment Signal Source SourceKind SourceList SourceState
StageTime StaleCursor StaleEntry Standing StartSettings StatusAnswer Step StorageFull StoredEdge StoredRecord
Sufficiency SufficiencyState SupportClosure Tier TouchAnswer Touched Translation Unavailable UndoAnswer UnknownAgent
UnknownNamespace UnknownRef UnpinAnswer Use UseAction VersionMismatch Versions __version__ as_json as_plain
default_address default_home
"""

CALLS = """
add_source address check close close_request collect describe_namespace evict explain focus forget fork get handoff
handshake health ingest_conversation ingest_documents ingest_records ingest_tree list_page list_records list_sources
pin remove remove_source replay reset_context resolve resolve_page settings status touch undo_refocus unpin wait_ready
"""

RENDERERS = """
RenderSettings kind_of render_check render_closed render_collected render_focus render_forget render_fork
render_handoff render_ingest_summary render_items render_list render_moves render_namespace render_pin render_pins
render_receipt render_record render_replay render_resolve render_source render_source_removed render_sources
render_status render_touch visible
"""


def test_public_names_are_frozen() -> None:
    assert sorted(hotset.__all__) == sorted(NAMES.split())
    assert all(hasattr(hotset, name) for name in NAMES.split())
    assert sorted(render.__all__) == sorted(RENDERERS.split())


@pytest.mark.parametrize("client", [HotsetClient, AsyncHotsetClient])
def test_calls_are_frozen(client: type) -> None:
    assert sorted(name for name in dir(client) if not name.startswith("_")) == sorted(CALLS.split())


def test_both_clients_take_the_same_parameters() -> None:
    for name in CALLS.split():
        sync, other = getattr(HotsetClient, name), getattr(AsyncHotsetClient, name)
        if callable(sync):
            assert list(inspect.signature(sync).parameters.values()) == list(
                inspect.signature(other).parameters.values()
            )
            assert inspect.getdoc(other)


def test_answers_are_frozen_values() -> None:
    values = [each for each in vars(hotset.types).values() if inspect.isclass(each) and hasattr(each, "__slots__")]
    frozen = [each for each in values if hasattr(each, "__dataclass_params__")]
    assert len(frozen) > 50
    assert all(each.__dataclass_params__.frozen for each in frozen)


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert hotset.__version__ == project["version"]
    assert {each.partition(">")[0] for each in project["dependencies"]} == {"grpcio", "protobuf"}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


def test_the_sdk_imports_nothing_of_the_extras_and_nothing_of_the_daemon() -> None:
    code = """
import sys, hotset, hotset.cli
unwanted = {"typer", "rich", "click", "pydantic", "grpc_status", "workingset", "retrieval", "hotsetd"}
print(sorted(unwanted & {name.partition(".")[0] for name in sys.modules}))
"""
    assert run(code).stdout.strip() == "[]"


@pytest.mark.parametrize("absent", ["typer", "rich"])
def test_the_command_says_how_to_install_it_where_its_libraries_are_absent(absent: str) -> None:
    done = run(f"import sys; sys.modules[{absent!r}] = None\nfrom hotset.cli import main; main()")
    assert done.returncode == 1
    assert "pip install './clients/python[cli]'" in done.stderr
    assert "Traceback" not in done.stderr
