"""The closed sets of words in answers. `UNSPECIFIED` is a word the daemon left out or this client does not know."""

from __future__ import annotations

from enum import Enum, unique


@unique
class Answer(Enum):
    """Whether a call did what it was asked; OVER_BUDGET is an answer, not an error: the state is kept."""

    UNSPECIFIED = "unspecified"
    OK = "ok"
    OVER_BUDGET = "over_budget"


@unique
class FocusMode(Enum):
    """What Focus does: move the set, evaluate without moving it, or show it."""

    UNSPECIFIED = "unspecified"
    SET = "set"
    CHECK = "check"
    STATUS = "status"


@unique
class PageIn(Enum):
    """Whether results of the goal may enter the block; OFF leaves its text to what is used or pinned."""

    UNSPECIFIED = "unspecified"
    ON = "on"
    OFF = "off"


@unique
class Tier(Enum):
    """Where an entry stands in the working set, strongest first."""

    UNSPECIFIED = "unspecified"
    PINNED = "pinned"
    MANDATORY = "mandatory"
    RESIDENT = "resident"
    FRONTIER_ONLY = "frontier_only"
    EVICTED = "evicted"


@unique
class Fidelity(Enum):
    """How much of a record's text is rendered; all renderings are extracts."""

    UNSPECIFIED = "unspecified"
    FULL = "full"
    OUTLINE = "outline"
    GIST = "gist"
    REFERENCE = "reference"


@unique
class Standing(Enum):
    """What the store says of a record at the cut."""

    UNSPECIFIED = "unspecified"
    CURRENT = "current"
    SUPERSEDED = "superseded"
    REMOVED = "removed"
    OUT_OF_SCOPE = "out_of_scope"


@unique
class SupportClosure(Enum):
    """How much of what a result needs by mandatory relations is there."""

    UNSPECIFIED = "unspecified"
    CLOSED = "closed"
    PARTIAL = "partial"
    RESOURCE_LIMITED = "resource_limited"
    NOT_REQUESTED = "not_requested"


@unique
class SearchCoverage(Enum):
    """What a search can claim to have looked at; weaker claims come later."""

    UNSPECIFIED = "unspecified"
    EXHAUSTIVE_FOR_DECLARED_FRAGMENT = "exhaustive_for_declared_fragment"
    APPROXIMATE = "approximate"
    HEURISTIC = "heuristic"
    BOUNDED = "bounded"
    PARTIAL_BACKEND = "partial_backend"
    RESOURCE_LIMITED = "resource_limited"
    NOT_ATTEMPTED = "not_attempted"


@unique
class ReplayVerdict(Enum):
    """What a replay came to; nothing was compared where the core is another one than then."""

    UNSPECIFIED = "unspecified"
    EQUAL = "equal"
    DIFFERENT = "different"
    OTHER_SETTINGS = "other_settings"
    OTHER_CODE = "other_code"


@unique
class OppositionCoverage(Enum):
    """What was done to find records that speak against the results. None of these says that there is none."""

    UNSPECIFIED = "unspecified"
    NOT_REQUESTED = "not_requested"
    RELATIONS = "relations"
    HEURISTIC = "heuristic"
    RESOURCE_LIMITED = "resource_limited"
    UNAVAILABLE = "unavailable"
    CANCELLED = "cancelled"


@unique
class Robustness(Enum):
    """How far results were checked against planted text. RESOURCE_LIMITED is the most that is ever said."""

    UNSPECIFIED = "unspecified"
    NOT_REQUESTED = "not_requested"
    RESOURCE_LIMITED = "resource_limited"
    DEGRADED = "degraded"


@unique
class Translation(Enum):
    """What became of the scope in a lane. WEAKENED: filtered afterwards, and its cap was reached before that."""

    UNSPECIFIED = "unspecified"
    PRESERVED = "preserved"
    POST_FILTER = "post_filter"
    WEAKENED = "weakened"
    UNSUPPORTED = "unsupported"


@unique
class ObligationKind(Enum):
    """What a projection owes its query beyond ranking."""

    UNSPECIFIED = "unspecified"
    SUPPORT = "support"
    OPPOSITION = "opposition"
    DEFEATER = "defeater"
    FRESHNESS = "freshness"
    IDENTITY = "identity"
    INDEPENDENT_ORIGIN = "independent_origin"
    SCOPE = "scope"
    TEMPORAL_VALIDITY = "temporal_validity"
    EXCEPTION = "exception"
    DEFINITION = "definition"


