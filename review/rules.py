"""What a judgment or a ruling needs before it counts: pure, shared by forms and workflow."""

from dataclasses import dataclass

from review.blinding import PacketContent
from review.settling import INSUFFICIENT, SUPPORTED, UNRESOLVED

VERDICTS = (SUPPORTED, INSUFFICIENT, UNRESOLVED)


@dataclass(frozen=True)
class Location:
    """An accepted passage: a packet's source and code points of its text, or (no end) all of it."""

    source: str
    start: int | None = None
    end: int | None = None

    def to_text(self) -> str:
        return self.source if self.end is None else f"{self.source}:{self.start}-{self.end}"


def location_from_text(text: str) -> Location | None:
    """Return the location that `to_text` wrote ("S1" or "S1:10-25"), None for an empty text.

    Raises ValueError for anything else.
    """
    if not text:
        return None
    source, _, span = text.partition(":")
    if not span:
        return Location(source)
    start, _, end = span.partition("-")
    return Location(source, int(start), int(end))


def judgment_problems(content: PacketContent, verdict: str, reason: str, location: Location | None) -> dict[str, str]:
    """Return what keeps a judgment from being recorded: a sentence per field, nothing if it may be."""
    problems = {}
    if verdict not in VERDICTS:
        problems["verdict"] = "Choose supported, insufficient or unresolved."
    elif verdict == SUPPORTED and not content.has_readable_source():
        problems["verdict"] = (
            "No source of this packet has a text in the reference corpus, so “supported” is not offered: "
            "insufficient if nothing is cited, unresolved if the source is unavailable."
        )
    elif verdict == SUPPORTED:
        problem = _location_problem(content, location)
        if problem:
            problems["location"] = problem
    elif not reason.strip():
        problems["reason"] = f"Say in a few words why the claim is {verdict}."
    return problems


def _location_problem(content: PacketContent, location: Location | None) -> str | None:
    if location is None:
        return "Supported needs an accepted passage: accept the highlighted one, or choose the source."
    source = content.source(location.source)
    if source is None or source.text is None:
        return "The accepted passage is in no readable source of this packet. Choose another."
    if location.end is not None and not 0 <= (location.start or 0) < location.end <= len(source.text):
        return "The accepted passage lies outside its source. Choose it again."
    return None
