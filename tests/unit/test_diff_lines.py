"""A unified diff gives the lines that it changed, whatever the changed files hold."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.diff_lines import FileLines, ReadDiff, read_diff
from tests.git_room import Repository
from workingset.vocabulary import Lines


def _read(text: str) -> ReadDiff:
    return read_diff(text, 100, 100)


def _lines(text: str) -> dict[str, list[tuple[int, int]]]:
    return {file.path: [(lines.start, lines.end) for lines in file.lines] for file in _read(text).files}


def test_added_changed_and_deleted_lines() -> None:
    diff = """diff --git a/x.py b/x.py
--- a/x.py
+++ b/x.py
@@ -1,4 +1,5 @@
 one
-two
+2
+2.5
 three
 four
@@ -10,3 +11,2 @@ def f():
 ten
-eleven
 twelve
"""
    assert _lines(diff) == {"x.py": [(2, 3), (11, 11)]}


def test_without_lines_around() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -4 +4 @@\n-a\n+b\n@@ -9,2 +8,0 @@\n-c\n-d\n@@ -20,0 +18,3 @@\n+e\n+f\n+g\n"
    assert _lines(diff) == {"x": [(4, 4), (8, 8), (18, 20)]}


def test_new_deleted_and_renamed_files() -> None:
    diff = """diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1,2 @@
+a
+b
diff --git a/old.py b/old.py
deleted file mode 100644
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-a
diff --git a/was.py b/now.py
similarity index 90%
rename from was.py
rename to now.py
--- a/was.py
+++ b/now.py
@@ -3 +3 @@
-a
+b
"""
    read = _read(diff)
    assert read.files == (FileLines("new.py", (Lines(1, 2),)), FileLines("now.py", (Lines(3, 3),)))
    assert read.gone == ("old.py", "was.py")


def test_what_has_no_hunks() -> None:
    diff = """diff --git a/src/was.py b/src/now.py
