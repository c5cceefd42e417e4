"""Numbers in sentences: pure."""


def counted(number: int, noun: str) -> str:
    """Return "1 output", "2 outputs"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
