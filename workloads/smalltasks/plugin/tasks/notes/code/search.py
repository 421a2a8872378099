"""Finds notes."""


def find(store, query):
    """The numbers of the notes that fit a query."""
    return [number for number, (text, _) in store.notes.items() if query in text]
