"""The one evaluator of manifests: a file's verdict, from its path and the files that it imports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from retrieval.architecture.manifest import Manifest
from retrieval.architecture.verdict import Judged, Verdict
from retrieval.ingest.ignore_rules import IgnoreRules

Matches = Callable[[str], bool]


class Evaluator:
    """Rules of one manifest, with their patterns compiled."""

    def __init__(self, manifest: Manifest) -> None:
        self._forbidden = [(rule, _matcher(rule.source), _matcher(rule.target)) for rule in manifest.forbid]
        self._orders = [[(layer, _matcher(layer)) for layer in rule.layers] for rule in manifest.layer_order]
        self._required = [(rule, _matcher(rule.path)) for rule in manifest.require_exists]

    @property
    def requires(self) -> bool:
        """True where something must be there."""
        return bool(self._required)

    def judge(self, path: str, imports: Collection[str] | None) -> Judged:
        """The verdict of the file at `path`; `imports` are paths of its tree, None where they are not known."""
        ruled = self._is_ruled(path)
        if not ruled:
            return Judged(Verdict.OVERGROWTH if self._orders else Verdict.UNPROVEN)
        if imports is None:
            return Judged(Verdict.UNPROVEN)
        broken = tuple(dict.fromkeys(self._broken(path, sorted(imports))))
        return Judged(Verdict.EROSION, broken) if broken else Judged(Verdict.BEDROCK)

    def missing(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Patterns of `require_exists` that no path matches."""
        left = dict(enumerate(self._required))
        for path in paths:
            for at in [at for at, (_, matches) in left.items() if matches(path)]:
                del left[at]
            if not left:
                break
        return tuple(rule.path for rule, _ in left.values())

    def _is_ruled(self, path: str) -> bool:
        if any(from_(path) for _, from_, _ in self._forbidden):
            return True
        return any(matches(path) for order in self._orders for _, matches in order)

    def _broken(self, path: str, imports: Iterable[str]) -> Iterable[str]:
        for imported in imports:
            for rule, from_, to in self._forbidden:
                if from_(path) and to(imported):
                    why = f", {rule.because}" if rule.because else ""
                    yield f"imports {imported}: {rule.source} may not import {rule.target}{why}"
            for order in self._orders:
                mine, other = _place(order, path), _place(order, imported)
                if mine is not None and other is not None and other < mine:
                    yield f"imports {imported}: the layer {order[mine][0]} may not import {order[other][0]}"


def _place(order: list[tuple[str, Matches]], path: str) -> int | None:
    return next((at for at, (_, matches) in enumerate(order) if matches(path)), None)


def _matcher(pattern: str) -> Matches:
    """Paths from the root alone: a pattern without a slash is no name at any depth."""
    rules = IgnoreRules("", [f"/{pattern.removeprefix('/')}"])
    return lambda path: rules.verdict(path, is_folder=False) is True
