"""What a report depends on, as plain rows: pure and light, so that a web process can load it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StratumRow:
    code: str
    name: str
    correct: bool | None
    population_size: int  # N_h
    sample_size: int  # n_h


@dataclass(frozen=True)
class UnitRow:
    """One unit of the frame."""

    unit_id: str
    stratum: str  # code
    correct: bool | None  # A
    groups: Mapping[str, str]  # profile attribute -> value


@dataclass(frozen=True)
class ReportInput:
    """Everything that a report depends on; the same input gives the same report."""

    title: Mapping[str, Any]  # slug, title and flags of the audit
    strata: Sequence[StratumRow]
    units: Sequence[UnitRow]
    statuses: Sequence[tuple[str, str]]  # (unit id, evidence status) of each drawn unit
    verdicts: Sequence[tuple[int, int, str]]  # (packet, claim, verdict) of each counting judgment
    profile_attributes: Sequence[str]
    rule_sentences: Sequence[str]
    outside_count: int
    claim_counts: Mapping[str, int]
    deviations: Sequence[str]
    footer: Mapping[str, str]
