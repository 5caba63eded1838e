"""Claims with texts for and against them, as values: rows of `claims/*.jsonl.gz`.

A row is `{claim_id, claim, evidence: [{text, stance}]}`, with the stance `support` or `oppose`; a text of any other
stance is searched and labelled nothing. Equal texts of one file are one, named by its digest, however often and with
whatever ids they are listed: a set shows a text once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.data import DATA, BadRow, need_files, read_rows, set_name
from benchmarks.halves import half_of

SUPPORT = "support"
OPPOSE = "oppose"
_ID_LETTERS = 20
_HOW = (
    f"They come with the evaluation data, expected at {DATA}/claims: FEVER-symmetric as in TalSchuster/FeverSymmetric "
    "(CC BY-SA 3.0), one JSON object a line of the form that benchmarks/opposition_rows.py describes."
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim with texts of both stances, by id."""

    claim_id: str
    text: str
    supporting: frozenset[str]
    opposing: frozenset[str]

    @property
    def half(self) -> str:
        """A, on which choices were made, or B, which only reports."""
        return half_of(self.claim_id)


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """A file of claims: those with both stances, all texts by id, and how many claims had one stance or none."""

    name: str
    claims: tuple[Claim, ...]
    texts: Mapping[str, str]
    one_stance: int


def default_files(data: Path = DATA) -> tuple[Path, ...]:
    """The set that everybody has."""
    return (data / "claims" / "fever_symmetric.open.jsonl.gz",)


def read_claims(file: Path, limit: int | None = None) -> ClaimSet:
    """Read a file whole, and of its claims at most `limit`; exits with 2 where it is not there. Raises BadRow."""
    need_files([file], "claims (--claims)", _HOW)
    texts: dict[str, str] = {}
    claims: dict[str, Claim] = {}
    for number, row in enumerate(read_rows(file), 1):
        where = f"{file}, line {number}"
        claim = _claim(row, where, texts)
        if claim.claim_id in claims:
            raise BadRow(f"{where}: claim_id: {claim.claim_id!r} is there twice")
        claims[claim.claim_id] = claim
    both = [claim for claim in claims.values() if claim.supporting and claim.opposing]
    return ClaimSet(set_name(file), tuple(both[:limit]), texts, len(claims) - len(both))


def _claim(row: Mapping[str, Any], where: str, texts: dict[str, str]) -> Claim:
    claim_id, text = _word(row, "claim_id", where), _word(row, "claim", where)
    labelled: dict[str, set[str]] = {SUPPORT: set(), OPPOSE: set()}
    for stance, identifier in _evidence(row, where, texts):
        labelled.setdefault(stance, set()).add(identifier)
    return Claim(claim_id, text, frozenset(labelled[SUPPORT]), frozenset(labelled[OPPOSE]))


def _evidence(row: Mapping[str, Any], where: str, texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(stance, id) of each text, which is added to the others."""
    listed = row.get("evidence")
    if not isinstance(listed, list):
        raise BadRow(f"{where}: evidence: a list is wanted, there is {listed!r:.80}")
    for at, each in enumerate(listed):
        place = f"{where}: evidence[{at}]"
        if not isinstance(each, dict):
            raise BadRow(f"{place}: an object is wanted, there is {each!r:.80}")
        stance, text = _word(each, "stance", place), _word(each, "text", place)
        identifier = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LETTERS]
        texts[identifier] = text
        yield stance, identifier


def _word(row: Mapping[str, Any], field: str, where: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise BadRow(f"{where}: {field}: a text is wanted, there is {value!r:.80}")
    return value
