"""Design, freeze, seed, draw, open: each step once, in this order, with its event."""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from review.blinding import count_names
from review.canonical import canonical_json, digest_of, sha256_hex
from review.errors import ReviewError
from review.ledger import INSTANCE, append
from review.models import Audit, Event, MaskDecision, RubricVersion, System
from review.permissions import check_can_change_draft, check_can_lead
from review.workflow.audits import advance, hold, record
from review.workflow.packets import open_review
from review.workflow.pool import rubric_content
from sampling import store
from sampling.allocation import BudgetTooSmall, StratumSize, allocate
from sampling.design import PlannedStratum, fitting_merge, plan_strata
from sampling.draw import draw, seed_problem
from sampling.frame import FrameRow, frame_lines, lines_digest
from sampling.models import Design, Draw, Frame, Seed, Stratum

Progress = Callable[[int, int], None]
MOST_STRATA = 100


@dataclass(frozen=True)
class Plan:
    """What the design would draw, before it is frozen."""

    strata: Sequence[PlannedStratum]
    sample_sizes: Sequence[int]
    refusal: str  # why the design cannot be frozen; empty if it can
    warnings: Sequence[str] = ()


@transaction.atomic
def save_design(*, audit: Audit, actor: User, **values: Any) -> Design:
    """Store the draft design: profile and strata attributes, merge_below, reserve, budget."""
    audit = hold(audit.pk)
    check_can_change_draft(actor, audit)
    design, _ = Design.objects.update_or_create(audit=audit, defaults=values)
    record(audit, "design.saved", actor, values)
    return design


def plan(audit: Audit, design: Design) -> Plan:
    """Return strata and sample sizes of a design over the audit's pool as it stands."""
    units = store.pool_units(audit, design.strata_attributes)
    if not units:
        return Plan((), (), "The pool has no output with a required claim. Choose runs first.")
    strata = plan_strata(units, design.strata_attributes, design.merge_below)
    some_correct = any(stratum.correct for stratum in strata)
    sizes = [
        StratumSize(stratum.population_size, reserve_only=some_correct and not stratum.correct) for stratum in strata
    ]
    try:
        return Plan(strata, allocate(sizes, design.budget, design.reserve), "", _warnings(design, strata))
    except BudgetTooSmall as error:
        merge = fitting_merge(units, design.strata_attributes, design.reserve, design.budget)
        remedy = (
            f"Merge strata smaller than {merge}, or raise the budget to {error.needed}."
            if merge
            else f"Use fewer strata, or raise the budget to {error.needed}."
        )
        return Plan(
            strata,
            (),
            f"The budget of {design.budget} is too small: {len(strata)} strata with a reserve of "
            f"{design.reserve} need {error.needed}, and no stratum may be left out. {remedy}",
        )


def _warnings(design: Design, strata: Sequence[PlannedStratum]) -> list[str]:
    loose = [name for name in design.profile_attributes if name not in design.strata_attributes]
    found = []
    if loose and len(strata) > 1:
        found.append(
            f"Groups by {', '.join(loose)} are not made of strata: their estimates vary with the draw and can leave "
            "0% to 100%. Make them strata where the budget allows."
        )
    if len(strata) > MOST_STRATA:
        found.append(f"{len(strata)} strata: the intervals were not checked for more than {MOST_STRATA}.")
    return found


def names_in_answers(audit: Audit) -> dict[str, int]:
    """Return the system names that occur where reviewers read, with how many texts hold each.

    Answers, claims, and the titles, addresses and versions of sources: all written by the systems.
    """
    names = list(System.objects.values_list("name", flat=True))
    return dict(count_names(store.shown_texts(audit), names))


