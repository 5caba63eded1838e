"""An oracle for Python: what a name is bound to in the imported module."""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import importlib.util
import inspect
import io
import sysconfig
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType

from benchmarks.edge_oracles import Place, Verdict

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_UNKNOWN = object()
"""What cannot be told without running the program."""
_ELSEWHERE = ("", "")
_LIBRARY = Path(sysconfig.get_path("stdlib"))


@dataclass(slots=True)
class _Meaning:
    """What the names of one record lead to, by simple name: places, `_ELSEWHERE`, or None for unknown."""

    called: dict[str, set[tuple[str, str] | None]] = field(default_factory=dict)
    mentioned: dict[str, set[tuple[str, str] | None]] = field(default_factory=dict)


class PythonOracle:
    """Imports the running Python's own modules; `root` is a copy of their files, for paths and syntax trees."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._meanings: dict[Place, _Meaning | None] = {}

    def judge(self, relation: str, source: Place, target: Place) -> Verdict:
        """See `Oracle`."""
        found = self._of(relation, source).get(target.name)
        if found is None:
            return Verdict.UNDECIDED
        if (target.path, target.title) in found:
            return Verdict.RIGHT
        return Verdict.UNDECIDED if None in found else Verdict.WRONG

    def targets(self, relation: str, source: Place) -> frozenset[tuple[str, str]]:
        """See `Oracle`."""
        return frozenset(p for places in self._of(relation, source).values() for p in places if p and p != _ELSEWHERE)

    def _of(self, relation: str, source: Place) -> dict[str, set[tuple[str, str] | None]]:
        if source not in self._meanings:
            self._meanings[source] = self._read(source)
        meaning = self._meanings[source]
        if meaning is None:
            return {}
        return meaning.called if relation == "calls" else meaning.mentioned

    def _read(self, source: Place) -> _Meaning | None:
        module = _imported(_module_name(source.path))
        if module is None or _inside(module.__file__ or "") != source.path:
            return None
        tree = _tree(self._root / source.path)
        node = next((n for n in _declared(tree) if _begins(n) == source.first or _within(n, source)), None)
        if node is None:
            return None
        return _Reader(module, node, source).read()


class _Reader:
    """Reads one function or class."""

    def __init__(self, module: ModuleType, node: ast.AST, source: Place) -> None:
        self._module = module
        self._node = node
        self._source = source
        self._owner = _lookup(module, source.title.rpartition(".")[0]) if "." in source.title else None
        self._locals, self._imports = _local_names(node)
        self._first = _first_argument(node)

    def read(self) -> _Meaning:
        """What is called and what is mentioned."""
        meaning = _Meaning()
        called = {id(n.func) for n in ast.walk(self._node) if isinstance(n, ast.Call)}
        for node in _expressions(self._node, self._source):
            if isinstance(node, ast.Name | ast.Attribute):
                name = node.id if isinstance(node, ast.Name) else node.attr
                place = _place_of(self._value(node))
                into = meaning.called if id(node) in called else meaning.mentioned
                into.setdefault(name, set()).add(place)
        return meaning

    def _value(self, node: ast.expr) -> object:
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Attribute):
            if self._is_super(node.value):
                return self._in_super(node.attr)
            owner = self._value(node.value)
            if owner is _UNKNOWN:
                return _UNKNOWN
            return inspect.getattr_static(owner, node.attr, _UNKNOWN)
        return _UNKNOWN

    def _name(self, name: str) -> object:
        if name in self._imports:
            return _import_of(self._imports[name], self._module)
        if name == self._first and inspect.isclass(self._owner):
            return self._owner
        if name in self._locals:
            return _UNKNOWN
        return vars(self._module).get(name, getattr(builtins, name, _UNKNOWN))

    def _is_super(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"

    def _in_super(self, name: str) -> object:
        if not inspect.isclass(self._owner):
            return _UNKNOWN
        return next((vars(c)[name] for c in self._owner.__mro__[1:] if name in vars(c)), _UNKNOWN)


def _expressions(node: ast.AST, source: Place) -> Iterator[ast.AST]:
    """The nodes of the record; of a class only those before its first method."""
    for child in ast.walk(node):
        if source.first <= getattr(child, "lineno", source.first) <= source.last:
            yield child


def _local_names(node: ast.AST) -> tuple[set[str], dict[str, tuple[str, int, str]]]:
    """Names that are bound inside, and those of imports inside with (module, level, name)."""
    names: set[str] = set()
    imports: dict[str, tuple[str, int, str]] = {}
    outer_names: set[str] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.arg):
            names.add(child.arg)
        elif isinstance(child, ast.Name):
            names.update((child.id,) if isinstance(child.ctx, ast.Store) else ())
        elif isinstance(child, ast.ExceptHandler):
            names.update((child.name,) if child.name else ())
        elif isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            names.update((child.name,) if child is not node else ())
        elif isinstance(child, ast.Global):
            outer_names.update(child.names)
        elif isinstance(child, ast.Import):
            for alias in child.names:
                bound = alias.asname or alias.name.partition(".")[0]
                imports[bound] = (alias.name if alias.asname else bound, 0, "")
        elif isinstance(child, ast.ImportFrom):
            for alias in child.names:
                imports[alias.asname or alias.name] = (child.module or "", child.level, alias.name)
    if isinstance(node, ast.ClassDef):
        return set(), imports
    return names - outer_names, imports


def _first_argument(node: ast.AST) -> str:
    if not isinstance(node, _FUNCTIONS) or any(
        isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list
    ):
        return ""
    arguments = (*node.args.posonlyargs, *node.args.args)
    return arguments[0].arg if arguments else ""


def _import_of(found: tuple[str, int, str], module: ModuleType) -> object:
    name, level, member = found
    package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
    full = importlib.util.resolve_name("." * level + name, package) if level else name
    owner = _imported(full)
    if owner is None or not member:
        return owner or _UNKNOWN
    return vars(owner).get(member) or _imported(f"{full}.{member}") or _UNKNOWN


def _place_of(value: object) -> tuple[str, str] | None:
    """(path, qualified name) of a function or class; `_ELSEWHERE` for what has no Python source here."""
    if value is _UNKNOWN:
        return None
    inner = getattr(value, "__func__", value)
    if isinstance(inner, property):
        inner = inner.fget
    if inspect.isfunction(inner) or inspect.isclass(inner):
        inner = inspect.unwrap(inner) if inspect.isfunction(inner) else inner
    name = getattr(inner, "__qualname__", None)
    path = _file_of(inner)
    return (path, name.replace(".<locals>", "")) if path and isinstance(name, str) else _ELSEWHERE


def _file_of(value: object) -> str:
    """The path of the file whose code the function or class is, whatever module it says it is of."""
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        return _inside(code.co_filename)
    if inspect.isclass(value):
        for member in vars(value).values():
            code = getattr(getattr(member, "__func__", member), "__code__", None)
            if isinstance(code, CodeType) and (path := _inside(code.co_filename)):
                return path
    module = getattr(value, "__module__", None)
    found = _imported(module) if isinstance(module, str) else None
    if isinstance(module, str) and not (getattr(found, "__file__", None) or "").endswith(".py"):
        # What C has made faster is described by the Python file of the same name.
        found = _imported(module.lstrip("_"))
    return _inside(getattr(found, "__file__", None) or "")


def _inside(file: str) -> str:
    """The path from the library's root; of frozen modules, too; empty for files elsewhere."""
    if file.startswith("<frozen "):
        found = _imported(file.removeprefix("<frozen ").removesuffix(">"))
        file = getattr(found, "__file__", None) or ""
    path = Path(file)
    return path.relative_to(_LIBRARY).as_posix() if path.suffix == ".py" and path.is_relative_to(_LIBRARY) else ""


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _imported(name: str) -> ModuleType | None:
    if not name or name.endswith("__main__"):
        return None
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except (Exception, SystemExit):
            return None


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def _declared(tree: ast.Module) -> Iterator[ast.AST]:
    return (node for node in ast.walk(tree) if isinstance(node, (*_FUNCTIONS, ast.ClassDef)))


def _begins(node: ast.AST) -> int:
    assert isinstance(node, (*_FUNCTIONS, ast.ClassDef))
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def _within(node: ast.AST, source: Place) -> bool:
    """True for the declaration of the record's name that begins in it, below comments."""
    return getattr(node, "name", "") == source.name and source.first <= _begins(node) <= source.last


def _lookup(module: ModuleType, qualified: str) -> object:
    value: object = module
    for part in qualified.split("."):
        value = inspect.getattr_static(value, part, _UNKNOWN)
        if value is _UNKNOWN:
            return _UNKNOWN
    return value
