"""Each language, by a small project: symbols, spans, signatures, descriptions and every relation, as stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from retrieval.record import Record
from retrieval.store.interface import Store
from tests import language_projects as projects
from tests.ingest_room import live_records, take, titled_edges, write_tree
from tests.model.memory_store import MemoryDisk, MemoryStore


@pytest.fixture
def store() -> Iterator[Store]:
    opened = MemoryStore(MemoryDisk())
    yield opened
    opened.close()


def spans(store: Store, path: str) -> list[tuple[str, str, int, int]]:
    """(kind, title, first line, last line) of a file's records."""
    return [(r.kind, r.title, r.lines.start, r.lines.end) for r in live_records(store) if r.path == path and r.lines]


def record(store: Store, path: str, title: str) -> Record:
    """The one record of that title."""
    (found,) = [r for r in live_records(store) if r.path == path and r.title == title]
    return found


def names(of: Record, kind: str) -> list[str]:
    """The record's names of a kind."""
    return [name.text for name in of.names if name.kind.value == kind]


def edges(store: Store, relation: str, prefix: str = "") -> set[tuple[str, str]]:
    """Edges of a relation, without the folders that all paths share."""
    return {(a.removeprefix(prefix), b.removeprefix(prefix)) for a, b in titled_edges(store, relation)}


def ingest(store: Store, root: Path, files: Mapping[str, str]) -> None:
    summary = take(store, write_tree(root, files))
    assert not summary.problems


def test_rust(store: Store, tmp_path: Path) -> None:
    ingest(store, tmp_path, projects.RUST)
    assert spans(store, "geo/src/shape.rs") == [
        ("file", "shape.rs", 1, 3),
        ("class", "Area", 4, 5),
        ("function", "Area.area", 6, 8),
        ("function", "Area.twice", 9, 13),
        ("class", "Circle", 14, 20),
        ("class", "impl Circle", 21, 21),
        ("function", "Circle.new", 22, 29),
        ("class", "impl Area for Circle", 30, 30),
        ("function", "Circle.area", 31, 35),
        ("class", "tests", 36, 39),
        ("function", "tests.new_keeps", 40, 44),
    ]
    new = record(store, "geo/src/shape.rs", "Circle.new")
    assert new.text.startswith("    /// Makes one.\n    #[inline]\n    pub fn new")
    assert new.outline == "pub fn new(radius: f64) -> Self\nMakes one."
    assert names(new, "symbol") == ["Circle.new", "new"]
    assert record(store, "geo/src/shape.rs", "Circle").text.startswith("/// A circle.\n#[derive(Debug, Clone)]\n")
    assert record(store, "geo/src/shape.rs", "Area").gist == "pub trait Area — What has an area."
    assert record(store, "geo/src/lib.rs", "lib.rs").gist == "lib.rs Geometry."
    shape, other = "shape.rs#", "store.rs#"
    assert edges(store, "imports", "geo/src/") == {
        ("lib.rs#lib.rs", "shape.rs#shape.rs"),
        ("lib.rs#lib.rs", "store.rs#Store"),
        ("shape.rs#shape.rs", "store.rs#Store"),
        ("geo/tests/test_store.rs#test_store.rs", "store.rs#Store"),
    }
    assert edges(store, "calls", "geo/src/") >= {
        (f"{shape}Area.twice", f"{shape}Area.area"),
        (f"{shape}Circle.new", f"{other}Store.open"),
        (f"{shape}Circle.new", f"{other}keep"),
        (f"{other}Store.open", f"{other}prepare"),
        (f"{shape}tests.new_keeps", f"{other}keep"),
    }
    assert (f"{shape}Circle", f"{other}Store") in edges(store, "references", "geo/src/")
    assert (f"{shape}Circle", f"{shape}Circle.area") in edges(store, "contains", "geo/src/")
    assert edges(store, "overrides", "geo/src/") == {(f"{shape}Circle.area", f"{shape}Area.area")}
    assert edges(store, "tests", "geo/src/") >= {
        ("geo/tests/test_store.rs#test_keep", f"{other}keep"),
        ("geo/tests/test_store.rs#test_store.rs", f"{other}Store"),
        (f"{shape}tests.new_keeps", f"{other}keep"),
    }


