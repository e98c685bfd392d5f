"""The server side of form.html in Django. In urls.py: path("enquiry", enquiry). ../python/enquiry.py, copied into this app, keeps and sends the enquiries."""
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .enquiry import take


@csrf_exempt  # for a form on a static page; without this line, put {% csrf_token %} into the form
@require_POST
def enquiry(request):
    shown = take(request.POST.dict())
    text = "\n".join(shown) or "Thank you. We will call you."
    return HttpResponse(text, status=422 if shown else 200, content_type="text/plain; charset=utf-8")
