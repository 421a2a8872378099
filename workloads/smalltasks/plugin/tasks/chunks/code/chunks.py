"""Lists of a fixed length."""


def chunks(items, size):
    """The items in lists of that size."""
    chunk = []
    for item in items:
        chunk.append(item)
        if len(chunk) == size:
            yield chunk
            chunk = []