def test_java(store: Store, tmp_path: Path) -> None:
    ingest(store, tmp_path, projects.JAVA)
    main, util = "src/main/java/org/shop/", "util/Tools.java#"
    assert spans(store, f"{main}Cart.java") == [
        ("file", "Cart.java", 1, 8),
        ("class", "Cart", 9, 15),
        ("function", "Cart.Cart", 16, 20),
        ("function", "Cart.total", 21, 25),
        ("class", "Cart.Color", 26, 29),
    ]
    cart = record(store, f"{main}Cart.java", "Cart")
    assert cart.gist == "public class Cart<T> extends Base<T> implements Sized — A cart."
    assert cart.outline.split("\n")[2:] == ["public Cart(int n)", "public int total()", "enum Color"]
    assert names(cart, "symbol") == ["Cart", "Cart.LIMIT", "LIMIT"]
    assert names(cart, "bases") == ["Base", "Sized"]
    total = record(store, f"{main}Cart.java", "Cart.total")
    assert total.text.startswith("    @Override\n")
    assert total.outline == "public int total()"
    assert record(store, f"{main}Cart.java", "Cart.java").gist == "Cart.java"
    assert edges(store, "imports", main) == {
        ("Cart.java#Cart.java", "model/Sum.java#Sum.java"),
        ("Cart.java#Cart.java", f"{util}Tools.java"),
    }
    assert edges(store, "calls", main) >= {
        ("Cart.java#Cart.Cart", "Base.java#Base.fill"),
        ("Cart.java#Cart.total", "model/Sum.java#Sum"),
        ("Cart.java#Cart.total", f"{util}Tools.trimAll"),
        ("src/test/java/org/shop/CartTest.java#CartTest.totalOfNothing", "Cart.java#Cart.total"),
    }
    assert edges(store, "references", main) == {("Cart.java#Cart", "Base.java#Base")}
    assert edges(store, "overrides", main) == {("Cart.java#Cart.total", "Base.java#Base.total")}
    test = "src/test/java/org/shop/CartTest.java#"
    assert edges(store, "tests", main) == {
        (f"{test}CartTest", "Cart.java#Cart"),
        (f"{test}CartTest.java", "Cart.java#Cart.java"),
        (f"{test}CartTest.totalOfNothing", "Cart.java#Cart.total"),
    }


def test_c(store: Store, tmp_path: Path) -> None:
    ingest(store, tmp_path, projects.C)
    assert spans(store, "src/list.c") == [
        ("file", "list.c", 1, 3),
        ("function", "CHECKED", 4, 8),
        ("chunk", "list_count", 9, 10),
        ("function", "check", 11, 14),
        ("function", "list_push", 15, 23),
    ]
    push = record(store, "src/list.c", "list_push")
    assert push.outline == "int list_push(list_t *list, int value)\nPushes. More."
    assert push.text.startswith("/* Pushes.\n")
    header = record(store, "src/list.h", "list_push, list_count")
    assert names(header, "symbol") == ["list_push", "list_count"]
    assert record(store, "src/list.h", "list.h").gist == "list.h — Lists."
    assert edges(store, "imports") == {
        ("app/main.c#main.c", "src/list.h#list.h"),
        ("src/list.c#list.c", "src/list.h#list.h"),
        ("tests/test_list.c#test_list.c", "src/list.h#list.h"),
    }
    assert edges(store, "calls") == {
        ("app/main.c#main", "src/list.c#list_push"),
        ("src/list.c#list_push", "src/list.c#check"),
        ("src/list.c#list_push", "src/list.c#CHECKED"),
        ("tests/test_list.c#test_push", "src/list.c#list_push"),
    }
    assert ("src/list.c#check", "src/list.h#list_t") in edges(store, "references")
    assert edges(store, "tests") == {
        ("tests/test_list.c#test_list.c", "src/list.c#list.c"),
        ("tests/test_list.c#test_push", "src/list.c#list_push"),
    }


