"""Words that carry a stance: negations, words of contrast and denial, and pairs of opposites.

Our own list, written down from everyday English for this purpose; no lexicon was copied. It is small on purpose: what
it does not hold is no cue, and no cue means nothing. The text against a claim says the opposite of such words and
shares all others, so claims are searched for without them; pairs that rather tell what is spoken of than what is said
of it (`north`, `wife`, `profit`) are cues, and are searched for all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from retrieval.text.tokens import analyse

_NEGATIONS = """
    no not never none nobody nothing neither nor nowhere cannot without hardly scarcely barely lack lacks lacked
    lacking fail fails failed absent incapable unable n't
"""
_CONTRASTS = """
    but however although though despite nevertheless nonetheless instead rather contrary contrast unlike whereas yet
    false falsely untrue wrong wrongly incorrect incorrectly mistaken mistakenly myth hoax rumour rumor fake
    deny denies denied refute refutes refuted debunk debunked disprove disproves disproved disproven reject rejects
    rejected dispute disputes disputed contradict contradicts contradicted
"""
_SAID = """
    above below | absent present | accept reject | accepted rejected | accepts rejects | active retired |
    after before | all none | allow forbid | allowed forbidden | allowed prohibited | allows forbids | always never |
    appear disappear | arrived departed | bad good | began ended | begin end | begins ends | beneficial harmful |
    benefit harm | benefits harms | best worst | better worse | big small | born died | build destroy |
    built destroyed | cause prevent | caused prevented | causes prevents | cheap expensive | common rare |
    complete incomplete | complete partial | compulsory voluntary | continue stop | continued stopped |
    cooling warming | criticised praised | criticized praised | dangerous safe | decline grow | declined grew |
    decrease increase | decreased increased | decreases increases | decreasing increasing | different same |
    difficult easy | disable enable | disabled enabled | down up | earlier later | early late |
    effective ineffective | empty full | everyone nobody | everything nothing | exclude include | excluded included |
    excludes includes | factual fictional | fail succeed | failed succeeded | fake real | fall rise | falling rising |
    falls rises | false true | fast slow | faster slower | fell rose | few many | fewer more | finish start |
    finished started | first last | forced voluntary | found lost | gain lose | gained lost | grow shrink |
    guilty innocent | harmful helpful | harmful safe | hate love | high low | higher lower | highest lowest |
    illegal lawful | illegal legal | impossible possible | improve worsen | improved worsened | improves worsens |
    increase reduce | increased reduced | increases reduces | join leave | joined left | large small |
    larger smaller | largest smallest | least most | less more | likely unlikely | longer shorter | lose win |
    loses wins | lost won | lower raise | lowered raised | lowers raises | maximum minimum | necessary unnecessary |
    negative positive | never often | new old | newer older | newest oldest | older younger | oldest youngest |
    oppose support | opposed supported | opposes supports | optional required | over under | permit prohibit |
    permitted prohibited | right wrong | safe unsafe | start stop | started stopped | starts stops |
    strengthen weaken | strengthened weakened | strong weak | stronger weaker | true untrue | useful useless |
    with without
"""
_SPOKEN_OF = """
    active passive | alive dead | amateur professional | ancient modern | artificial natural | asset liability |
    bottom top | bought sold | brother sister | buy sell | buyer seller | child parent | city village | cold hot |
    conservative liberal | cool warm | daughter son | day night | deep shallow | defeat victory | demand supply |
    domestic foreign | dry wet | east west | eastern western | enemy friend | even odd | export import |
    exports imports | external internal | fact fiction | failure success | father mother | female male |
    fiction nonfiction | future past | global local | group solo | heavy light | hero villain | husband wife |
    inner outer | inside outside | invisible visible | junior senior | king queen | left right | loser winner |
    loss profit | loss victory | lower upper | major minor | majority minority | man woman | married single |
    married unmarried | men women | north south | northern southern | peace war | permanent temporary | poor rich |
    prince princess | private public | runner-up winner | rural urban | short tall | thick thin
"""

NEGATIONS = frozenset(_NEGATIONS.split())
"""A sentence that holds one of them, or a word that ends in `n't`, is negated."""

CONTRASTS = frozenset(_CONTRASTS.split())
"""Words by which a text turns against something: connectives of contrast, and verbs and adjectives of denial."""


def _opposites(pairs: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in pairs.split("|"):
        left, right = pair.split()
        found.setdefault(left, set()).add(right)
        found.setdefault(right, set()).add(left)
    return {word: frozenset(found[word]) for word in sorted(found)}


OPPOSITES = _opposites(f"{_SAID}|{_SPOKEN_OF}")
"""The opposites of each word, in lower case."""

PREFIXES = ("un", "non", "dis", "anti")
"""A word and the same word behind one of them are opposites."""

POLARITY = NEGATIONS | CONTRASTS | _opposites(_SAID).keys()
"""Words that a claim is searched for without."""

POLARITY_TERMS = frozenset(term for word in sorted(POLARITY) for term in analyse(word))
"""The same as analysed terms."""


def negates(word: str) -> bool:
    """True for a negation, in lower case."""
    return word in NEGATIONS or word.endswith(("n't", "n’t"))
