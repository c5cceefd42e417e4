"""Rows in and out: what is measured before the audit, the pool as units, the frame, the sample."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from review.canonical import content_digest, digest_of
from review.intake.store import StoredRecord
from review.models import Audit, Claim, Output, OutputSource
from sampling.design import MISSING, PoolUnit, halves
from sampling.draw import Drawn
from sampling.frame import FrameRow, frame_lines
from sampling.models import Correctness, Draw, DrawnUnit, Frame, FrameUnit, Signal

SIGNAL = "signal: "
ATTRIBUTE = "attribute: "
MOST_VALUES = 30
CHUNK = 1000


def store_measurements(stored: Sequence[StoredRecord]) -> None:
    """Store correctness and signals of imported outputs."""
    Correctness.objects.bulk_create(
        Correctness(
            output_id=entry.output_id,
            value=entry.record.output.correct,
            basis=entry.record.output.correct_basis or "",
            votes=entry.record.output.correct_votes,
        )
        for entry in stored
    )
    Signal.objects.bulk_create(
        Signal(
            output_id=entry.output_id,
            name=name,
            value=value,
            model_family=entry.record.signal_families.get(name, ""),
        )
        for entry in stored
        for name, value in entry.record.signals.items()
    )


def pool_outputs(audit: Audit) -> list[tuple[int, int]]:
    """Return (output id, number of required claims) for every output of the audit's pool."""
    outputs = Output.objects.filter(run__pool_runs__audit=audit)
    if audit.pool_categories:
        outputs = outputs.filter(task__category__in=audit.pool_categories)
    if not audit.is_pilot:
        # What a pilot has shown to reviewers is no fresh unit any more.
        piloted = FrameUnit.objects.filter(frame__audit__is_pilot=True, drawn__isnull=False)
        outputs = outputs.exclude(pk__in=piloted.values("output"))
    return list(outputs.order_by("pk").values_list("pk", "required_claims"))


def shown_texts(audit: Audit) -> Iterator[str]:
    """Yield every text of the pool that a system wrote and a reviewer reads."""
    keys = [key for key, claims in pool_outputs(audit) if claims]
    yield from Output.objects.filter(pk__in=keys).values_list("answer", flat=True).iterator(chunk_size=2000)
    claims = Claim.objects.filter(output__in=keys, required=True)
    yield from claims.values_list("text", flat=True).iterator(chunk_size=2000)
    sources = OutputSource.objects.filter(output__in=keys)
    described = sources.values_list("source__title", "source__url", "source__version")
    yield from (" \n".join(row) for row in described.iterator(chunk_size=2000))


def pool_units(audit: Audit, wanted: Iterable[str]) -> list[PoolUnit]:
    """Return the units of the pool with the attributes named in `wanted`.

    Names: `category`, `system`, `attribute: KEY` of the task, `signal: NAME` (cut at its median).
    """
    wanted = list(wanted)
    keys = [key for key, claims in pool_outputs(audit) if claims]
    columns = _signal_columns(keys, [name for name in wanted if name.startswith(SIGNAL)])
    rows = (
        Output.objects.filter(pk__in=keys)
        .order_by("pk")
        .values_list("pk", "correctness__value", "run__system__name", "task__category", "task__attributes")
    )
    units = []
    for key, correct, system, category, attributes in rows.iterator(chunk_size=2000):
        values = {"system": system, "category": category or MISSING}
        for name in wanted:
            if name.startswith(ATTRIBUTE):
                values[name] = _text(attributes.get(name.removeprefix(ATTRIBUTE)))
            elif name.startswith(SIGNAL):
                values[name] = columns[name][key]
        units.append(PoolUnit(key, correct, {name: values[name] for name in wanted}))
    return units


def _signal_columns(keys: list[int], names: list[str]) -> dict[str, dict[int, str]]:
    columns = {}
    for name in names:
        values: dict[int, float | None] = dict.fromkeys(keys)
        rows = Signal.objects.filter(output__in=keys, name=name.removeprefix(SIGNAL)).values_list("output_id", "value")
        values.update(rows)
        columns[name] = halves(values)
    return columns


def _text(value: object) -> str:
    if value is None or value == []:
        return MISSING
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return str(value)


