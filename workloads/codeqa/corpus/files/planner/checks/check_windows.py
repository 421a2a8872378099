"""Checks of planner.windows; run with `python -m planner.checks`."""

from types import SimpleNamespace

from planner.windows import fitting


def levels(heights, margin=0.45, predicted=False):
    station = SimpleNamespace(margin_m=margin, predicted_only=predicted)
    return SimpleNamespace(heights=heights, station=station, night_at=lambda slot: False)


def check_short_windows_are_dropped():
    call = SimpleNamespace(draught_m=3.0)
    assert fitting(levels([4.0] * 8 + [1.0]), call) == []
    assert len(fitting(levels([4.0] * 9 + [1.0]), call)) == 1


def check_predicted_only_needs_more_water():
    call = SimpleNamespace(draught_m=3.0)
    assert fitting(levels([3.5] * 12), call) != []
    assert fitting(levels([3.5] * 12, predicted=True), call) == []


def check_window_at_the_end_counts():
    call = SimpleNamespace(draught_m=3.0)
    found = fitting(levels([1.0] * 3 + [4.0] * 10), call)
    assert [(w.first_slot, w.last_slot) for w in found] == [(3, 12)]
