"""The packaged encoder: right tokens, unit vectors, near what means the same, and a clear word when it cannot load."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tokenizers

import retrieval.text.embedding as embedding
from retrieval.errors import IndexUnavailable
from retrieval.record import Record
from retrieval.text.embedding import EmbeddingSettings, MiniLmEmbedder, embedding_digest, embedding_text
from workingset.vocabulary import Digest, Namespace, Ref

WORDPIECE = Path(embedding.__file__).parent / "wordpiece"
TEXTS = [
    "Close the socket when the peer hangs up.",
    "def close(self):\n    self._sock.shutdown(SHUT_RDWR)",
    "A recipe for tomato soup with basil.",
    "",
    "x " * 500,
    "[SEP] [MASK] ünïcödé 東京都 😀 \0",
]


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def test_vectors_are_unit_vectors_in_order(embedder: MiniLmEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert [len(vector) for vector in vectors] == [embedder.dimensions] * len(TEXTS)
    assert np.allclose(np.linalg.norm(np.array(vectors), axis=1), 1.0, atol=1e-5)
    assert vectors[2] == embedder.embed([TEXTS[2]])[0]
    assert embedder.embed([]) == []


def test_batches_of_one_and_eight_agree(embedder: MiniLmEmbedder) -> None:
    eight = MiniLmEmbedder(EmbeddingSettings(batch_texts=8)).embed(TEXTS)
    assert np.allclose(np.array(eight), np.array(embedder.embed(TEXTS)), atol=1e-5)


def test_what_means_the_same_is_nearer(embedder: MiniLmEmbedder) -> None:
    question, code, soup = np.array(embedder.embed(TEXTS[:3]))
    assert question @ code > question @ soup + 0.1


def test_only_the_beginning_is_read(embedder: MiniLmEmbedder) -> None:
    long, longer = embedder.embed(["word " * 200, "word " * 200 + "something else entirely"])
    assert long == longer


def test_lone_surrogates_do_not_break_it(embedder: MiniLmEmbedder) -> None:
    assert len(embedder.embed(["a \ud800 b"])) == 1


def test_tokens_are_those_of_the_reference_tokenizer() -> None:
    import tokie

    ours = tokie.Tokenizer.from_json(str(WORDPIECE / "tokenizer.json"))
    reference = tokenizers.Tokenizer.from_file(str(WORDPIECE / "tokenizer.json"))
    source = Path(embedding.__file__).read_text(encoding="utf-8")
    pieces = [source[at : at + 400] for at in range(0, len(source), 400)]
    for text in [*TEXTS, *pieces, "İstanbul ﬁne a\u0301 \u200b\ufeff", "y" * 150, "##ing naïve", "한국어 привет"]:
        assert ours.encode(text).ids == reference.encode(text).ids


def test_the_vocabulary_has_its_licence_beside_it() -> None:
    assert "Apache License" in (WORDPIECE / "LICENSE").read_text(encoding="utf-8")
    assert embedding._WORDPIECE_SHA256 in (WORDPIECE / "README.md").read_text(encoding="utf-8")


def test_a_missing_model_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match="reinstall"):
        MiniLmEmbedder(model=tmp_path / "none.onnx").embed(["x"])


def test_a_changed_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(IndexUnavailable, match="sha256"):
        MiniLmEmbedder(model=tmp_path / "model.onnx").embed(["x"])


def test_a_changed_vocabulary_is_refused(tmp_path: Path) -> None:
    content = (WORDPIECE / "tokenizer.json").read_bytes()
    (tmp_path / "tokenizer.json").write_bytes(content.replace(b"hello", b"hullo"))
    with pytest.raises(IndexUnavailable, match="sha256"):
        MiniLmEmbedder(wordpiece=tmp_path / "tokenizer.json").embed(["x"])


def test_threads_load_it_once_and_agree() -> None:
    shared = MiniLmEmbedder()
    vectors: list[tuple[float, ...]] = []
    threads = [threading.Thread(target=lambda: vectors.extend(shared.embed(["the same"]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(vectors) == 4
    assert len(set(vectors)) == 1


def test_settings_beyond_what_memory_allows_are_refused() -> None:
    with pytest.raises(ValueError, match="gigabyte"):
        EmbeddingSettings(batch_texts=16)


def test_the_embedded_text_is_path_title_and_the_beginning() -> None:
    record = Record(Ref("n:a"), Namespace("n"), "function", "Title", "t" * 2000, "", "", Digest(""), path="a/b.py")
    assert embedding_text(record) == "a/b.py\nTitle\n" + "t" * 900
    assert embedding_text(replace(record, path="")) == "Title\n" + "t" * 900
    assert embedding_digest("a") != embedding_digest("b")


def test_what_is_embedded_changes_only_with_the_number_of_its_rule() -> None:
    plain = Record(Ref("n:a"), Namespace("n"), "function", "Title", "x" * 2000, "", "", Digest(""), path="a/b.py")
    examples = [plain, replace(plain, kind="turn"), replace(plain, kind="section", path="", text="y")]
    said = "\x00".join([*map(embedding_text, examples), *sorted(embedding.UNEMBEDDED_KINDS)])

    assert (embedding._TEXT_RULE, embedding_digest(said)) == (2, "c23b7af44c3f7b599d31e4b1a824498f")
    assert MiniLmEmbedder().fingerprint.endswith(":text-2")
