"""Find uses in what the agent did and saw: what observed use is made of.

* A **tool call** reads or edits the paths it names, whether the set has them or not: not having them is a fault. What
  else it says cites, as words do.
* **Words**, the user's and the agent's own, cite the set's entries: by ref, path, lines of a path, or name.
* A **tool's output** cites only by ref, or by path with lines, as a search's hits do: a list of files was not read.

Being rendered is not use: echoes of our own block, and answers of our own tools, are passed over. One observation
uses an entry once, in its strongest way. Work is linear in the text and bounded; what is passed over is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from workingset.entry import Entry
from workingset.observation.echoes import without_echoes
from workingset.observation.mentions import Mentions
from workingset.observation.names import Names
from workingset.observation.pairing import answered_calls
from workingset.observation.path_use import PathUse
from workingset.observation.places import patches_in
from workingset.observation.seen import Findings, Found, Observation, Speaker, action_rank, merged
from workingset.observation.tool_calls import ToolCall, action_of, read_call
from workingset.rendering import first_words
from workingset.settings import ObservationSettings
from workingset.transitions.touch import Action
from workingset.vocabulary import Ref


def find(observations: Sequence[Observation], entries: Sequence[Entry], settings: ObservationSettings) -> Findings:
    """Return the uses in these observations, by place, strongest first, then in the order of mention."""
    return _Finding(observations, Names.of(entries, settings), settings).find()


def is_own_tool(name: str, settings: ObservationSettings) -> bool:
    """True for a tool or command of our own."""
    return any(word in name.lower() for word in settings.own_tools)


@dataclass(slots=True)
class _Finding:
    observations: Sequence[Observation]
    names: Names
    settings: ObservationSettings
    found: list[Found] = field(default_factory=list[Found])
    skipped: Counter[str] = field(default_factory=Counter[str])

    def find(self) -> Findings:
        left = self.settings.call_characters
        answered = answered_calls(self.observations)
        for place, observation in enumerate(self.observations):
            call = None if answered[place] is None else self.observations[answered[place] or 0]
            if observation.speaker is Speaker.TOOL_OUTPUT and self._is_own(observation, call):
                self.skipped["own_answers"] += 1
                continue
            pieces, used = self._looked_at(observation.text, left)
            left -= used
            if observation.speaker is Speaker.TOOL_CALL:
                self._call(place, observation.tool, pieces)
            else:
                self._words(place, pieces, is_output=observation.speaker is Speaker.TOOL_OUTPUT)
        limit = self.settings.uses
        if len(self.found) > limit:
            self.skipped["uses"] += len(self.found) - limit
        return Findings(tuple(self.found[:limit]), tuple(sorted((+self.skipped).items())))

    def _looked_at(self, text: str, left: int) -> tuple[list[str], int]:
        """The text, or where it is too long its beginning and its end in whole lines; and how much that is."""
        room = min(self.settings.observation_characters, left)
        if len(text) <= room:
            return [text], len(text)
        head, tail = room - room // 2, room // 2
        pieces = [text[:head], text[len(text) - tail :]]
        self.skipped["characters"] += len(text) - room
        return [pieces[0][: pieces[0].rfind("\n") + 1 or head], pieces[1][pieces[1].find("\n") + 1 :]], room

    def _is_own(self, output: Observation, call: Observation | None) -> bool:
        if is_own_tool(output.tool, self.settings):
            return True
        return call is not None and (is_own_tool(call.tool, self.settings) or _runs(call.text, self.settings))

    def _words(self, place: int, pieces: Sequence[str], *, is_output: bool) -> None:
        mentions = Mentions(self.names, self.settings)
        for piece in pieces:
            text, echoes = without_echoes(piece, self.names.refs)
            self.skipped["echoes"] += echoes
            mentions.read_refs(text)
            mentions.read_places(text, with_lines_only=is_output)
            if not is_output:
                mentions.read_names(text, backticks=True)
        self._cite(place, mentions, ())

    def _call(self, place: int, tool: str, pieces: Sequence[str]) -> None:
        mentions = Mentions(self.names, self.settings)
        call = read_call(tool, pieces[0], self.settings) if len(pieces) == 1 else ToolCall(words=list(pieces))
        uses = [*call.uses, *_patched(call, tool)]
        for ref, action in call.refs:
            self._add(Found(place, action, ref, ref=Ref(ref)))
        used = self._paths(place, uses, mentions)
        for words in call.words:
            text, echoes = without_echoes(words, self.names.refs)
            self.skipped["echoes"] += echoes
            mentions.read_refs(text)
            mentions.read_places(text)
            mentions.read_names(text, backticks=False)
        self._cite(place, mentions, (path for written in used if (path := self.names.path_of(written)) is not None))

    def _paths(self, place: int, uses: Iterable[PathUse], mentions: Mentions) -> list[str]:
        """Take in what was read and edited, once a path and action; what was only searched is a mention."""
        by_path: dict[tuple[int, str], list[PathUse]] = {}
        for use in uses:
            if use.action is Action.CITE:
                lines = f":{use.lines[0].start}-{use.lines[0].end}" if use.lines else ""
                mentions.read_places(f"{use.path}{lines}")
            else:
                by_path.setdefault((action_rank(use.action), use.path), []).append(use)
        for (_, path), same in sorted(by_path.items(), key=lambda item: item[0][0]):
            self._add(_as_one(place, path, same))
        return [path for _, path in by_path]

    def _cite(self, place: int, mentions: Mentions, used_paths: Iterable[str]) -> None:
        named = {found.ref for found in self.found if found.observation == place and found.ref}
        for mention in mentions.found(used_paths):
            if mention.entry.ref not in named:
                self._add(Found(place, Action.CITE, mention.matched, ref=mention.entry.ref, lines=mention.lines))
        self.skipped["files_without_lines"] += mentions.wide

    def _add(self, found: Found) -> None:
        self.found.append(replace(found, matched=first_words(found.matched, self.settings.matched_characters)))


def _as_one(place: int, path: str, uses: Sequence[PathUse]) -> Found:
    """One use of a path for several in the same way: where one is of all of it, all are."""
    whole = any(use.is_whole for use in uses)
    return Found(
        place,
        uses[0].action,
        path,
        path=path,
        lines=() if whole else merged([lines for use in uses for lines in use.lines]),
        quotes=() if whole else tuple(dict.fromkeys(quote for use in uses for quote in use.quotes)),
        tail_lines=0 if whole else max(use.tail_lines for use in uses),
    )


def _patched(call: ToolCall, tool: str) -> list[PathUse]:
    """The files that a patch among the call's words edits."""
    edits = action_of(tool) is Action.EDIT
    return [
        PathUse(place.path, Action.EDIT, (place.lines,) if place.lines else ())
        for words in call.words
        if edits or words.lstrip().startswith(("apply_patch", "git apply", "patch "))
        for place in patches_in(words)
    ]


def _runs(command: str, settings: ObservationSettings) -> bool:
    """True where a command line runs a command of our own."""
    names = "|".join(re.escape(word) for word in settings.own_tools)
    return (
        bool(names)
        and re.search(rf"(?:^|[\s;&|/\"'])(?:{names})\s+(?!-)\w", command[: settings.command_characters]) is not None
    )