@transaction.atomic
def freeze_audit(
    *,
    audit: Audit,
    actor: User,
    mask: Sequence[str] = (),
    waive: Sequence[str] = (),
    progress: Progress = lambda *_: None,
) -> Frame:
    """Fix pool, rubric, design and budget, and publish their digests.

    `mask` and `waive` decide on each system name found in answers; an undecided one is refused.
    """
    audit = hold(audit.pk)
    check_can_change_draft(actor, audit)
    rubric = audit.rubric_versions.filter(number=1).first()
    if rubric is None:
        raise ReviewError("Write the rubric first.")
    design = Design.objects.filter(audit=audit).first()
    if design is None:
        raise ReviewError("Save a sampling design first.")
    planned = plan(audit, design)
    if planned.refusal:
        raise ReviewError(planned.refusal)
    _decide_names(audit, actor, mask, waive)
    advance(audit, Audit.State.FROZEN, frozen_at=timezone.now())
    frame = _store_frame(audit, actor, rubric, design, planned, progress)
    _publish_plan(audit, actor, rubric, frame)
    return frame


def _decide_names(audit: Audit, actor: User, mask: Sequence[str], waive: Sequence[str]) -> None:
    found = names_in_answers(audit)
    undecided = [f"{name} ({count})" for name, count in found.items() if name not in mask and name not in waive]
    if undecided:
        raise ReviewError(
            "Answers name systems, which would unblind reviewers. Decide for each whether it is masked or left: "
            + ", ".join(undecided)
        )
    MaskDecision.objects.filter(audit=audit).delete()
    MaskDecision.objects.bulk_create(
        MaskDecision(
            audit=audit,
            name=name,
            hits=count,
            decided_by=actor,
            decision=MaskDecision.Decision.MASK if name in mask else MaskDecision.Decision.WAIVE,
        )
        for name, count in found.items()
    )


def _store_frame(
    audit: Audit, actor: User, rubric: RubricVersion, design: Design, planned: Plan, progress: Progress
) -> Frame:
    rows = _frame_rows(audit, design, planned)
    outside = sum(not claims for _, claims in store.pool_outputs(audit))
    frame = Frame.objects.create(
        audit=audit,
        digest=lines_digest(frame_lines(rows.values())),
        design_body=canonical_json(_design_content(audit, rubric, design, planned, outside)),
        signals_digest=store.signals_digest({key: row.unit_id for key, row in rows.items()}),
        unit_count=len(rows),
        outside_count=outside,
        frozen_by=actor,
    )
    Stratum.objects.bulk_create(
        Stratum(
            frame=frame,
            code=stratum.code,
            name=stratum.name,
            correct=stratum.correct,
            population_size=stratum.population_size,
            sample_size=size,
        )
        for stratum, size in zip(planned.strata, planned.sample_sizes, strict=True)
    )
    store.save_units(frame, rows, progress)
    return frame


def _frame_rows(audit: Audit, design: Design, planned: Plan) -> dict[int, FrameRow]:
    """Return the frame's rows by output, each under a random id and salt."""
    keys = [key for stratum in planned.strata for key in stratum.keys]
    digests = store.content_digests(keys)
    units = {unit.key: unit for unit in store.pool_units(audit, design.profile_attributes)}
    return {
        key: FrameRow(
            unit_id=secrets.token_hex(16),
            stratum=stratum.code,
            content_digest=digests[key],
            correct=stratum.correct,
            groups=units[key].attributes,
            salt=secrets.token_hex(16),
        )
        for stratum in planned.strata
        for key in stratum.keys
    }


def _design_content(audit: Audit, rubric: RubricVersion, design: Design, planned: Plan, outside: int) -> dict[str, Any]:
    strata = list(zip(planned.strata, planned.sample_sizes, strict=True))
    decisions = MaskDecision.objects.filter(audit=audit).values_list("name", "decision")
    return {
        "draw": "audit-draw/1",
        "unit": "output",
        "n": {stratum.code: size for stratum, size in strata},
        "N": {stratum.code: stratum.population_size for stratum, _ in strata},
        "names": {stratum.code: stratum.name for stratum, _ in strata},
        "correct": {stratum.code: stratum.correct for stratum, _ in strata},
        "profile_attributes": design.profile_attributes,
        "strata_attributes": design.strata_attributes,
        "merge_below": design.merge_below,
        "reserve": design.reserve,
        "budget": design.budget,
        "allocation": "reserve, then half proportional, half Neyman at equal rates",
        "estimator": "Horvitz-Thompson, melded interval",
        "reviews_per_packet": audit.reviews_per_packet,
        "rubric": digest_of(rubric_content(rubric)),
        "outside": outside,
        "names_in_answers": dict(decisions),
        "pool": sorted(audit.pool_runs.values_list("run__batch__content_sha256", flat=True).distinct()),
    }


