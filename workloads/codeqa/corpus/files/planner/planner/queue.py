"""Reads calls from the log and writes assignments."""

import logging
import time

import harbourlog

from planner.assign import NoBerth, assign
from planner.board import Board

log = logging.getLogger("planner")

GROUP = "planner-blue"
POLL_SECONDS = 1.5

# After this many failures in a row a call is set aside under the topic calls.stranded.
GIVE_UP_AFTER = 4


def main():
    board = Board.rebuild(days=21)
    failures = {}
    for call in harbourlog.follow("calls.requested", group=GROUP, poll=POLL_SECONDS):
        try:
            done = assign(board, board.berths, call, board.levels(call.station))
            harbourlog.append("calls.assigned", done)
            failures.pop(call.ticket, None)
        except NoBerth as refused:
            harbourlog.append("calls.refused", {"ticket": call.ticket, "code": refused.code})
        except harbourlog.Unreachable:
            failures[call.ticket] = failures.get(call.ticket, 0) + 1
            if failures[call.ticket] >= GIVE_UP_AFTER:
                harbourlog.append("calls.stranded", call)
            log.warning("log unreachable, call %s waits", call.ticket)
            time.sleep(POLL_SECONDS)
