"""The application, for a server of Python applications."""

from __future__ import annotations

import logging
import os

from django.core.wsgi import get_wsgi_application

os.umask(0o077)  # whatever is written is for its owner alone
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindfirl.settings")
logging.raiseExceptions = False  # a line that cannot be logged would be printed, values and all

application = get_wsgi_application()
