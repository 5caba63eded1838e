"""Attention profiles in the configuration: how they are read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotsetd.config import load
from hotsetd.errors import BadConfiguration
from retrieval.obligations.profiles import profiles
from workingset.obligation import ObligationKind

OWN_PROFILE = """
[[profiles]]
name = "release"
version = 2
summary = "Before a release."
opposing_places = 2
[[profiles.obligations]]
kind = "support"
[[profiles.obligations]]
kind = "independent_origin"
least = 2
required = false
"""


def test_attention_profiles_of_ones_own_come_from_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "hotsetd.toml"
    file.write_text(OWN_PROFILE)
    own = profiles(load(file).profiles)["release"]
    assert own.label == "release-2"
    assert [(one.kind, one.least, one.required) for one in own.obligations] == [
        (ObligationKind.SUPPORT, 1, True),
        (ObligationKind.INDEPENDENT_ORIGIN, 2, False),
    ]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (('name = "release"', 'name = "default"'), "there is a profile of that name already"),
        (('kind = "support"', 'kind = "hope"'), "hope"),
        (("least = 2", "least = 0"), "least"),
        (("opposing_places = 2", "opposing_places = 9"), "opposing_places"),
    ],
)
def test_a_profile_that_cannot_be_is_refused_by_name(tmp_path: Path, changed: tuple[str, str], words: str) -> None:
    file = tmp_path / "hotsetd.toml"
    file.write_text(OWN_PROFILE.replace(*changed))
    with pytest.raises(BadConfiguration, match=r"profile|settings") as refused:
        load(file)
    assert words in str(refused.value)
