"""Where is it kept? In one LMDB environment on this machine."""

from retrieval.store.lmdb.settings import LmdbSettings
from retrieval.store.lmdb.store import LmdbStore, open_store

__all__ = ["LmdbSettings", "LmdbStore", "open_store"]