def test_cpp(store: Store, tmp_path: Path) -> None:
    ingest(store, tmp_path, projects.CPP)
    header, source = "include/shape.hpp#", "include/shape.cpp#"
    assert spans(store, "include/shape.hpp") == [
        ("file", "shape.hpp", 1, 4),
        ("class", "Shape", 5, 7),
        ("function", "Shape.~Shape", 8, 8),
        ("function", "Shape.area", 9, 11),
        ("class", "Circle", 12, 15),
        ("function", "Circle.area", 16, 16),
        ("chunk", "Circle.sides, Circle.radius_", 17, 22),
        ("chunk", "square", 23, 25),
    ]
    assert record(store, "include/shape.hpp", "Shape").gist == "class Shape — What has an area."
    sides = record(store, "include/shape.cpp", "Circle.sides")
    assert sides.outline == "template <typename T> int Circle<T>::sides() const"
    assert edges(store, "imports") == {
        (f"{source}shape.cpp", f"{header}shape.hpp"),
        ("test/shape_test.cpp#shape_test.cpp", f"{header}shape.hpp"),
    }
    assert edges(store, "calls") >= {
        (f"{header}Circle.area", f"{source}square"),
        (f"{source}Circle.sides", f"{header}Circle.area"),
        ("test/shape_test.cpp#CircleTest.Sides", f"{source}square"),
    }
    assert (f"{header}Circle", f"{header}Shape") in edges(store, "references")
    assert edges(store, "overrides") == {(f"{header}Circle.area", f"{header}Shape.area")}
    assert edges(store, "tests") == {
        ("test/shape_test.cpp#CircleTest.Sides", f"{source}Circle.sides"),
        ("test/shape_test.cpp#shape_test.cpp", f"{source}shape.cpp"),
    }


def test_csharp(store: Store, tmp_path: Path) -> None:
    ingest(store, tmp_path, projects.CSHARP)
    assert spans(store, "Shop/Cart.cs") == [
        ("file", "Cart.cs", 1, 5),
        ("class", "Cart", 6, 13),
        ("function", "Cart.Cart", 14, 19),
        ("function", "Cart.Total", 20, 26),
    ]
    cart = record(store, "Shop/Cart.cs", "Cart")
    assert cart.gist == "public class Cart<T> : Base<T>, ISized — A cart."
    assert names(cart, "symbol") == ["Cart", "Cart.Limit", "Limit", "Cart.Count", "Count"]
    total = record(store, "Shop/Cart.cs", "Cart.Total")
    assert total.text.startswith("        [Obsolete]\n")
    assert total.outline == "public int Total()"
    test = "Shop.Tests/CartTests.cs#"
    assert edges(store, "imports") == {
        (f"{test}CartTests.cs", "Shop/Base.cs#Base.cs"),
        (f"{test}CartTests.cs", "Shop/Cart.cs#Cart.cs"),
        ("Shop/Cart.cs#Cart.cs", "Shop/Util/Tools.cs#Tools.cs"),
    }
    assert edges(store, "calls") >= {
        ("Shop/Cart.cs#Cart.Cart", "Shop/Base.cs#Base.Fill"),
        ("Shop/Cart.cs#Cart.Total", "Shop/Util/Tools.cs#Tools.TrimAll"),
        (f"{test}CartTests.TotalOfNothing", "Shop/Cart.cs#Cart"),
    }
    assert edges(store, "references") == {
        ("Shop/Cart.cs#Cart", "Shop/Base.cs#Base"),
        ("Shop/Cart.cs#Cart", "Shop/Base.cs#ISized"),
    }
    assert edges(store, "overrides") == {("Shop/Cart.cs#Cart.Total", "Shop/Base.cs#ISized.Total")}
    assert edges(store, "tests") == {
        (f"{test}CartTests", "Shop/Cart.cs#Cart"),
        (f"{test}CartTests.cs", "Shop/Cart.cs#Cart.cs"),
        (f"{test}CartTests.TotalOfNothing", "Shop/Cart.cs#Cart.Total"),
    }


