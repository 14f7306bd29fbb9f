"""The application, for a server of Python applications."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

os.umask(0o077)  # whatever is written is for its owner alone
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindfirl.settings")

application = get_wsgi_application()
