"""Settings in sections."""


def read(text):
    """The settings of each section."""
    sections, section = {}, ""
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            sections.setdefault(section, {})
        elif "=" in line:
            name, value = line.split("=", 1)
            sections.setdefault(section, {})[name.strip()] = value.strip()
    return sections