def test_ruby(store: Store, tmp_path: Path) -> None:
    ingest(store, tmp_path, projects.RUBY)
    cart, base, tools = "lib/shop/cart.rb#", "lib/shop/base.rb#", "lib/shop/tools.rb#"
    assert spans(store, "lib/shop/cart.rb") == [
        ("file", "cart.rb", 1, 4),
        ("class", "Shop", 5, 5),
        ("class", "Shop.Cart", 6, 9),
        ("function", "Shop.Cart.initialize", 10, 14),
        ("function", "Shop.Cart.total!", 15, 18),
        ("function", "Shop.Cart.open", 19, 21),
    ]
    assert record(store, "lib/shop/cart.rb", "Shop.Cart").gist == "class Cart < Base — A cart."
    assert record(store, "lib/shop/cart.rb", "Shop.Cart.initialize").outline == "def initialize(n)\nMakes one."
    assert record(store, "lib/shop/cart.rb", "cart.rb").gist == "cart.rb — Carts."
    assert names(record(store, "lib/shop/cart.rb", "Shop.Cart"), "symbol") == [
        *("Shop.Cart", "Cart", "Shop.Cart.LIMIT", "LIMIT")
    ]
    assert edges(store, "imports") == {
        (f"{cart}cart.rb", f"{base}Shop"),
        (f"{cart}cart.rb", f"{tools}Shop"),
        ("spec/cart_spec.rb#cart_spec.rb", f"{cart}cart.rb"),
        ("test/test_tools.rb#test_tools.rb", f"{tools}Shop"),
    }
    assert edges(store, "calls") >= {
        (f"{cart}Shop.Cart.initialize", f"{base}Shop.Base.fill"),
        (f"{cart}Shop.Cart.total!", f"{tools}Shop.Tools.trim_all"),
        ("test/test_tools.rb#TestTools.test_trim_all", f"{tools}Shop.Tools.trim_all"),
    }
    assert (f"{cart}Shop.Cart", f"{base}Shop.Base") in edges(store, "references")
    assert edges(store, "overrides") == {(f"{cart}Shop.Cart.total!", f"{base}Shop.Base.total!")}
    assert edges(store, "tests") >= {
        ("spec/cart_spec.rb#cart_spec.rb", f"{cart}cart.rb"),
        ("spec/cart_spec.rb#cart_spec.rb", f"{cart}Shop.Cart.total!"),
        ("test/test_tools.rb#TestTools.test_trim_all", f"{tools}Shop.Tools.trim_all"),
        ("test/test_tools.rb#test_tools.rb", f"{tools}Shop"),
    }


def test_bash(store: Store, tmp_path: Path) -> None:
    ingest(store, tmp_path, projects.BASH)
    assert spans(store, "bin/deploy") == [
        ("file", "deploy", 1, 8),
        ("function", "send_all", 9, 14),
        ("function", "is_ready", 15, 19),
    ]
    assert record(store, "bin/deploy", "send_all").outline == "send_all()\nSends it."
    assert record(store, "bin/deploy", "deploy").gist == "deploy — Deploys."
    assert names(record(store, "bin/deploy", "deploy"), "symbol") == ["TARGET"]
    assert edges(store, "imports") == {
        ("bin/deploy#deploy", "bin/settings.sh#settings.sh"),
        ("bin/deploy#deploy", "lib/log.sh#log::say"),
        ("test/test_log.sh#test_log.sh", "lib/log.sh#log::say"),
    }
    assert edges(store, "calls") == {
        ("bin/deploy#send_all", "bin/deploy#is_ready"),
        ("bin/deploy#send_all", "lib/log.sh#log::say"),
        ("test/test_log.sh#test_say", "lib/log.sh#log::say"),
    }
    assert edges(store, "tests") == {
        ("test/test_log.sh#test_log.sh", "lib/log.sh#log::say"),
        ("test/test_log.sh#test_say", "lib/log.sh#log::say"),
    }


