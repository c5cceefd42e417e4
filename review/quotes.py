"""Find a quoted passage in a source: pure, offsets in code points of the stored text."""

import re
from dataclasses import dataclass

EXACT, NORMALISED = "exact", "normalised"


@dataclass(frozen=True)
class Match:
    start: int
    end: int  # exclusive
    how: str  # exact, or normalised: equal up to white space, quotation marks and dashes


@dataclass(frozen=True)
class Segment:
    text: str
    marked: bool


_LOOSE = {"'": "['’‘‛`]", '"': '["“”„«»]', "-": "[-‐‑‒–—]"}
_LOOSE_CLASS = {character: pattern for pattern in _LOOSE.values() for character in pattern[1:-1]}


def find_quote(text: str, quote: str) -> Match | None:
    """Return where `quote` first stands in `text`, or None; an exact match is preferred.

    Example: find_quote("a b", "a\\u00a0b") is Match(0, 3, "normalised").
    """
    wanted = quote.strip()
    if not wanted:
        return None
    start = text.find(wanted)
    if start >= 0:
        return Match(start, start + len(wanted), EXACT)
    words = (_loose(word) for word in wanted.split())
    found = re.search(r"\s+".join(words), text)
    return Match(found.start(), found.end(), NORMALISED) if found else None


def _loose(word: str) -> str:
    return "".join(_LOOSE_CLASS.get(character) or re.escape(character) for character in word)


def segments(text: str, matches: list[Match]) -> list[Segment]:
    """Return `text` cut at the matches, overlapping ones joined; joined again it is `text`."""
    pieces, position = [], 0
    for match in sorted(matches, key=lambda found: found.start):
        if match.end <= position:
            continue
        start = max(match.start, position)
        if start > position:
            pieces.append(Segment(text[position:start], marked=False))
        pieces.append(Segment(text[start : match.end], marked=True))
        position = match.end
    if position < len(text) or not pieces:
        pieces.append(Segment(text[position:], marked=False))
    return pieces
