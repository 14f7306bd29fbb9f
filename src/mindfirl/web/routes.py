"""Every route: its address, its view, its name, and the action that each of its methods is."""

from __future__ import annotations

from typing import Final

from mindfirl.web.accounts import administration, own_account, second_factor, shortcuts, sign_in
from mindfirl.web.columns import views as columns
from mindfirl.web.data import views as data
from mindfirl.web.dispatch import assignment_views
from mindfirl.web.dispatch import views as dispatch
from mindfirl.web.home import errors, health
from mindfirl.web.home import views as home
from mindfirl.web.http.access import actions_of, route
from mindfirl.web.ledger import views as ledger
from mindfirl.web.page import job_views
from mindfirl.web.pairs import threshold_views
from mindfirl.web.pairs import views as pairs
from mindfirl.web.plan import forecast_views, members
from mindfirl.web.plan import views as plan
from mindfirl.web.projects import closing, overview
from mindfirl.web.projects import views as projects
from mindfirl.web.release import views as release
from mindfirl.web.report import views as report
from mindfirl.web.resolve import views as resolve
from mindfirl.web.review import assignment_list, cover, practice
from mindfirl.web.review import views as review

_PROJECT: Final = "projects/<str:project>"
_ASSIGNMENT: Final = "projects/<str:project>/assignments/<uuid:assignment>"
_RELEASE: Final = "projects/<str:project>/releases/<int:release>"
_REVIEW: Final = "assignments/<uuid:assignment>"

