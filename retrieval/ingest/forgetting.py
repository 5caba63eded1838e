"""What is kept of a tree beside its records: taken out together with them."""

from __future__ import annotations

from retrieval.history.kept import HISTORY_MARK, encode_trees, kept_trees
from retrieval.ingest.file_stamps import forget_stamps
from retrieval.ingest.history_heads import forget_seen_generation
from retrieval.ingest.passed_over import forget_passed_over
from retrieval.store.interface import WriteTransaction
from workingset.vocabulary import Namespace


def forget_tree(txn: WriteTransaction, namespace: Namespace, source: str) -> None:
    """Keep nothing of the tree that a source's records came from: its past, how far that was tied to records, and what
    its files looked like, and what was passed over in them. Without it, or after it, the tree is read as if for the
    first time."""
    trees = kept_trees(txn, namespace)
    others = tuple(tree for tree in trees if tree.source != source)
    if others != trees:
        txn.put_mark(HISTORY_MARK, encode_trees(others), namespace)
    forget_seen_generation(txn, namespace, source)
    forget_stamps(txn, namespace, source)
    forget_passed_over(txn, namespace, source)