def _publish_plan(audit: Audit, actor: User, rubric: RubricVersion, frame: Frame) -> None:
    number = Event.objects.filter(chain=INSTANCE, type="plan.frozen").count() + 1
    files = {
        "frame.jsonl": frame.digest,
        "design.json": sha256_hex(frame.design_body),
        "rubric.json": digest_of(rubric_content(rubric)),
        "signals.json": frame.signals_digest,
    }
    append(
        chain=INSTANCE,
        type="plan.frozen",
        actor=actor.username,
        role="lead",
        data={"audit": audit.slug, "plan": number, "frame": frame.digest},
    )
    record(audit, "plan.frozen", actor, {"files": files, "plan": number, "units": frame.unit_count})


@transaction.atomic
def publish_seed(*, audit: Audit, actor: User, origin: str, value: str = "") -> Seed:
    """Publish the seed, after the frame's digest; generated here where no value is given."""
    audit = hold(audit.pk)
    check_can_lead(actor, audit)
    if audit.state != Audit.State.FROZEN:
        raise ReviewError("The seed comes after the freeze and before the draw.")
    if Seed.objects.filter(frame__audit=audit).exists():
        raise ReviewError("This frame has its seed; a second one would be a second draw. That needs a new audit.")
    value = value.strip()
    problem = seed_problem(origin, value)
    if problem:
        raise ReviewError(problem)
    if origin == Seed.Origin.GENERATED:
        value = f"{secrets.randbelow(10**20):020d}"
    frame = Frame.objects.get(audit=audit)
    seed = Seed.objects.create(frame=frame, value=value, origin=origin, published_by=actor)
    record(audit, "seed.published", actor, {"seed": value, "origin": origin, "frame": frame.digest})
    return seed


def check_can_draw(actor: User, audit: Audit) -> None:
    check_can_lead(actor, audit)
    if audit.state != Audit.State.FROZEN:
        raise ReviewError("An audit is drawn once, after its freeze.")


@transaction.atomic
def draw_audit(*, audit: Audit, actor: User, progress: Progress = lambda *_: None) -> Draw:
    """Draw the sample that follows from frame, design and seed."""
    audit = hold(audit.pk)
    check_can_draw(actor, audit)
    frame = Frame.objects.get(audit=audit)
    seed = Seed.objects.filter(frame=frame).first()
    if seed is None:
        raise ReviewError("Publish the seed first.")
    rows = store.frame_rows(frame)
    if lines_digest(frame_lines(rows)) != frame.digest:
        raise ReviewError("The stored frame does not have its published digest any more. Nothing was drawn.")
    units: dict[str, list[str]] = {}
    for row in rows:
        units.setdefault(row.stratum, []).append(row.unit_id)
    progress(1, 2)
    sample = draw(frame.digest, seed.value, units, json.loads(frame.design_body)["n"])
    drawn = store.save_draw(frame, sample, actor_id=actor.pk)
    advance(audit, Audit.State.DRAWN, drawn_at=timezone.now())
    data = {"frame": frame.digest, "seed": seed.value, "units": len(sample), "sample": drawn.sample_digest}
    record(audit, "draw.made", actor, data)
    progress(2, 2)
    return drawn


def check_can_build_packets(actor: User, audit: Audit) -> None:
    check_can_lead(actor, audit)
    if audit.state != Audit.State.DRAWN:
        raise ReviewError("Packets are built once, after the draw.")


@transaction.atomic
def build_packets(*, audit: Audit, actor: User, progress: Progress = lambda *_: None) -> int:
    """Build the packets of the drawn outputs and open the review; return how many there are."""
    audit = hold(audit.pk)
    check_can_build_packets(actor, audit)
    frame = Frame.objects.get(audit=audit)
    rubric = audit.rubric_versions.latest("number")
    if digest_of(rubric_content(rubric)) != json.loads(frame.design_body)["rubric"]:
        raise ReviewError("Rubric or corpus do not have their frozen digest any more. Nothing was built.")
    return open_review(audit=audit, actor=actor, output_ids=store.drawn_outputs(audit), progress=progress)