urlpatterns: Final = [
    route("healthz", health.health, "health", GET="sign in"),
    route("", home.home, "home", GET="sign in"),
    route("help", home.help_page, "help", GET="sign in"),
    route("csp-report", home.csp_report, "csp-report", POST="sign in"),
    route("sign-in", sign_in.sign_in, "sign-in", GET="sign in", POST="sign in"),
    route("sign-in/code", sign_in.sign_in_code, "sign-in-code", GET="sign in", POST="sign in"),
    route("sign-out", sign_in.sign_out, "sign-out", POST="sign in"),
    route(
        "welcome/<str:token>", own_account.access_link, "access-link", GET="sign in", POST="sign in"
    ),
    route("account", own_account.account, "account", GET="use own account"),
    route(
        "account/password", own_account.account_password, "account-password", POST="use own account"
    ),
    route(
        "account/shortcuts",
        shortcuts.account_shortcuts,
        "account-shortcuts",
        GET="use own account",
        POST="use own account",
    ),
    route(
        "account/sessions/<uuid:session>/end",
        own_account.session_end,
        "session-end",
        POST="use own account",
    ),
    route(
        "account/second-factor",
        second_factor.second_factor,
        "second-factor",
        GET="use own account",
        POST="use own account",
    ),
    route(
        "account/second-factor/qr",
        second_factor.second_factor_qr,
        "second-factor-qr",
        GET="use own account",
    ),
    route(
        "account/second-factor/end",
        second_factor.second_factor_end,
        "second-factor-end",
        POST="use own account",
    ),
    route(
        "account/recovery-codes",
        second_factor.recovery_codes,
        "recovery-codes",
        POST="use own account",
    ),
    route(
        "accounts",
        administration.accounts,
        "accounts",
        GET="manage accounts",
        POST="manage accounts",
    ),
    route(
        "accounts/<uuid:account>/reset",
        administration.account_reset,
        "account-reset",
        POST="manage accounts",
    ),
    route(
        "accounts/<uuid:account>/disable",
        administration.account_disable,
        "account-disable",
        POST="manage accounts",
    ),
    route(
        "accounts/<uuid:account>/enable",
        administration.account_enable,
        "account-enable",
        POST="manage accounts",
    ),
    route("projects", projects.projects, "projects", GET="see own work"),
    route(
        "project-new",
        projects.project_new,
        "project-new",
        GET="create project",
        POST="create project",
    ),
    route(f"{_PROJECT}", projects.project, "project", GET="see project"),
    route(f"{_PROJECT}/data", data.data, "data", GET="see project", POST="change project"),
    route(f"{_PROJECT}/data/uploads", data.data_upload, "data-upload", POST="change data"),
    route(
        f"{_PROJECT}/data/uploads/<uuid:upload>/remove",
        data.data_upload_remove,
        "data-upload-remove",
        POST="change data",
    ),
    route(
        f"{_PROJECT}/columns", columns.columns, "columns", GET="see project", POST="change columns"
    ),
    route(f"{_PROJECT}/data/import", columns.data_import, "data-import", POST="import"),
    route(f"{_PROJECT}/pairs", pairs.pairs, "pairs", GET="see pairs"),
    route(f"{_PROJECT}/pairs/find", pairs.find, "pairs-find", POST="find pairs"),
    route(f"{_PROJECT}/pairs/upload", pairs.upload, "pairs-upload", POST="find pairs"),
    route(
        f"{_PROJECT}/pairs/thresholds",
        threshold_views.thresholds,
        "pairs-thresholds",
        GET="see pairs",
        POST="find pairs",
    ),
    route(f"{_PROJECT}/jobs/<uuid:job>", job_views.job, "job", GET="see project"),
    route(
        f"{_PROJECT}/jobs/<uuid:job>/cancel", job_views.cancel, "job-cancel", POST="change project"
    ),
    route(f"{_PROJECT}/live", assignment_views.project_live, "project-live", GET="see project"),
    route(f"{_PROJECT}/overview", overview.project_overview, "project-overview", GET="see project"),
    route(
        f"{_PROJECT}/close",
        closing.project_close,
        "project-close",
        GET="see project",
        POST="close project",
    ),
    route(f"{_PROJECT}/shred", closing.project_shred, "project-shred", POST="shred project"),
    route(f"{_PROJECT}/plan", plan.plan, "plan", GET="see plan", POST="plan"),
    route(f"{_PROJECT}/plan/estimate", plan.plan_estimate, "plan-estimate", GET="see plan"),
    route(
        f"{_PROJECT}/plan/forecast",
        forecast_views.forecast,
        "plan-forecast",
        GET="see plan",
        POST="plan",
    ),
    route(
        f"{_PROJECT}/plan/forecast/chart",
        forecast_views.forecast_chart,
        "plan-forecast-chart",
        GET="see plan",
    ),
    route(f"{_PROJECT}/members", members.member_add, "member-add", POST="manage members"),
    route(
        f"{_PROJECT}/members/<int:member>/remove",
        members.member_remove,
        "member-remove",
        POST="manage members",
    ),
    route(f"{_PROJECT}/dispatch", dispatch.dispatch, "dispatch", GET="see plan", POST="dispatch"),
    route(
        f"{_PROJECT}/dispatch/confirm",
        dispatch.dispatch_confirm,
        "dispatch-confirm",
        POST="confirm dispatch",
    ),
    route(
        f"{_PROJECT}/dispatch/withdraw",
        dispatch.dispatch_withdraw,
        "dispatch-withdraw",
        POST="dispatch",
    ),
    route(f"{_PROJECT}/resolve", resolve.resolve, "resolve", GET="see project"),
    route(f"{_PROJECT}/resolve/give", resolve.resolve_give, "resolve-give", POST="dispatch"),
    route(
        f"{_PROJECT}/resolve/confirm",
        resolve.resolve_confirm,
        "resolve-confirm",
        POST="confirm dispatch",
    ),
    route(
        f"{_PROJECT}/resolve/withdraw",
        resolve.resolve_withdraw,
        "resolve-withdraw",
        POST="dispatch",
    ),
    route(f"{_PROJECT}/resolve/accept", resolve.resolve_accept, "resolve-accept", POST="dispatch"),
    route(f"{_PROJECT}/link", resolve.link, "link", POST="link"),
    route(
        f"{_ASSIGNMENT}/pause",
        assignment_views.pause,
        "assignment-pause",
        POST="manage assignments",
    ),
    route(
        f"{_ASSIGNMENT}/resume",
        assignment_views.resume,
        "assignment-resume",
        POST="manage assignments",
    ),
    route(f"{_PROJECT}/ledger", ledger.ledger, "ledger", GET="audit"),
    route(f"{_PROJECT}/ledger/file", ledger.ledger_file, "ledger-file", GET="audit"),
    route(f"{_PROJECT}/ledger/verify", ledger.ledger_verify, "ledger-verify", POST="audit"),
    route(f"{_PROJECT}/ledger/receipt", ledger.ledger_receipt, "ledger-receipt", POST="audit"),
    route(
        f"{_PROJECT}/ledger/receipt/check",
        ledger.ledger_receipt_check,
        "ledger-receipt-check",
        POST="audit",
    ),
    route(f"{_PROJECT}/report", report.report, "report", GET="see project", POST="audit"),
    route(f"{_PROJECT}/report/json", report.report_json, "report-json", GET="see project"),
    route(f"{_PROJECT}/report/pdf", report.report_pdf_file, "report-pdf", GET="see project"),
    *(
        route(
            f"{_ASSIGNMENT}/{name}",
            assignment_views.change_view(name),
            f"assignment-{name}",
            POST="manage assignments",
        )
        for name in assignment_views.CHANGES
    ),
    route(f"{_PROJECT}/releases", release.releases, "releases", GET="see project"),
    route(
        f"{_PROJECT}/releases/labels",
        release.release_labels,
        "release-labels",
        POST="export labels",
    ),
    route(f"{_PROJECT}/releases/new", release.release_new, "release-new", POST="make release"),
    route(f"{_RELEASE}", release.release, "release", GET="see project"),
    route(f"{_RELEASE}/settle", release.release_settle, "release-settle", POST="settle finding"),
    route(
        f"{_RELEASE}/download",
        release.release_download,
        "release-download",
        POST="download release",
    ),
    route(f"{_RELEASE}/delete", release.release_delete, "release-delete", POST="delete release"),
    route("assignments", assignment_list.assignments, "assignments", GET="see own work"),
    route("practice", practice.practice, "practice", GET="see own work"),
    route("practice/open", practice.practice_open, "practice-open", POST="use own account"),
    route(
        "practice/open-row", practice.practice_open_row, "practice-open-row", POST="use own account"
    ),
    route("practice/decide", practice.practice_decide, "practice-decide", POST="use own account"),
    route(
        "practice/shortcuts",
        practice.practice_shortcuts,
        "practice-shortcuts",
        POST="use own account",
    ),
    route("practice/again", practice.practice_again, "practice-again", POST="use own account"),
    route(
        "practice/finish",
        practice.practice_finish,
        "practice-finish",
        GET="see own work",
        POST="use own account",
    ),
    route(f"{_REVIEW}", review.review, "review", GET="see own pairs"),
    route(f"{_REVIEW}/open", review.review_open, "review-open", POST="review"),
    route(f"{_REVIEW}/open-row", review.review_open_row, "review-open-row", POST="review"),
    route(f"{_REVIEW}/decide", review.review_decide, "review-decide", POST="review"),
    route(f"{_REVIEW}/comment", review.review_comment, "review-comment", POST="review"),
    route(f"{_REVIEW}/explain", review.review_explain, "review-explain", POST="review"),
    route(f"{_REVIEW}/shortcuts", review.review_shortcuts, "review-shortcuts", POST="review"),
    route(f"{_REVIEW}/presence", cover.review_presence, "review-presence", POST="see own pairs"),
    route(
        f"{_REVIEW}/uncover",
        cover.review_uncover,
        "review-uncover",
        GET="see own pairs",
        POST="see own pairs",
    ),
    route(
        f"{_REVIEW}/submit",
        assignment_list.review_submit,
        "review-submit",
        GET="see own pairs",
        POST="review",
    ),
]

ROUTES: Final = {str(each.name): actions_of(each) for each in urlpatterns}
"""The action that each method of a route is, by the name of the route."""

handler400 = errors.bad_request
handler403 = errors.not_allowed
handler404 = errors.not_found
handler500 = errors.broken
