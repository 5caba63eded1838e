"""Heat in closed form: how much recent use an entry has had.

`heat(t) = heat0 * 2^(-(t - t0) / half_life)`, on the activity clock, so that it depends on when an entry was used and
never on how often anybody looked. Being rendered is not use. What an entry rests on counts as well: where some of it is
missing or stale, heat is multiplied by the share that is there (`Entry.grounded`).
"""

from __future__ import annotations

from workingset.copying import changed
from workingset.entry import Entry
from workingset.settings import HeatSettings
from workingset.vocabulary import Heat, Relevance, Turn


def heat_at(entry: Entry, turn: Turn, settings: HeatSettings) -> Heat:
    """Return the entry's heat at a turn no earlier than its last event, by how much of what it rests on is there."""
    return Heat(decayed(entry, turn, settings) * entry.grounded)


def decayed(entry: Entry, turn: Turn, settings: HeatSettings) -> float:
    """Return the entry's heat at a turn by its own use alone."""
    return float(entry.heat * 2.0 ** (-(turn - entry.heat_turn) / half_life(entry.kind, settings)))


def half_life(kind: str, settings: HeatSettings) -> float:
    """Return after how many turns the heat of an entry of the kind is halved."""
    return settings.slow_half_life_turns if kind in settings.slow_kinds else settings.half_life_turns


def used(entry: Entry, turn: Turn, weight: float, settings: HeatSettings) -> Entry:
    """Return the entry after a use at the turn: counted and warmed, both up to `uses_limit_per_turn`."""
    so_far = entry.turn_uses if entry.used_turn == turn else 0
    counted = changed(entry, used_turn=turn, turn_uses=so_far + 1)
    if so_far >= settings.uses_limit_per_turn:
        return counted
    return warmed(changed(counted, uses=entry.uses + 1), turn, weight, settings)


def warmed(entry: Entry, turn: Turn, weight: float, settings: HeatSettings) -> Entry:
    """Return the entry with an event's weight added at the turn, up to `heat_limit`; it never cools by being used."""
    now = decayed(entry, turn, settings)
    return changed(entry, heat=Heat(max(now, min(now + weight, settings.heat_limit))), heat_turn=turn)


def selected(entry: Entry, turn: Turn, relevance: Relevance, settings: HeatSettings) -> Entry:
    """Return the entry warmed by having been selected for a goal, weighted by relevance."""
    return warmed(entry, turn, settings.selection_heat * relevance, settings)


def cooled(entry: Entry, turn: Turn, settings: HeatSettings) -> Entry:
    """Return the entry as a refocus leaves it: its uses, for another subject, count as those of an earlier stay."""
    heat = Heat(decayed(entry, turn, settings) * settings.refocus_share)
    return changed(entry, heat=heat, heat_turn=turn, uses=0, uses_before=entry.uses_before + entry.uses)


def idled(entry: Entry, idle_seconds: int, settings: HeatSettings) -> Entry:
    """Return the entry after so much time without a turn: as it was, unless decay by the wall clock is configured."""
    if not settings.wall_half_life_seconds or idle_seconds <= 0:
        return entry
    return changed(entry, heat=Heat(entry.heat * 2.0 ** (-idle_seconds / settings.wall_half_life_seconds)))


def worth_of_heat(heat: Heat) -> float:
    """Map heat to the scale of relevance, 0 to 1: `1 - 2^-heat`; one read is worth a half."""
    return 1.0 - float(2.0 ** (-float(heat)))
