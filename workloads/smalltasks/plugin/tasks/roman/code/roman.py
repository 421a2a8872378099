"""Roman numerals from 1 to 3999."""

SIGNS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]
VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def to_roman(number):
    """The numeral of a number."""
    if not 1 <= number <= 3999:
        raise ValueError(f"{number} is not from 1 to 3999")
    text = ""
    for value, sign in SIGNS:
        while number >= value:
            text += sign
            number -= value
    return text


def to_int(text):
    """The number of a numeral."""
    return sum(VALUES[sign] for sign in text)
