"""Chooses a berth for a call."""

from dataclasses import dataclass

from planner import costs
from planner.windows import Window, fitting

# Two ships lie side by side only when both are shorter than this.
RAFT_LENGTH_M = 40.0

# A berth is looked at when it is at most this much longer than the ship; longer ones are kept for longer ships.
SPARE_LENGTH_M = 25.0


@dataclass(frozen=True)
class Berth:
    name: str
    length_m: float
    depth_m: float
    power: bool


@dataclass(frozen=True)
class Assignment:
    berth: Berth
    window: Window
    cost: int


class NoBerth(Exception):
    """No berth fits; code is what the gateway shows."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


def split_raft(board, berth, call):
    """Returns whether the call may lie outside of the ship that is at the berth."""
    lying = board.at(berth, call.start)
    return lying is not None and lying.length_m < RAFT_LENGTH_M and call.length_m < RAFT_LENGTH_M


def candidates(berths, call):
    for berth in berths:
        spare = berth.length_m - call.length_m
        if 0 <= spare <= SPARE_LENGTH_M and berth.depth_m >= call.draught_m:
            yield berth


def assign(board, berths, call, levels):
    windows = fitting(levels, call)
    if not windows:
        raise NoBerth("NO_WINDOW")
    best = None
    for berth in candidates(berths, call):
        if board.at(berth, call.start) is not None and not split_raft(board, berth, call):
            continue
        for window in windows:
            cost = costs.total(board, berth, call, window)
            # Equal costs go to the berth whose name comes first, so that the choice never depends on the order of a file.
            if best is None or (cost, berth.name) < (best.cost, best.berth.name):
                best = Assignment(berth, window, cost)
    if best is None:
        raise NoBerth("QUAY_FULL")
    return best
