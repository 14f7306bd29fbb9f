"""Reports as files of their own: a page that needs nothing else, and that page as a PDF.

A PDF is printed by a Chromium or Chrome of this machine, since nothing else draws the page as a
browser does; it gets no network, no scripts, and none of this process's environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from mindfirl.core.errors import SettingError
from mindfirl.web.http.pages import names_of_fields
from mindfirl.web.report.report_page import report_part

_STYLES: Final = Path(__file__).parents[1] / "static" / "mindfirl" / "mindfirl.css"
_BROWSERS: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
_OPTIONS: Final = (
    "--headless",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--no-first-run",
    "--no-pdf-header-footer",
)
_SECONDS: Final = 60


def printer() -> str | None:
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def report_html(content: dict[str, Any]) -> str:
    styles = mark_safe(_STYLES.read_text(encoding="utf-8"))  # noqa: S308  # our own stylesheet
    names = names_of_fields(report_part(content))
    return render_to_string("report/file.html", {**names, "styles": styles})


def report_pdf(content: dict[str, Any]) -> bytes:
    browser = printer()
    if browser is None:
        raise SettingError(
            _(
                "No PDF was created: Chromium or Chrome is not installed on this machine. Install "
                "one, or open the report in a browser and print it to a file."
            )
        )
    with tempfile.TemporaryDirectory() as folder:
        page, printed = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(report_html(content), encoding="utf-8")
        _run(browser, Path(folder), page, printed)
        return printed.read_bytes()


def _run(browser: str, folder: Path, page: Path, printed: Path) -> None:
    # The sandbox of a browser cannot be had by root; the page is our own, and has no scripts.
    alone = ["--no-sandbox"] if os.geteuid() == 0 else []
    try:
        subprocess.run(  # noqa: S603  # a browser of this machine, and a page of our own
            [
                browser,
                *_OPTIONS,
                *alone,
                f"--user-data-dir={folder / 'profile'}",
                f"--print-to-pdf={printed}",
                page.as_uri(),
            ],
            env={"PATH": os.environ.get("PATH", ""), "HOME": str(folder)},
            check=True,
            timeout=_SECONDS,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        printed.unlink(missing_ok=True)
    if not printed.exists():
        raise SettingError(
            _(
                "No PDF was created: the browser on this machine did not print the report. Open "
                "the report in a browser and print it to a file."
            )
        ) from None
