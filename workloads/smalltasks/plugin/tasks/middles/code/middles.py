"""What stands in the middle of numbers."""


def median(numbers):
    """The number in the middle."""
    numbers.sort()
    return numbers[len(numbers) // 2]


def modes(numbers):
    """The numbers that come most often."""
    return [max(numbers, key=numbers.count)]
