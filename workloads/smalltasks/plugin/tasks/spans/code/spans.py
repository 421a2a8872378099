"""Sets of spans."""


class Spans:
    """Numbers, as half-open spans."""

    def __init__(self):
        self.parts = []

    def add(self, start, end):
        """Covers the numbers from start on, without end."""
        self.parts.append((start, end))

    def remove(self, start, end):
        """Uncovers the numbers from start on, without end."""
        self.parts.remove((start, end))

    def covers(self, number):
        """Whether a number is covered."""
        return any(start <= number <= end for start, end in self.parts)

    def spans(self):
        """The spans, sorted and joined."""
        return sorted(self.parts)
