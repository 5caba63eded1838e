"""Defeater: every live record that a relation sets against a result comes with it, or is named."""

from __future__ import annotations

from retrieval.obligations.obligation import Obligation
from retrieval.obligations.outcomes import outcome
from retrieval.obligations.view import View
from workingset.obligation import Gap, ObligationOutcome, ObligationStatus


def defeater(view: View, obligation: Obligation) -> ObligationOutcome:
    """Satisfied where all that relations name was brought; no hit means that no relation names any."""
    looked_at = view.best(obligation.results)
    found = {c.ref: view.opposed[c.ref] for c in looked_at if c.ref in view.opposed}
    brought = sum(len(one.by) for one in found.values())
    unread = sum(one.unread for one in found.values())
    barred = sum(one.barred for one in found.values())
    note = f"{brought} live records oppose {sum(bool(one.by) for one in found.values())} of {len(looked_at)} results"
    if barred:
        note += f"; {barred} more are not valid now or out of scope"
    if unread:
        gaps = (
            Gap(
                f"{one.unread} records that oppose it were not read",
                "raise the obligation's work, or resolve them",
                ref,
            )
            for ref, one in found.items()
            if one.unread
        )
        return outcome(obligation, ObligationStatus.RESOURCE_LIMITED, note, gaps, spent=brought + unread)
    if not brought:
        note = f"no relation opposes the {len(looked_at)} results looked at; texts were not searched for it"
        return outcome(obligation, ObligationStatus.EXHAUSTED_NO_HIT, note, spent=barred)
    return outcome(obligation, ObligationStatus.SATISFIED, note, spent=brought)
