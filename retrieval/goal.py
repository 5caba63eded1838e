"""The goal as a structured value: weighted terms, the names it mentions, and the text to embed.

The goal is the caller's own words and the only text that steers retrieval; what records say never does. Term weights
are those measured on open localisation rows: `w(t) = min(3, tf in prose) + 0.5·min(3, tf in fenced code) +
1.5·[t in the first line]`, prose being the text without fences and traceback frames.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import Enum, unique

from retrieval.index.sensor import WeightedTerm
from retrieval.settings import GoalSettings
from retrieval.text.stop_words import STOP_WORDS
from retrieval.text.tokens import analyse, identifiers, path_mentions, quoted_strings

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FRAME_LINE = re.compile(r"^[ \t]*File \"[^\"\n]+\", line \d+.*$", re.MULTILINE)
_WORD = re.compile(r"\w[\w'’-]*")
_SENTENCE_END = re.compile(r"(?:^|[.!?:;]\s+|\n\s*(?:[-*#>]+\s*)?)$")
# Begins where a run of such characters does: a search from each of its places would be quadratic in a long one.
_REF = re.compile(r"(?<![^\s:\"'`<>()\[\]{},])[^\s:\"'`<>()\[\]{},]++:[^\s\"'`<>()\[\]{},]+")


@unique
class NameForm(Enum):
    """How the goal wrote a name, which says how sure it is that a name was meant."""

    IDENTIFIER = "identifier"
    QUOTED = "quoted"
    PATH = "path"
    WORD = "word"
    CAPITALISED = "capitalised"


@dataclass(frozen=True, slots=True)
class GoalName:
    """One name in the goal, as written; `line` is the line of the file that a path was written with."""

    text: str
    form: NameForm
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal ready for the lanes.

    `terms` are sorted by weight falling, then term. `names` are looked up exactly; `entities` are those among the
    goal's names of which "occurs nowhere" is worth saying, each once. `refs` look like refs. `speakers` are those of a
    conversation that the goal names, known once its scope is. `unread_characters`,
    `unused_terms` and `unused_names` count what the settings' caps left out, `unused_words` what those of a ranker did.
    """

    text: str
    terms: tuple[WeightedTerm, ...]
    names: tuple[GoalName, ...] = ()
    entities: tuple[GoalName, ...] = ()
    refs: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    embedded: str = ""
    unread_characters: int = 0
    unused_terms: int = 0
    unused_names: int = 0
    unused_words: int = 0

    @property
    def read(self) -> str:
        """The part of the text that retrieval reads: what lies behind it nothing searches for."""
        return self.text[: len(self.text) - self.unread_characters]

    @property
    def caps(self) -> str:
        """What the caps left out, in words; empty where nothing was."""
        parts = (
            (self.unread_characters, "characters of the goal not read"),
            (self.unused_terms, "lighter terms not searched"),
            (self.unused_names, "names not looked up"),
            (self.unused_words, "words not looked up as titles or speakers"),
        )
        return "; ".join(f"{count} {what}" for count, what in parts if count)


def parse_goal(text: str, settings: GoalSettings) -> Goal:
    """Read a goal's text; never fails, an empty or wordless goal has no terms."""
    read = text[: settings.read_characters]
    code = " ".join(match.group() for pattern in (_FENCE, _FRAME_LINE) for match in pattern.finditer(read))
    prose = _FRAME_LINE.sub(" ", _FENCE.sub(" ", read))
    first_line = next((line for line in read.splitlines() if line.strip()), "")
    terms = _weighted_terms(prose, code, first_line, settings)
    names, unused_names = _names(read, settings)
    return Goal(
        text=text,
        terms=tuple(terms[: settings.terms_limit]),
        names=names,
        entities=_entities(names, prose, settings),
        refs=tuple(dict.fromkeys(match.group().rstrip(".,;:!?") for match in _REF.finditer(read))),
        embedded=_embedded(first_line, prose, settings),
        unread_characters=len(text) - len(read),
        unused_terms=max(0, len(terms) - settings.terms_limit),
        unused_names=unused_names,
    )


def _weighted_terms(prose: str, code: str, first_line: str, settings: GoalSettings) -> list[WeightedTerm]:
    in_prose, in_code, in_first = Counter(analyse(prose)), Counter(analyse(code)), frozenset(analyse(first_line))
    limit = settings.prose_frequency_limit
    weighted = [
        WeightedTerm(
            term,
            min(limit, in_prose[term])
            + settings.code_weight * min(limit, in_code[term])
            + settings.first_line_weight * (term in in_first),
        )
        for term in in_prose.keys() | in_code.keys()
    ]
    return sorted(weighted, key=lambda t: (-t.weight, t.term))


def _names(text: str, settings: GoalSettings) -> tuple[tuple[GoalName, ...], int]:
    """Names to look up, the surest form of each kept, and how many the cap left out."""
    paths = path_mentions(text)
    in_paths = {part for mention in paths for part in mention.path.split("/")}
    groups = [
        [GoalName(mention.path, NameForm.PATH, mention.line) for mention in paths],
        [GoalName(name, NameForm.IDENTIFIER) for name in identifiers(text) if name not in in_paths],
        [GoalName(name, NameForm.QUOTED) for name in quoted_strings(text)],
    ]
    words = _WORD.findall(text)
    if len(words) <= settings.short_goal_words:
        groups.append([GoalName(word, NameForm.WORD) for word in words if word.lower() not in STOP_WORDS])
    named: dict[str, GoalName] = {}
    unused = 0
    for group in groups:
        unused += max(0, len(group) - settings.names_limit)
        for name in group[: settings.names_limit]:
            named.setdefault(name.text, name)
    return tuple(named.values()), unused


def _entities(names: tuple[GoalName, ...], prose: str, settings: GoalSettings) -> tuple[GoalName, ...]:
    found = {name.text: name for name in names if name.form is not NameForm.WORD}
    for word in _capitalised(prose, settings):
        found.setdefault(word, GoalName(word, NameForm.CAPITALISED))
    return tuple(found[text] for text in sorted(found))


def _capitalised(prose: str, settings: GoalSettings) -> list[str]:
    """Words with a capital inside a sentence, where capitals mean something: `the Redis client`, `a WAL file`."""
    words = list(_WORD.finditer(prose))
    capitals = [match for match in words if match.group()[0].isupper()]
    if len(capitals) > max(1.0, settings.title_case_share * len(words)):
        return []
    inner = [m.group() for m in capitals if not _SENTENCE_END.search(prose[max(0, m.start() - 8) : m.start()])]
    return [w for w in dict.fromkeys(inner) if len(w) > 1 and w.lower() not in STOP_WORDS and "'" not in w][
        : settings.names_limit
    ]


def _embedded(first_line: str, prose: str, settings: GoalSettings) -> str:
    body = prose.strip()
    text = body if body.startswith(first_line.strip()) else f"{first_line.strip()}\n{body}"
    return text[: settings.embedded_characters].strip()
