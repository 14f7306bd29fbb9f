"""Every route, by the name it has in ``core.policy``."""

from __future__ import annotations

from typing import Final

from mindfirl.web.access import route
from mindfirl.web.views import (
    accounts,
    administration,
    assignments,
    columns,
    cover,
    data,
    dispatch,
    errors,
    health,
    home,
    jobs,
    keys,
    ledger,
    members,
    overview,
    pairs,
    people,
    practice,
    projects,
    report,
    review,
    second_factor,
    sign_in,
    work,
)

_PROJECT: Final = "projects/<str:project>"
_ASSIGNMENT: Final = "projects/<str:project>/assignments/<uuid:assignment>"
_REVIEW: Final = "assignments/<uuid:assignment>"

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
    route("account/keys", keys.account_keys, "account-keys"),
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
    route("project-new", projects.project_new, "project-new"),
    route(f"{_PROJECT}", projects.project, "project"),
    route(f"{_PROJECT}/data", data.data, "data"),
    route(f"{_PROJECT}/uploads", data.uploads, "uploads"),
    route(f"{_PROJECT}/uploads/<uuid:upload>/remove", data.upload_remove, "upload-remove"),
    route(f"{_PROJECT}/columns", columns.columns, "columns"),
    route(f"{_PROJECT}/import", columns.bring_in, "import"),
    route(f"{_PROJECT}/pairs", pairs.pairs, "pairs"),
    route(f"{_PROJECT}/pairs/find", pairs.find, "pairs-find"),
    route(f"{_PROJECT}/pairs/bring", pairs.bring, "pairs-bring"),
    route(f"{_PROJECT}/pairs/limits", pairs.limits, "pairs-limits"),
    route(f"{_PROJECT}/jobs/<uuid:job>", jobs.job, "job"),
    route(f"{_PROJECT}/jobs/<uuid:job>/cancel", jobs.cancel, "job-cancel"),
    route(f"{_PROJECT}/live", assignments.project_live, "project-live"),
    route(f"{_PROJECT}/overview", overview.project_overview, "project-overview"),
    route(f"{_PROJECT}/people", people.people, "people"),
    route(f"{_PROJECT}/people/estimate", people.people_estimate, "people-estimate"),
    route(f"{_PROJECT}/members", members.member_add, "member-add"),
    route(f"{_PROJECT}/members/<int:member>/remove", members.member_remove, "member-remove"),
    route(f"{_PROJECT}/dispatch", dispatch.dispatch, "dispatch"),
    route(f"{_PROJECT}/dispatch/confirm", dispatch.dispatch_confirm, "dispatch-confirm"),
    route(f"{_PROJECT}/dispatch/withdraw", dispatch.dispatch_withdraw, "dispatch-withdraw"),
    route(f"{_ASSIGNMENT}/pause", assignments.pause, "assignment-pause"),
    route(f"{_ASSIGNMENT}/resume", assignments.resume, "assignment-resume"),
    route(f"{_PROJECT}/ledger", ledger.ledger, "ledger"),
    route(f"{_PROJECT}/ledger/file", ledger.ledger_file, "ledger-file"),
    route(f"{_PROJECT}/ledger/verify", ledger.ledger_verify, "ledger-verify"),
    route(f"{_PROJECT}/ledger/receipt", ledger.receipt, "receipt"),
    route(f"{_PROJECT}/ledger/receipt/check", ledger.receipt_check, "receipt-check"),
    route(f"{_PROJECT}/report", report.report, "report"),
    route(f"{_PROJECT}/report/json", report.report_json, "report-json"),
    route(f"{_PROJECT}/report/pdf", report.report_pdf_file, "report-pdf"),
    *(
        route(f"{_ASSIGNMENT}/{name}", assignments.changing(name), f"assignment-{name}")
        for name in assignments.CHANGES
    ),
    route("assignments", work.assignments, "assignments"),
    route("practice", practice.practice, "practice"),
    route("practice/open", practice.practice_open, "practice-open"),
    route("practice/open-row", practice.practice_open_row, "practice-open-row"),
    route("practice/decide", practice.practice_decide, "practice-decide"),
    route("practice/keys", practice.practice_keys, "practice-keys"),
    route("practice/again", practice.practice_again, "practice-again"),
    route("practice/finish", practice.practice_finish, "practice-finish"),
    route(f"{_REVIEW}", review.review, "review"),
    route(f"{_REVIEW}/open", review.review_open, "review-open"),
    route(f"{_REVIEW}/open-row", review.review_open_row, "review-open-row"),
    route(f"{_REVIEW}/decide", review.review_decide, "review-decide"),
    route(f"{_REVIEW}/comment", review.review_comment, "review-comment"),
    route(f"{_REVIEW}/keys", review.review_keys, "review-keys"),
    route(f"{_REVIEW}/here", cover.review_here, "review-here"),
    route(f"{_REVIEW}/uncover", cover.review_uncover, "review-uncover"),
    route(f"{_REVIEW}/submit", work.review_submit, "review-submit"),
]

handler400 = errors.bad_request
handler403 = errors.not_allowed
handler404 = errors.not_found
handler500 = errors.broken
