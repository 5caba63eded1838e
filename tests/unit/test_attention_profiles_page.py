"""The page of attention profiles says what the data says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from hotsetd.config import Settings, settings_from
from retrieval.obligations.obligation import Obligation
from retrieval.obligations.profile import AttentionProfile
from retrieval.obligations.profiles import SHIPPED
from workingset.obligation import ObligationKind, ObligationStatus

PAGE = (Path(__file__).parents[2] / "docs" / "attention-profiles.md").read_text()
_COLUMNS = "| obligation | required | lanes | results | work | least | current only |\n|---|---|---|---|---|---|---|\n"


def section(profile: AttentionProfile) -> str:
    """What the page must say of a profile."""
    bounds = [
        f"A verification counts for {profile.fresh_seconds // 86_400} d." if profile.fresh_seconds else "",
        f"The opposing lane has {profile.opposing_places} of every ten places." if profile.opposing_places else "",
    ]
    told = " ".join(each for each in (profile.summary, *bounds) if each)
    rows = "".join(map(_row, profile.obligations))
    return f"### `{profile.name}`, version {profile.version}\n{told}\n\n{_COLUMNS}{rows}"


def _row(one: Obligation) -> str:
    cells = (
        one.kind.value.replace("_", " "),
        "yes" if one.required else "no",
        ", ".join(one.lanes) or "–",
        f"{one.results:,}",
        f"{one.work:,}",
        str(one.least) if one.kind is ObligationKind.INDEPENDENT_ORIGIN else "–",
        "yes" if one.current_only else "–",
    )
    return f"| {' | '.join(cells)} |\n"


def test_every_shipped_profile_stands_on_the_page_as_it_is() -> None:
    for profile in SHIPPED:
        assert section(profile) in PAGE, f"docs/attention-profiles.md must hold:\n\n{section(profile)}"
    assert re.findall(r"^### `(\w+)`", PAGE, flags=re.MULTILINE) == [profile.name for profile in SHIPPED]


def test_every_kind_and_every_status_is_explained() -> None:
    kinds = re.findall(r"^\| ([a-z ]+) \| [^|]+ \|$", PAGE.partition("## What becomes")[0], flags=re.MULTILINE)
    assert set(kinds) - {"obligation"} == {kind.value.replace("_", " ") for kind in ObligationKind}
    assert all(f"`{status.value}`" in PAGE for status in ObligationStatus)


def test_the_profile_of_your_own_is_one() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    (own,) = settings_from(Settings, tomllib.loads(block), "").profiles
    assert (own.label, own.fresh_seconds, own.opposing_places) == ("tax_advice-1", 604_800, 2)
    assert [one.kind.value for one in own.obligations] == [
        *("support", "freshness", "opposition", "independent_origin", "exception"),
    ]
    assert own.owes(ObligationKind.SUPPORT) == SHIPPED[0].owes(ObligationKind.SUPPORT)
