"""What a reviewer may see of an output: a closed, frozen value and nothing else.

Pure: plain texts in, `PacketContent` out. No system, run, imported id, signal, stratum, reference
label or other verdict has a field here, so none can be shown. Templates get this, never a model.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

MASK = "[name withheld]"


@dataclass(frozen=True)
class SourceView:
    label: str  # S1, S2, ... in the order of the packet
    title: str
    url: str
    version: str
    text: str | None  # None: no text within the reference corpus


@dataclass(frozen=True)
class CitationView:
    source: str
    quote: str


@dataclass(frozen=True)
class ClaimView:
    number: int  # from 1
    text: str
    citations: tuple[CitationView, ...]


@dataclass(frozen=True)
class PacketContent:
    prompt: str
    answer: str
    claims: tuple[ClaimView, ...]
    sources: tuple[SourceView, ...]

    def source(self, label: str) -> SourceView | None:
        return next((source for source in self.sources if source.label == label), None)

    def has_readable_source(self) -> bool:
        return any(source.text for source in self.sources)

    def to_json(self) -> str:
        """Return the canonical JSON text that is stored and hashed."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def packet_content_from_json(text: str) -> PacketContent:
    """Return the packet that `PacketContent.to_json` wrote."""
    value = json.loads(text)
    return PacketContent(
        prompt=value["prompt"],
        answer=value["answer"],
        claims=tuple(
            ClaimView(claim["number"], claim["text"], tuple(CitationView(**entry) for entry in claim["citations"]))
            for claim in value["claims"]
        ),
        sources=tuple(SourceView(**source) for source in value["sources"]),
    )


@dataclass(frozen=True)
class SourceMaterial:
    """A source as stored; `key` is its digest, used to match citations and dropped afterwards."""

    key: str
    title: str
    url: str
    version: str
    text: str | None


def blinded_content(
    *,
    prompt: str,
    answer: str,
    claims: Sequence[tuple[str, Sequence[tuple[str, str]]]],
    own_sources: Sequence[SourceMaterial],
    corpus_sources: Sequence[SourceMaterial],
    masked_names: Sequence[str],
) -> PacketContent:
    """Return what a reviewer sees.

    `claims` holds (text, citations) with citations as (source key, quote). Sources come in the
    order of their first citation, then what else the output had, then the rest of the corpus for
    this task by content digest, an order that no system chose. A source of the output that is not
    in the corpus is listed without its text. Masked names are replaced in answer, claims and what
    describes a source, never in its text: evidence is shown as it is.
    """
    in_corpus = {source.key for source in corpus_sources}
    by_key = {source.key: source for source in (*own_sources, *corpus_sources)}
    cited = [key for _, citations in claims for key, _ in citations]
    rest = sorted(source.key for source in corpus_sources)
    order = list(dict.fromkeys([*cited, *(source.key for source in own_sources), *rest]))
    labels = {key: f"S{number}" for number, key in enumerate(order, 1)}
    return PacketContent(
        prompt=prompt,
        answer=mask_names(answer, masked_names),
        claims=tuple(
            ClaimView(
                number,
                mask_names(text, masked_names),
                tuple(CitationView(labels[key], quote) for key, quote in citations),
            )
            for number, (text, citations) in enumerate(claims, 1)
        ),
        sources=tuple(
            SourceView(
                label=labels[key],
                title=mask_names(by_key[key].title, masked_names),
                url=mask_names(without_tracking(by_key[key].url), masked_names),
                version=mask_names(by_key[key].version, masked_names),
                text=by_key[key].text if key in in_corpus else None,
            )
            for key in order
        ),
    )


def mask_names(text: str, names: Iterable[str]) -> str:
    """Return `text` with every occurrence of the names replaced, longest names first."""
    for name in sorted(names, key=len, reverse=True):
        text = name_pattern(name).sub(MASK, text)
    return text


def count_names(texts: Iterable[str], names: Sequence[str]) -> Mapping[str, int]:
    """Return how many of `texts` hold each name; names that occur in none are left out."""
    patterns = {name: name_pattern(name) for name in names}
    counts = dict.fromkeys(names, 0)
    for text in texts:
        for name, pattern in patterns.items():
            counts[name] += bool(pattern.search(text))
    return {name: count for name, count in counts.items() if count}


def name_excerpts(texts: Iterable[str], name: str, *, most: int = 3, around: int = 45) -> list[str]:
    """Return up to `most` passages in which a name occurs, each with some text around it."""
    found, pattern = [], name_pattern(name)
    for text in texts:
        match = pattern.search(text)
        if match:
            start, end = max(0, match.start() - around), match.end() + around
            found.append(f"{'…' if start else ''}{' '.join(text[start:end].split())}{'…' if end < len(text) else ''}")
            if len(found) == most:
                break
    return found


def name_pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for a system's name: any case, any or no separators in it.

    Its ends are ASCII letters and digits only: `_` is Markdown, and scripts without blanks write
    names between other letters. A name that ends in a letter may be followed by a version number.
    """
    parts = [re.escape(part) for part in re.split(r"[\W_]+", name) if part]
    body = r"[\W_]*".join(parts) if parts else re.escape(name)
    after = "A-Za-z" if name[-1:].isalpha() else "A-Za-z0-9"
    return re.compile(rf"(?<![A-Za-z0-9]){body}(?![{after}])", re.IGNORECASE)


def without_tracking(url: str) -> str:
    """Return the address without `utm_` parameters: they can name the system that fetched it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    kept = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if not key.startswith("utm_")]
    if len(kept) == len(parse_qsl(parts.query, keep_blank_values=True)):
        return url
    return urlunsplit(parts._replace(query=urlencode(kept)))
