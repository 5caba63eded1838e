"""`contains`, `imports` and `calls`, by the rules of each language, and how they follow edits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.record import Edge, NameKind
from retrieval.relations import Role
from retrieval.store.interface import Store
from tests.ingest_room import CODE, TENANT, live_edges, live_records, take, titled_edges, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore
from workingset.vocabulary import Ref


@pytest.fixture
def store() -> Iterator[Store]:
    opened = MemoryStore(MemoryDisk())
    yield opened
    opened.close()


PYTHON = {
    "src/pkg/__init__.py": "from .core import run\n\nVERSION = 1\n",
    "src/pkg/core.py": (
        "import os\nimport far.away as distant\nfrom . import tools\nfrom .tools import trim, Tool as T\n\n\n"
        "class Core:\n    def start(self):\n        self.stop()\n        return distant.unique_far()\n\n"
        "    def stop(self):\n        T().use()\n\n\ndef run():\n    Core().start()\n    trim()\n    os.getcwd()\n"
    ),
    "src/pkg/tools.py": (
        "import pkg.core\n\n\ndef trim():\n    pass\n\n\nclass Tool:\n    def use(self):\n        trim()\n"
    ),
    "far/away.py": "X = 1\n\n\ndef unique_far():\n    pass\n",
    "tests/test_core.py": "from pkg.core import run\nimport pkg\n\n\ndef test_run():\n    run()\n",
}


def test_python_edges(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, PYTHON))
    core, tools = "src/pkg/core.py", "src/pkg/tools.py"
    assert titled_edges(store, "imports") == {
        ("src/pkg/__init__.py#__init__.py", f"{core}#core.py"),
        (f"{core}#core.py", "src/pkg/__init__.py#__init__.py"),
        (f"{core}#core.py", f"{tools}#tools.py"),
        (f"{core}#core.py", "far/away.py#away.py"),
        (f"{tools}#tools.py", f"{core}#core.py"),
        ("tests/test_core.py#test_core.py", f"{core}#core.py"),
        ("tests/test_core.py#test_core.py", "src/pkg/__init__.py#__init__.py"),
    }
    assert titled_edges(store, "calls") == {
        (f"{core}#Core.start", f"{core}#Core.stop"),
        (f"{core}#Core.start", "far/away.py#unique_far"),
        (f"{core}#Core.stop", f"{tools}#Tool"),
        (f"{core}#Core.stop", f"{tools}#Tool.use"),
        (f"{core}#run", f"{core}#Core"),
        (f"{core}#run", f"{core}#Core.start"),
        (f"{core}#run", f"{tools}#trim"),
        (f"{tools}#Tool.use", f"{tools}#trim"),
        ("tests/test_core.py#test_run", f"{core}#run"),
    }
    assert (f"{core}#core.py", f"{core}#Core") in titled_edges(store, "contains")
    assert (f"{core}#Core", f"{core}#Core.stop") in titled_edges(store, "contains")
    assert (f"{core}#core.py", f"{core}#Core.stop") not in titled_edges(store, "contains")
    assert {(e.relation, e.best_effort) for e in live_edges(store)} == {
        ("contains", False),
        ("imports", False),
        ("calls", True),
        ("tests", True),
    }
    assert titled_edges(store, "tests") == {
        ("tests/test_core.py#test_core.py", f"{core}#core.py"),
        ("tests/test_core.py#test_run", f"{core}#run"),
    }


def test_an_absolute_import_is_not_the_file_beside_it(store: Store, tmp_path: Path) -> None:
    files = {
        "abc.py": "A = 1\n",
        "lib/abc.py": "import abc\n",
        "lib/use.py": "import abc\nimport other\n",
        "lib/other.py": "B = 1\n",
    }
    take(store, write_tree(tmp_path, files))
    assert titled_edges(store, "imports") == {
        ("lib/abc.py#abc.py", "abc.py#abc.py"),
        ("lib/use.py#use.py", "abc.py#abc.py"),
        ("lib/use.py#use.py", "lib/other.py#other.py"),
    }


def test_javascript_and_typescript_edges(store: Store, tmp_path: Path) -> None:
    files = {
        "src/app.ts": (
            "import { go } from './lib';\nimport x from './util.js';\nimport 'react';\n\n"
            "export function main() { go(); }\n"
        ),
        "src/lib/index.ts": "export * from '../view';\n\nexport function go() { return 1; }\n",
        "src/util.ts": "export const u = 1;\nexport const v = 2;\n",
        "src/view.tsx": "const a = require('./old');\n\nexport const View = () => { return <Old/>; };\n",
        "src/old.js": "'use strict';\n\nclass Old { }\n",
        "react.js": "export const wrong = 1;\n",
    }
    take(store, write_tree(tmp_path, files))
    assert titled_edges(store, "imports") == {
        ("src/app.ts#app.ts", "src/lib/index.ts#index.ts"),
        ("src/app.ts#app.ts", "src/util.ts#util.ts"),
        ("src/lib/index.ts#index.ts", "src/view.tsx#view.tsx"),
        ("src/view.tsx#view.tsx", "src/old.js#old.js"),
    }
    assert titled_edges(store, "calls") == {
        ("src/app.ts#main", "src/lib/index.ts#go"),
        ("src/view.tsx#View", "src/old.js#Old"),
    }


GO = {
    "go.mod": "module example.org/shop\n\ngo 1.22\n",
    "main.go": 'package main\n\nimport "example.org/shop/cart"\n\nfunc main() {\n\tcart.Add()\n\thelp()\n}\n',
    "help.go": "package main\n\nfunc help() {}\n",
    "cart/cart.go": (
        "package cart\n\ntype Cart struct{}\n\nfunc Add() { check() }\n\nfunc (c *Cart) Total() int { return sum() }\n"
    ),
    "cart/rules.go": "package cart\n\nfunc check() {}\n\nfunc sum() int { return 0 }\n",
    "cart/cart_test.go": "package cart\n\nfunc helperOfTests() { check() }\n",
}


def test_go_edges(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, GO))
    assert titled_edges(store, "imports") == {
        ("main.go#main.go", "cart/cart.go#cart.go"),
        ("main.go#main.go", "cart/rules.go#rules.go"),
    }
    assert titled_edges(store, "calls") == {
        ("main.go#main", "cart/cart.go#Add"),
        ("main.go#main", "help.go#help"),
        ("cart/cart.go#Add", "cart/rules.go#check"),
        ("cart/cart.go#Cart.Total", "cart/rules.go#sum"),
        ("cart/cart_test.go#helperOfTests", "cart/rules.go#check"),
    }
    assert ("cart/cart.go#Cart", "cart/cart.go#Cart.Total") in titled_edges(store, "contains")


def test_a_new_go_mod_resolves_what_was_there(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, {path: text for path, text in GO.items() if path != "go.mod"}))
    assert titled_edges(store, "imports") == set()
    take(store, write_tree(tmp_path, {"go.mod": GO["go.mod"]}))
    assert len(titled_edges(store, "imports")) == 2


def test_sections_contain_their_subsections_and_parts(store: Store, tmp_path: Path) -> None:
    long = "\n\n".join("word " * 100 + str(n) for n in range(60))
    take(store, write_tree(tmp_path, {"a.md": f"# A\n\n## B\n\n{long}\n\n## C\n\n### D\n\nx\n"}))
    edges = titled_edges(store, "contains")
    assert {("a.md#A", "a.md#A > B"), ("a.md#A", "a.md#A > C"), ("a.md#A > C", "a.md#A > C > D")} <= edges
    assert ("a.md#A > B", "a.md#A > B (part 2)") in edges


def test_a_name_defined_everywhere_points_nowhere(store: Store, tmp_path: Path) -> None:
    files: dict[str, str | bytes | None] = {f"m{n}.rb": "LIMIT = 1\n\ndef common\nend\n" for n in range(4)}
    take(store, write_tree(tmp_path, files | {"use.rb": "LIMIT = 1\n\ndef use\n  common()\nend\n"}))
    assert titled_edges(store, "calls") == set()
    take(store, write_tree(tmp_path, {"m3.rb": None}))
    assert titled_edges(store, "calls") == {("use.rb#use", f"m{n}.rb#common") for n in range(3)}
    take(store, write_tree(tmp_path, {"m3.rb": "LIMIT = 1\n\ndef common\nend\n"}))
    assert titled_edges(store, "calls") == set()


def test_a_name_means_what_the_file_imports_and_nothing_else(store: Store, tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .tasks import *\n\nVERSION = 1\n",
        "pkg/tasks.py": "import os\n\n\ndef sleep():\n    pass\n\n\nclass Task:\n    def open(self):\n        pass\n",
        "use.py": (
            "import time\nimport pkg\nfrom itertools import repeat\nfrom pkg.tasks import Task as T, sleep as nap\n\n\n"
            "def through():\n    pkg.sleep()\n\n\ndef renamed():\n    nap()\n\n\ndef of_a_class():\n    T.open()\n\n\n"
            "def elsewhere():\n    time.sleep()\n    repeat()\n    task.closing()\n    elsewhere_too()\n"
        ),
        "far.py": "import os\n\n\n"
        + "".join(f"def {name}():\n    pass\n\n\n" for name in ("repeat", "closing", "elsewhere_too")),
    }
    take(store, write_tree(tmp_path, files))
    expected = {
        ("use.py#through", "pkg/tasks.py#sleep"),
        ("use.py#renamed", "pkg/tasks.py#sleep"),
        ("use.py#of_a_class", "pkg/tasks.py#Task.open"),
    }
    assert titled_edges(store, "calls") == expected
    take(store, write_tree(tmp_path, {"pkg/__init__.py": "VERSION = 1\n"}))
    assert titled_edges(store, "calls") == expected - {("use.py#through", "pkg/tasks.py#sleep")}
    take(store, write_tree(tmp_path, {"pkg/__init__.py": files["pkg/__init__.py"]}))
    assert titled_edges(store, "calls") == expected


def test_what_is_inherited_is_found_and_follows_edits_of_any_class_above(store: Store, tmp_path: Path) -> None:
    files = {
        "a.py": "import os\n\n\nclass A:\n    def run(self):\n        pass\n",
        "b.py": "from a import A\n\n\nclass B(A):\n    def other(self):\n        pass\n",
        "c.py": "from b import B\n\n\nclass C(B):\n    def go(self):\n        self.run()\n\n    def other(self): ...\n",
        "d.py": "from c import C\n\n\nclass D(C):\n    def run(self):\n        super().run()\n",
    }
    take(store, write_tree(tmp_path, files))
    assert titled_edges(store, "calls") == {("c.py#C.go", "a.py#A.run"), ("d.py#D.run", "a.py#A.run")}
    assert titled_edges(store, "overrides") == {("c.py#C.other", "b.py#B.other"), ("d.py#D.run", "a.py#A.run")}
    take(store, write_tree(tmp_path, {"b.py": "import os\n\n\nclass B:\n    def other(self):\n        pass\n"}))
    assert titled_edges(store, "calls") == set()
    assert titled_edges(store, "overrides") == {("c.py#C.other", "b.py#B.other")}
    take(store, write_tree(tmp_path, {"b.py": files["b.py"], "a.py": files["a.py"].replace("run", "walk")}))
    assert titled_edges(store, "calls") == set()
    take(store, write_tree(tmp_path, {"a.py": files["a.py"]}))
    assert titled_edges(store, "calls") == {("c.py#C.go", "a.py#A.run"), ("d.py#D.run", "a.py#A.run")}


def test_a_package_follows_files_that_come_and_go(store: Store, tmp_path: Path) -> None:
    user = "package a;\n\nclass User {\n  void use() { new Late().go(); }\n}\n"
    late = "package a;\n\nclass Late {\n  void go() { }\n}\n"
    take(store, write_tree(tmp_path, {"x/User.java": user, "y/Other.java": late.replace("package a", "package b")}))
    assert titled_edges(store, "calls") == {
        ("x/User.java#User.use", "y/Other.java#Late"),
        ("x/User.java#User.use", "y/Other.java#Late.go"),
    }
    take(store, write_tree(tmp_path, {"x/Late.java": late}))
    assert titled_edges(store, "calls") == {
        ("x/User.java#User.use", "x/Late.java#Late"),
        ("x/User.java#User.use", "x/Late.java#Late.go"),
    }
    take(store, write_tree(tmp_path, {"x/Late.java": None}))
    assert ("x/User.java#User.use", "y/Other.java#Late") in titled_edges(store, "calls")


def test_an_edge_to_a_file_that_comes_later_is_made_then(store: Store, tmp_path: Path) -> None:
    user = "from pkg import late\n\n\ndef use():\n    arrive()\n"
    take(store, write_tree(tmp_path, {"use.py": user}))
    assert titled_edges(store, "calls") == titled_edges(store, "imports") == set()
    take(store, write_tree(tmp_path, {"pkg/late.py": "import os\n\n\ndef arrive():\n    pass\n"}))
    assert titled_edges(store, "imports") == {("use.py#use.py", "pkg/late.py#late.py")}
    assert titled_edges(store, "calls") == {("use.py#use", "pkg/late.py#arrive")}
    take(store, write_tree(tmp_path, {"pkg/late.py": "import os\n\n\ndef leave():\n    pass\n"}))
    assert titled_edges(store, "calls") == set()


def test_edges_of_a_host_are_left_alone(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, PYTHON))
    a, b = (record.ref for record in live_records(store)[:2])
    own = Edge(Ref(a), "references", Ref(b), Role.ASSOCIATIVE)
    store.write(TENANT, lambda txn: txn.put_edge(own))
    take(store, write_tree(tmp_path, {"far/away.py": "Y = 2\n\n\ndef unique_far():\n    return 1\n"}))
    assert own in live_edges(store)


def test_files_are_found_by_the_ends_of_their_paths(store: Store, tmp_path: Path) -> None:
    take(store, write_tree(tmp_path, PYTHON))
    with store.snapshot(TENANT) as snapshot:
        for text in ("src/pkg/core.py", "pkg/core.py", "core.py"):
            ids = snapshot.find(CODE, NameKind.PATH, text, 10)
            records = snapshot.records_by_id(ids, snapshot.cut([CODE]))
            assert {record.path for record in records if record} == {"src/pkg/core.py"}
