"""How far hints move the order of results: a little always, and to the front where the goal only points at the work.

"Commit this", "review the changes in the branch": such goals hold hardly a word that a record could be found by. They
point: by a "this", by the work's own state ("the diff", "my branch"), by going on with it, each where no noun follows
that would make a name of it ("the diff algorithm"). What points is known in English only; elsewhere hints move little.
The score of a result is that of its rank by the ranker, as in reciprocal rank fusion, plus its hint's strength times a
weight that says how much the goal points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from retrieval.fusion import ranks
from retrieval.goal import Goal, NameForm
from retrieval.hints import HintSettings
from retrieval.settings import FusionSettings
from retrieval.text.tokens import analyse

_NAMING = frozenset({NameForm.IDENTIFIER, NameForm.PATH, NameForm.QUOTED})
_LINKING = r"and|or|but|then|now|please|first|again|so\sfar"
_BEHIND = r"in|on|of|to|for|from|with|by|since|before|after|here|made|done|that|which|i|we|you"
_END = rf"(?=\s*(?:[,.;:!?)]|$|(?:{_LINKING})\b))"
_NO_NOUN = rf"(?=\s*(?:[,.;:!?)]|$|(?:{_LINKING}|{_BEHIND})\b))"
_BARE = rf"(?:this|that|it|these|those|them|everything)\b{_END}"
_OURS = r"(?:the|this|these|my|our|your|all|any|local|current|latest|last|recent|staged|unstaged|uncommitted|pending)"
_STATE = r"(?:changes?|diffs?|branch|commits?|edits|patch|stash|pr|pull\srequest|work(?:ing\s(?:tree|copy))?|wip)"
_PART = r"the\s(?:rest|remaining|next|other)(?:\s(?:bit|one|part|half|step)s?)?"
_TAKEN_UP = (
    r"(?:do|finish|start|begin|complete|implement|tackle|review|check|test|commit|push|ship|fix|with|on\sto|onto|and|"
    r"then|now|also)"
)
_BEGIN = r"(?:^\s*|[,.;:!?]\s*|\b(?:and|then|now|please|just|you|let's|lets|let\sus)\s)"
_GOING_ON = rf"(?:continue|go\son|keep\sgoing|carry\son|proceed)\b(?:\s(?:to|with)\s{_PART}\b)?"
_POINTS = re.compile(
    rf"\b{_BARE}|\b{_OURS}\s(?:{_OURS}\s){{0,4}}{_STATE}\b{_NO_NOUN}|\b{_GOING_ON}{_NO_NOUN}|{_BEGIN}{_GOING_ON}"
    rf"|(?:^\s*|[,.;:!?]\s*|\b{_TAKEN_UP}\s){_PART}\b{_NO_NOUN}",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"\b(?:please|can|could|would|you|let(?:'s|s| us)?|commit|push|stage|review|check|look|finish|ship|merge|squash|"
    r"stash|undo|revert|describe|summari[sz]e|explain|test|do|then|and|also|now|it|that|this|we|branch|changes?|made|so\sfar)\b",
    re.IGNORECASE,
)


def pointing_weight(goal: Goal, settings: HintSettings) -> float:
    """What a certain hint weighs for this goal, against the first rank of the ranker, which weighs 1."""
    text = goal.read[: settings.read_characters]
    about, points = _POINTS.subn(" ", text)
    if not points or goal.refs or any(name.form in _NAMING for name in goal.names):
        return settings.weight
    words = len(set(analyse(_DOING.sub(" ", about))))
    if words <= settings.few_words:
        return settings.pointing_weight
    return settings.half_pointing_weight if words <= settings.some_words else settings.weight


def lifted(
    scores: Mapping[int, float],
    record_ids: Iterable[int],
    hints: Mapping[int, float],
    weight: float,
    settings: FusionSettings,
) -> Mapping[int, float]:
    """The scores with hints; as they are where no record that is to be ordered is hinted at."""
    among = {record_id: scores.get(record_id, 0.0) for record_id in record_ids}
    if not any(record_id in hints for record_id in among):
        return scores
    places = ranks(among, settings.score_decimals)
    first = settings.k_ranks + 1
    return {
        record_id: 1.0 / (settings.k_ranks + place) + weight * hints.get(record_id, 0.0) / first
        for record_id, place in places.items()
    }
