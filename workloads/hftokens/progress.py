"""Tells now and then how far the counting is."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from paceline import TokenCount

EVERY = 10.0
"""Seconds between two lines."""


class Progress:
    """Writes a line with turns, tokens and tokens per second to a log."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._began = self._said = time.monotonic()
        self._turns = self._tokens = 0

    def seen(self, counts: Sequence[TokenCount]) -> Sequence[TokenCount]:
        """Takes note of some counts and returns them."""
        self._turns += len(counts)
        self._tokens += sum(c.input + c.output for c in counts)
        now = time.monotonic()
        if now - self._said >= EVERY:
            self._said = now
            rate = round(self._tokens / (now - self._began))
            self._log.info("%d turns, %d tokens, %d tokens/s", self._turns, self._tokens, rate)
        return counts
