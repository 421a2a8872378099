"""Lines of comma-separated values."""


def split(line):
    """The fields of one line."""
    fields, field, quoted = [], "", False
    for char in line:
        if char == '"':
            quoted = not quoted
        elif char == "," and not quoted:
            fields.append(field)
            field = ""
        else:
            field += char
    fields.append(field)
    return fields
