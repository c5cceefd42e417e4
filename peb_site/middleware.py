"""What every response carries, and how a broken rule reaches the person."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

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
        context = {"title": error.title, "sentence": str(error)}
        return render(request, template, context, status=error.status)
