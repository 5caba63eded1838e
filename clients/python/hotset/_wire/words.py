"""Enum numbers of the protocol against the words of `hotset.types`, matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Generic, Protocol, TypeVar

from hotset import types as t
from hotset.errors import BadRequest
from hotset.v1 import attention_pb2, common_pb2, corpus_pb2

WordT = TypeVar("WordT", bound=Enum)
NumberT = TypeVar("NumberT", bound=int)
NumberT_co = TypeVar("NumberT_co", bound=int, covariant=True)


class _Numbers(Protocol[NumberT_co]):
    def items(self) -> Sequence[tuple[str, NumberT_co]]: ...


class Words(Generic[WordT, NumberT]):
    """One enum of the protocol. A number that this client does not know reads as UNSPECIFIED."""

    def __init__(self, words: type[WordT], numbers: _Numbers[NumberT], prefix: str) -> None:
        by_name = dict(numbers.items())
        self._kind = words
        self._unknown = words["UNSPECIFIED"]
        self._numbers = {word: by_name[prefix + word.name] for word in words}
        self._words: dict[int, WordT] = {int(number): word for word, number in self._numbers.items()}

    def read(self, number: int) -> WordT:
        """Return the word of a number."""
        return self._words.get(number, self._unknown)

    def number(self, field: str, word: WordT) -> NumberT:
        """Return the number of a word; anything else is a BadRequest that names the field."""
        if not isinstance(word, self._kind):  # pyright: ignore[reportUnnecessaryIsInstance] -- untyped callers
            raise BadRequest(
                f"{field}: must be one of {self._kind.__name__}, not {type(word).__name__}",
                reason="BAD_FIELD",
                field=field,
                what_to_do=f"pass {', '.join(str(each) for each in self._kind)}",
            )
        return self._numbers[word]


ANSWER = Words(t.Answer, attention_pb2.Answer, "ANSWER_")
CHANGE = Words(t.Change, attention_pb2.Change, "CHANGE_")
DRIFT_HOLD = Words(t.DriftHold, attention_pb2.DriftHold, "DRIFT_HOLD_")
DRIFT_VERDICT = Words(t.DriftVerdict, attention_pb2.DriftVerdict, "DRIFT_VERDICT_")
FIDELITY = Words(t.Fidelity, common_pb2.Fidelity, "FIDELITY_")
FOCUS_MODE = Words(t.FocusMode, attention_pb2.FocusMode, "FOCUS_MODE_")
FRESHNESS = Words(t.Freshness, common_pb2.Freshness, "FRESHNESS_")
LANE_STATE = Words(t.LaneState, attention_pb2.LaneState, "LANE_STATE_")
NOTHING = Words(t.Nothing, common_pb2.Nothing, "NOTHING_")
OBLIGATION_KIND = Words(t.ObligationKind, attention_pb2.ObligationKind, "OBLIGATION_KIND_")
OBLIGATION_STATUS = Words(t.ObligationStatus, attention_pb2.ObligationStatus, "OBLIGATION_STATUS_")
OBSERVATION_KIND = Words(t.ObservationKind, attention_pb2.ObservationKind, "OBSERVATION_KIND_")
OPPOSITION_COVERAGE = Words(t.OppositionCoverage, common_pb2.OppositionCoverage, "OPPOSITION_COVERAGE_")
PAGE_IN = Words(t.PageIn, attention_pb2.PageIn, "PAGE_IN_")
PIN_OWNER = Words(t.PinOwner, attention_pb2.PinOwner, "PIN_OWNER_")
REPLAY_VERDICT = Words(t.ReplayVerdict, attention_pb2.ReplayVerdict, "REPLAY_VERDICT_")
RELATION_ROLE = Words(t.RelationRole, corpus_pb2.RelationRole, "RELATION_ROLE_")
ROBUSTNESS = Words(t.Robustness, attention_pb2.Robustness, "ROBUSTNESS_")
SEARCH_COVERAGE = Words(t.SearchCoverage, common_pb2.SearchCoverage, "SEARCH_COVERAGE_")
SOURCE_KIND = Words(t.SourceKind, corpus_pb2.SourceKind, "SOURCE_KIND_")
SOURCE_STATE = Words(t.SourceState, corpus_pb2.SourceState, "SOURCE_STATE_")
STANDING = Words(t.Standing, common_pb2.Standing, "STANDING_")
SUFFICIENCY_STATE = Words(t.SufficiencyState, attention_pb2.SufficiencyState, "SUFFICIENCY_STATE_")
SUPPORT_CLOSURE = Words(t.SupportClosure, common_pb2.SupportClosure, "SUPPORT_CLOSURE_")
TIER = Words(t.Tier, common_pb2.Tier, "TIER_")
TRANSLATION = Words(t.Translation, attention_pb2.Translation, "TRANSLATION_")
USE_ACTION = Words(t.UseAction, attention_pb2.UseAction, "USE_ACTION_")
