"""The canonical form of a frame and of what is frozen beside it: pure."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from review.canonical import canonical_json


@dataclass(frozen=True)
class FrameRow:
    """One unit of the frame under its random id."""

    unit_id: str  # 32 hex digits
    stratum: str  # code
    content_digest: str
    correct: bool | None
    groups: Mapping[str, str]
    salt: str


def frame_lines(rows: Iterable[FrameRow]) -> Iterable[str]:
    """Yield frame.jsonl: a canonical JSON object a line, sorted by id, each line ended by LF."""
    for row in sorted(rows, key=lambda row: row.unit_id):
        yield (
            canonical_json(
                {
                    "content": row.content_digest,
                    "correct": row.correct,
                    "groups": dict(row.groups),
                    "id": row.unit_id,
                    "salt": row.salt,
                    "stratum": row.stratum,
                }
            )
            + "\n"
        )


def lines_digest(lines: Iterable[str]) -> str:
    """Return the SHA-256 of the lines' UTF-8 bytes, one after the other."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode())
    return digest.hexdigest()
