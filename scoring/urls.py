from django.urls import URLPattern, path

from scoring import views

app_name = "scoring"
urlpatterns: list[URLPattern] = [
    path("imports/", views.imports, name="imports"),
    path("imports/schema.json", views.schema, name="schema"),
    path("audits/<slug:slug>/close/", views.close, name="close"),
    path("audits/<slug:slug>/report/", views.report, name="report"),
    path("audits/<slug:slug>/report.json", views.report_json, name="report-json"),
    path("audits/<slug:slug>/report/units/", views.units, name="report-units"),
    path("audits/<slug:slug>/report/units/<str:unit_id>/", views.unit, name="report-unit"),
]