@unique
class ObligationStatus(Enum):
    """What became of it. EXHAUSTED_NO_HIT: all that was to be searched was searched, and nothing was found."""

    UNSPECIFIED = "unspecified"
    SATISFIED = "satisfied"
    UNSATISFIED = "unsatisfied"
    PARTIAL = "partial"
    EXHAUSTED_NO_HIT = "exhausted_no_hit"
    UNAVAILABLE = "unavailable"
    DENIED = "denied"
    RESOURCE_LIMITED = "resource_limited"
    CANCELLED = "cancelled"


@unique
class Freshness(Enum):
    """Whether an item's text is known to be that of its source now. What was only retrieved is UNKNOWN."""

    UNSPECIFIED = "unspecified"
    CURRENT = "current"
    STALE = "stale"
    UNKNOWN = "unknown"


@unique
class Nothing(Enum):
    """Which kind of nothing an empty answer is."""

    UNSPECIFIED = "unspecified"
    EMPTY = "empty"
    NOT_INDEXED = "not_indexed"
    BELOW_THRESHOLD = "below_threshold"
    DEGRADED = "degraded"
    FAILED = "failed"


@unique
class Change(Enum):
    """What happened to one entry since the block before."""

    UNSPECIFIED = "unspecified"
    NEW = "new"
    UPDATED = "updated"
    REMOVED = "removed"


@unique
class SufficiencyState(Enum):
    """Whether the agent has enough: yes, not yet, or more would add nothing."""

    UNSPECIFIED = "unspecified"
    SUFFICIENT = "sufficient"
    GATHERING = "gathering"
    SATURATED = "saturated"


@unique
class DriftVerdict(Enum):
    """Whether the goal or the evidence moved away from the set."""

    UNSPECIFIED = "unspecified"
    HOLD = "hold"
    REFOCUS = "refocus"
    STALE = "stale"


@unique
class DriftHold(Enum):
    """Why drift holds where its signals alone do not say so; UNSPECIFIED where they do."""

    UNSPECIFIED = "unspecified"
    FIRST_TURN = "first_turn"
    REFOCUSED_LATELY = "refocused_lately"
    NOTHING_RANKED = "nothing_ranked"


@unique
class LaneState(Enum):
    """How one search lane took part in a turn."""

    UNSPECIFIED = "unspecified"
    OK = "ok"
    PARTIAL = "partial"
    TIMED_OUT = "timed_out"
    UNAVAILABLE = "unavailable"
    CANCELLED = "cancelled"
    FAILED = "failed"
    SKIPPED = "skipped"


@unique
class PinOwner(Enum):
    """Who holds a pin; GOAL and REQUEST are the daemon's own: the goal of the turn, and the user's open request."""

    UNSPECIFIED = "unspecified"
    HOST = "host"
    AGENT = "agent"
    GOAL = "goal"
    REQUEST = "request"


@unique
class UseAction(Enum):
    """What the agent did with a record."""

    UNSPECIFIED = "unspecified"
    READ = "read"
    EDIT = "edit"
    CITE = "cite"


@unique
class ObservationKind(Enum):
    """Whose words an observation holds: the user's, the agent's own, a call of a tool, or what a tool answered."""

    UNSPECIFIED = "unspecified"
    USER = "user"
    AGENT = "agent"
    TOOL_CALL = "tool_call"
    TOOL_OUTPUT = "tool_output"


@unique
class RelationRole(Enum):
    """What a relation means for the working set."""

    UNSPECIFIED = "unspecified"
    MANDATORY = "mandatory"
    ASSOCIATIVE = "associative"
    OPPOSING = "opposing"
    IDENTITY = "identity"
    ORIGIN = "origin"
    SUCCESSION = "succession"


@unique
class SourceKind(Enum):
    """What a source is: a directory and all below it."""

    UNSPECIFIED = "unspecified"
    TREE = "tree"


@unique
class SourceState(Enum):
    """How far a source's records can be trusted to be those of its files."""

    UNSPECIFIED = "unspecified"
    SCANNING = "scanning"
    CURRENT = "current"
    DEGRADED = "degraded"


@unique
class Health(Enum):
    """The daemon's own word on whether it serves."""

    UNKNOWN = "unknown"
    SERVING = "serving"
    NOT_SERVING = "not_serving"
    SERVICE_UNKNOWN = "service_unknown"
