"""The one registry of languages that have a grammar."""

from __future__ import annotations

import re

from retrieval.ingest.languages.bash import BASH
from retrieval.ingest.languages.c_family import CPP, C
from retrieval.ingest.languages.csharp import CSHARP
from retrieval.ingest.languages.go import GO
from retrieval.ingest.languages.java import JAVA
from retrieval.ingest.languages.javascript import JAVASCRIPT, TSX, TYPESCRIPT
from retrieval.ingest.languages.language import Language
from retrieval.ingest.languages.python import PYTHON
from retrieval.ingest.languages.ruby import RUBY
from retrieval.ingest.languages.rust import RUST

LANGUAGES: tuple[Language, ...] = (
    PYTHON,
    GO,
    JAVASCRIPT,
    TYPESCRIPT,
    TSX,
    RUST,
    JAVA,
    C,
    CPP,
    CSHARP,
    RUBY,
    BASH,
)

_BY_NAME = {language.name: language for language in LANGUAGES}
_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_INTERPRETER = {name: language for language in LANGUAGES for name in language.interpreters}
_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?([^\s/]+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?")


def language_named(name: str) -> Language | None:
    """The language of that name, as records hold it."""
    return _BY_NAME.get(name)


def language_of(path: str, first_line: str) -> Language | None:
    """The language by the path's extension or, where it has none, by a `#!` line."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    if dot > 0:
        return _BY_EXTENSION.get(name[dot:].lower())
    shebang = _SHEBANG.match(first_line)
    if shebang is None:
        return None
    program = shebang.group(2) if shebang.group(1) == "env" else shebang.group(1)
    return _BY_INTERPRETER.get((program or "").rstrip("0123456789.")) or _BY_INTERPRETER.get(program or "")
