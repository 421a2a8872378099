"""Notes."""


class Store:
    """Keeps notes by their number."""

    def __init__(self):
        self.notes = {}

    def add(self, text, tags=()):
        """Adds a note and returns its number."""
        number = len(self.notes)
        self.notes[number] = (text, list(tags))
        return number

    def delete(self, number):
        """Deletes a note."""
        del self.notes[number]
