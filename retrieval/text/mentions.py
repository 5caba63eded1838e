"""What a text mentions word for word: identifiers, quoted strings and paths, for the exact lane.

All answers keep the order of first mention and hold each thing once. They are guesses by form: a mention counts only
once the store knows the name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from retrieval.text.stop_words import STOP_WORDS

_NAME = r"[^\W\d]\w*"
_DOTTED = rf"{_NAME}(?:\.{_NAME})+"
_MENTION = re.compile(rf"(?P<dotted>{_DOTTED})|(?P<name>{_NAME})(?P<call>\((?!s\)))?")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_BACKTICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_QUOTED = re.compile(
    r"\"([^\"\n]{1,300})\"|(?<!\w)'([^'\n]{1,300})'(?!\w)|“([^“”\n]{1,300})”|‘([^‘’\n]{1,300})’"
    r"|«([^«»\n]{1,300})»|「([^「」\n]{1,300})」|『([^『』\n]{1,300})』"
)
_FRAME = re.compile(r"File \"([^\"\n]+)\", line (\d+)")
_URL = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://\S+")
_SEGMENT = r"[\w.@+~-]+"
_PATH = re.compile(
    rf"(?<![\w/\\.])((?:[A-Za-z]:)?[/\\]?(?:{_SEGMENT}[/\\])+{_SEGMENT}|(?:{_SEGMENT}[/\\])+|{_SEGMENT})(?::(\d+))?"
)
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}")
_EXTENSIONS = """
    bash bat bazel c cc cfg cjs cmake conf cpp cs css csv cxx dart ex exs fish go gradle graphql h hpp hs htm html hxx
    ini ipynb java jl js json jsonl jsx kt kts less lock log lua m md mdx mjs ml mod mts nix patch php pl plist pm proto
    ps1 py pyi pyx r rb rs rst sass scala scss sh sql sum svelte swift tex tf toml ts tsx txt vue xml yaml yml zig zsh
"""
_FILE_EXTENSIONS = frozenset(_EXTENSIONS.split())
_FILE_NAMES = frozenset({"Makefile", "Dockerfile", "Justfile", "Rakefile", "Gemfile", "CMakeLists.txt"})


@dataclass(frozen=True, slots=True)
class PathMention:
    """A path as it is written in a text, with forward slashes, and the line that was named with it, if any."""

    path: str
    line: int | None = None


def identifiers(text: str) -> list[str]:
    """Return the words that look like names in code: snake_case, camelCase, dotted, called, or in backticks.

    Dotted names come whole (`os.path.join`); a name that is a path mention is none.
    """
    found: dict[str, None] = {}
    paths = {mention.path for mention in path_mentions(text)}
    backticked = _Spans([match.span(1) for match in _BACKTICKED.finditer(text)])
    for match in _MENTION.finditer(_URL.sub(_blank, text)):
        name = match.group("dotted") or match.group("name")
        if name not in paths and _is_identifier(match, name, backticked.hold(match.start())):
            found[name] = None
    return list(found)


def quoted_strings(text: str) -> list[str]:
    """Return what stands in quotation marks or backticks on one line, without the marks and outer blanks."""
    spans: list[tuple[int, str]] = []
    for pattern in (_QUOTED, _BACKTICKED):
        for match in pattern.finditer(text):
            content = next(group for group in match.groups() if group is not None).strip()
            if content:
                spans.append((match.start(), content))
    return list(dict.fromkeys(content for _, content in sorted(spans)))


def path_mentions(text: str) -> list[PathMention]:
    """Return the paths: traceback frames, anything with slashes that is plainly a path, file names with an extension.

    `and/or` is no path: two words and one slash need an extension, a leading or a trailing slash.
    """
    found: dict[PathMention, None] = {}
    spans = [(m.start(), PathMention(_slashes(m.group(1)), int(m.group(2)))) for m in _FRAME.finditer(text)]
    rest = _FRAME.sub(_blank, _URL.sub(_blank, text))
    for match in _PATH.finditer(rest):
        path = _slashes(match.group(1)).rstrip(".")
        if _is_path(path):
            line = int(match.group(2)) if match.group(2) and len(match.group(2)) < 10 else None
            spans.append((match.start(), PathMention(path.removeprefix("./"), line)))
    for _, mention in sorted(spans, key=lambda span: span[0]):
        found[mention] = None
    return list(found)


class _Spans:
    """Ranges of a text that do not overlap, in order."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def hold(self, position: int) -> bool:
        """True where a range holds the position."""
        at = bisect_right(self._starts, position) - 1
        return at >= 0 and position < self._ends[at]


def _is_identifier(match: re.Match[str], name: str, in_backticks: bool) -> bool:
    if len(name) < 2 or name.lower() in STOP_WORDS:
        return False
    if match.group("dotted"):
        return len(name.split(".")[0]) > 1
    return bool(in_backticks or match.group("call") or "_" in name.strip("_") or _CAMEL.search(name)) or (
        name.startswith("_") and name.strip("_") != ""
    )


def _is_path(path: str) -> bool:
    segments = [segment for segment in path.split("/") if segment not in {"", ".", ".."}]
    if not segments or not any(c.isalnum() for c in segments[-1]):
        return False
    last = segments[-1]
    extension = _EXTENSION.fullmatch(last[last.rfind(".") :]) if "." in last[1:] else None
    if "/" not in path:
        return last in _FILE_NAMES or (extension is not None and extension.group()[1:].lower() in _FILE_EXTENSIONS)
    return extension is not None or path.startswith(("/", "./", "../", "~/")) or path.endswith("/") or len(segments) > 2


def _slashes(path: str) -> str:
    return path.replace("\\", "/")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
