"""Reads an input line by line, knowing number and offset of each line.

So a plugin can index a data set once and later read single lines in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from .errors import Code, Error

MAX_LINE = 64 << 20
"""The length in bytes above which a line is refused."""

_BLOCK = 256 << 10
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line without its end."""

    number: int
    """The first line of the input is 1; blank lines count."""
    offset: int
    """Where in the input its first byte is."""
    text: bytes


class Readable(Protocol):
    """What lines are read from: an Input."""

    name: str
    size: int

    def read_at(self, offset: int, size: int) -> bytes:
        """The bytes from offset on, fewer than size only at the end."""


def scan(source: Readable, *, limit: int = MAX_LINE) -> Iterator[Line]:
    """The lines of an input.

    Lines end with LF or CRLF, the last one with the input too. A byte order mark at the start is skipped, and so are
    lines of spaces and tabs alone. Raises Error where a line is longer than limit.
    """
    number = 0
    for offset, text in _split(source, limit):
        number += 1
        if text.endswith(b"\r"):
            text = text[:-1]
        if len(text) > limit:
            raise Error(Code.INVALID_ARGUMENT, f"input {source.name}: line {number}: longer than {limit} bytes")
        if offset == 0 and text.startswith(_BOM):
            offset, text = len(_BOM), text[len(_BOM) :]
        if text.strip(b" \t\r"):
            yield Line(number, offset, text)


def _split(source: Readable, limit: int) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of each line without its LF; a line is given up soon after it passed the limit."""
    base, held = 0, []  # the parts of a line that goes on, which starts at base
    size, at = 0, 0
    while at < source.size:
        block = source.read_at(at, _BLOCK)
        at += len(block)
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            held.append(block[start:end])
            yield base, b"".join(held)
            base, held, size, start = at - len(block) + end + 1, [], 0, end + 1
        held.append(block[start:])
        size += len(block) - start
        if size > limit + 1:
            yield base, b"".join(held)
            return
    if size:
        yield base, b"".join(held)
