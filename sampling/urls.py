from django.urls import URLPattern, path, re_path

from sampling import views

app_name = "sampling"
urlpatterns: list[URLPattern] = [
    path("audits/<slug:slug>/design/", views.design, name="design"),
    path("audits/<slug:slug>/freeze/", views.freeze, name="freeze"),
    path("audits/<slug:slug>/draw/", views.draw, name="draw"),
    re_path(
        r"^audits/(?P<slug>[-\w]+)/draw/(?P<name>frame\.jsonl|design\.json)$", views.frozen_file, name="frozen-file"
    ),
    path("audits/<slug:slug>/draw/seed/", views.publish_seed, name="publish-seed"),
    path("audits/<slug:slug>/draw/sample/", views.draw_sample, name="draw-sample"),
    path("audits/<slug:slug>/draw/packets/", views.build_packets, name="build-packets"),
]
