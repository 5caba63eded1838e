"""Which files a command line reads, edits or searches, and which lines of them.

Commands that show a file read it, those that write it edit it; a search names the files it goes through. What a
pipeline cuts out (`cat p | head -50`) is what was read. A command that is not known uses nothing by itself; that it
names a file is for `mentions` to find.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workingset.observation.command_line import SimpleCommand, pipelines
from workingset.observation.known_words import FILTERS, SEARCHES, SHELLS, WRITERS
from workingset.observation.path_use import PathUse
from workingset.observation.printing import Printing
from workingset.settings import ObservationSettings
from workingset.transitions.touch import Action

_NO_FILE = re.compile(r"[*?\[\]{}$`\n]|^$|^-$|^/dev/")
_RUN = re.compile(r"-\w*c")
_NESTING = 2


def command_uses(line: str, settings: ObservationSettings, nesting: int = 0) -> list[PathUse]:
    """Return what a command line uses, in order; nothing where its quotes do not match or it is too long."""
    try:
        parsed = list(pipelines(line, settings.command_characters))
    except ValueError:
        return []
    reading = _Pipelines(Printing(settings.open_end_lines))
    uses: list[PathUse] = []
    folder = ""
    for pipeline in parsed:
        first = pipeline[0]
        if first.name == "cd" and first.arguments:
            folder = _joined(folder, first.arguments[0])
            continue
        if first.name in SHELLS and nesting < _NESTING and any(_RUN.fullmatch(word) for word in first.arguments):
            found = command_uses(first.arguments[-1], settings, nesting + 1)
        else:
            found = reading.uses(pipeline)
        uses.extend(replace(use, path=_joined(folder, use.path)) for use in found if not _NO_FILE.search(use.path))
    return uses


@dataclass(frozen=True, slots=True)
class _Pipelines:
    printing: Printing

    def uses(self, pipeline: Sequence[SimpleCommand]) -> list[PathUse]:
        """Return what one pipeline uses."""
        uses = self._command(pipeline[0])
        for command in pipeline[1:]:
            own = self._command(command)
            if not any(use.action is Action.READ for use in own):
                cut = self.printing.passed_on(command)
                uses = [_through(use, command, cut) for use in uses]
            uses.extend(own)
        written = [path for command in pipeline for path in command.outputs]
        if written:
            # What goes to a file was not seen.
            uses = [replace(use, action=Action.CITE) if use.action is Action.READ else use for use in uses]
        return [*uses, *(PathUse(path, Action.EDIT) for path in written)]

    def _command(self, command: SimpleCommand) -> list[PathUse]:
        uses = [PathUse(path, Action.READ) for path in command.inputs]
        if command.name in SEARCHES:
            files = command.operands[0 if "-e" in command.arguments else 1 :]
            return [*uses, *(PathUse(path, Action.CITE) for path in files)]
        if command.name in WRITERS:
            return [*uses, *(PathUse(path, Action.EDIT) for path in command.operands)]
        if command.name in {"cp", "mv"}:
            return [*uses, *_moved(command)]
        return [*uses, *(_git(command) if command.name == "git" else self.printing.shown(command))]


def _through(use: PathUse, command: SimpleCommand, cut: PathUse | None) -> PathUse:
    """What of a read is left behind the next command of its pipeline."""
    if use.action is not Action.READ:
        return use
    if cut is not None and use.is_whole:
        return replace(use, lines=cut.lines, tail_lines=cut.tail_lines)
    return replace(use, action=Action.CITE) if cut is None and command.name in FILTERS else use


def _git(command: SimpleCommand) -> list[PathUse]:
    verb, rest = "".join(command.arguments[:1]), command.arguments[1:]
    if verb == "show":
        return [PathUse(word.partition(":")[2], Action.READ) for word in rest if ":" in word[1:]]
    if verb in {"rm", "mv", "restore"} or (verb == "checkout" and "--" in rest):
        return [PathUse(word, Action.EDIT) for word in rest if not word.startswith("-")]
    return []


def _moved(command: SimpleCommand) -> list[PathUse]:
    source = Action.EDIT if command.name == "mv" else Action.CITE
    *sources, target = command.operands or [""]
    return [*(PathUse(file, source) for file in sources), PathUse(target, Action.EDIT)]


def _joined(folder: str, path: str) -> str:
    if not folder or path.startswith(("/", "~")):
        return path
    return f"{folder.rstrip('/')}/{path.removeprefix('./')}"
