"""What a component raises when it has no answer.

An Error is an answer too: the host is told code and text, and the instance stays in use. Faults tell a person what is
wrong with a configuration or an input. Any other exception is taken as what nobody foresaw: it ends the process, and the
host repeats the call or counts it as a failure of the plugin.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from .contract import Fault

MAX_TEXT = 4096
"""The most bytes that the text of an Error may have; what is beyond is cut."""


class Code(enum.IntEnum):
    """What kind of error a plugin reports; the numbers are those of google.rpc.Code."""

    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class Error(Exception):
    """An error with a code: the request was understood, and there is no answer to it."""

    def __init__(self, code: Code | int, text: str) -> None:
        super().__init__(text)
        self.code = Code(code)
        self.text = cut(text, MAX_TEXT)


class Faults(Exception):
    """What is wrong with a configuration or with inputs, all of it, each told so that a person can mend it.

    The constructor of a component raises it. A fault says where it is (input, line from 1, offset in bytes, pointer into
    the JSON), has a stable code of lower-case words with hyphens, a message, and what was expected instead.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = list(faults)
        if not self.faults:
            raise ValueError("Faults without a fault")
        first = self.faults[0]
        text = f"{first.pointer}: {first.message}" if first.pointer else first.message
        if len(self.faults) > 1:
            text += f" (and {len(self.faults) - 1} more faults)"
        super().__init__(text)


def fault(
    code: str,
    message: str,
    *,
    expected: str = "",
    pointer: str = "",
    input: str = "",
    line: int = 0,
    offset: int = 0,
) -> Faults:
    """One fault, ready to be raised."""
    return Faults([Fault(code=code, message=message, expected=expected, pointer=pointer, input=input, line=line, offset=offset)])


def clean(text: str) -> str:
    """Text that a message can hold: what JSON lets through and UTF-8 does not becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, limit: int) -> str:
    """Text without broken characters whose UTF-8 has at most so many bytes."""
    raw = text.encode("utf-8", "replace")
    return raw[:limit].decode("utf-8", "ignore") if len(raw) > limit else raw.decode("utf-8")
