"""Django's settings, all by environment; a value may also stand in the file that NAME_FILE names.

``MINDFIRL_HOME``
    the data folder: the vault, and the database where it is SQLite.
``MINDFIRL_KEYS``
    the key folder, outside the data folder.
``DATABASE_URL``
    ``postgresql://user:password@host/name``; without it, SQLite in the data folder.
``MINDFIRL_HOSTS``
    the names under which browsers reach the server, with commas between them; by default those of
    this machine alone.
``MINDFIRL_TLS``
    ``proxy`` where a server in front of this one ends TLS and says so (X-Forwarded-Proto), ``own``
    where this one does it; nothing for this machine alone.
``MINDFIRL_SECRET_KEY``
    what cookies are signed with; by default it stands in the key folder.
``MINDFIRL_LOG``
    ``info`` for a line per request, ``warning`` for what is out of the ordinary alone.
``MINDFIRL_PART``
    ``web`` in the process that serves pages, which is then refused the sensitive keys.
``MINDFIRL_UPLOAD_LIMIT``
    how many bytes an uploaded file may have; by default 2 GiB.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from mindfirl.core.errors import SettingError


def environment(name: str, default: str = "") -> str:
    """Read a setting from NAME, or from the file that NAME_FILE names."""
    if value := os.environ.get(name):
        return value
    file = os.environ.get(f"{name}_FILE")
    if not file:
        return default
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError, ValueError):
        raise SettingError(f"The file that {name}_FILE names cannot be read.") from None


def folder(name: str, *default: str) -> Path:
    """Read a folder from the environment; by default it stands where the user's others do."""
    given = environment(name)

    return Path(given).absolute() if given else Path.home().joinpath(*default)


def whole_number(name: str, default: int) -> int:
    """Read a number of one or more from the environment."""
    given = environment(name)
    if given and not (given.isascii() and given.isdigit() and int(given)):
        raise SettingError(f"{name} is not a whole number. Write it in digits.")
    return int(given) if given else default


def names(text: str) -> list[str]:
    """Read names with commas between them, and perhaps spaces."""
    return [name.strip() for name in text.split(",") if name.strip()]