similarity index 100%
rename from src/was.py
rename to src/now.py
diff --git a/one.py b/two.py
similarity index 100%
copy from one.py
copy to two.py
diff --git a/i.png b/i.png
index 1111111..2222222 100644
Binary files a/i.png and b/i.png differ
diff --git a/empty.py b/empty.py
new file mode 100644
index 0000000..e69de29
diff --git a/was_empty.py b/was_empty.py
deleted file mode 100644
index e69de29..0000000
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
* Unmerged path both.py
"""
    read = _read(diff)
    assert read.files == (FileLines("two.py"), FileLines("i.png"), FileLines("empty.py"))
    assert read.touched == ("both.py", "run.sh", "src/now.py")
    assert read.gone == ("src/was.py", "was_empty.py")
    assert read.unread == 0


def test_a_copy_leaves_its_source_where_it_is() -> None:
    names = "similarity index 90%\ncopy from a.py\ncopy to c.py\n"
    read = _read(f"diff --git a/a.py b/c.py\n{names}--- a/a.py\n+++ b/c.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n")
    assert (read.files, read.gone) == ((FileLines("c.py", (Lines(2, 2),)),), ())


def test_of_a_merge_lines_count_that_a_side_has_not() -> None:
    rows = "++<<<<<<< HEAD\n +x\n++=======\n+ y\n++>>>>>>> b\n  end\n- gone\n  last\n"
    head = "index 1,2..0\n--- a/src/a.py\n+++ b/src/a.py\n"
    diff = f"diff --cc src/a.py\n{head}@@@ -1,4 -1,3 +1,7 @@@\n{rows}diff --git a/z.py b/z.py\nindex 1..2 100644\n"
    assert _lines(diff) == {"src/a.py": [(1, 6)], "z.py": []}


def test_prefixes_other_than_a_and_b() -> None:
    body = "@@ -1 +1 @@\n-a\n+b\n"
    mnemonic = _read(f"diff --git i/x/y z.py w/x/y z.py\n--- i/x/y z.py\n+++ w/x/y z.py\n{body}")
    none = _read(f"diff --git a/x.py a/x.py\n--- a/x.py\n+++ a/x.py\n{body}")
    assert (mnemonic.files, mnemonic.gone) == ((FileLines("x/y z.py", (Lines(1, 1),)),), ())
    assert (none.files, none.gone) == ((FileLines("a/x.py", (Lines(1, 1),)),), ())


def test_lines_of_a_deleted_file_are_no_headers() -> None:
    diff = "diff --git a/x.sql b/x.sql\ndeleted file mode 100644\n--- a/x.sql\n+++ /dev/null\n@@ -1,2 +0,0 @@\n"
    read = _read(f"{diff}--- a comment\n-++ b/another\n")
    assert (read.files, read.touched, read.gone) == ((), (), ("x.sql",))


def test_a_file_whose_path_cannot_be_told_is_counted() -> None:
    read = _read("diff --git a/cut/of")
    assert (read.files, read.touched, read.gone, read.unread) == ((), (), (), 1)


def test_plain_diffs_and_quoted_paths() -> None:
    plain = "--- x.py\t2026-01-01\n+++ x.py\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n--- y.py\n+++ y.py\n@@ -2 +2 @@\n-a\n+b\n"
    assert _lines(plain) == {"x.py": [(1, 1)], "y.py": [(2, 2)]}
    quoted = '--- "a/f\\303\\274r \\"x\\".py"\n+++ "b/f\\303\\274r \\"x\\".py"\n@@ -1 +1 @@\n-a\n+b\n'
    assert _lines(quoted) == {'für "x".py': [(1, 1)]}


def test_what_files_hold_is_no_header() -> None:
    added = ["+++ b/y", "@@ -1,99 +1,99 @@", "diff --git a/z b/z"]
    body = "--- a/y\n" + "".join(f"+{line}\n" for line in added) + " z\n\\ No newline at end of file\n"
    diff = f"--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n{body}"
    assert _lines(diff) == {"x": [(1, 3)]}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no diff at all",
        "@@ -1 +1 @@\n+a",
        "+++ b/x\n@@ -1,5 +0,5 @@\n+a",
        "+++ b/x\n@@ -999999999999 +1 @@\n+a",
        "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n",
    ],
)
def test_what_is_no_diff_does_no_harm(text: str) -> None:
    assert all(file.lines for file in _read(text).files)


def test_it_reads_what_git_says_of_a_file_in_conflict(tmp_path: Path) -> None:
    made = Repository.begin(tmp_path, {"a.txt": "one\ntwo\nthree\n", "old.txt": "x\n" * 9, "run.sh": "ls\n"})
    made.git("switch", "-q", "-c", "side")
    made.commit("Side", {"a.txt": "one\n2\nthree\n"})
    made.git("switch", "-q", "main")
    made.commit("Main", {"a.txt": "one\nII\nthree\n"})
    somebody = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    merged = subprocess.run(["git", *somebody, "merge", "side"], cwd=tmp_path, capture_output=True, check=False)
    assert merged.returncode == 1, merged.stderr
    made.git("mv", "old.txt", "new.txt")
    made.git("update-index", "--chmod=+x", "run.sh")

    def said(*words: str) -> ReadDiff:
        ran = subprocess.run(["git", "diff", *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return _read(ran.stdout)

    assert said().files[0] == FileLines("a.txt", (Lines(2, 6),))
    staged = said("-M", "--cached")
    assert (staged.touched, staged.gone) == (("a.txt", "new.txt", "run.sh"), ("old.txt",))
    assert "a.txt" in {file.path for file in said("HEAD").files}


@given(st.text(alphabet='ab-+@ ,0123456789/\n\\"', max_size=200))
def test_any_text_is_read(text: str) -> None:
    _read("+++ b/x\n" + text)


def test_bounds_are_kept_and_counted() -> None:
    one = "--- a/{0}\n+++ b/{0}\n" + "".join(f"@@ -{n} +{n} @@\n-a\n+b\n" for n in range(1, 40, 2))
    read = read_diff("".join(one.format(f"f{n}") for n in range(5)), 3, 10)
    assert (len(read.files), read.unread) == (3, 2)
    assert read.files[0].lines == (Lines(1, 39),)


def test_it_agrees_with_git(tmp_path: Path) -> None:
    before = "".join(f"line {n}\n" for n in range(60))
    made = Repository.begin(tmp_path, {"a.txt": before})
    after = before.replace("line 3\n", "").replace("line 20\n", "line 20\nnew\n").replace("line 40\n", "other\n")
    made.write({"a.txt": after})
    wide = subprocess.run(["git", "diff", "-U5"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    narrow = subprocess.run(["git", "diff", "-U0"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert _lines(wide) == _lines(narrow) == {"a.txt": [(3, 3), (21, 21), (41, 41)]}
