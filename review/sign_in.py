"""Who may sign in: one place for every door, pages and admin alike."""

import ipaddress
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.request import split_domain_port

from review.permissions import is_demo_account


class Backend(ModelBackend):
    """Django's own sign-in; accounts of the demo work on this machine only."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **options: Any
    ) -> User | None:
        user = super().authenticate(request, username, password, **options)
        if user is not None and request is not None and is_demo_account(user) and not is_local(request):
            return None
        return user


def is_local(request: HttpRequest) -> bool:
    """Return whether a request comes from this machine, under a name of this machine."""
    host, _ = split_domain_port(request.get_host())
    try:
        is_near = ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        is_near = False
    return is_near and host in settings.LOOPBACK_HOSTS
