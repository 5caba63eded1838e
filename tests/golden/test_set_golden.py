"""Working sets in every format that was ever written: later versions open them, and find in them what was put there.

`sets/format-N` holds, for each scene of `set_scenes`, the bytes that were stored and a readable twin. Set
HOTSET_WRITE_GOLDEN=1 to write those of the format written now, and read the difference before keeping it; those of
earlier formats are never written again.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard

from hotsetd.codec import SET_FORMAT, SET_FORMATS_READ, WORKING_SETS
from retrieval.errors import ForeignStore, StoreCorrupt
from tests.golden.set_scenes import SCENES, SOUND
from workingset.working_set import WorkingSet

HERE = Path(__file__).parent / "sets"
PRESENT = HERE / f"format-{SET_FORMAT}"
FORMATS = sorted({SET_FORMAT, *SET_FORMATS_READ})
GOLDEN = [(number, name) for number in FORMATS for name in SCENES]


@pytest.fixture(scope="module", autouse=True)
def present_format() -> None:
    """Written on demand only."""
    if os.environ.get("HOTSET_WRITE_GOLDEN"):
        PRESENT.mkdir(exist_ok=True)
        for name, scene in SCENES.items():
            state = scene()
            (PRESENT / f"{name}.bin").write_bytes(WORKING_SETS.encode(state))
            (PRESENT / f"{name}.json").write_bytes(twin(state))


def twin(state: WorkingSet) -> bytes:
    return msgspec.json.format(msgspec.json.encode(state), indent=1) + b"\n"


def stored(number: int, name: str) -> bytes:
    return (HERE / f"format-{number}" / f"{name}.bin").read_bytes()


def written(number: int, name: str) -> bytes:
    return (HERE / f"format-{number}" / f"{name}.json").read_bytes()


def fields_of(encoded: bytes) -> Any:
    return msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(encoded[1:], max_output_size=2**24))


def differences(expected: Any, found: Any, at: str = "") -> list[str]:
    """Where `found` lacks or contradicts something of `expected`; it may have more fields."""
    if isinstance(expected, dict):
        return [d for key, value in expected.items() for d in differences(value, found.get(key, ...), f"{at}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [d for i, value in enumerate(expected) for d in differences(value, found[i], f"{at}[{i}]")]
    return [] if expected == found else [f"{at}: {expected!r} became {found!r}"]


def test_every_format_is_kept_whole() -> None:
    kept = {path.name: {file.name for file in path.iterdir()} for path in HERE.iterdir()}
    assert kept == {f"format-{n}": {f"{s}{end}" for s in SCENES for end in (".bin", ".json")} for n in FORMATS}


@pytest.mark.parametrize(("number", "name"), GOLDEN)
def test_a_set_of_any_format_opens_with_all_that_was_in_it(number: int, name: str) -> None:
    state = WORKING_SETS.decode(stored(number, name))

    assert stored(number, name)[0] == number
    assert differences(msgspec.json.decode(written(number, name)), msgspec.json.decode(twin(state))) == []
    assert state == msgspec.json.decode(written(number, name), type=WorkingSet)
    assert name not in SOUND or state.check() == []


@pytest.mark.parametrize(("number", "name"), GOLDEN)
def test_a_set_of_any_format_is_saved_in_the_present_one(number: int, name: str) -> None:
    state = WORKING_SETS.decode(stored(number, name))
    encoded = WORKING_SETS.encode(state)

    assert encoded[0] == SET_FORMAT
    assert WORKING_SETS.decode(encoded) == state
    assert WORKING_SETS.encode(state) == encoded


@pytest.mark.parametrize("name", SCENES)
def test_the_present_format_has_the_fields_it_was_written_with(name: str) -> None:
    """Where this fails a field came, went or changed: raise SET_FORMAT, or write a format anew that nobody has yet."""
    encoded = stored(SET_FORMAT, name)

    assert fields_of(WORKING_SETS.encode(WORKING_SETS.decode(encoded))) == fields_of(encoded)
    assert twin(WORKING_SETS.decode(encoded)) == written(SET_FORMAT, name)


def test_a_set_of_a_later_format_is_refused_with_both_numbers() -> None:
    encoded = bytes([SET_FORMAT + 1]) + stored(1, "new")[1:]

    with pytest.raises(ForeignStore) as refused:
        WORKING_SETS.decode(encoded)

    has, _, reads = str(refused.value).partition("; ")
    assert f"format {SET_FORMAT + 1}" in has
    assert f"format {' and '.join(map(str, FORMATS))}" in reads


def test_what_makes_no_sense_is_corruption() -> None:
    fields = fields_of(WORKING_SETS.encode(SCENES["every_field"]()))
    fields["between"][0]["target"] = fields["between"][0]["origin"] = "evicted"
    packed = zstandard.compress(msgspec.msgpack.encode(fields))

    for encoded in (packed, packed[:-5], b""):
        with pytest.raises(StoreCorrupt, match="does not decode"):
            WORKING_SETS.decode(bytes([SET_FORMAT]) + encoded)
    with pytest.raises(ForeignStore, match="format none"):
        WORKING_SETS.decode(b"")


def test_the_golden_sets_fill_every_field() -> None:
    state = SCENES["every_field"]()
    defaults = WorkingSet(state.agent)
    for field in dataclasses.fields(WorkingSet):
        assert field.name == "agent" or getattr(state, field.name) != getattr(defaults, field.name), field.name