def attribute_choices(audit: Audit) -> list[str]:
    """Return the attributes that can form groups or strata: at least two values, at most 30."""
    outputs = Output.objects.filter(run__pool_runs__audit=audit, required_claims__gt=0)
    values: dict[str, Counter[str]] = defaultdict(Counter)
    rows = outputs.values_list("run__system__name", "task__category", "task__attributes")
    for system, category, attributes in rows.iterator(chunk_size=2000):
        values["system"][system] += 1
        values["category"][category or MISSING] += 1
        for key, value in attributes.items():
            values[ATTRIBUTE + key][_text(value)] += 1
    names = [name for name, counts in values.items() if 2 <= len(counts) <= MOST_VALUES]
    signals = Signal.objects.filter(output__in=outputs.values("pk")).values_list("name", flat=True).distinct()
    return sorted(names) + [SIGNAL + name for name in sorted(signals)]


def content_digests(keys: Sequence[int]) -> dict[int, str]:
    """Return the digest of each output's imported content."""
    return dict(Output.objects.filter(pk__in=keys).values_list("pk", "digest"))


def signals_digest(unit_ids: dict[int, str]) -> str:
    """Return the SHA-256 of signals.jsonl: every signal of every unit, recorded before the draw."""
    signals: dict[str, dict[str, float | None]] = {unit_id: {} for unit_id in unit_ids.values()}
    rows = Signal.objects.filter(output__in=list(unit_ids)).values_list("output_id", "name", "value")
    for output_id, name, value in rows.iterator(chunk_size=5000):
        signals[unit_ids[output_id]][name] = value
    return content_digest(signals)


def save_units(frame: Frame, rows: Mapping[int, FrameRow], progress: Callable[[int, int], None]) -> None:
    """Store the frame's units, given by output."""
    strata = {stratum.code: stratum for stratum in frame.strata.all()}
    # Sorted by random id: the table's order says nothing about strata or systems.
    ordered = sorted(rows.items(), key=lambda item: item[1].unit_id)
    for start in range(0, len(ordered), CHUNK):
        FrameUnit.objects.bulk_create(
            FrameUnit(
                frame=frame,
                stratum=strata[row.stratum],
                output_id=key,
                unit_id=row.unit_id,
                salt=row.salt,
                content_digest=row.content_digest,
                correct=row.correct,
                groups=dict(row.groups),
            )
            for key, row in ordered[start : start + CHUNK]
        )
        progress(min(start + CHUNK, len(ordered)), len(ordered))


def frame_rows(frame: Frame) -> list[FrameRow]:
    """Return the frame's units as plain rows."""
    rows = FrameUnit.objects.filter(frame=frame).values_list(
        "unit_id", "stratum__code", "content_digest", "correct", "groups", "salt"
    )
    return [FrameRow(*row) for row in rows.iterator(chunk_size=5000)]


def save_draw(frame: Frame, sample: Sequence[Drawn], *, actor_id: int) -> Draw:
    """Store the sample under its frame."""
    by_unit_id = dict(FrameUnit.objects.filter(frame=frame).values_list("unit_id", "pk"))
    record = Draw.objects.create(frame=frame, sample_digest=sample_digest(sample), drawn_by_id=actor_id)
    DrawnUnit.objects.bulk_create(
        DrawnUnit(draw=record, unit_id=by_unit_id[drawn.unit], ticket=drawn.ticket, rank=drawn.rank) for drawn in sample
    )
    return record


def sample_digest(sample: Sequence[Drawn]) -> str:
    """Return the digest of the drawn unit ids with their inclusion probabilities."""
    return digest_of(sorted([drawn.unit, str(drawn.inclusion_probability)] for drawn in sample))


def drawn_outputs(audit: Audit) -> list[int]:
    """Return the primary keys of the outputs in the audit's sample."""
    units = DrawnUnit.objects.filter(draw__frame__audit=audit)
    return list(units.order_by("pk").values_list("unit__output_id", flat=True))


def frame_file(frame: Frame) -> str:
    """Return frame.jsonl as it was hashed."""
    return "".join(frame_lines(frame_rows(frame)))
