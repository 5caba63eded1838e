"""The words by which tools, arguments and commands are known: what common agents and shells call them."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


EDITING = _words(
    "edit write patch insert replace create delete remove append modify update multiedit rename undo overwrite"
)
"""In a tool's name, or as the verb among its arguments: it changes the files it is given."""
READING = _words("read view open cat resolve")
"""As above: it shows them."""

PATH_KEYS = _words(
    "path file filepath filename notebookpath targetfile absolutepath relativepath relativeworkspacepath uri"
    " paths files filepaths filenames"
)
"""Keys of arguments, in small letters without anything between them, whose values are paths."""
OLD_KEYS = _words("oldstring oldstr oldtext old original search find")
"""Texts that an edit replaces."""
NEW_KEYS = _words("newstring newstr newtext new replacement replace")
"""Texts that it puts there."""
START_KEYS = _words("startline linestart firstline startlineoneindexed line linenumber lineno insertline offset")
"""The first line."""
END_KEYS = _words("endline lineend lastline endlineoneindexed endlineoneindexedinclusive")
"""The last line."""
RANGE_KEYS = _words("viewrange lines range linerange")
"""Both, as a text or a list of two."""
COMMAND_KEYS = _words("command cmd script commandline")
"""A command line, or a list of its words."""
REF_KEYS = _words("ref refs")
"""Refs of records."""

SHELLS = _words("bash sh zsh")
PRINTERS = _words("cat bat batcat nl less more view vim vi nano emacs code open tac")
"""Commands that show whole files."""
SEARCHES = _words("grep egrep fgrep rg ag ack")
"""Commands that go through files for a pattern, their first operand."""
FILTERS = SEARCHES | _words("awk gawk wc cut sort uniq diff jq tr md5sum sha1sum sha256sum cmp")
"""Behind these a pipeline no longer shows what it was given."""
WRITERS = _words("tee touch rm truncate")
"""Commands that change the files they are given."""
WRAPPERS = _words("sudo env time timeout nice nohup command exec builtin xargs stdbuf then do else !")
"""What may stand before a command's name."""
VALUE_OPTIONS = {
    "grep": _words("-A -B -C -m -f --include --exclude --exclude-dir"),
    "rg": _words("-A -B -C -m -g -t -T --glob --type"),
    "bat": _words("-l --language --style"),
    "sed": _words("-l"),
}
"""Options by command whose next word is their value and no operand."""
