"""Makes texts of runs again."""


def unpack(packed):
    """The text of its runs."""
    text = ""
    for at in range(0, len(packed), 2):
        text += int(packed[at]) * packed[at + 1]
    return text
