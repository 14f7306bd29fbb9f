"""Every route, by the name it has in ``core.policy``."""

from __future__ import annotations

from typing import Final

from mindfirl.web.access import route
from mindfirl.web.views import (
    accounts,
    administration,
    errors,
    health,
    home,
    projects,
    second_factor,
    sign_in,
)

urlpatterns: Final = [
    route("healthz", health.health, "health"),
    route("", home.home, "home"),
    route("help", home.help_page, "help"),
    route("csp-report", home.csp_report, "csp-report"),
    route("sign-in", sign_in.sign_in, "sign-in"),
    route("sign-in/code", sign_in.sign_in_code, "sign-in-code"),
    route("sign-out", sign_in.sign_out, "sign-out"),
    route("welcome/<str:token>", accounts.access_link, "access-link"),
    route("account", accounts.account, "account"),
    route("account/password", accounts.account_password, "account-password"),
    route("account/sessions/<uuid:session>/end", accounts.session_end, "session-end"),
    route("account/second-factor", second_factor.second_factor, "second-factor"),
    route(
        "account/second-factor/picture",
        second_factor.second_factor_picture,
        "second-factor-picture",
    ),
    route("account/second-factor/end", second_factor.second_factor_end, "second-factor-end"),
    route("account/recovery-codes", second_factor.recovery_codes, "recovery-codes"),
    route("accounts", administration.accounts, "accounts"),
    route("accounts/<uuid:account>/reset", administration.account_reset, "account-reset"),
    route("accounts/<uuid:account>/disable", administration.account_disable, "account-disable"),
    route("accounts/<uuid:account>/enable", administration.account_enable, "account-enable"),
    route("projects", projects.projects, "projects"),
]

handler400 = errors.bad_request
handler403 = errors.not_allowed
handler404 = errors.not_found
handler500 = errors.broken
