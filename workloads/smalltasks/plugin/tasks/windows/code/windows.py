"""Windows over a sequence of items."""


def windows(items, width):
    """The windows of so many neighbours."""
    window = []
    for item in items:
        window.append(item)
        if len(window) > width:
            window.pop(0)
        yield window


def means(numbers, width):
    """The mean of each window."""
    return [sum(window) // width for window in windows(numbers, width)]
