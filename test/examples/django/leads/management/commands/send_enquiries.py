"""Sends the enquiries that wait. For cron, every minute: python manage.py send_enquiries"""
from django.core.management.base import BaseCommand

from leads.enquiry import send_all


class Command(BaseCommand):
    help = "Sends the enquiries that wait to the lead service."

    def handle(self, *args, **options):
        send_all()
