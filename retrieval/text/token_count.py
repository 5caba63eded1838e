"""Counting tokens: exact where the tokenizer is known, else an estimate that never counts too few."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import quicktok

from retrieval.errors import BadField

EXACT_COUNTERS: Final = ("o200k_base", "cl100k_base", "o200k_harmony", "llama3", "qwen3")
"""The byte-pair vocabularies that quicktok ships; `utf8-bytes` is the estimate."""

ESTIMATE: Final = "utf8-bytes"


class TokenCounter(Protocol):
    """Counts the tokens of a text. `exact` says whether the count is the named tokenizer's own."""

    @property
    def name(self) -> str: ...

    @property
    def exact(self) -> bool: ...

    def count(self, text: str) -> int:
        """How many tokens the text is. Names of special tokens, such as `<|endoftext|>`, count as ordinary text."""
        ...


@dataclass(frozen=True, slots=True)
class TokenCountSettings:
    """Bounds of the memory of counts."""

    memoised_entries: int = 20_000
    """Texts remembered. A guess: the renderings of a few thousand entries."""

    memoised_bytes: int = 64 * 2**20
    """Bytes of text remembered. A guess."""


class QuicktokCounter:
    """The tokenizer's own count, equal to tiktoken's `encode_ordinary` (tests compare them). About 0.6 µs a call.

    Equal for characters up to Unicode 14: a younger letter may be one to this and none to tiktoken, or the other way,
    which moves a count by a token or so (seen with U+323B0).
    """

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self.exact: Final = True
        self._count: Callable[[str], int] = quicktok.get_encoding(name).count

    def count(self, text: str) -> int:
        """How many tokens the text is; a lone surrogate counts as the replacement character it is rendered as."""
        try:
            return int(self._count(text))
        except TypeError:
            return int(self._count(_replaced(text)))


class ByteBoundCounter:
    """One token for each UTF-8 byte: never too few, for any byte-level byte-pair tokenizer.

    Such a tokenizer starts from single bytes and only ever merges neighbours, so a text has at most as many tokens as
    bytes. English is overstated about fourfold. It says nothing of tokenizers that add tokens around a text.
    """

    def __init__(self) -> None:
        self.name: Final = ESTIMATE
        self.exact: Final = False

    def count(self, text: str) -> int:
        """How many bytes the text is in UTF-8, lone surrogates as three."""
        return len(text.encode("utf-8", "surrogatepass"))


class MemoisedCounter:
    """A counter that remembers its latest texts, bounded by entries and bytes. Safe from any thread."""

    def __init__(self, counter: TokenCounter, settings: TokenCountSettings | None = None) -> None:
        self.name: Final = counter.name
        self.exact: Final = counter.exact
        self._counter = counter
        self._settings = settings or TokenCountSettings()
        self._lock = threading.Lock()
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._bytes = 0

    def count(self, text: str) -> int:
        """How many tokens the text is."""
        with self._lock:
            known = self._counts.get(text)
            if known is not None:
                self._counts.move_to_end(text)
                return known
        count = self._counter.count(text)
        self._remember(text, count)
        return count

    @property
    def remembered(self) -> tuple[int, int]:
        """(entries, bytes) held now."""
        with self._lock:
            return len(self._counts), self._bytes

    def _remember(self, text: str, count: int) -> None:
        size = _size(text)
        if size > self._settings.memoised_bytes:
            return
        with self._lock:
            if text not in self._counts:
                self._bytes += size
            self._counts[text] = count
            while len(self._counts) > self._settings.memoised_entries or self._bytes > self._settings.memoised_bytes:
                dropped, _ = self._counts.popitem(last=False)
                self._bytes -= _size(dropped)


def counter_named(name: str) -> TokenCounter:
    """Return the counter of a tokenizer; raises BadField for an unknown name, naming those there are."""
    if name in EXACT_COUNTERS:
        return QuicktokCounter(name)
    if name == ESTIMATE:
        return ByteBoundCounter()
    raise BadField("tokenizer", f"unknown {name!r}: use one of {', '.join((*EXACT_COUNTERS, ESTIMATE))}")


def _replaced(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _size(text: str) -> int:
    return len(text) * (1 if text.isascii() else 4)
