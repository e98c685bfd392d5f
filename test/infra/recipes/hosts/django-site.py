"""A Django project in one file, with the recipe's app: python3 django-site.py runserver 8000 --noreload"""
import sys

from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    INSTALLED_APPS=["leads"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of a test",
)

from django.core.management import execute_from_command_line
from django.urls import path


def enquiry(request):
    from leads.views import enquiry as view

    return view(request)


enquiry.csrf_exempt = True
urlpatterns = [path("", enquiry)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
