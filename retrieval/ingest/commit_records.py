"""Commits as records: found by what their messages say, and by their hash; never by who made them."""

from __future__ import annotations

from retrieval.history.history import commit_local
from retrieval.ingest.digests import record_digest
from retrieval.ingest.git_log import LoggedCommit
from retrieval.ingest.settings import GitHistorySettings
from retrieval.record import Name, NameKind, Record
from retrieval.text.renderings import RenderingSettings, clip, one_line, render_document
from workingset.vocabulary import Namespace, Ref

COMMIT = "commit"
"""The kind of these records."""
_SHORT_HASH = 12


def commit_ref(namespace: Namespace, source: str, commit: str) -> Ref:
    """The ref of a commit's record."""
    return Ref(f"{namespace}:{commit_local(source, commit)}")


def commit_record(
    namespace: Namespace,
    source: str,
    commit: LoggedCommit,
    settings: GitHistorySettings,
    renderings: RenderingSettings,
) -> Record:
    """The record: its title is the message's first line, its text the message and the paths that were changed."""
    subject = clip(one_line(commit.message.partition("\n")[0]), settings.title_characters)
    title = subject or f"commit {commit.hash[:_SHORT_HASH]}"
    text = _text(commit, title, settings)
    made = render_document(text, title, renderings)
    return Record(
        ref=commit_ref(namespace, source, commit.hash),
        namespace=namespace,
        kind=COMMIT,
        title=title,
        text=text,
        outline=made.outline,
        gist=made.gist,
        digest=record_digest(COMMIT, title, "", text),
        source=source,
        names=(Name(NameKind.SYMBOL, commit.hash), Name(NameKind.SYMBOL, commit.hash[:_SHORT_HASH])),
        attributes=(("commit", commit.hash), ("committed_seconds", str(commit.seconds))),
    )


def _text(commit: LoggedCommit, title: str, settings: GitHistorySettings) -> str:
    listed = commit.paths[: settings.listed_paths]
    more = len(commit.paths) + commit.unkept - len(listed)
    lines = [commit.message or title, ""]
    lines += ["Changed:", *(f"- {one_line(path)}" for path in listed)] if listed else []
    lines += [f"… {more} more"] if more else []
    return "\n".join(lines).rstrip() + "\n"
