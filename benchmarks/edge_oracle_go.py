"""An oracle for Go: what a call's spelling says under Go's own rules, read from the text."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from benchmarks.edge_oracles import Place, Verdict

_CALL = re.compile(r"(?<![\w.])((?:\w+\s*\.\s*)*)(\w+)\s*(?:\[[\w., *\[\]]*\])?\(")
_NAME = re.compile(r"(?<![\w.])((?:\w+\s*\.\s*)?)(\w+)\b")
_NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n])+'", re.DOTALL)
_IMPORTS = re.compile(r"^import\s*(?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_SPEC = re.compile(r"^\s*(?:([\w.]+)\s+)?\"([^\"]+)\"", re.MULTILINE)
_RECEIVER = re.compile(r"func\s*\(\s*(\w+)\s+\*?\s*(\w+)")
_BOUND = re.compile(r"(?:\bvar\s+|\bfor\s+|[(,]\s*|^\s*)(\w+)(?=[\w\s,]*:=|\s+func\b)", re.MULTILINE)
_MODULE = re.compile(r"^module\s+(\S+)", re.MULTILINE)


class GoOracle:
    """Reads the files of a checkout. Only calls and names that the rules decide are decided."""

    def __init__(self, root: Path) -> None:
        self._root = root
        module = _MODULE.search((root / "go.mod").read_text())
        self._module = module.group(1) if module else ""

    def judge(self, relation: str, source: Place, target: Place) -> Verdict:
        """See `Oracle`."""
        verdicts = {
            self._one(before, source, target) for before, name in self._names(relation, source) if name == target.name
        }
        if Verdict.RIGHT in verdicts:
            return Verdict.RIGHT
        return Verdict.WRONG if verdicts == {Verdict.WRONG} else Verdict.UNDECIDED

    def targets(self, relation: str, source: Place) -> frozenset[tuple[str, str]]:
        """See `Oracle`; the rules tell a folder and not a file, so nothing is claimed."""
        del relation, source
        return frozenset()

    def _one(self, before: str, source: Place, target: Place) -> Verdict:
        folder, target_folder = _folder(source.path), _folder(target.path)
        is_method = "." in target.title
        if not before:
            bound = target.name in _BOUND.findall(self._text(source))
            if bound:
                return Verdict.UNDECIDED
            return Verdict.RIGHT if folder == target_folder and not is_method else Verdict.WRONG
        imported = self._imports(source.path).get(before)
        if imported is not None:
            inside = imported == self._module or imported.startswith(self._module + "/")
            is_there = inside and imported[len(self._module) :].strip("/") == target_folder
            return Verdict.RIGHT if is_there and not is_method else Verdict.WRONG
        receiver = _RECEIVER.match(self._text(source).lstrip())
        if receiver is not None and receiver.group(1) == before:
            if not is_method:
                return Verdict.WRONG
            is_own = target.title.rpartition(".")[0] == receiver.group(2) and folder == target_folder
            return Verdict.RIGHT if is_own else Verdict.UNDECIDED
        return Verdict.UNDECIDED if is_method else Verdict.WRONG

    def _names(self, relation: str, source: Place) -> list[tuple[str, str]]:
        found = (_CALL if relation == "calls" else _NAME).findall(self._text(source))
        return [("".join(before.split()).rstrip("."), name) for before, name in found]

    @cache  # noqa: B019 - one oracle lives as long as the program
    def _lines(self, path: str) -> list[str]:
        return (self._root / path).read_text("utf-8", "replace").split("\n")

    def _text(self, source: Place) -> str:
        text = _NOISE.sub(" ", "\n".join(self._lines(source.path)[source.first - 1 : source.last]))
        return text[max(0, text.find("func")) :] if source.kind == "function" else text

    @cache  # noqa: B019 - as above
    def _imports(self, path: str) -> dict[str, str]:
        """Import paths by the name they have in the file."""
        names: dict[str, str] = {}
        for group, single in _IMPORTS.findall("\n".join(self._lines(path))):
            for alias, imported in _SPEC.findall(group or single):
                last = imported.rpartition("/")[2]
                if re.fullmatch(r"v\d+", last):
                    last = imported.split("/")[-2]
                names[alias or last.removeprefix("go-")] = imported
        return names


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
