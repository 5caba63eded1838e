"""The numbers of the prose ranker `prose-1`.

The weights were fitted by likelihood (softmax over the candidates of one question, L2 of 0.1) on those of the 65 open
MuSiQue questions (CC BY 4.0, OSU-NLP-Group/HippoRAG at 3d95d255) whose `int(sha256("half:" + id)[:8], 16) % 2` is 0,
and rounded to halves (`benchmarks/fit_prose.py`). Rows: `musique_questions.open.jsonl.gz`, sha256
`6a9da25ce2f11585275ff7bb26c5aeaaa93459af90328aa43c3f71bb603f33a6`, over
`musique_passages.jsonl.gz`, sha256 `ae831a8d03125e69996277b1442048a51817b77a6173dfb97770022fd251f95c`.
HotpotQA rows were only reported on.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProseRankingSettings:
    """What counts for titled prose, and what looking for it may cost."""

    lexical_weight: float = 1.5
    """Fitted, see above: BM25 of the question over the best one's."""
    vector_weight: float = 6.5
    """Fitted, see above: cosine to the question."""
    named_weight: float = 4.0
    """Fitted, see above: the title stands in the question."""
    mentioned_weight: float = 3.5
    """Fitted, see above: a seed's text mentions the title, and the question does not."""
    shared_weight: float = 2.0
    """Fitted, see above: how much of what a seed names the record is about."""
    answering_weight: float = 2.5
    """Fitted, see above: the same, times the share of the question that the seed leaves open and the record has."""
    exact_names_weight: float = 4.0
    """Guess: as much as a title in the question; a path, a symbol or a quoted string names the record."""
    graph_mass_weight: float = 0.5
    """Guess: edges and what is warm decide between equals; measured to add nothing more (design, recipes, 2)."""
    seeds: int = 5
    """Measured on the same rows: 4, 6 and 8 are as good as one another."""
    seed_named_weight: float = 0.5
    """Measured (design, recipes, 2): added to the shares of BM25 and cosine where the question holds the title."""
    seed_sharpness: float = 3.0
    """Measured (design, recipes, 2): a seed counts exp(3 (its score - the best one's))."""
    title_letters: int = 4
    """Measured (design, recipes, 2): shorter titles are found in any text."""
    title_hits: int = 16
    """Measured on the same rows: titles looked at for a question or a seed, best BM25 first; more change nothing."""
    seed_hits: int = 100
    """Measured on the same rows: records that share names with a seed; 200 or all of them are no better."""
    brought_hits: int = 10
    """Measured on the same rows: so many are brought of those that share
    most with a seed, and as many of those that answer most beside."""
    question_terms: int = 256
    """Guess: terms of a question that titles are searched for by, some 8 ms; a question has some 20."""
    seed_terms: int = 96
    """Guess: terms of a seed's names that are searched for; an article's introduction has some 40."""
    name_words: int = 8
    """Guess: a longer run of capitalised words is a heading or a shout."""
