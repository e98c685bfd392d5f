"""Sends waiting enquiries. For cron, every minute: python manage.py send_enquiries [OUTBOX/refused/….json …]"""
from django.core.management.base import BaseCommand, CommandError

from leads.enquiry import Misuse, send_all


class Command(BaseCommand):
    help = "Sends waiting enquiries to the lead service, and refused ones again."

    def add_arguments(self, parser):
        parser.add_argument("again", nargs="*", metavar="FILE", help="an enquiry of the folder refused")

    def handle(self, again, **options):
        try:
            lines = send_all(again)
        except Misuse as error:
            raise CommandError(error, returncode=2)
        if lines:
            raise CommandError("\n".join(lines))  # cron's status 1
