"""audit-draw/1: a simple random sample without replacement in each stratum, by SHA-256 tickets. Pure.

A draw depends on the frame's digest, the seed, the stratum and the unit, and on nothing else: not
on row order, numpy's version or the number drawn. A larger sample keeps the smaller one.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Drawn:
    stratum: str
    unit: str
    ticket: str  # 64 hex digits
    rank: int  # from 1 within the stratum
    inclusion_probability: Fraction  # n_h/N_h


def ticket(frame_digest: str, seed: str, stratum: str, unit: str) -> str:
    """Return the unit's ticket, 64 hex digits.

    By hand: printf 'audit-draw/1\\n%s\\n%s\\n%s\\n%s' FRAME SEED STRATUM UNIT | sha256sum
    """
    text = f"audit-draw/1\n{frame_digest}\n{seed}\n{stratum}\n{unit}"
    return hashlib.sha256(text.encode()).hexdigest()


def draw(
    frame_digest: str, seed: str, units: Mapping[str, Sequence[str]], sample_sizes: Mapping[str, int]
) -> list[Drawn]:
    """Return the n_h units with the smallest tickets of each stratum, in ticket order (ties by unit).

    `units` holds the unit ids by stratum, `sample_sizes` n_h by stratum; strata come in code order.
    Raises ValueError where the strata differ or not 0 < n_h <= N_h: every unit has a chance.
    """
    if set(units) != set(sample_sizes):
        raise ValueError(f"strata of frame and design differ: {sorted(set(units) ^ set(sample_sizes))}")
    sample = []
    for stratum in sorted(units):
        size, population = sample_sizes[stratum], len(units[stratum])
        if not 0 < size <= population:
            raise ValueError(f"stratum {stratum}: need 0 < n <= N, got n = {size}, N = {population}")
        ordered = sorted((ticket(frame_digest, seed, stratum, unit), unit) for unit in units[stratum])
        sample += [
            Drawn(stratum, unit, number, rank, Fraction(size, population))
            for rank, (number, unit) in enumerate(ordered[:size], 1)
        ]
    return sample


def seed_problem(origin: str, value: str) -> str:
    """Return why a seed cannot be used, in a sentence; an empty text if it can.

    The value becomes a line of every ticket, so it holds no blank and no line end.
    """
    if origin == "generated":
        return "A generated seed is made here; choose dice or beacon to enter one." if value else ""
    if origin == "dice" and not re.fullmatch(r"[0-9]{20,200}", value):
        return "Enter at least 20 decimal digits of public dice (ten-sided, or a coded throw), digits only."
    if not re.fullmatch(r"[!-~]{8,200}", value):
        return "Enter the beacon's value: 8 to 200 visible ASCII characters without blanks."
    return ""
