"""Imports for admins; closing and reading the report for leads."""

import json
import shutil
import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from review.intake.schema import record_schema
from review.models import Job, RunImport
from review.views.access import get_led_audit, posted, require_admin, signed_in
from review.workflow.jobs import enqueue, enqueue_for_audit
from review.workflow.submissions import once
from scoring import store
from scoring.forms import ImportForm
from scoring.workflow import check_can_close


@login_required
@require_http_methods(["GET", "POST"])
def imports(request: HttpRequest) -> HttpResponse:
    """The imports there are, and a form for the next."""
    user = require_admin(request.user)
    form = ImportForm(posted(request), request.FILES or None)
    if request.method == "POST" and form.is_valid():
        return _start_import(user, form)
    published = RunImport.objects.filter(published_at__isnull=False).order_by("-published_at")
    context = {
        "form": form,
        "imports": published.select_related("imported_by").prefetch_related("runs__system"),
        "jobs": Job.objects.filter(task_name="scoring.jobs.import_file").order_by("-created_at")[:10],
    }
    return render(request, "scoring/imports.html", context, status=422 if form.errors else 200)


def _start_import(user: User, form: ImportForm) -> HttpResponse:
    upload, dry_run = form.cleaned_data["file"], form.cleaned_data["dry_run"]
    path, name = _keep(upload), Path(upload.name or "upload").name
    arguments = {"path": path, "file_name": name, "dry_run": dry_run, "next_url": reverse("scoring:imports")}

    def act() -> dict[str, str]:
        job = enqueue(
            task_name="scoring.jobs.import_file",
            title=f"{'Check' if dry_run else 'Import'} {name}"[:200],
            arguments=arguments,
            requested_by=user,
        )
        return {"job": str(job.pk), "path": path}

    sent = {"file_name": upload.name, "size": upload.size, "dry_run": dry_run}
    answer = once(user=user, key=form.cleaned_data["key"], request=sent, act=act)
    if answer["path"] != path:  # the form was sent twice; the first copy is the one in use
        Path(path).unlink()
    return redirect("review:job", pk=answer["job"])


def _keep(upload: UploadedFile) -> str:
    """Copy the upload, before any transaction, under a name of our own: its name is shown, never a path."""
    settings.UPLOAD_DIR.mkdir(parents=True, exist_ok=True)
    path = settings.UPLOAD_DIR / uuid.uuid4().hex
    with path.open("wb") as target:
        shutil.copyfileobj(upload, target)
    return str(path)


@login_required
@require_GET
def schema(request: HttpRequest) -> HttpResponse:
    """The record layout as JSON Schema."""
    return JsonResponse(record_schema(), json_dumps_params={"indent": 2})


@login_required
@require_POST
def close(request: HttpRequest, slug: str) -> HttpResponse:
    """Build the report and close the audit, as a job."""
    audit = get_led_audit(request.user, slug)
    check_can_close(signed_in(request.user), audit)
    job = enqueue_for_audit(
        audit=audit,
        task_name="scoring.jobs.close",
        title="Close",
        next_url=reverse("scoring:report", args=[slug]),
        requested_by=signed_in(request.user),
    )
    return redirect("review:job", pk=job.pk)


@login_required
@require_GET
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The report of a closed audit."""
    audit = get_led_audit(request.user, slug)
    return render(request, "scoring/report.html", {"audit": audit, "report": json.loads(store.report_of(audit).body)})


@login_required
@require_GET
def report_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The report's frozen bytes."""
    audit = get_led_audit(request.user, slug)
    response = HttpResponse(store.report_of(audit).body, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{audit.slug}-report.json"'
    return response


@login_required
@require_GET
def units(request: HttpRequest, slug: str) -> HttpResponse:
    """The drawn outputs behind the numbers of one group or stratum."""
    audit = get_led_audit(request.user, slug)
    store.report_of(audit)
    stratum, attribute, value = (request.GET.get(name, "") for name in ("stratum", "attribute", "value"))
    filters: dict[str, Any] = {"stratum__code": stratum} if stratum else {}
    if "correct" in request.GET:
        filters["correct"] = True
    rows = store.claims_behind(audit, **filters)
    if attribute:
        rows = [row for row in rows if row["unit"].groups.get(attribute) == value]
    parts = [stratum, f"{attribute}: {value}" if attribute else "", "correct answers" if "correct" in filters else ""]
    context = {"audit": audit, "rows": rows, "filter": " · ".join(part for part in parts if part)}
    return render(request, "scoring/units.html", context)


@login_required
@require_GET
def unit(request: HttpRequest, slug: str, unit_id: str) -> HttpResponse:
    """One drawn output: what reviewers saw and what they decided."""
    audit = get_led_audit(request.user, slug)
    store.report_of(audit)
    found = store.unit_evidence(audit, unit_id)
    if found is None:
        raise Http404
    return render(request, "scoring/unit.html", {"audit": audit, **found})
