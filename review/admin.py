"""The admin looks and does not touch: jobs, imports and the event log, read-only."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from review.models import Event, Job, RunImport


class ReadOnly(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Job)
class JobAdmin(ReadOnly):
    list_display = ["title", "state", "attempts", "created_at", "finished_at", "requested_by"]
    list_filter = ["state"]
    list_select_related = ["requested_by"]
    search_fields = ["title"]


@admin.register(RunImport)
class RunImportAdmin(ReadOnly):
    list_display = ["file_name", "record_count", "published_at", "imported_by"]
    list_select_related = ["imported_by"]
    search_fields = ["file_name", "content_sha256"]


@admin.register(Event)
class EventAdmin(ReadOnly):
    list_display = ["chain", "seq", "type", "hash"]
    list_filter = ["type"]
    search_fields = ["chain", "hash"]
