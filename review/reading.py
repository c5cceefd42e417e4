"""How a packet is laid out for reading one claim: pure, out of the blinded content."""

from collections.abc import Sequence
from dataclasses import dataclass

from review.blinding import ClaimView, PacketContent, SourceView
from review.quotes import NORMALISED, Match, Segment, find_quote, segments
from review.rules import Location

EXCERPT = 90


@dataclass(frozen=True)
class SourcePanel:
    label: str
    title: str
    url: str
    version: str
    segments: Sequence[Segment]  # empty: no text in the reference corpus
    is_cited: bool
    notes: Sequence[str]  # how each quoted passage was found


@dataclass(frozen=True)
class LocationChoice:
    value: str
    text: str


@dataclass(frozen=True)
class ClaimReading:
    claim: ClaimView
    total: int
    panels: Sequence[SourcePanel]  # cited ones first
    locations: Sequence[LocationChoice]
    can_support: bool

    @property
    def numbers(self) -> range:
        return range(1, self.total + 1)

    @property
    def previous(self) -> int:
        return self.claim.number - 1

    @property
    def next(self) -> int:
        return self.claim.number + 1


def read_claim(content: PacketContent, number: int) -> ClaimReading:
    """Return claim `number` (from 1) with its sources, quoted passages marked; IndexError if none."""
    if number < 1:
        raise IndexError(number)
    claim = content.claims[number - 1]
    cited = {citation.source for citation in claim.citations}
    ordered = sorted(content.sources, key=lambda source: source.label not in cited)
    found = {source.label: _matches(source, claim) for source in ordered}
    return ClaimReading(
        claim=claim,
        total=len(content.claims),
        panels=[_panel(source, found[source.label], claim, source.label in cited) for source in ordered],
        locations=_choices(ordered, found),
        can_support=content.has_readable_source(),
    )


def _matches(source: SourceView, claim: ClaimView) -> list[tuple[str, Match | None]]:
    if source.text is None:
        return []
    quotes = dict.fromkeys(entry.quote for entry in claim.citations if entry.source == source.label and entry.quote)
    return [(quote, find_quote(source.text, quote)) for quote in quotes]


def _panel(source: SourceView, found: list[tuple[str, Match | None]], claim: ClaimView, is_cited: bool) -> SourcePanel:
    matches = [match for _, match in found if match is not None]
    notes = [
        "Quoted passage not found in this source."
        if match is None
        else "Quoted passage found up to white space and punctuation."
        for _, match in found
        if match is None or match.how == NORMALISED
    ]
    return SourcePanel(
        label=source.label,
        title=source.title,
        url=source.url,
        version=source.version,
        segments=segments(source.text, matches) if source.text else (),
        is_cited=is_cited,
        notes=notes,
    )


def _choices(sources: Sequence[SourceView], found: dict[str, list[tuple[str, Match | None]]]) -> list[LocationChoice]:
    """Return what can be accepted as the supporting passage: quoted passages first, then whole sources."""
    passages = [
        LocationChoice(
            Location(source.label, match.start, match.end).to_text(),
            f"{source.label}: “{_excerpt(source.text[match.start : match.end])}”",
        )
        for source in sources
        for _, match in found[source.label]
        if match is not None and source.text is not None
    ]
    whole = [
        LocationChoice(Location(source.label).to_text(), f"{source.label} as a whole")
        for source in sources
        if source.text
    ]
    return passages + whole


def _excerpt(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= EXCERPT else f"{flat[: EXCERPT - 1]}…"
