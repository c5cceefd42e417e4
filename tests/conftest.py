"""Shared by all tests: eager jobs, guards that step aside for the runner's flush, four people."""

import pytest
from django.conf import settings
from django.db import connection
from django.test import TransactionTestCase

from peb_site.celery import app as celery_app
from tests.factories import make_user
from tests.guards import lifted

_flush = TransactionTestCase._fixture_teardown


def _flush_without_guards(self):
    # The database refuses to delete what must never change; only a test runner wants to.
    with lifted(connection):
        _flush(self)


TransactionTestCase._fixture_teardown = _flush_without_guards


@pytest.fixture(autouse=True, scope="session")
def _cheap_passwords():
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _eager_jobs(settings, tmp_path):
    celery_app.conf.task_always_eager = True
    settings.UPLOAD_DIR = tmp_path / "uploads"


@pytest.fixture
def people(db):
    """Lena leads, Alice and Bob review, Charlie has no packet, Judy adjudicates, Ada is admin."""
    return {name: make_user(name) for name in ("lena", "alice", "bob", "charlie", "judy")} | {
        "ada": make_user("ada", admin=True)
    }