def test_python_methods_override_and_tests_are_named_after_what_they_test(store: Store, tmp_path: Path) -> None:
    files = {
        "shop/base.py": "class Base:\n    def total(self):\n        raise NotImplementedError\n",
        "shop/cart.py": (
            "from .base import Base\n\n\nclass Cart(Base):\n    def total(self):\n        return 1\n\n\n"
            "def tally(cart: Cart) -> int:\n    return 2\n"
        ),
        "tests/test_cart.py": (
            "from shop.cart import Cart, tally\n\n\nclass TestCart:\n    def test_total_of_nothing(self):\n"
            "        assert self.make()\n\n    def make(self):\n        return Cart().total()\n\n\n"
            "def test_tallying():\n    assert tally(Cart()) == 2\n"
        ),
    }
    ingest(store, tmp_path, files)
    assert edges(store, "overrides") == {("shop/cart.py#Cart.total", "shop/base.py#Base.total")}
    assert ("shop/cart.py#Cart", "shop/base.py#Base") in edges(store, "references")
    assert ("shop/cart.py#tally", "shop/cart.py#Cart") in edges(store, "references")
    assert edges(store, "tests", "tests/test_cart.py#") == {
        ("test_cart.py", "shop/cart.py#cart.py"),
        ("TestCart", "shop/cart.py#Cart"),
        ("TestCart.test_total_of_nothing", "shop/cart.py#Cart.total"),
        ("test_tallying", "shop/cart.py#Cart"),
        ("test_tallying", "shop/cart.py#tally"),
    }


def test_go_and_typescript_tests_and_overrides(store: Store, tmp_path: Path) -> None:
    files = {
        "go.mod": "module example.org/shop\n",
        "base.go": "package shop\n\ntype Base struct{}\n\nfunc (b Base) Total() int { return 0 }\n",
        "cart.go": "package shop\n\ntype Cart struct {\n\tBase\n}\n\nfunc (c *Cart) Total() int { return 1 }\n",
        "cart_test.go": 'package shop\n\nimport "testing"\n\nfunc TestCart_Total(t *testing.T) { new(Cart).Total() }\n',
        "web/shape.ts": "export class Shape {\n  area() { return 0; }\n}\n",
        "web/circle.ts": (
            "import { Shape } from './shape';\n\nexport class Circle extends Shape {\n  area() { return 1; }\n}\n"
        ),
        "web/circle.test.ts": (
            "import { Circle } from './circle';\n\ndescribe('circle', () => {\n"
            "  it('has an area', () => { new Circle().area(); });\n});\n"
        ),
    }
    ingest(store, tmp_path, files)
    assert edges(store, "overrides") == {
        ("cart.go#Cart.Total", "base.go#Base.Total"),
        ("web/circle.ts#Circle.area", "web/shape.ts#Shape.area"),
    }
    assert edges(store, "tests") >= {
        ("cart_test.go#cart_test.go", "cart.go#cart.go"),
        ("cart_test.go#TestCart_Total", "cart.go#Cart.Total"),
        ("web/circle.test.ts#circle.test.ts", "web/circle.ts#circle.ts"),
        ("web/circle.test.ts#circle.test.ts", "web/circle.ts#Circle.area"),
    }
