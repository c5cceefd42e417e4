"""The site with one more address, which leaks on purpose: the canary crawl must find it."""

import base64

from django.http import HttpResponse
from django.urls import path

from peb_site.urls import urlpatterns as site
from review.models import Assignment


def leak(request, slug):
    mine = Assignment.objects.filter(user=request.user).select_related("packet__output__run__system")
    names = [assignment.packet.output.run.system.name for assignment in mine]
    return HttpResponse(b" ".join(base64.b64encode(name.encode()) for name in names))


urlpatterns = [path("audits/<slug:slug>/peek/", leak), *site]
