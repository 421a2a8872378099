"""Log lines to the host: one JSON object a line on the standard error, as go-plugin's loggers write them."""

from __future__ import annotations

import json
import logging
import sys
from typing import TextIO

from .errors import clean, cut

MAX_LINE = 8 << 10
"""The most bytes of a line with its end; a message is cut until its line fits, since the host would break the line.

The host drops what is above 256 KiB a second, and counts it.
"""


class HostHandler(logging.Handler):
    """Writes records where the host reads them."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record."""
        try:
            self._out.write(line(record.levelno, self.format(record)))
            self._out.flush()
        except Exception:
            self.handleError(record)


def line(level: int, text: str) -> str:
    """One line, with its end."""
    name = "debug"
    for least, word in ((logging.INFO, "info"), (logging.WARNING, "warn"), (logging.ERROR, "error")):
        if level >= least:
            name = word
    text = clean(text)
    while True:
        made = json.dumps({"@level": name, "@message": text}, ensure_ascii=False, separators=(",", ":")) + "\n"
        size = len(made.encode())
        if size <= MAX_LINE:
            return made
        have = len(text.encode())
        text = cut(text, min(have * MAX_LINE // size, have - 1) - 1)


def to_host() -> logging.Logger:
    """The logger of the components; what other libraries log goes to the host too."""
    handler = HostHandler(sys.stderr)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    log = logging.Logger("paceline", logging.DEBUG)
    log.addHandler(handler)
    return log
