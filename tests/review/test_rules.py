"""What a judgment needs."""

import pytest

from review.blinding import ClaimView, PacketContent, SourceView
from review.rules import Location, judgment_problems, location_from_text

CLAIM = ClaimView(1, "blue", ())
CONTENT = PacketContent(
    "p", "a", (CLAIM,), (SourceView("S1", "", "", "", "the sky"), SourceView("S2", "", "", "", None))
)
BARE = PacketContent("p", "a", (CLAIM,), (SourceView("S1", "", "", "", None),))


@pytest.mark.parametrize(
    ("content", "verdict", "reason", "location", "field"),
    [
        (CONTENT, "supported", "", "S1", None),
        (CONTENT, "supported", "", "S1:0-7", None),
        (CONTENT, "insufficient", "missing", "", None),
        (CONTENT, "unresolved", "unclear", "", None),
        (CONTENT, "maybe", "x", "", "verdict"),
        (CONTENT, "", "x", "", "verdict"),
        (CONTENT, "supported", "", "", "location"),
        (CONTENT, "supported", "", "S2", "location"),
        (CONTENT, "supported", "", "S9", "location"),
        (CONTENT, "supported", "", "S1:3-99", "location"),
        (CONTENT, "supported", "", "S1:5-5", "location"),
        (CONTENT, "insufficient", "  ", "", "reason"),
        (CONTENT, "unresolved", "", "", "reason"),
        (BARE, "supported", "", "S1", "verdict"),
        (BARE, "insufficient", "nothing cited", "", None),
    ],
)
def test_each_case(content, verdict, reason, location, field):
    problems = judgment_problems(content, verdict, reason, location_from_text(location))
    assert list(problems) == ([field] if field else [])


@pytest.mark.parametrize("text", ["S1", "S1:0-7"])
def test_locations_read_back(text):
    location = location_from_text(text)
    assert isinstance(location, Location)
    assert location.to_text() == text


@pytest.mark.parametrize("text", ["S1:", "S1:a-b", "S1:3"])
def test_bad_locations_are_refused(text):
    if text == "S1:":
        assert location_from_text(text) == Location("S1")
    else:
        with pytest.raises(ValueError):
            location_from_text(text)
