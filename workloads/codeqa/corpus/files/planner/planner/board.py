"""Who lies where. Rebuilt from the log, never stored."""

import csv

import harbourlog

from planner.assign import Berth

BERTH_FILE = "data/berths.csv"


class Board:
    def __init__(self, berths):
        self.berths = berths
        self.stays = {}

    @classmethod
    def rebuild(cls, days):
        with open(BERTH_FILE, newline="") as rows:
            berths = [
                Berth(row["berth"], float(row["length_m"]), float(row["depth_m"]), row["power"] == "yes")
                for row in csv.DictReader(rows)
            ]
        board = cls(berths)
        for done in harbourlog.replay("calls.assigned", days=days):
            board.put(done)
        return board

    def put(self, done):
        self.stays.setdefault(done.berth.name, []).append(done)

    def at(self, berth, when):
        for stay in self.stays.get(berth.name, []):
            if stay.start <= when < stay.end:
                return stay
        return None

    def moves(self, berth, call):
        return any(stay.fixed is False and stay.start < call.end for stay in self.stays.get(berth.name, []))