def database(url: str, home: Path) -> dict[str, Any]:
    """Turn a database URL into Django's terms."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise _bad_url() from None
    if not url or parts.scheme == "sqlite":
        path = Path(unquote(parts.path.removeprefix("/"))) if url else home / "mindfirl.sqlite3"
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": path, "OPTIONS": _SQLITE}
    if parts.scheme not in ("postgresql", "postgres"):
        raise _bad_url()
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.removeprefix("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(re.sub(r":[0-9]*$", "", parts.netloc.rpartition("@")[2]).strip("[]")),
        "PORT": str(port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def secret_key(keys: Path) -> str:
    """Read what cookies are signed with; before an installation is set up, make it up."""
    given = environment("MINDFIRL_SECRET_KEY")
    try:
        return given or (keys / "cookies.key").read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return secrets.token_urlsafe(48)


def _bad_url() -> SettingError:
    return SettingError(
        "DATABASE_URL is not one that is known here. "
        "Write postgresql://user:password@host/name, or leave it out for SQLite."
    )


_SQLITE: Final = {
    # Writers wait for each other at the start of a transaction, not in the middle of it.
    "transaction_mode": "IMMEDIATE",
    "timeout": 60,
    # FULL: a power cut must not lose what was acknowledged.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
}

MINDFIRL_HOME: Final = folder("MINDFIRL_HOME", ".local", "share", "mindfirl")
MINDFIRL_KEYS: Final = folder("MINDFIRL_KEYS", ".config", "mindfirl", "keys")

DATABASES: Final = {"default": database(environment("DATABASE_URL"), MINDFIRL_HOME)}
DEFAULT_AUTO_FIELD: Final = "django.db.models.BigAutoField"
USE_TZ: Final = True
TIME_ZONE: Final = "UTC"
USE_I18N: Final = True
LANGUAGE_CODE: Final = "en"
LANGUAGES: Final = [("en", "English"), ("de", "Deutsch")]  # each in its own words
# Before those of Django's applications, which translate some of the same words otherwise.
LOCALE_PATHS: Final = [Path(__file__).parent / "web" / "locale"]
FORMAT_MODULE_PATH: Final = ["mindfirl.web.formats"]

INSTALLED_APPS: Final = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "django_htmx",
    "mindfirl.store",
    "mindfirl.web",
]
MIDDLEWARE: Final = [
    "mindfirl.web.http.logs.LogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "mindfirl.web.http.middleware.HeadersMiddleware",
    "django.middleware.common.CommonMiddleware",  # refuses requests by another host name
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "mindfirl.web.http.middleware.OpenSessionMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF: Final = "mindfirl.web.routes"
WSGI_APPLICATION: Final = "mindfirl.web.http.wsgi.application"
_WEB: Final = Path(__file__).parent / "web"
TEMPLATES: Final = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": sorted(_WEB.glob("*/templates")),
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {
                "figures": "mindfirl.web.page.figures",
                "help_link": "mindfirl.web.page.help_link",
                "labels": "mindfirl.web.page.labels",
                "long_work": "mindfirl.web.page.long_work",
                "opening_html": "mindfirl.web.review.opening_html",
            },
        },
    }
]
MESSAGE_STORAGE: Final = "django.contrib.messages.storage.session.SessionStorage"

STATIC_URL: Final = "static/"
WHITENOISE_USE_FINDERS: Final = True  # nothing to collect: the package holds all of it

PART: Final = environment("MINDFIRL_PART")
TLS: Final = environment("MINDFIRL_TLS")
SECRET_KEY: Final = secret_key(MINDFIRL_KEYS)
ALLOWED_HOSTS: Final = names(environment("MINDFIRL_HOSTS") or "localhost,127.0.0.1,[::1]")
SECURE_PROXY_SSL_HEADER: Final = ("HTTP_X_FORWARDED_PROTO", "https") if TLS == "proxy" else None
SECURE_SSL_REDIRECT: Final = bool(TLS)
SECURE_REDIRECT_EXEMPT: Final = [r"^healthz$"]  # who watches the server asks it directly
SECURE_HSTS_SECONDS: Final = 31_536_000 if TLS else 0
SESSION_COOKIE_SECURE: Final = bool(TLS)
CSRF_COOKIE_SECURE: Final = bool(TLS)
LANGUAGE_COOKIE_NAME: Final = "language"  # no personal value, so it may outlive the session
LANGUAGE_COOKIE_AGE: Final = 365 * 24 * 3600
LANGUAGE_COOKIE_SECURE: Final = bool(TLS)
LANGUAGE_COOKIE_HTTPONLY: Final = True
LANGUAGE_COOKIE_SAMESITE: Final = "Strict"
SESSION_COOKIE_SAMESITE: Final = "Strict"
CSRF_COOKIE_SAMESITE: Final = "Strict"
CSRF_COOKIE_HTTPONLY: Final = True
CSRF_FAILURE_VIEW: Final = "mindfirl.web.home.views.stale_form"
SECURE_REFERRER_POLICY: Final = "same-origin"
X_FRAME_OPTIONS: Final = "DENY"
FILE_UPLOAD_HANDLERS: Final = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
UPLOAD_LIMIT: Final = whole_number("MINDFIRL_UPLOAD_LIMIT", 2 << 30)
DATA_UPLOAD_MAX_NUMBER_FIELDS: Final = 20_000  # the columns of many databases on one page

AUTH_USER_MODEL: Final = "store.Account"
AUTHENTICATION_BACKENDS: Final = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
LOGIN_URL: Final = "sign-in"
PASSWORD_HASHERS: Final = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS: Final = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["username", "full_name"]},
    },
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SESSION_IDLE_MINUTES: Final = 30
SESSION_HOURS: Final = 12
SESSION_COOKIE_AGE: Final = SESSION_HOURS * 3600
ACCESS_LINK_DAYS: Final = 7

AXES_FAILURE_LIMIT: Final = 5
AXES_COOLOFF_TIME: Final = 0.25  # hours
AXES_RESET_ON_SUCCESS: Final = True
# By name and address together: whoever guesses elsewhere keeps nobody out.
AXES_LOCKOUT_PARAMETERS: Final = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE: Final = "mindfirl.store.accounts.counted_address"
AXES_LOCKOUT_CALLABLE: Final = "mindfirl.web.home.views.locked_out"
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT: Final = False  # or anybody could keep one out
AXES_USERNAME_CALLABLE: Final = "mindfirl.store.accounts.counted_name"
AXES_SENSITIVE_PARAMETERS: Final = [
    *("username", "ip_address", "password", "old_password", "new_password", "code", "next"),
    "again",
    "csrfmiddlewaretoken",
]
AXES_DISABLE_ACCESS_LOG: Final = True
AXES_VERBOSE: Final = False
AXES_ENABLE_ADMIN: Final = False

LOGGING: Final[dict[str, Any]] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "mindfirl.web.http.logs.Lines"}},
    "handlers": {"lines": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "root": {"handlers": ["lines"], "level": "WARNING"},
    "loggers": {
        "mindfirl": {"level": environment("MINDFIRL_LOG", "info").upper()},
        # What was refused or not found is in our own line, without its path.
        "django": {"handlers": [], "level": "ERROR", "propagate": True},
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "CRITICAL"},
        "axes": {"level": "ERROR"},
        "uvicorn.error": {"handlers": ["lines"], "level": "WARNING", "propagate": False},
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
}
