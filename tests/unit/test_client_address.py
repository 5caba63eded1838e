"""Where the client looks for the daemon."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotset import BadAddress, default_address, default_home
from hotset.address import UNIX_PATH_BYTES, Endpoint, address_of, endpoint


def test_the_default_is_the_socket_in_the_default_home() -> None:
    assert default_home({}) == Path.home() / ".local" / "state" / "hotset"
    assert default_address({}) == f"unix:{Path.home()}/.local/state/hotset/run/hotsetd.sock"


def test_the_environment_names_a_home_or_an_address_and_the_address_wins() -> None:
    assert default_address({"HOTSET_HOME": "/srv/hotset"}) == "unix:/srv/hotset/run/hotsetd.sock"
    assert default_address({"HOTSET_HOME": "/srv/hotset", "HOTSET_ADDRESS": "localhost:7000"}) == "localhost:7000"
    assert default_home({"HOTSET_HOME": "~/h"}) == Path.home() / "h"
    assert default_home({"HOTSET_HOME": ""}) == default_home({})


def test_an_address_wins_over_a_home_and_a_home_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTSET_ADDRESS", "localhost:7000")
    assert endpoint() == Endpoint("localhost:7000", None)
    assert endpoint(home="/srv/h") == Endpoint("unix:/srv/h/run/hotsetd.sock", Path("/srv/h"))
    assert endpoint("127.0.0.1:9", "/srv/h") == Endpoint("127.0.0.1:9", None)


@pytest.mark.parametrize("written", ["unix:/srv/h/run/hotsetd.sock", "unix:///srv/h/run/hotsetd.sock"])
def test_a_unix_address_of_a_home_tells_the_home(written: str) -> None:
    assert endpoint(written) == Endpoint("unix:/srv/h/run/hotsetd.sock", Path("/srv/h"))


def test_another_unix_address_tells_none() -> None:
    assert endpoint("unix:/tmp/other.sock") == Endpoint("unix:/tmp/other.sock", None)


def test_address_of_and_endpoint_agree(tmp_path: Path) -> None:
    assert endpoint(address_of("/srv/h")).home == Path("/srv/h")


@pytest.mark.parametrize("good", ["localhost:1", "127.0.0.1:65535", "127.8.9.1:80", "[::1]:80"])
def test_loopback_is_reached(good: str) -> None:
    assert endpoint(good).target == good


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "localhost",
        "localhost:",
        ":80",
        "localhost:0",
        "localhost:65536",
        "localhost:x",
        "localhost:٣",
        "unix:",
        "example.org:80",
        "10.0.0.1:80",
        "unix:/a\udcff",
        "unix:/a\n",
        "unix:/" + "a" * UNIX_PATH_BYTES,
    ],
)
def test_a_bad_address_is_refused_with_what_to_do(bad: str) -> None:
    with pytest.raises(BadAddress) as raised:
        endpoint(bad)
    assert raised.value.field == "address"
    assert raised.value.what_to_do
    str(raised.value).encode("utf-8")


def test_the_longest_socket_path_is_taken() -> None:
    assert endpoint("unix:/" + "a" * (UNIX_PATH_BYTES - 1)).target.endswith("a")
