"""The example of claims, rules and what defeats them works as it stands, and prints what it says that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from retrieval.obligations.profiles import SHIPPED
from tests.rpc.real_daemon import RealDaemon

PAGE = (Path(__file__).parents[2] / "docs" / "example-claims.md").read_text()
_BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<printed>.*?)```\n)?", re.DOTALL)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    daemon = RealDaemon(tmp_path / "home", "")
    daemon.start()
    yield daemon.home
    assert daemon.stop() == 0, daemon.last_words()


def test_what_the_page_shows_is_what_happens(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTSET_HOME", str(home))
    names: dict[str, object] = {}
    blocks = list(_BLOCK.finditer(PAGE))
    assert len(blocks) > 10
    for block in blocks:
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(block["code"], "docs/example-claims.md", "exec"), names)
        assert printed.getvalue() == (block["printed"] or ""), block["code"]


def test_every_shipped_profile_is_in_the_example() -> None:
    assert re.findall(r"^## `(\w+)`", PAGE, flags=re.MULTILINE)
    assert set(re.findall(r"^## `(\w+)`", PAGE, flags=re.MULTILINE)) == {profile.name for profile in SHIPPED}
