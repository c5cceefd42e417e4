"""The Celery application: a wake-up call for rows of the job table, never the record of work."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peb_site.settings")

app = Celery("peb_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")
