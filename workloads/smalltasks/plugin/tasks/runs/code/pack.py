"""Shortens runs of equal characters."""


def pack(text):
    """The runs of a text."""
    packed, at = "", 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] == text[at]:
            end += 1
        packed += f"{end - at}{text[at]}"
        at = end
    return packed
