"""Documents that cannot rot: settings, conformance, sizes, and words that nothing committed may hold."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from hotsetd.config import Settings, settings_from
from hotsetd.config_example import attribute_docs, example

ROOT = Path(__file__).parents[2]


def _tracked(pattern: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", pattern],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def test_the_configuration_example_equals_the_defaults() -> None:
    assert (ROOT / "systemd" / "hotsetd.example.toml").read_text() == example(), (
        "run `hotsetd --print-config > systemd/hotsetd.example.toml`"
    )
    uncommented = re.sub(r"^# (?=[a-z_]+ = )", "", example(), flags=re.MULTILINE)
    assert settings_from(Settings, tomllib.loads(uncommented), "") == Settings()


def _settings_types(kind: type) -> list[type]:
    nested = [type(getattr(kind(), f.name)) for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
    return [kind, *(t for n in nested if dataclasses.is_dataclass(n) for t in _settings_types(n))]


@pytest.mark.parametrize("kind", _settings_types(Settings), ids=lambda kind: kind.__name__)
def test_every_setting_says_where_it_comes_from(kind: type) -> None:
    docs = attribute_docs(kind)
    plain = [f.name for f in dataclasses.fields(kind) if not dataclasses.is_dataclass(getattr(kind(), f.name))]  # type: ignore[arg-type]

    assert kind.__doc__
    missing = [name for name in plain if name not in docs]
    assert len(missing) <= _shared_docs(kind), missing


def _shared_docs(kind: type) -> int:
    """Neighbouring settings of one kind, such as weights or names, may share one docstring."""
    return {"GuardSettings": 3}.get(kind.__name__, 0)


def test_the_conformance_page_lists_all_78_with_their_state_and_test() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text()
    rows = dict(re.findall(r"^\| F(\d+) \| (.+?) \|$", page, flags=re.MULTILINE))
    tests = {path.name: path for path in (ROOT / "tests" / "conformance").glob("test_f*.py")}

    assert sorted(map(int, rows)) == list(range(1, 79))
    for number, row in rows.items():
        files = [name for name in tests if re.match(rf"test_f{int(number):02d}_", name)]
        cells = [cell.strip() for cell in row.split("|")]
        if cells[-2] == "passes":
            assert files, f"F{number} is said to pass without a test"
            assert all(name in cells[-1] for name in files), f"F{number}: name {files}"
        else:
            assert cells[-2] == "later"
            assert not files, f"F{number} has a test: {files}"


@pytest.mark.parametrize("path", _tracked("*.py"), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_over_500_lines(path: Path) -> None:
    if "hotset/v1" not in str(path):
        assert len(path.read_text().splitlines()) <= 500


def test_the_median_module_is_at_most_120_lines() -> None:
    rooms = ("workingset", "retrieval", "daemon", "clients")
    sizes = sorted(
        len(path.read_text().splitlines())
        for path in _tracked("*.py")
        if path.relative_to(ROOT).parts[0] in rooms and "hotset/v1" not in str(path) and path.name != "__init__.py"
    )
    assert sizes[len(sizes) // 2] <= 120


@pytest.mark.parametrize("room", ["workingset", "retrieval", "daemon/hotsetd", "clients/python/hotset"])
def test_every_module_and_public_thing_has_a_docstring(room: str) -> None:
    missing: list[str] = []
    for path in (ROOT / room).rglob("*.py"):
        if "hotset/v1" in str(path) or not path.read_text().strip():
            continue
        tree = ast.parse(path.read_text())
        if not ast.get_docstring(tree):
            missing.append(str(path.relative_to(ROOT)))
        for node in tree.body:
            named = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
            if named and not node.name.startswith("_") and not ast.get_docstring(node):
                missing.append(f"{path.relative_to(ROOT)}: {node.name}")
    assert not missing


def test_no_link_in_a_document_leads_nowhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in _tracked("*.md")
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text())
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert not broken


_POSSESSIVE_GROUP = re.compile(r"\)(?:[*+?]|\{[0-9, ]+\})\+")


@pytest.mark.parametrize("path", _tracked("*.py"), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_expression_repeats_a_group_possessively(path: Path) -> None:
    """Python before 3.11.4 matches wrongly where such a group stands within another."""
    if path.parts[-2] == "v1" or path == Path(__file__):
        return
    patterns = [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "(?" in node.value
    ]
    assert not [pattern for pattern in patterns if _POSSESSIVE_GROUP.search(pattern)]
