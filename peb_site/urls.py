"""Every address; admin and the three apps."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("", include("review.urls")),
    path("", include("sampling.urls")),
    path("", include("scoring.urls")),
]
