"""One settings file that runs from a clean checkout; the environment overrides it.

Every variable is read through a typed reader that fails loudly on a value it cannot read.
"""

import os
import secrets
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DATA_DIR = Path(env.str("PEB_DATA_DIR", str(BASE_DIR / "var")))
DATA_DIR.mkdir(parents=True, exist_ok=True)


def secret_key() -> str:
    """The key from the environment, or one made at the first start and kept readable by us only."""
    given = env.str("SECRET_KEY", "")
    if given:
        if len(given) < 50:
            raise ImproperlyConfigured("SECRET_KEY needs at least 50 characters; unset it to have one made.")
        return given
    path = DATA_DIR / "secret_key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as handle:
        handle.write(secrets.token_urlsafe(64))
    return path.read_text().strip()


SECRET_KEY = secret_key()
DEBUG = env.bool("DEBUG", False)
PRODUCTION = env.bool("PEB_PRODUCTION", False)
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=LOOPBACK_HOSTS)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "scoring.apps.ScoringConfig",
    "sampling.apps.SamplingConfig",
    "review.apps.ReviewConfig",
    "django_htmx",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "peb_site.middleware.response_headers",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "peb_site.middleware.signed_out_fragments",
    "peb_site.middleware.review_errors",
]

ROOT_URLCONF = "peb_site.urls"
WSGI_APPLICATION = "peb_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# SQLite by default; DATABASE_URL=postgres://user@host:5432/name for a team.
DATABASES = {"default": env.db("DATABASE_URL", f"sqlite:///{DATA_DIR / 'peb.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE: a transaction that reads and then writes takes the write lock at its start; with
    # the default, eight clients get "database is locked" in a third of their requests.
    # FULL: an acknowledged judgment survives a power cut.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;",
    }
    # A file, not memory: tests with threads and the live server need connections of their own.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    DATABASES["default"]["OPTIONS"] = {"pool": env.bool("PEB_DATABASE_POOL", False)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
AUTHENTICATION_BACKENDS = ["review.sign_in.Backend"]
LOGIN_URL = "review:sign-in"
LOGIN_REDIRECT_URL = "review:home"
LOGOUT_REDIRECT_URL = "review:home"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # no collectstatic before the first start
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
UPLOAD_DIR = DATA_DIR / "uploads"

# --- Security -----------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
# Not no-referrer: browsers then send "Origin: null" with our own forms, which the CSRF check must
# refuse. Other sites get no referrer either way.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
if PRODUCTION:  # served over HTTPS; only the local `make run` goes without
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True
    if env.bool("PEB_BEHIND_PROXY", False):
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- Jobs ---------------------------------------------------------------------------------------
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", "filesystem://")
if CELERY_BROKER_URL.startswith("filesystem"):
    QUEUE_DIR = DATA_DIR / "queue"
    for folder in ("messages", "control"):
        (QUEUE_DIR / folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "control_folder": str(QUEUE_DIR / "control"),
    }
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
JOB_SWEEP_SECONDS = env.float("PEB_JOB_SWEEP_SECONDS", 30)
JOB_LEASE_SECONDS = env.float("PEB_JOB_LEASE_SECONDS", 60)
JOB_MAX_ATTEMPTS = 5
CELERY_BEAT_SCHEDULE = {"sweep": {"task": "review.jobs.sweep", "schedule": JOB_SWEEP_SECONDS}}
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat")

# --- The audit ----------------------------------------------------------------------------------
ASSIGNMENT_LEASE_MINUTES = env.int("PEB_ASSIGNMENT_LEASE_MINUTES", 120)
IMPORT_MAX_LINE_BYTES = env.int("PEB_IMPORT_MAX_LINE_BYTES", 32 * 2**20)
IMPORT_MAX_BYTES = env.int("PEB_IMPORT_MAX_BYTES", 8 * 2**30)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("PEB_LOG_LEVEL", "WARNING")},
    "loggers": {
        "django.server": {"handlers": ["console"], "level": "ERROR", "propagate": False},
        "kombu.connection": {"level": "ERROR"},  # the filesystem broker has no host, and says so often
    },
}
