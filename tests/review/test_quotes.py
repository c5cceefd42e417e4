"""Quoted passages are found where they stand, in code points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review.quotes import Match, Segment, find_quote, segments


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("one two three", "two", Match(4, 7, "exact")),
        ("one  two\r\nthree", "two three", Match(5, 15, "normalised")),
        ("a\u00a0b", "a b", Match(0, 3, "normalised")),
        ("say “yes”", 'say "yes"', Match(0, 9, "normalised")),
        ("1990–2000", "1990-2000", Match(0, 9, "normalised")),
        ("😀 the sky 👩‍🚒 is blue", "is blue", Match(14, 21, "exact")),
        ("abc", "xyz", None),
        ("abc", "  ", None),
    ],
)
def test_it_finds(text, quote, expected):
    assert find_quote(text, quote) == expected


def test_offsets_count_code_points_after_emoji():
    match = find_quote("👩‍👩‍👧 blue", "blue")
    assert match is not None
    assert "👩‍👩‍👧 blue"[match.start : match.end] == "blue"


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), max_size=5))
def test_segments_joined_are_the_text(text, spans):
    matches = [Match(a, min(a + length, len(text)), "exact") for a, length in spans if a < len(text)]
    assert "".join(segment.text for segment in segments(text, matches)) == text


def test_overlapping_marks_are_joined_not_doubled():
    assert segments("abcdef", [Match(0, 3, "exact"), Match(2, 4, "exact")]) == [
        Segment("abc", True),
        Segment("d", True),
        Segment("ef", False),
    ]


@given(st.text(min_size=1, max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_what_stands_in_the_text_is_found(quote, before, after):
    match = find_quote(before + quote + after, quote)
    assert match is not None or not quote.strip()
