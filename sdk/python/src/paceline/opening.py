"""What a component is opened with."""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Iterator, Sequence
from typing import Protocol

from . import contract, lines
from .contract import Capability
from .errors import Code, Error, Faults, clean, fault


class Source(Protocol):
    """Where the bytes of an input come from."""

    def read(self, size: int, offset: int) -> bytes:
        """At most size bytes from offset on; none at the end. Raises OSError."""


class Descriptor:
    """An input that the host handed over as an open descriptor: the very file whose digest it checked."""

    FIRST = 3

    def __init__(self, handle: int) -> None:
        self._fd = self.FIRST + handle

    def read(self, size: int, offset: int) -> bytes:
        """See Source."""
        return os.pread(self._fd, size, offset)


class Input:
    """One data set, read in place. It holds no buffer; read it in blocks of 64 KiB or more."""

    def __init__(self, said: contract.Input, source: Source) -> None:
        self.name = said.name
        self.size = said.size
        """In bytes."""
        self.sha256 = said.sha256
        """Of the whole input; the host checked it."""
        self.path = said.path
        """For libraries that want a path; it names the open descriptor and is good in this process only."""
        self._source = source

    def read_at(self, offset: int, size: int) -> bytes:
        """The bytes from offset on: size of them, fewer only where the input ends. Raises Error."""
        if offset < 0 or size < 0:
            raise ValueError(f"read input {self.name}: offset {offset}, size {size}")
        size = min(size, max(self.size - offset, 0))
        parts = []
        while size > 0:
            try:
                part = self._source.read(size, offset)
            except OSError as e:
                raise Error(Code.INTERNAL, f"read input {self.name} at {offset}: {e.strerror or e}") from e
            if not part:
                raise Error(
                    Code.DATA_LOSS, f"read input {self.name}: it ends at {offset}, and has {self.size} bytes by its digest"
                )
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return b"".join(parts)

    def lines(self, *, limit: int = lines.MAX_LINE) -> Iterator[lines.Line]:
        """The lines that are not blank, with number and offset; limit bounds the bytes of one. Raises Error."""
        return lines.scan(self, limit=limit)

    def open(self) -> io.BufferedReader:
        """A file object over the input, from its start."""
        return io.BufferedReader(_Raw(self), 1 << 18)


class _Raw(io.RawIOBase):
    def __init__(self, given: Input) -> None:
        self._input = given
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._input.size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer) -> int:
        data = self._input.read_at(self._at, len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class Opening:
    """What a component is opened with, and where its constructor leaves what the host shall know."""

    def __init__(self, request: contract.OpenRequest, inputs: Sequence[Input], log: logging.Logger) -> None:
        self.config = request.config
        """JSON; empty: none was given."""
        self.seed = request.seed
        """32 bytes, derived from the run's seed and the component's name."""
        self.inputs = list(inputs)
        self.granted = list(request.granted)
        self.prepared = request.prepared
        """What an earlier opening with the same configuration and inputs left in prepare; empty: there was none."""
        self.log = log
        """Lines for the person who runs or writes the plugin: bound in number, never part of a result."""
        self.prepare = b""
        """For an index or the like that is slow to make, at most 64 MiB: later openings get it as prepared."""
        self.losses: list[str] = []
        """What the source has and the contract cannot carry (importers)."""

    def input(self, name: str) -> Input:
        """The input of that name; Faults that name it where the run gives none."""
        for given in self.inputs:
            if given.name == name:
                return given
        raise fault("missing-input", f"input {name} is missing", input=name, expected="a file")

    def has(self, capability: Capability) -> bool:
        """Whether a capability was granted."""
        return capability in self.granted

    def settings(self, *known: str) -> dict:
        """The configuration as an object; without one, an empty object. Raises Faults.

        Where names are given, any other name in it is a fault.
        """
        try:
            settings = json.loads(self.config) if self.config else {}
        except (ValueError, RecursionError) as e:
            raise fault("bad-json", f"the configuration is no JSON: {e}", expected="a JSON object") from e
        if not isinstance(settings, dict):
            raise fault("bad-type", "the configuration is no object", expected="a JSON object")
        unknown = [k for k in settings if known and k not in known]
        if unknown:
            raise Faults(
                contract.Fault(
                    pointer="/" + clean(k).replace("~", "~0").replace("/", "~1"),
                    code="unknown-key",
                    message=f"unknown key {k!r}",
                    expected="one of " + ", ".join(known),
                )
                for k in unknown
            )
        return settings
