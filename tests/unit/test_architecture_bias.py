"""Manifests: how they are read, what they say of files, and how little they may move."""

from __future__ import annotations

import pytest

from retrieval.architecture.bias import ArchitectureSettings, counted, nudged
from retrieval.architecture.errors import BadManifest
from retrieval.architecture.evaluator import Evaluator
from retrieval.architecture.manifest import read_manifest
from retrieval.architecture.verdict import Judged, Verdict

MANIFEST = """
version = 1

[[layer_order]]
layers = ["daemon/**", "retrieval/**", "workingset/**"]

[[forbid]]
from = "workingset/**"
to = "tools/*.py"
because = "the core is pure"

[[require_exists]]
path = "docs/adr/*.md"
"""


@pytest.fixture
def evaluator() -> Evaluator:
    return Evaluator(read_manifest(MANIFEST))


@pytest.mark.parametrize(
    ("path", "imports", "verdict"),
    [
        ("daemon/a.py", ["retrieval/b.py", "workingset/c.py", "daemon/d.py"], Verdict.BEDROCK),
        ("retrieval/b.py", ["daemon/a.py"], Verdict.EROSION),
        ("workingset/c.py", ["tools/x.py"], Verdict.EROSION),
        ("workingset/c.py", ["tools/deep/x.py", "elsewhere.py"], Verdict.BEDROCK),
        ("workingset/c.py", None, Verdict.UNPROVEN),
        ("scripts/s.py", ["daemon/a.py"], Verdict.OVERGROWTH),
        ("x/daemon/a.py", [], Verdict.OVERGROWTH),
    ],
)
def test_verdicts(evaluator: Evaluator, path: str, imports: list[str] | None, verdict: Verdict) -> None:
    assert evaluator.judge(path, imports).verdict is verdict


def test_what_is_broken_is_said_in_words(evaluator: Evaluator) -> None:
    judged = evaluator.judge("workingset/c.py", ["tools/x.py", "retrieval/b.py"])
    assert judged.because == (
        "imports retrieval/b.py: the layer workingset/** may not import retrieval/**",
        "imports tools/x.py: workingset/** may not import tools/*.py, the core is pure",
    )


def test_without_layers_what_no_rule_names_is_unproven() -> None:
    only = Evaluator(read_manifest('version = 1\n[[forbid]]\nfrom = "a/**"\nto = "b/**"\n'))
    assert only.judge("c/x.py", ["b/y.py"]).verdict is Verdict.UNPROVEN


def test_what_must_be_there(evaluator: Evaluator) -> None:
    assert evaluator.missing(["docs/readme.md"]) == ("docs/adr/*.md",)
    assert evaluator.missing(["docs/adr/0001.md", "x"]) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version = ", "hotset.architecture.toml"),
        ("version = 2\n", "version 2 is not known"),
        ("version = 1\n", "holds no rule"),
        ('version = 1\n[[forbid]]\nfrom = "a/**"\n', "missing required field `to`"),
        ('version = 1\n[[forbid]]\nfrom = "a"\nto = "b"\nunless = "c"\n', "unknown field `unless`"),
        ('version = 1\n[[layer_order]]\nlayers = ["a"]\n', "layer_order"),
        ("version = 1\n[[require_exists]]\npath = 3\n", "require_exists"),
    ],
)
def test_a_malformed_manifest_names_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(BadManifest, match=r"hotset\.architecture\.toml") as bad:
        read_manifest(text)
    assert words in str(bad.value)


def test_the_nudge_turns_near_ties_only() -> None:
    settings = ArchitectureSettings(tie_share=0.01)
    scores = {1: 1.0, 2: 0.995, 3: 0.9, 4: 0.0}
    verdicts = {1: Judged(Verdict.EROSION), 2: Judged(Verdict.BEDROCK), 3: Judged(Verdict.BEDROCK)}
    moved = nudged(scores, verdicts, settings)
    assert sorted(moved, key=lambda i: -moved[i]) == [2, 1, 3, 4]
    assert all(abs(moved[i] - scores[i]) <= 0.01 + 1e-12 for i in scores)
    assert set(moved) == set(scores)


def test_without_verdicts_scores_stay_what_they_are() -> None:
    scores = {1: 0.3, 2: 0.1}
    assert nudged(scores, {}, ArchitectureSettings()) == scores
    assert nudged({}, {}, ArchitectureSettings()) == {}


def test_verdicts_are_counted_in_order() -> None:
    of_all = [Judged(Verdict.BEDROCK), Judged(Verdict.EROSION), Judged(Verdict.BEDROCK)]
    assert counted(of_all) == (("erosion", 1), ("bedrock", 2))


def test_a_nudge_cannot_be_made_large() -> None:
    with pytest.raises(ValueError, match="tie_share"):
        ArchitectureSettings(tie_share=0.5)
