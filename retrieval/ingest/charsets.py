"""The character set that a page of HTML declares, and its text by it.

After the HTML standard, "Determining the character encoding": a `charset` in the first 1,024 bytes (in `<meta>`, in its
`content`, or an XML declaration's `encoding`), and the Encoding standard's list of encodings; labels of Latin-1 and
ASCII mean windows-1252 there.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection

_DECLARED = re.compile(
    rb"""<meta[^>]{0,200}\bcharset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})|<\?xml[^>]{0,100}\bencoding\s*=\s*["']([A-Za-z0-9_:.-]{2,40})""",
    re.IGNORECASE,
)
_SNIFFED_BYTES = 1_024

SWITCHING = ("iso2022_jp", "iso2022_kr", "hz")
"""Encodings of seven bits that switch between character sets by escapes."""

_ALLOWED = frozenset(
    (
        *SWITCHING,
        *(f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)),
        *(f"cp{page}" for page in (866, 874, 932, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258)),
        *("koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "gbk", "gb2312", "gb18030", "big5", "big5hkscs"),
        *("euc_jp", "shift_jis", "euc_kr", "tis-620", "utf-8"),
    )
)
_WESTERN = frozenset(("iso8859-1", "ascii"))
_ALIASES = {
    "windows-874": "cp874",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-gbk": "gbk",
    "x-euc-jp": "euc_jp",
    "x-mac-cyrillic": "mac-cyrillic",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
}
"""Labels of the Encoding standard that Python does not know."""
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"}
"""As in the Encoding standard: the label stands for the larger set that is in use."""


def by_charset(content: bytes, among: Collection[str] = _ALLOWED) -> str | None:
    """The text by the declared encoding; None where none is declared, it is not among these, or it does not fit."""
    declared = _DECLARED.search(content[:_SNIFFED_BYTES])
    if declared is None:
        return None
    label = (declared[1] or declared[2]).decode("ascii").lower()
    try:
        name = codecs.lookup(_ALIASES.get(label, label)).name
    except LookupError:
        return None
    name = "cp1252" if name in _WESTERN else name
    if name not in among:
        return None
    try:
        return content.decode(_WIDER.get(name, name))
    except UnicodeDecodeError:
        return None
