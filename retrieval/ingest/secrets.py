"""Secrets taken out of a text before it is stored, by named rules, each replacement counted.

A secret becomes `[redacted: rule]` on each of the lines it stood on: how many lines a text has, and which line holds
what else, does not change, so that line numbers keep pointing into the file. The same text gives the same result. What
is stored is what an agent can see; the file itself is not touched.

Rules are patterns (`retrieval.ingest.secret_rules`): a password that looks like an ordinary word is not seen.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrieval.ingest.secret_rules import BARE, QUOTED, RULE_NAMES, RULES, Rule, Verdict

REASON = "redacted_"
"""Begins the reason under which summaries count a rule's replacements."""

_PLACEHOLDER = re.compile(
    r"^[<${%*]|[$#]\{|\{\w*\}|%[sd(]|^(.)\1*$|\.\.\.|xxx|example|sample|dummy|fake|placeholder|change.?me|your|insert|redacted|passw|secret"
    r"|token|null|none|undefined|default|test|foobar|12345|abcde|fixture|credential|key[_.-]|[_.-]key",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"[a-z]+(?:[_.-][a-z0-9]{1,12})*|[A-Z]+(?:_[A-Z0-9]+)*|[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)*")
_CALLED = re.compile(
    r"[/\\.]\w+[/\\.]|^[\w.]+\.[a-z_]+$|^[a-z]+/[a-z0-9.+-]+$|^0x|::|^--|^/|^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
)
"""Paths, dotted names, media types, options; and UUIDs, which name more than they open."""
_SHORT_CHARACTERS = 1_000
"""In longer texts the patterns themselves are as fast as asking first whether any of them can match."""
_MAY_HOLD = re.compile(r"[=:]|\S{16}")
"""Each rule needs an assignment, an address or a long run without blanks."""
_TO_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_VISIBLE = re.compile(r"[^\s].*[^\s]|[^\s]")


@dataclass(frozen=True, slots=True)
class SecretSettings:
    """What is looked for, and what counts as a value nobody made up by hand."""

    off: tuple[str, ...] = ()
    """Names of rules that are switched off."""
    bits_per_character: float = 3.0
    """Guess, between gitleaks' 3.0 to 3.5 for keys in assignments and detect-secrets' 3.0 for hexadecimal ones."""
    plain_suffixes: tuple[str, ...] = (
        *(".ini", ".cfg", ".conf", ".config", ".properties", ".toml", ".yaml", ".yml", ".env", ".json", ".xml"),
        *(".md", ".markdown", ".rst", ".txt", ".text", ".log", ".adoc", ".org", ".html", ".htm", ".tfvars", ".csv"),
    )
    """Files in which nothing is computed, so that a value without quotes is one."""

    def __post_init__(self) -> None:
        unknown = sorted(set(self.off) - RULE_NAMES)
        if unknown:
            raise ValueError(f"off names no rule: {', '.join(unknown)}; there are {', '.join(sorted(RULE_NAMES))}")


DEFAULT = SecretSettings()
"""All rules."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many were taken out, by rule in the order of names."""

    text: str
    counts: tuple[tuple[str, int], ...] = ()

    @property
    def reasons(self) -> tuple[tuple[str, int], ...]:
        """The counts as summaries show them."""
        return tuple((REASON + rule, count) for rule, count in self.counts)


def redact(text: str, path: str = "", settings: SecretSettings = DEFAULT) -> Redacted:
    """Return the text without its secrets. A text without a path is speech or a record: nothing is computed in it."""
    if len(text) < _SHORT_CHARACTERS and not _MAY_HOLD.search(text):
        return Redacted(text)
    computed = bool(path) and not path.lower().endswith(settings.plain_suffixes)
    counts: Counter[str] = Counter()
    folded = _folded(text)
    for rule in RULES:
        if rule.name in settings.off:
            continue
        spans = _assigned(rule, text, folded, computed) if rule.least else _matched(rule, text)
        found = [span for span in spans if is_secret(text[slice(*span)], rule.verdict, settings.bits_per_character)]
        if found:
            counts[rule.name] += len(found)
            text = _without(text, found, rule.name)
            folded = _folded(text)
    return Redacted(text, tuple(sorted(counts.items())))


def redact_attributes(
    attributes: Sequence[tuple[str, str]], settings: SecretSettings = DEFAULT
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, int], ...]]:
    """Return the attributes with values without secrets, and the reasons; a key may say that its value is one."""
    kept: list[tuple[str, str]] = []
    reasons: Counter[str] = Counter()
    for key, value in attributes:
        name = f"{key}: "
        done = redact(name + value, settings=settings)
        if not done.text.startswith(name):
            name, done = "", redact(value, settings=settings)
        kept.append((key, done.text[len(name) :]))
        reasons.update(dict(done.reasons))
    return tuple(kept), tuple(sorted(reasons.items()))


def is_secret(value: str, verdict: Verdict, bits_per_character: float) -> bool:
    """Whether a value that a pattern found is one, and no placeholder, name, path or example."""
    if "[redacted: " in value or value.upper().endswith("EXAMPLE") or "EXAMPLEKEY" in value:
        return False
    if verdict is Verdict.SHAPE:
        return True
    if _PLACEHOLDER.search(value) or _IDENTIFIER.fullmatch(value) or _CALLED.search(value):
        return False
    letters = any(character.isalpha() for character in value)
    others = any(not character.isalpha() and character not in "_-.:/" for character in value)
    if not letters or not others:
        return False
    return verdict is Verdict.PASSWORD or (
        any(character.isdigit() for character in value) and bits(value) >= bits_per_character
    )


def bits(value: str) -> float:
    """The entropy of the value's characters, in bits a character (Shannon 1948)."""
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


def _folded(text: str) -> str:
    """The text in lower case, each character where it was."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.translate(_TO_LOWER)


def _matched(rule: Rule, text: str) -> Iterator[tuple[int, int]]:
    group = rule.pattern.groupindex.get("secret", 0)
    for match in rule.pattern.finditer(text):
        if rule.pattern.groups and match.lastindex is None:
            continue
        start, end = match.span(group)
        if group or not start or not (text[start - 1].isalnum() or text[start - 1] == "_"):
            yield start, end


def _assigned(rule: Rule, text: str, folded: str, computed: bool) -> Iterator[tuple[int, int]]:
    for match in rule.pattern.finditer(folded):
        value = QUOTED.match(text, match.end()) or (None if computed else BARE.match(text, match.end()))
        if value is not None and len(value["secret"]) >= rule.least:
            yield value.span("secret")


def _without(text: str, spans: list[tuple[int, int]], rule: str) -> str:
    """The text with a mark in place of each span, on each line that holds some of it. Line ends stay as they are."""
    parts: list[str] = []
    end = 0
    for start, stop in spans:
        lines = text[start:stop].split("\n")
        parts += [text[end:start], "\n".join(_VISIBLE.sub(f"[redacted: {rule}]", line, count=1) for line in lines)]
        end = stop
    return "".join(parts) + text[end:]
