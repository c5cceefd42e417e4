"""The real human-labelled records. They live beside the repository, never in it."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent.parent / "shared" / "data" / "real"
FILES = ["mtrag_human", "xsum_faithfulness", "expertqa", "qa_feedback", "refchecker", "factscore_bio"]
COUNTS = {
    # outputs, claims, labels: as their SOURCES.md states them
    "mtrag_human": (477, 477, 1419),
    "xsum_faithfulness": (1365, 1365, 4094),
    "expertqa": (479, 2788, 2782),
    "qa_feedback": (500, 1605, 1605),
    "refchecker": (2100, 10733, 10733),
    "factscore_bio": (549, 16040, 16040),
}
needs_real_records = pytest.mark.skipif(
    not FOLDER.is_dir(), reason=f"the real records are not here: no folder ../shared/data/real ({FOLDER})"
)


def real_file(name):
    return FOLDER / f"{name}.jsonl.gz"
