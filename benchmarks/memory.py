"""Does retrieval find every text that an answer needs: passages that lead to one another, turns of long conversations?

Measure M3. Passages are ingested as titled records, all of one set in one namespace; conversations as turns, one
namespace each; then `Retrieval.project` is asked every question. Recall is the share of a question's gold texts among
the first. Beside the shipped profile: plain BM25 over the same texts, each lane alone and each pair by fused ranks, and
the profile without each of its features. The weights of prose were fitted on half A of MuSiQue; half B of it and
HotpotQA report. LoCoMo reports too, but three choices of the profile of conversations were made looking at it; its
adversarial questions are left out. RESULT lines are for programs: rates are shares of gold texts.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.data import BadRow, stop
from benchmarks.kept_vectors import KeptEmbedder
from benchmarks.memory_recall import CUTS, Answered, interval, mean_recall
from benchmarks.memory_rows import QuestionSet, SetFiles, default_sets, read_set
from benchmarks.memory_store import MemoryStore, opened
from benchmarks.memory_variants import ALL, LANES, recordings
from benchmarks.plain_bm25 import PlainBm25, plain_words
from benchmarks.results import Value, percent, result_line, table
from benchmarks.sessions import default_cache
from retrieval.settings import RetrievalSettings
from retrieval.text.embedding import MiniLmEmbedder

PLAIN = "plain_bm25"
FLOORS = {"locomo": (10, 0.77, 0.83), "musique": (5, 0.69, 0.77), "hotpotqa": (5, 0.93, 0.97)}
"""By set: the first so many texts, the floor and the goal."""
FITTED_ON = {"musique": "A"}
"""By set: the half whose rows made weights that ship; the verdict is over the other."""


def main() -> None:
    """Ask, print."""
    options = _options()
    sets = [_read(files, options.limit) for files in _files(options)]
    embedder = KeptEmbedder(MiniLmEmbedder(), _kept(options.cache))
    answers: dict[str, list[Answered]] = {}
    with tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder:
        for each in sets:
            with opened(Path(folder) / each.name, embedder) as store:
                store.fill(each)
                answers[each.name] = list(_asked(each, store, options.lanes, ablate=not options.no_ablation))
            embedder.save()
    for each in sets:
        print(f"\n{_table(each, answers[each.name], options.seed)}")
    print(f"\n{_verdicts(answers)}\n")
    for each in sets:
        print("\n".join(_result_lines(each, answers[each.name])))


def _asked(questions: QuestionSet, store: MemoryStore, lanes: Sequence[str], *, ablate: bool) -> Iterator[Answered]:
    settings = RetrievalSettings()
    recorders = recordings(settings, lanes, ablate=ablate)
    retrieval = store.retrieval(settings, recorders)
    plain = {
        pool: PlainBm25({pid: Counter(plain_words(text)) for pid, text in texts.items()})
        for pool, texts in questions.texts().items()
    }
    for question in questions.questions:
        for recorder in recorders.values():
            recorder.orders.clear()
        projection, milliseconds = store.ask(retrieval, question.pool, question.text)
        orders = {name: refs for recorder in recorders.values() for name, refs in recorder.orders.items()}
        orders[ALL] = [candidate.ref for candidate in projection.ranked]
        found = {name: tuple(store.ids[ref] for ref in refs) for name, refs in orders.items()}
        found[PLAIN] = plain[question.pool].best(plain_words(question.text), max(CUTS))
        steps = dict(projection.timings_ms)
        yield Answered(question, found, milliseconds, steps, projection.model_calls, projection.embedding_calls)


def _table(questions: QuestionSet, answers: Sequence[Answered], seed: int) -> str:
    head = (f"{questions.name}: recall %", *(f"R@{cut}" for cut in CUTS), "95 % interval")
    cut = FLOORS.get(questions.name, (5, 0.0, 0.0))[0]
    rows = [_row(name, answers, name, cut, seed) for name in _variants(answers)]
    rows += [
        _row(f"{ALL}, half {half}", [a for a in answers if a.question.half == half], ALL, cut, seed) for half in "AB"
    ]
    for category in sorted({a.question.category for a in answers} - {""}):
        chosen = [a for a in answers if a.question.category == category]
        rows.append(_row(f"{ALL}, {category} ({len(chosen)})", chosen, ALL, cut, seed))
    left_out = f"{questions.without_gold} questions left out: no gold texts, or adversarial."
    return f"{table(head, rows)}\n{len(answers)} questions; {left_out} The interval is of R@{cut}.\n{_times(answers)}"


def _row(label: str, answers: Sequence[Answered], variant: str, cut: int, seed: int) -> tuple[str, ...]:
    known = [a for a in answers if variant in a.orders]
    if not known:
        return (label, *("-" for _ in CUTS), "-")
    low, high = interval(known, variant, cut, seed)
    recalls = (percent(mean_recall(known, variant, at)) for at in CUTS)
    return (label, *recalls, f"[{percent(low)}, {percent(high)}]")


def _variants(answers: Sequence[Answered]) -> list[str]:
    names = dict.fromkeys(name for answered in answers for name in answered.orders)
    return [PLAIN, *(name for name in names if name not in {PLAIN, ALL}), ALL]


def _times(answers: Sequence[Answered]) -> str:
    """Times of the whole projection hold the variants' own ranking too; the steps name where it went."""
    steps = {name: statistics.median(a.steps.get(name, 0.0) for a in answers) for name in answers[0].steps}
    told = ", ".join(f"{name} {ms:.1f}" for name, ms in sorted(steps.items(), key=lambda item: -item[1]) if ms >= 0.05)
    return f"Median milliseconds by step (ranking: with all variants of this table): {told}"


