"""Rules of the engine's model test in which agents use what they have: Touch, by ref, by lines, as observed."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from hotsetd.answers import TouchAnswer
from hotsetd.calls import ObservationCall, TouchCall, UseCall
from hotsetd.errors import UnknownAgent
from retrieval.errors import UnknownRef
from tests.model import engine_checks as checks
from tests.model.engine_asks import OBSERVED, SECRET, actions, names, paths, places, ranges
from tests.model.engine_focusing import Focusing
from tests.model.engine_stage import ENTRIES, GHOSTS, count
from tests.model.engine_uses import in_full, is_fault, pages_of
from tests.model.engine_world import CODE, PATHS, source
from workingset.tier import Cause, Tier
from workingset.transitions.touch import Action
from workingset.vocabulary import Lines, Ref


class Touching(Focusing):
    """An agent says what it used, or its host shows what it did and saw."""

    @rule(name=names, place=places, action=actions, named=st.booleans())
    def use_a_record(self, name: str, place: int, action: Action, named: bool) -> None:
        pool = self.refs_of(name)
        ref = pool[place % len(pool)]
        call, record = _use(name, ref, action), self.record(ref)
        if name not in self.agents:
            self.refused(UnknownAgent, "touch", call)
        elif record is None or record.removed:
            self.refused(UnknownRef, "touch", call)
        else:
            before = self.state(name)
            fault = is_fault(before, [record], None)
            answer = self._touch(name, call, named, steps=1)
            ((_, touched),) = answer.touched
            assert (touched.refs, touched.fault) == ((ref,), fault)

    @rule(name=names, path=paths, lines=ranges, action=actions, named=st.booleans())
    def use_lines(self, name: str, path: str, lines: Lines | None, action: Action, named: bool) -> None:
        bounds = (lines.start, lines.end) if lines else (0, 0)
        call = TouchCall(agent=name, uses=(UseCall("", CODE, path, *bounds, action),))
        if name not in self.agents:
            self.refused(UnknownAgent, "touch", call)
            return
        refs = pages_of(self.pages(path), lines)
        pages = [page for page in self.pages(path) if page.ref in refs]
        fault = is_fault(self.state(name), pages, lines)
        answer = self._touch(name, call, named, steps=1)
        if not pages:
            assert (answer.unmatched, answer.touched) == ((0,), ())
            return
        ((_, touched),) = answer.touched
        assert (set(touched.refs), touched.fault) == (set(refs), fault)

    @rule(name=names, path=paths, place=places, lines=ranges, edited=st.booleans())
    def use_a_page_and_more(self, name: str, path: str, place: int, lines: Lines | None, edited: bool) -> None:
        """Some of the lines of the second use are there from the first one, unless the file has changed since."""
        pages = self.pages(path)
        if name in self.agents and pages:
            self._touch(name, _use(name, pages[place % len(pages)].ref, Action.READ), named=False, steps=1)
            if edited:
                self.write_files({**self.world.files, path: source(path, self.world.version())}, indexed=False)
            self.use_lines(name, path, lines, Action.READ, named=False)

    @rule(name=names, several=st.lists(places, min_size=2, max_size=5), action=actions)
    def use_several(self, name: str, several: list[int], action: Action) -> None:
        pool = [ref for ref in self.refs_of(name) if (record := self.record(ref)) is not None and not record.removed]
        uses = [UseCall(pool[place % len(pool)], "", "", 0, 0, action) for place in several] if pool else []
        call = TouchCall(agent=name, uses=(*uses, UseCall("", CODE, PATHS[0], 2, 3, action)))
        if name not in self.agents:
            self.refused(UnknownAgent, "touch", call)
        else:
            self._touch(name, call, named=False, steps=len(call.uses))

    @rule(name=names, which=st.sampled_from(range(len(OBSERVED))), keep=st.booleans(), named=st.booleans())
    def observe(self, name: str, which: int, keep: bool, named: bool) -> None:
        observed = OBSERVED[which]
        call = TouchCall(agent=name, uses=(), observed=observed, keep_history=keep)
        if name not in self.agents:
            self.refused(UnknownAgent, "touch", call)
            return
        before = self.state(name)
        answer = self._touch(name, call, named, steps=3)
        if keep:
            self._kept(name, observed, answer)
        if which < len(PATHS):
            pages = self.pages(PATHS[which]) if CODE in (before.namespaces or (CODE,)) else []
            found = [(set(seen.touched.refs), seen.touched.fault) for seen in answer.observed]
            expected = {page.ref for page in pages}
            assert found == ([(expected, is_fault(before, pages, None))] if pages else [])

    def _touch(self, name: str, call: TouchCall, named: bool, steps: int) -> TouchAnswer:
        agent, before = self.agents[name], self.state(name)
        answer: TouchAnswer = self.send("touch", call, named=named)
        after, uses = answer.state, [*(t for _, t in answer.touched), *(seen.touched for seen in answer.observed)]
        assert after == self.state(name)
        assert len(answer.touched) + len(answer.unmatched) == len(call.uses)
        agent.references += len(uses)
        agent.faults += sum(use.fault for use in uses)
        checks.add_up(before, answer.moves, after)
        agent.between.extend(answer.moves)
        agent.moved(answer.moves, GHOSTS if steps == 1 else len(answer.moves) + GHOSTS)
        if steps > 1:
            # Each use cuts the ring anew, so what one of them cut off another cannot bring back.
            ghosts = [ghost.ref for ghost in after.ghosts]
            assert [ref for ref in agent.ghosts if ref in ghosts] == ghosts
            agent.ghosts = ghosts
        checks.sized(after, self.record, count)
        if uses or answer.kept:
            checks.within_budget(after)
            may_go = [entry.ref for entry in after.entries if entry.tier is Tier.RESIDENT]
            assert len(after.entries) <= ENTRIES or not may_go
        left = {move.ref for move in answer.moves if move.cause is Cause.PRESSURE}
        lowered = {ref for use in uses for ref in use.no_place}
        for use in uses:
            assert use.paged_in or use.no_place or not use.fault
            for ref in (*use.paged_in, *use.no_place):
                record = self.record(ref)
                assert record is not None
                whole = in_full(after, record)
                if len(uses) == 1 and not answer.kept:
                    assert whole is (ref in use.paged_in), ref
                assert whole or ref in left or ref in lowered, ref
        return answer

    def _kept(self, name: str, observed: tuple[ObservationCall, ...], answer: TouchAnswer) -> None:
        """Every word is there under a ref, in order, but for what shows secrets."""
        texts = {ref: record.text for ref in answer.kept if (record := self.record(ref)) is not None}
        assert len(texts) == len(answer.kept) >= len(observed)
        withheld = dict(answer.passed_over).get("withheld_for_secrets", 0)
        assert withheld == any(SECRET in said.text for said in observed)
        if not withheld:
            assert "".join(texts[ref] for ref in answer.kept) == "".join(said.text for said in observed)
        assert not any(SECRET in text for text in texts.values())
        # A set that begins a history anew counts on from what its namespace holds already.
        said = self.agents[name].said or sum(":turn-" in ref for ref in self.kept.get(name, ()))
        self.agents[name].said = said + len(observed)
        self.keep(name, texts)


def _use(name: str, ref: Ref, action: Action) -> TouchCall:
    return TouchCall(agent=name, uses=(UseCall(ref, "", "", 0, 0, action),))
