"""Heat in closed form: how much recent use an entry has had.

`heat(t) = heat0 * 2^(-(t - t0) / half_life)`, on the activity clock, so that it depends on when an entry was used and
never on how often anybody looked. Being rendered is not use.
"""

from __future__ import annotations

from dataclasses import replace

from workingset.entry import Entry
from workingset.settings import HeatSettings
from workingset.vocabulary import Heat, Relevance, Turn


def heat_at(entry: Entry, turn: Turn, settings: HeatSettings) -> Heat:
    """Return the entry's heat at a turn no earlier than its last event."""
    return Heat(entry.heat * 2.0 ** (-(turn - entry.heat_turn) / settings.half_life_turns))


def warmed(entry: Entry, turn: Turn, weight: float, settings: HeatSettings) -> Entry:
    """Return the entry with an event's weight added at the turn, up to `heat_limit`; it never cools by being used."""
    now = heat_at(entry, turn, settings)
    return replace(entry, heat=Heat(max(now, min(now + weight, settings.heat_limit))), heat_turn=turn)


def selected(entry: Entry, turn: Turn, relevance: Relevance, settings: HeatSettings) -> Entry:
    """Return the entry warmed by having been selected for a goal, weighted by relevance."""
    return warmed(entry, turn, settings.selection_heat * relevance, settings)


def cooled(entry: Entry, turn: Turn, settings: HeatSettings) -> Entry:
    """Return the entry as a refocus leaves it."""
    return replace(entry, heat=Heat(heat_at(entry, turn, settings) * settings.refocus_share), heat_turn=turn)


def worth_of_heat(heat: Heat) -> float:
    """Map heat to the scale of relevance, 0 to 1: `1 - 2^-heat`; one read is worth a half."""
    return 1.0 - float(2.0 ** (-float(heat)))