def _verdicts(answers: Mapping[str, Sequence[Answered]]) -> str:
    rows: list[tuple[str, ...]] = []
    for name, found in answers.items():
        if name in FLOORS and found:
            cut, floor, goal = FLOORS[name]
            held_out = [a for a in found if a.question.half != FITTED_ON.get(name)]
            recall = mean_recall(held_out, ALL, cut)
            verdict = "goal met" if recall >= goal else "floor holds" if recall >= floor else "BELOW THE FLOOR"
            rows.append((f"{name} R@{cut}, n {len(held_out)}", percent(recall), percent(floor), percent(goal), verdict))
    calls = sum(a.model_calls for found in answers.values() for a in found)
    return f"{table(('set', 'recall', 'floor', 'goal', ''), rows)}\nmodel_calls={calls}"


def _result_lines(questions: QuestionSet, answers: Sequence[Answered]) -> list[str]:
    lines: list[str] = []
    for variant in _variants(answers):
        known = [a for a in answers if variant in a.orders]
        recalls = {f"recall_at_{cut}": mean_recall(known, variant, cut) for cut in CUTS}
        name = variant.replace(" ", "_")
        values: dict[str, Value] = {"set": questions.name, "n": len(known), "lanes": name, **recalls}
        values["model_calls"] = sum(a.model_calls for a in known)
        lines.append(result_line("M3", values))
    return lines


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=Path, help="with --passages or --conversations; else all three open sets")
    parser.add_argument("--passages", type=Path)
    parser.add_argument("--conversations", type=Path)
    parser.add_argument("--lanes", type=_lanes, default=LANES, help="lanes to show alone and in pairs: all, or a+b")
    parser.add_argument("--no-ablation", action="store_true", help="leave out the profile without each feature")
    parser.add_argument("--limit", type=int, help="so many questions of each set")
    parser.add_argument("--seed", type=int, default=1, help="of the intervals' draws")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="vectors are kept here and used again")
    return parser.parse_args()


def _lanes(text: str) -> tuple[str, ...]:
    names = LANES if text == "all" else tuple(text.split("+"))
    if unknown := [name for name in names if name not in LANES]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: there are {', '.join(LANES)}")
    return names


def _files(options: argparse.Namespace) -> tuple[SetFiles, ...]:
    if options.questions is None:
        if options.passages or options.conversations:
            stop("--passages and --conversations go with --questions")
        return default_sets()
    if (options.passages is None) == (options.conversations is None):
        stop("--questions: give what they are asked of, either --passages or --conversations")
    return (SetFiles(options.questions, options.passages, options.conversations),)


def _read(files: SetFiles, limit: int | None) -> QuestionSet:
    try:
        return read_set(files, limit)
    except BadRow as error:
        stop(str(error))


def _kept(cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    return cache / "memory-vectors"


if __name__ == "__main__":
    main()
