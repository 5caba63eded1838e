"""How a used name is written down: `name`, or `name@` and what stands before the dot.

| written | means |
|---|---|
| `f` | a bare `f()` |
| `f@self` | called on the object itself: `self.f()`, `this.f()` |
| `f@super` | called on what is above it |
| `f@=a.b` | `f` of the module a.b, which the file imports by whatever name |
| `f@Type` | called on something that is written like a type |
| `f@` | called on an object of which we know nothing |

Names that begin alike lie together in the index, so all uses of `f` are found by `f` and by what begins with `f@`.
"""

from __future__ import annotations

from collections.abc import Mapping

AT = "@"
OWN = "self"
SUPER = "super"
_MODULE = "="


def written(name: str, receiver: str, own: bool, above: bool, imported: Mapping[str, str]) -> str:
    """Write a use down. `receiver` is the text before the last dot, `imported` maps local names to what they import."""
    if above:
        return f"{name}{AT}{SUPER}"
    if own:
        return f"{name}{AT}{OWN}"
    if not receiver:
        module, _, original = imported.get(name, "").rpartition(".")
        return f"{original}{AT}{_MODULE}{module}" if module else name
    root, dot, rest = receiver.partition(".")
    module = imported.get(root, "")
    if module and all(part.isidentifier() for part in rest.split(".") if dot):
        return f"{name}{AT}{_MODULE}{module}{dot}{rest}"
    last = receiver.rpartition(".")[2].strip()
    return f"{name}{AT}{last}" if last.isidentifier() and last[:1].isupper() and not last.isupper() else f"{name}{AT}"


def parted(text: str) -> tuple[str, str | None]:
    """The name, and what is before the dot; None for a bare name."""
    name, at, receiver = text.partition(AT)
    return name, receiver if at else None


def from_module(receiver: str) -> str | None:
    """The module that the receiver is, or None where it is none."""
    return receiver[1:] if receiver.startswith(_MODULE) else None


def module_prefix(name: str) -> str:
    """What all uses of the name as one of a module's begin with."""
    return f"{name}{AT}{_MODULE}"
