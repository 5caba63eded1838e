"""What a host may say of a record's source: when its text was fetched and compared, and what the source gave for it."""

from __future__ import annotations

import re

from retrieval.errors import BadField
from retrieval.ingest.settings import TypedSettings

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def check_verification(
    retrieved_seconds: int, verified_seconds: int, validator: str, field: str, settings: TypedSettings
) -> None:
    """Raise BadField, named within `field`, for what no source can have said."""
    for name, seconds in (("retrieved_seconds", retrieved_seconds), ("verified_seconds", verified_seconds)):
        if not 0 <= seconds < 2**63:
            raise BadField(f"{field}.{name}", "give seconds since 1970, or 0 where it is not known")
    if verified_seconds and verified_seconds < retrieved_seconds:
        raise BadField(
            f"{field}.verified_seconds", "is before retrieved_seconds: a text is verified when it is fetched, or later"
        )
    if len(validator) > settings.validator_characters or _UNPRINTABLE.search(validator):
        raise BadField(
            f"{field}.validator",
            f"give what the source gave (an ETag, a revision, a digest): one line of at most "
            f"{settings.validator_characters} characters",
        )
