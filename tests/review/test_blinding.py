"""What a packet holds, and what it never holds."""

from dataclasses import fields

import pytest

from review.blinding import (
    MASK,
    PacketContent,
    SourceMaterial,
    blinded_content,
    count_names,
    mask_names,
    packet_content_from_json,
    without_tracking,
)


def content(**changes):
    first = SourceMaterial("k1", "Title", "https://a.example/?utm_source=chat&id=1", "2", "the sky is blue")
    other = SourceMaterial("k2", "Other", "", "", "outside")
    values = {
        "prompt": "What?",
        "answer": "GPT-4o says blue.",
        "claims": [("It is blue, says gpt 4o.", [("k1", "sky is blue")])],
        "own_sources": [first, other],
        "corpus_sources": [first, SourceMaterial("k0", "More", "", "", "more")],
        "masked_names": ["gpt-4o"],
    }
    return blinded_content(**{**values, **changes})


def test_it_works():
    packet = content()
    assert packet.answer == f"{MASK} says blue."
    assert packet.claims[0].text == f"It is blue, says {MASK}."
    assert [source.label for source in packet.sources] == ["S1", "S2", "S3"]
    assert packet.sources[0].url == "https://a.example/?id=1"


def test_a_source_outside_the_corpus_has_no_text():
    assert content().sources[1].title == "Other"
    assert content().sources[1].text is None


def test_no_field_can_hold_what_must_stay_hidden():
    assert {field.name for field in fields(PacketContent)} == {"prompt", "answer", "claims", "sources"}
    stored = content().to_json()
    assert "k1" not in stored  # digests match citations to sources and are dropped


def test_json_gives_the_packet_back():
    assert packet_content_from_json(content().to_json()) == content()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("I am GPT-4o.", f"I am {MASK}."),
        ("gpt 4o, GPT4o and gpt_4o", f"{MASK}, {MASK} and {MASK}"),
        ("gpt-4omni is another", "gpt-4omni is another"),
        ("xgpt-4o", "xgpt-4o"),
        ("_GPT-4o_ and model_gpt-4o", f"_{MASK}_ and model_{MASK}"),
        ("我是GPT-4o模型", f"我是{MASK}模型"),
    ],
)
def test_names_are_masked_as_whole_words(text, masked):
    assert mask_names(text, ["gpt-4o"]) == masked


def test_the_longest_name_goes_first():
    assert mask_names("alpha beta two", ["alpha", "alpha beta"]) == f"{MASK} two"


@pytest.mark.parametrize("text", ["I am _Alpha_.", "model_Alpha says", "I am Alpha2", "我是Alpha模型", "ALPHA-3"])
def test_a_name_in_a_letter_is_found_in_any_writing(text):
    assert count_names([text], ["Alpha"]) == {"Alpha": 1}
    assert "lpha" not in mask_names(text, ["Alpha"]).lower()


@pytest.mark.parametrize("text", ["alphabet", "an alphanumeric", "betalpha"])
def test_a_longer_word_is_no_name(text):
    assert count_names([text], ["Alpha"]) == {}


def test_what_describes_a_source_is_masked_and_its_text_is_not():
    source = SourceMaterial("k", "zeta retrieval", "https://x.example/?model=zeta", "zeta-index", "zeta is a letter")
    packet = content(own_sources=[source], corpus_sources=[source], claims=[("x", [("k", "")])], masked_names=["zeta"])
    (view,) = packet.sources
    assert "zeta" not in view.title + view.url + view.version
    assert view.text == "zeta is a letter"


def test_names_are_counted_by_text():
    assert count_names(["alpha alpha", "beta", "Alpha!"], ["alpha", "gamma"]) == {"alpha": 2}


@pytest.mark.parametrize("url", ["", "https://a.example/x?b=1", "http://[bad", "not a url"])
def test_other_addresses_stay_as_they_are(url):
    assert without_tracking(url) == url
