"""Spans in which the water over the sill is deep enough."""

from dataclasses import dataclass

SLOT_MINUTES = 5

# A window that is shorter than this many slots is no window: nobody gets a ship in that fast.
SHORTEST_SLOTS = 9

# Added to the margin while a station is predicted only, in metres.
PREDICTED_ONLY_EXTRA_M = 0.20


@dataclass(frozen=True)
class Window:
    first_slot: int
    last_slot: int
    night: bool = False

    def is_night(self):
        return self.night

    def slots(self):
        return self.last_slot - self.first_slot + 1


def margin(station):
    extra = PREDICTED_ONLY_EXTRA_M if station.predicted_only else 0.0
    return station.margin_m + extra


def fitting(levels, call):
    """levels is one height a slot, above the sill."""
    need = call.draught_m + margin(levels.station)
    windows, first = [], None
    for slot, height in enumerate(levels.heights):
        if height >= need and first is None:
            first = slot
        elif height < need and first is not None:
            append_window(windows, first, slot - 1, levels)
            first = None
    if first is not None:
        append_window(windows, first, len(levels.heights) - 1, levels)
    return windows


def append_window(windows, first, last, levels):
    if last - first + 1 >= SHORTEST_SLOTS:
        windows.append(Window(first, last, levels.night_at(first)))
