"""How long people say that something shall last: `90s`, `30m`, `2h`, `1d12h`."""

from __future__ import annotations

import re

_DURATION = re.compile(r"(?:(?P<d>\d{1,6})d)?(?:(?P<h>\d{1,6})h)?(?:(?P<m>\d{1,6})m)?(?:(?P<s>\d{1,9})s?)?")
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


def seconds_of(duration: str) -> int:
    """Return whole seconds, more than 0; a bare number is seconds. Raises ValueError for anything else."""
    match = _DURATION.fullmatch(duration.strip().lower())
    seconds = sum(int(number) * _SECONDS[unit] for unit, number in match.groupdict(default="0").items()) if match else 0
    if not seconds:
        raise ValueError(f"{duration!r} is no time to last: write 90s, 30m, 2h, 1d12h, or a number of seconds")
    return seconds
