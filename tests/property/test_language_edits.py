"""In every language, the edges after any sequence of edits equal those of a rebuild."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from retrieval.store.interface import Store
from tests import language_projects as projects
from tests.ingest_room import contents, take, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore

PYTHON = {
    "pkg/__init__.py": "from .tasks import *\n\nVERSION = 1\n",
    "pkg/tasks.py": "import os\n\n\ndef sleep():\n    pass\n\n\nclass Task:\n    def open(self):\n        pass\n",
    "pkg/sub.py": "from .tasks import Task\n\n\nclass Sub(Task):\n    def go(self):\n        self.open()\n",
    "pkg/low.py": "from pkg.sub import Sub as S\n\n\nclass Low(S):\n    def open(self):\n        super().open()\n",
    "use.py": "import pkg\nfrom pkg.low import Low\n\n\ndef use():\n    pkg.sleep()\n    Low.open()\n    x.open()\n",
    "tests/test_tasks.py": "from pkg.tasks import Task\n\n\ndef test_sleep():\n    Task().open()\n",
}
TYPESCRIPT = {
    "a/shape.ts": "export class Shape {\n  area() { return 0; }\n}\n",
    "a/circle.ts": (
        "import { Shape } from './shape';\n\nexport class Circle extends Shape {\n  area() { return help(); }\n}\n"
    ),
    "a/help.ts": "export function help() { return 1; }\n",
    "a/circle.test.ts": "import { Circle } from './circle';\n\nit('works', () => { new Circle().area(); });\n",
}
GO = {
    "go.mod": "module example.org/shop\n",
    "base.go": "package shop\n\ntype Base struct{}\n\nfunc (b Base) Total() int { return help() }\n",
    "cart.go": "package shop\n\ntype Cart struct {\n\tBase\n}\n\nfunc (c *Cart) Total() int { return util.Sum() }\n",
    "help.go": 'package shop\n\nimport "example.org/shop/util"\n\nfunc help() int { return util.Sum() }\n',
    "util/sum.go": "package util\n\nfunc Sum() int { return 1 }\n",
    "cart_test.go": "package shop\n\nfunc TestTotal(t *testing.T) { new(Cart).Total() }\n",
}
PROJECTS = {
    "python": PYTHON,
    "typescript": TYPESCRIPT,
    "go": GO,
    "rust": projects.RUST,
    "java": projects.JAVA,
    "c": projects.C,
    "cpp": projects.CPP,
    "csharp": projects.CSHARP,
    "ruby": projects.RUBY,
    "bash": projects.BASH,
}
WORDS = (
    "total",
    "Total",
    "area",
    "open",
    "Cart",
    "Base",
    "keep",
    "check",
    "trim",
    "push",
    "say",
    "sum",
    "Sum",
    "import",
)


def store_of(root: Path) -> Store:
    rebuilt = MemoryStore(MemoryDisk())
    take(rebuilt, root)
    return rebuilt


@pytest.mark.parametrize("name", sorted(PROJECTS))
def test_incremental_equals_rebuilt(name: str, tmp_path: Path) -> None:
    files, chance = PROJECTS[name], random.Random(name)
    root = write_tree(tmp_path / "tree", files)
    store = MemoryStore(MemoryDisk())
    take(store, root)
    for step in range(25):
        path = chance.choice(sorted(files))
        if not (root / path).exists() or chance.random() < 0.4:
            write_tree(root, {path: files[path]})
        elif chance.random() < 0.3:
            write_tree(root, {path: None})
        else:
            text = (root / path).read_text()
            word = chance.choice([word for word in WORDS if word in text] or ["x"])
            write_tree(root, {path: text.replace(word, f"{word}x", chance.randint(1, 3))})
        take(store, root)
        assert contents(store) == contents(store_of(root)), (step, path)
