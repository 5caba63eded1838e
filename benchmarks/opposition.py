"""Does a set of ten texts show what speaks against a claim beside what speaks for it?

Measure M4. All texts of a file of claims are ingested as typed records into one namespace; each claim is asked by plain
BM25, by the profile `default` and by `contested_claims`, ten texts each. The share of claims whose set is one-sided
stands beside the recall of both sides and is compared with plain BM25's, in pairs. The lane's own precision is over
texts that are labelled for or against their claim. Choices were made on half A; nothing was fitted. RESULT lines are
for programs: rates are shares of claims, recalls of labelled texts.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.data import BadRow, stop
from benchmarks.kept_vectors import KeptEmbedder
from benchmarks.opposition_rates import (
    PLACES,
    Answered,
    Precision,
    Rate,
    difference,
    mean,
    one_sided,
    opposing,
    precision,
    ratio,
    supporting,
)
from benchmarks.opposition_rows import ClaimSet, default_files, read_claims
from benchmarks.opposition_store import CONTESTED, PLAIN, PROFILES, opened
from benchmarks.results import Value, percent, result_line, table
from benchmarks.sessions import default_cache
from retrieval.obligations.profiles import DEFAULT
from retrieval.stance.settings import OpposingSettings
from retrieval.text.embedding import MiniLmEmbedder

GOAL_RATIO = 0.75
"""One-sided share over plain's: the goal. The floor is opposing recall above plain's, supporting recall not below."""
POOLED = "pooled"
_RATES: tuple[tuple[str, Rate], ...] = (("one-sided", one_sided), ("support", supporting), ("opposing", opposing))
_CHOSEN: tuple[tuple[str, Callable[[Answered], frozenset[str]]], ...] = (
    ("all that it proposes", lambda each: frozenset(each.found.cues)),
    ("its first", lambda each: frozenset(list(each.found.cues)[:1])),
    ("its first ten", lambda each: frozenset(list(each.found.cues)[:PLACES])),
    ("that it brings into the set", lambda each: each.shown(CONTESTED) - each.shown(DEFAULT)),
)
_CUES = ("negation", "antonym", "number", "date", "object", "contrast")


def main() -> None:
    """Ask, print."""
    options = _options()
    sets = [_read(file, options.limit) for file in options.claims]
    embedder = KeptEmbedder(MiniLmEmbedder(), _kept(options.cache))
    answers: dict[str, list[Answered]] = {}
    for each in sets:
        with (
            tempfile.TemporaryDirectory(prefix="hotset-bench-") as folder,
            opened(Path(folder), embedder, each, OpposingSettings()) as store,
        ):
            answers[each.name] = [Answered(claim, store.find(claim.text, PLACES)) for claim in each.claims]
        embedder.save()
    if len(sets) > 1:
        answers[POOLED] = [answered for found in answers.values() for answered in found]
    for each in sets:
        print(f"\n{_report(each.name, answers[each.name], options.seed)}\n{_told(each)}")
    if POOLED in answers:
        print(f"\n{_report(POOLED, answers[POOLED], options.seed)}")
    print()
    for name, found in answers.items():
        print("\n".join(_result_lines(name, found, options.seed)))


def _report(name: str, answers: Sequence[Answered], seed: int) -> str:
    parts = (
        _rates_table(name, answers),
        _against_plain(answers, seed),
        _lane_table(answers),
        _verdict(answers, seed),
        _times(answers),
    )
    return "\n\n".join(parts)


def _rates_table(name: str, answers: Sequence[Answered]) -> str:
    head = (f"{name}: % at {PLACES} texts", "n", *(label for label, _ in _RATES))
    halves = {half: [each for each in answers if each.claim.half == half] for half in "AB"}
    groups = (("", answers), *((f", half {half}", found) for half, found in halves.items()))
    rows = [
        (f"{profile}{label}", str(len(found)), *(percent(mean(found, profile, rate)) for _, rate in _RATES))
        for label, found in groups
        for profile in PROFILES
    ]
    return table(head, rows)


def _against_plain(answers: Sequence[Answered], seed: int) -> str:
    """Points more or less than plain, with intervals."""
    head = (f"points over {PLAIN}, 95 % interval", *(label for label, _ in _RATES))
    halves = (("", answers), (", half B", [each for each in answers if each.claim.half == "B"]))
    rows = [
        (f"{profile}{label}", *(_interval(difference(found, profile, PLAIN, rate, seed)) for _, rate in _RATES))
        for label, found in halves
        for profile in PROFILES
        if profile != PLAIN
    ]
    return table(head, rows)


def _interval(values: tuple[float, float, float]) -> str:
    whole, low, high = (percent(value) for value in values)
    return f"{whole} [{low}, {high}]"


def _lane_table(answers: Sequence[Answered]) -> str:
    head = ("the opposing lane: texts", "labelled", "oppose", "precision %")
    rows = [_precision_row(label, precision(answers, chosen)) for label, chosen in _CHOSEN]
    rows += [_precision_row(f"with the cue {cue}", precision(answers, _having(cue))) for cue in _CUES]
    return table(head, rows)


def _having(cue: str) -> Callable[[Answered], frozenset[str]]:
    return lambda each: frozenset(text for text, names in each.found.cues.items() if cue in names)


def _precision_row(label: str, found: Precision) -> tuple[str, ...]:
    return (label, str(found.labelled), str(found.opposing), percent(found.share))


def _verdict(answers: Sequence[Answered], seed: int) -> str:
    whole, low, high = ratio(answers, CONTESTED, PLAIN, one_sided, seed)
    goal = "goal met" if whole <= GOAL_RATIO else "goal not met"
    floor = "floor holds" if _above_floor(answers) else "BELOW THE FLOOR"
    return (
        f"{CONTESTED}: one-sided {whole:.2f} x {PLAIN}'s [{low:.2f}, {high:.2f}], at most {GOAL_RATIO} wanted: {goal}; "
        f"opposing recall above and supporting recall not below {PLAIN}'s: {floor}"
    )


def _above_floor(answers: Sequence[Answered]) -> bool:
    gains = {label: mean(answers, CONTESTED, rate) - mean(answers, PLAIN, rate) for label, rate in _RATES}
    return gains["opposing"] > 0.0 and gains["support"] >= 0.0


def _times(answers: Sequence[Answered]) -> str:
    medians = {
        profile: statistics.median(each.found.milliseconds[profile] for each in answers)
        for profile in PROFILES
        if profile != PLAIN
    }
    told = ", ".join(f"{profile} {milliseconds:.1f}" for profile, milliseconds in medians.items())
    return f"Median ms of a projection: {told}. model_calls={sum(each.found.model_calls for each in answers)}"


def _told(claims: ClaimSet) -> str:
    return f"{len(claims.texts)} texts; {claims.one_stance} claims left out: their texts are not of both stances."


def _result_lines(name: str, answers: Sequence[Answered], seed: int) -> list[str]:
    lines: list[str] = []
    for profile in PROFILES:
        values: dict[str, Value] = {
            "set": name,
            "n": len(answers),
            "profile": profile,
            "one_sided": mean(answers, profile, one_sided),
            "supporting_recall": mean(answers, profile, supporting),
            "opposing_recall": mean(answers, profile, opposing),
        }
        over, low, high = ratio(answers, profile, PLAIN, one_sided, seed)
        values |= {"one_sided_ratio": over, "ratio_low": low, "ratio_high": high}
        if profile == CONTESTED:
            values["lane_precision"] = precision(answers, _CHOSEN[0][1]).share
        values["model_calls"] = sum(each.found.model_calls for each in answers)
        lines.append(result_line("M4", values))
    return lines


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--claims", type=Path, nargs="+", default=default_files(), help="files of claims, a set each")
    parser.add_argument("--limit", type=int, help="so many claims of each set, against all its texts")
    parser.add_argument("--seed", type=int, default=1, help="of the intervals' draws")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="vectors are kept here and used again")
    return parser.parse_args()


def _read(file: Path, limit: int | None) -> ClaimSet:
    try:
        claims = read_claims(file, limit)
    except BadRow as error:
        stop(str(error))
    if not claims.claims:
        stop(f"{file}: no claim has texts of both stances")
    return claims


def _kept(cache: Path) -> Path:
    cache.mkdir(parents=True, exist_ok=True)
    return cache / "claim-vectors"


if __name__ == "__main__":
    main()
