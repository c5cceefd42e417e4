"""What every response carries, and how a broken rule reaches the person."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url

from review.errors import ReviewError

GetResponse = Callable[[HttpRequest], HttpResponse]


def response_headers(get_response: GetResponse) -> GetResponse:
    """Pages may hold packets: no cache keeps them, no other site embeds or reads them."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response

    return middleware


class review_errors:  # noqa: N801 - Django middleware, named like the functions beside it
    """Turn a ReviewError of any view into 409 with its sentence: a whole page, or htmx's fragment."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ReviewError):
            return None
        template = "_error.html" if getattr(request, "htmx", False) else "error.html"
        context = {"title": error.title, "sentence": str(error), "back": _page_before(request)}
        return render(request, template, context, status=error.status)


def _page_before(request: HttpRequest) -> str:
    """Return the path of our own page that the request came from, if it was another one."""
    referer = urlsplit(request.headers.get("Referer", ""))
    is_ours = referer.netloc == request.get_host() and referer.path != request.path
    return referer.path if is_ours else ""


def signed_out_fragments(get_response: GetResponse) -> GetResponse:
    """Answer htmx with 401 where a page would be sent to sign in: a redirect would be followed
    unseen and the sign-in page swapped into a fragment."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_sent_away = response.status_code == 302 and response.headers["Location"].startswith(
            resolve_url(settings.LOGIN_URL)
        )
        if is_sent_away and request.headers.get("HX-Request") == "true":
            return HttpResponse("You are signed out.", status=401, content_type="text/plain")
        return response

    return middleware
