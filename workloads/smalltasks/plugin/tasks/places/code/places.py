"""Searching in sorted lists."""


def first(items, wanted):
    """The place of an item, or -1."""
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            return middle
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def count(items, wanted):
    """How many items are equal to one."""
    return items.count(wanted)
