"""Stand-alone redraw: python3 redraw.py FRAME.jsonl DESIGN.json SEED prints the drawn ids. Standard library only."""

import hashlib
import json
import sys
from pathlib import Path

frame_bytes = Path(sys.argv[1]).read_bytes()
sizes = json.loads(Path(sys.argv[2]).read_text())["n"]
seed, frame = sys.argv[3], hashlib.sha256(frame_bytes).hexdigest()

strata = {}
for line in frame_bytes.splitlines():
    row = json.loads(line)
    strata.setdefault(row["stratum"], []).append(row["id"])

for stratum, ids in sorted(strata.items()):
    base = f"audit-draw/1\n{frame}\n{seed}\n{stratum}\n"
    ids.sort(key=lambda unit: (hashlib.sha256((base + unit).encode()).hexdigest(), unit))
    print("\n".join(ids[: sizes[stratum]]))
