from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, path

from review.views import adjudicator, lead, pages, reviewer

app_name = "review"
SIGN_IN = LoginView.as_view(template_name="review/sign_in.html", redirect_authenticated_user=True)
urlpatterns: list[URLPattern] = [
    path("", pages.home, name="home"),
    path("sign-in/", SIGN_IN, name="sign-in"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("health/", pages.health, name="health"),
    path("jobs/<uuid:pk>/", pages.job, name="job"),
    path("jobs/<uuid:pk>/bar/", pages.job_bar, name="job-bar"),
    # review
    path("audits/<slug:slug>/next/", reviewer.open_next, name="open-next"),
    path("audits/<slug:slug>/my-judgments/", reviewer.history, name="history"),
    path("packets/<str:code>/", reviewer.packet, name="packet"),
    path("packets/<str:code>/claims/<int:number>/", reviewer.claim, name="claim"),
    path("packets/<str:code>/claims/<int:number>/draft/", reviewer.save_draft, name="save-draft"),
    path("packets/<str:code>/claims/<int:number>/judgment/", reviewer.submit_judgment, name="submit-judgment"),
    # adjudication
    path("audits/<slug:slug>/next-conflict/", adjudicator.open_next, name="open-next-conflict"),
    path("audits/<slug:slug>/my-rulings/", adjudicator.history, name="rulings"),
    path("conflicts/<str:code>/", adjudicator.conflict, name="conflict"),
    path("conflicts/<str:code>/claims/<int:number>/", adjudicator.ruling, name="ruling"),
    path("conflicts/<str:code>/claims/<int:number>/ruling/", adjudicator.submit_ruling, name="submit-ruling"),
    # lead
    path("audits/new/", lead.create_audit, name="create-audit"),
    path("audits/<slug:slug>/", lead.audit, name="audit"),
    path("audits/<slug:slug>/pool/", lead.compose_pool, name="compose-pool"),
    path("audits/<slug:slug>/rubric/", lead.write_rubric, name="write-rubric"),
    path("audits/<slug:slug>/members/", lead.set_role, name="set-role"),
    path("audits/<slug:slug>/lock/", lead.lock, name="lock"),
]
