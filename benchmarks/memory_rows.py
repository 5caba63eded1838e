"""Questions over a memory, as values: rows of multi-hop question sets with their passages, and of long conversations.

Questions are `{qid, question, gold: [pid]}` over passages `{pid, title, text}`, or `{qid, conv_id, category, question,
evidence: [dia_id]}` over conversations `{conv_id, turns: [{dia_id, session, date, speaker, text, image_caption?}]}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.data import DATA, BadRow, need_files, read_rows
from benchmarks.halves import half_of

ADVERSARIAL = "adversarial"
"""The category of questions that have no answer in the conversation: left out."""
_TIME = "%I:%M %p on %d %B, %Y"
_HOW = (
    f"They come with the evaluation data, expected at {DATA}: MuSiQue and HotpotQA as in OSU-NLP-Group/HippoRAG, "
    "LoCoMo as in snap-research/LoCoMo, one JSON object a line of the form that benchmarks/memory_rows.py describes."
)


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `pool` names what it is asked of; `gold` are the ids of all texts that its answer needs."""

    qid: str
    pool: str
    text: str
    gold: frozenset[str]
    category: str = ""

    @property
    def half(self) -> str:
        """A, on which settings are chosen, or B, which only reports."""
        return half_of(self.qid)


@dataclass(frozen=True, slots=True)
class Passage:
    """One titled text."""

    pid: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation. `seconds` since 1970 is when its session took place, as if in UTC; `words` are
    the text and, in brackets, what a shared picture shows."""

    dia_id: str
    session: str
    seconds: int
    date: str
    speaker: str
    words: str


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """A file of questions and what they are asked of, by pool: passages or turns."""

    name: str
    questions: tuple[Question, ...]
    passages: Mapping[str, tuple[Passage, ...]]
    conversations: Mapping[str, tuple[Turn, ...]]
    without_gold: int
    """Questions left out since they have no gold, or are adversarial."""

    def texts(self) -> dict[str, dict[str, str]]:
        """All that is asked of, by pool and id, as one text each: for baselines."""
        return {
            **{pool: {p.pid: f"{p.title} {p.text}" for p in held} for pool, held in self.passages.items()},
            **{
                pool: {t.dia_id: f"{t.speaker} {t.date} {t.words}" for t in held}
                for pool, held in self.conversations.items()
            },
        }


@dataclass(frozen=True, slots=True)
class SetFiles:
    """Where a set comes from: its questions, and one of passages and conversations."""

    questions: Path
    passages: Path | None = None
    conversations: Path | None = None

    @property
    def name(self) -> str:
        """The file's name up to `_questions`."""
        return self.questions.name.partition(".")[0].removesuffix("_questions")


def default_sets(data: Path = DATA) -> tuple[SetFiles, ...]:
    """The three sets that everybody has."""
    hops = data / "multihop"
    return (
        *(
            SetFiles(hops / f"{name}_questions.open.jsonl.gz", hops / f"{name}_passages.jsonl.gz")
            for name in ("musique", "hotpotqa")
        ),
        SetFiles(
            data / "memory" / "locomo_questions.open.jsonl.gz",
            conversations=data / "memory" / "locomo_conversations.open.jsonl.gz",
        ),
    )


def read_set(files: SetFiles, limit: int | None = None) -> QuestionSet:
    """Read a set, at most `limit` questions of it; exits with 2 where a file is not there. Raises BadRow."""
    need_files([files.questions], "questions (--questions)", _HOW)
    need_files([f for f in (files.passages,) if f], "passages (--passages)", _HOW)
    need_files([f for f in (files.conversations,) if f], "conversations (--conversations)", _HOW)
    rows = [_question(row, files.name) for row in _numbered(files.questions)]
    kept = [question for question in rows if question.gold and question.category != ADVERSARIAL][:limit]
    pools = {question.pool for question in kept}
    return QuestionSet(
        name=files.name,
        questions=tuple(kept),
        passages={files.name: tuple(map(_passage, _numbered(files.passages)))} if files.passages else {},
        conversations=_conversations(files.conversations, pools) if files.conversations else {},
        without_gold=sum(not question.gold or question.category == ADVERSARIAL for question in rows),
    )


def _conversations(file: Path, pools: set[str]) -> dict[str, tuple[Turn, ...]]:
    rows = {_text(row, "conv_id"): row for row in _numbered(file)}
    return {pool: tuple(_turn(turn) for turn in rows[pool]["turns"]) for pool in sorted(pools & rows.keys())}


def _numbered(file: Path) -> Iterator[Mapping[str, Any]]:
    yield from read_rows(file)


def _question(row: Mapping[str, Any], name: str) -> Question:
    gold = row.get("gold", row.get("evidence"))
    if not isinstance(gold, list):
        raise BadRow(f"{row.get('qid')!r}: gold or evidence: a list of ids is wanted, there is {gold!r:.80}")
    category = str(row.get("category") or (f"{row['hops']} hops" if row.get("hops") else ""))
    return Question(
        _text(row, "qid"), str(row.get("conv_id") or name), _text(row, "question"), frozenset(map(str, gold)), category
    )


def _passage(row: Mapping[str, Any]) -> Passage:
    return Passage(_text(row, "pid"), _text(row, "title"), _text(row, "text"))


def _turn(row: Mapping[str, Any]) -> Turn:
    try:
        time = datetime.strptime(_text(row, "date"), _TIME).replace(tzinfo=UTC)
    except ValueError as error:
        raise BadRow(f"{row.get('dia_id')!r}: date: {error}") from error
    caption = row.get("image_caption")
    return Turn(
        dia_id=_text(row, "dia_id"),
        session=str(row.get("session") or ""),
        seconds=int(time.timestamp()),
        date=_text(row, "date"),
        speaker=_text(row, "speaker"),
        words=_text(row, "text") + (f"\n[{caption}]" if caption else ""),
    )


def _text(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value:
        raise BadRow(f"{field}: a text is wanted, there is {value!r:.80}")
    return value
