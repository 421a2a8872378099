"""Lines of a paragraph."""


def wrap(text, width):
    """The text in lines of that width."""
    lines, line = [], ""
    for word in text.split(" "):
        if len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line += " " + word
    lines.append(line)
    return lines
