"""What is a test and what it is about, by the naming conventions of each language.

Pure text: paths and titles in, names out. The link pass looks whether there is anything of that name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Convention(NamedTuple):
    """How a language's tests are named. `stem` matches the file name without extension and gives what it is about.

    `functions` matches the names of tests in such a file; None where a mark and not the name makes a test.
    """

    stem: re.Pattern[str]
    functions: re.Pattern[str] | None


_SNAKE = re.compile(r"(?:test_(?P<a>.+)|(?P<b>.+)_(?:unit)?tests?)\Z")
_DOTTED = re.compile(r"(?P<a>.+)\.(?:test|spec|e2e|cy)\Z")
_CAMEL = re.compile(r"(?:Test(?P<a>[A-Z]\w*)|(?P<b>\w+?)(?:Tests?|TestCase|(?<=[a-z0-9])IT))\Z")
_SPEC = re.compile(r"(?:test_(?P<a>.+)|(?P<b>.+)_(?:test|spec))\Z")
_C = re.compile(
    r"(?:[Tt]est_(?P<a>.+)|[Tt]est(?P<b>[A-Z].*)|(?P<c>.+)[-_](?:unit)?tests?|(?P<d>.+?)unittests?"
    r"|(?P<e>.+?)(?:Unit)?Tests?)\Z"
)
_ANY = re.compile(r"(?:test_.+|.+_(?:unit)?tests?|.+\.(?:test|spec|e2e|cy))\Z")
"""Of a file of no language below."""
_NAMED = re.compile(r"_*(?:test|bench|should|it_|fuzz|example|check)", re.IGNORECASE)
_GO = re.compile(r"(?:Test|Benchmark|Example|Fuzz)(?![a-z])")

_CONVENTIONS: dict[str, Convention] = {
    **dict.fromkeys((".py", ".pyi"), Convention(_SNAKE, _NAMED)),
    **dict.fromkeys((".sh", ".bash", ".bats"), Convention(_SNAKE, _NAMED)),
    ".go": Convention(re.compile(r"(?P<a>.+)_test\Z"), _GO),
    ".rs": Convention(_SNAKE, None),
    **dict.fromkeys((".java", ".cs"), Convention(_CAMEL, None)),
    **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"), Convention(_C, None)),
    ".rb": Convention(_SPEC, _NAMED),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), Convention(_DOTTED, _NAMED)),
}
_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "testing", "unittests"))
_PROJECTS = (".test", ".tests", ".unittests", ".integrationtests")
"""Ends of the names of folders that hold a project of tests: `Shop.Tests`."""
_BESIDE = frozenset(("conftest.py",))
"""Files that are no tests and serve nothing else, wherever they lie."""
_ALSO = {
    ".c": (".h",),
    ".cc": (".h", ".hh"),
    ".cpp": (".h", ".hpp"),
    ".cxx": (".h", ".hxx"),
    ".js": (".ts", ".jsx", ".mjs"),
    ".ts": (".js",),
    ".tsx": (".ts", ".jsx"),
    ".jsx": (".js",),
    ".bats": (".sh", ".bash"),
}
_PREFIX = re.compile(r"_*(?:tests?|benchmark|bench|fuzz|example|should|it)(?=[_A-Z])_*", re.IGNORECASE)
_CLASS = re.compile(r"(?:Tests?_?(?P<a>[A-Z]\w*)|(?P<b>\w+?)_?(?:Tests?|TestCase|Spec|Fixture|Benchmarks?))\Z")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")
_NAMES = 8
"""Guess: the whole name, then beginnings of it; shorter ones come last and are dropped first."""
_SHORTEST = 3
"""Guess: of a name that is cut short, fewer characters say nothing."""


@lru_cache(maxsize=4_096)
def is_test_path(path: str) -> bool:
    """True for a file of tests: by its name, or by a folder that holds nothing else, data for tests among it."""
    *folders, name = path.split("/")
    if name in _BESIDE or any(part in _FOLDERS or part.endswith(_PROJECTS) for part in map(str.lower, folders)):
        return True
    convention, stem = _of(path)
    return (convention.stem if convention else _ANY).match(stem) is not None


def tested_files(path: str) -> tuple[str, ...]:
    """The names of files that a file of tests may be about; none for any other file."""
    convention, stem = _of(path)
    about = None if convention is None else convention.stem.match(stem)
    if about is None:
        return ()
    name = next((group for group in about.groups() if group), "")
    extension = path[path.rfind(".") :]
    return tuple(name + ending for ending in (extension, *_ALSO.get(extension, ())))


def is_test(path: str, title: str) -> bool:
    """True where the record of that title is a test: it stands among tests and is named like one."""
    if path.endswith(".rs") and title.startswith(("tests.", "test.")):
        return True
    convention, _ = _of(path)
    if convention is None or not is_test_path(path):
        return False
    scope, _, name = title.rpartition(".")
    named = convention.functions is None or convention.functions.match(name) is not None
    return named or (not scope and _CLASS.match(name) is not None)


def tested_names(title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a test of this title may be about: names of functions, likeliest first, and names of classes.

    `TestCart.test_add_twice` may be about add_twice or add, in Cart; `TestCartAdd` about CartAdd, cartAdd, Cart, cart.
    """
    scope, _, name = title.rpartition(".")
    about = _CLASS.match(scope.rpartition(".")[2])
    classes = tuple(group for group in about.groups() if group) if about else ()
    own = _CLASS.match(name)
    if own is not None and not _is_snake(name):
        classes = (*(group for group in own.groups() if group), *classes)
    names = _shortened(_PREFIX.sub("", name, count=1))
    return names, tuple(dict.fromkeys(classes))


def _shortened(name: str) -> tuple[str, ...]:
    """The name and its beginnings, word by word; in camel case also with a small first letter."""
    snake = _is_snake(name)
    words = [word for word in name.split("_") if word] if snake else _WORD.findall(name)
    found: dict[str, None] = {name: None}
    for count in range(len(words), 0, -1):
        short = "_".join(words[:count]) if snake else "".join(words[:count])
        if len(short) >= _SHORTEST:
            found.setdefault(short)
            found.setdefault(short[:1].lower() + short[1:])
    found.pop("", None)
    return tuple(found)[:_NAMES]


def _is_snake(name: str) -> bool:
    return "_" in name.strip("_") or name.islower()


def _of(path: str) -> tuple[Convention | None, str]:
    name = path.rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    return _CONVENTIONS.get(dot + extension), stem
