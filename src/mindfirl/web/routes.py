"""Every route: its address, its view, its name, and the action that each of its methods is."""

from __future__ import annotations

from typing import Final

from mindfirl.web.accounts import administration, language, own_account, sign_in
from mindfirl.web.columns import correction_views, readings
from mindfirl.web.columns import views as columns
from mindfirl.web.data import views as data
from mindfirl.web.dispatch import assignment_views
from mindfirl.web.dispatch import views as dispatch
from mindfirl.web.help import views as manual
from mindfirl.web.home import views as home
from mindfirl.web.http.access import route
from mindfirl.web.ledger import alarms
from mindfirl.web.ledger import views as ledger
from mindfirl.web.page import long_work
from mindfirl.web.pairs import learning_views, threshold_views, truth_views
from mindfirl.web.pairs import views as pairs
from mindfirl.web.plan import forecast_views
from mindfirl.web.plan import views as plan
from mindfirl.web.projects import list_views, overview, settings_views
from mindfirl.web.projects import views as projects
from mindfirl.web.release import views as release
from mindfirl.web.report import paper_views
from mindfirl.web.report import views as report
from mindfirl.web.resolve import views as resolve
from mindfirl.web.review import cover, practice
from mindfirl.web.review import views as review

_PROJECT: Final = "projects/<str:project>"
_ASSIGNMENT: Final = "projects/<str:project>/assignments/<uuid:assignment>"
_RELEASE: Final = "projects/<str:project>/releases/<int:release>"
_REVIEW: Final = "assignments/<uuid:assignment>"
_OWN: Final = "use own account"
_ACCOUNTS: Final = "manage accounts"

# Addresses are compared in this order: those that are asked for most come first.
urlpatterns: Final = [
    route(f"{_REVIEW}", review.review, GET="see own pairs"),
    route(f"{_REVIEW}/open", review.review_open, POST="review"),
    route(f"{_REVIEW}/open-row", review.review_open_row, POST="review"),
    route(f"{_REVIEW}/decide", review.review_decide, POST="review"),
    route(f"{_REVIEW}/comment", review.review_comment, POST="review"),
    route(f"{_REVIEW}/flag", review.review_flag, POST="review"),
    route(f"{_REVIEW}/explain", review.review_explain, POST="review"),
    route(f"{_REVIEW}/shortcuts", review.review_shortcuts, POST="review"),
    route(f"{_REVIEW}/presence", cover.review_presence, POST="see own pairs"),
    route(f"{_REVIEW}/uncover", cover.review_uncover, GET="see own pairs", POST="see own pairs"),
    route(f"{_REVIEW}/submit", review.review_submit, GET="see own pairs", POST="review"),
    route("healthz", home.health, GET="sign in"),
    route("", home.home, GET="sign in"),
    route("help", manual.help_index, "help", GET="sign in"),
    route("help/search", manual.help_search, GET="sign in"),
    route("help/score", manual.help_score, GET="sign in"),
    route("help/images/<str:image>", manual.help_image, GET="sign in"),
    route("help/<slug:chapter>", manual.help_page, GET="sign in"),
    route("csp-report", home.csp_report, POST="sign in"),
    route("sign-in", sign_in.sign_in, GET="sign in", POST="sign in"),
    route("sign-in/code", sign_in.sign_in_code, GET="sign in", POST="sign in"),
    route("sign-out", sign_in.sign_out, POST="sign in"),
    route("welcome/<str:token>", own_account.access_link, GET="sign in", POST="sign in"),
    route("account", own_account.account, GET=_OWN),
    route("account/password", own_account.account_password, POST=_OWN),
    route("account/language", language.account_language, POST=_OWN),
    route("account/shortcuts", own_account.account_shortcuts, GET=_OWN, POST=_OWN),
    route("account/sessions/<uuid:session>/end", own_account.session_end, POST=_OWN),
    route("account/second-factor", own_account.second_factor, GET=_OWN, POST=_OWN),
    route("account/second-factor/qr", own_account.second_factor_qr, GET=_OWN),
    route("account/second-factor/end", own_account.second_factor_end, POST=_OWN),
    route("account/recovery-codes", own_account.recovery_codes, POST=_OWN),
    route("accounts", administration.accounts, GET=_ACCOUNTS, POST=_ACCOUNTS),
    route("alarms", alarms.alarms, GET="acknowledge ledger", POST="acknowledge ledger"),
    route("accounts/<uuid:account>", administration.account_change, GET=_ACCOUNTS, POST=_ACCOUNTS),
    route("accounts/<uuid:account>/delete", administration.account_delete, POST=_ACCOUNTS),
    route("accounts/<uuid:account>/reset", administration.account_reset, POST=_ACCOUNTS),
    route("accounts/<uuid:account>/disable", administration.account_disable, POST=_ACCOUNTS),
    route("accounts/<uuid:account>/enable", administration.account_enable, POST=_ACCOUNTS),
    route("projects", list_views.projects, GET="see own work"),
    route("project-new", projects.project_new, GET="create project", POST="create project"),
    route(f"{_PROJECT}", projects.project, GET="see project"),
    route(f"{_PROJECT}/data", data.data, GET="see project"),
    route(f"{_PROJECT}/data/uploads", data.data_upload, POST="change data"),
    route(
        f"{_PROJECT}/data/uploads/<uuid:upload>/remove", data.data_upload_remove, POST="change data"
    ),
    route(
        f"{_PROJECT}/data/uploads/<uuid:upload>/confirm",
        data.data_upload_confirm,
        POST="confirm data",
    ),
    route(
        f"{_PROJECT}/data/uploads/<uuid:upload>/reading",
        readings.data_upload_reading,
        POST="change data",
    ),
    route(
        f"{_PROJECT}/data/uploads/<uuid:upload>/version",
        data.data_upload_version,
        POST="change data",
    ),
    route(f"{_PROJECT}/columns", columns.columns, GET="see project", POST="change columns"),
    route(
        f"{_PROJECT}/columns/correct",
        correction_views.columns_correct,
        GET="see project",
        POST="import",
    ),
    route(f"{_PROJECT}/data/import", columns.data_import, POST="import"),
    route(f"{_PROJECT}/pairs", pairs.pairs, GET="see pairs"),
    route(f"{_PROJECT}/pairs/find", pairs.pairs_find, POST="find pairs"),
    route(f"{_PROJECT}/pairs/upload", pairs.pairs_upload, POST="find pairs"),
    route(f"{_PROJECT}/pairs/answers", pairs.pairs_answers, POST="find pairs"),
    route(f"{_PROJECT}/pairs/truth", truth_views.pairs_truth, GET="see pairs", POST="find pairs"),
    route(f"{_PROJECT}/pairs/learning", learning_views.pairs_learning, POST="find pairs"),
    route(
        f"{_PROJECT}/pairs/thresholds",
        threshold_views.pairs_thresholds,
        GET="see pairs",
        POST="find pairs",
    ),
    route(f"{_PROJECT}/jobs/<uuid:job>", long_work.job, GET="see project"),
    route(f"{_PROJECT}/jobs/<uuid:job>/cancel", long_work.job_cancel, POST="change project"),
    route(
        f"{_PROJECT}/settings",
        settings_views.settings,
        GET="see project",
        POST="change project",
    ),
    route(f"{_PROJECT}/opened", overview.opened, GET="see project"),
    route(f"{_PROJECT}/agreement", overview.agreement, GET="see project"),
    route(f"{_PROJECT}/live", assignment_views.project_live, GET="see project"),
    route(f"{_PROJECT}/overview", overview.project_overview, GET="see project"),
    route(
        f"{_PROJECT}/duplicate",
        projects.project_duplicate,
        GET="duplicate project",
        POST="duplicate project",
    ),
    route(f"{_PROJECT}/archive", list_views.project_archive, POST="archive project"),
    route(f"{_PROJECT}/close", projects.project_close, GET="see project", POST="close project"),
    route(f"{_PROJECT}/shred", projects.project_shred, POST="shred project"),
    route(f"{_PROJECT}/plan", plan.plan, GET="see estimates", POST="plan"),
    route(f"{_PROJECT}/plan/estimate", plan.plan_estimate, GET="see estimates"),
    route(
        f"{_PROJECT}/plan/forecast",
        forecast_views.plan_forecast,
        GET="see estimates",
        POST="plan",
    ),
    route(
        f"{_PROJECT}/plan/forecast/chart",
        forecast_views.plan_forecast_chart,
        GET="see estimates",
    ),
    route(f"{_PROJECT}/members", plan.member_add, POST="manage members"),
    route(f"{_PROJECT}/members/<int:member>/remove", plan.member_remove, POST="manage members"),
    route(f"{_PROJECT}/dispatch", dispatch.dispatch, GET="see plan", POST="dispatch"),
    route(f"{_PROJECT}/dispatch/confirm", dispatch.dispatch_confirm, POST="confirm dispatch"),
    route(f"{_PROJECT}/dispatch/withdraw", dispatch.dispatch_withdraw, POST="dispatch"),
    route(f"{_PROJECT}/resolve", resolve.resolve, GET="see project"),
    route(f"{_PROJECT}/resolve/give", resolve.resolve_give, POST="dispatch"),
    route(f"{_PROJECT}/resolve/confirm", resolve.resolve_confirm, POST="confirm dispatch"),
    route(f"{_PROJECT}/resolve/withdraw", resolve.resolve_withdraw, POST="dispatch"),
    route(f"{_PROJECT}/resolve/accept", resolve.resolve_accept, POST="dispatch"),
    route(f"{_PROJECT}/link", resolve.link, POST="link"),
    route(f"{_ASSIGNMENT}/pause", assignment_views.assignment_pause, POST="manage assignments"),
    route(f"{_ASSIGNMENT}/resume", assignment_views.assignment_resume, POST="manage assignments"),
    route(f"{_PROJECT}/ledger", ledger.ledger, GET="audit"),
    route(f"{_PROJECT}/ledger/file", ledger.ledger_file, GET="audit"),
    route(f"{_PROJECT}/ledger/verify", ledger.ledger_verify, POST="audit"),
    route(f"{_PROJECT}/ledger/receipt", ledger.ledger_receipt, POST="audit"),
    route(f"{_PROJECT}/ledger/receipt/check", ledger.ledger_receipt_check, POST="audit"),
    route(f"{_PROJECT}/report", report.report, GET="see project", POST="audit"),
    route(f"{_PROJECT}/report/json", report.report_json, GET="see project"),
    route(f"{_PROJECT}/report/pdf", report.report_pdf, GET="see project"),
    route(f"{_PROJECT}/report/papers", paper_views.report_papers, GET="write papers"),
    route(f"{_PROJECT}/report/papers/<slug:paper>", paper_views.report_paper, GET="write papers"),
    route(
        f"{_PROJECT}/report/papers/<slug:paper>.<slug:ending>",
        paper_views.report_paper_file,
        GET="write papers",
    ),
    *(
        route(
            f"{_ASSIGNMENT}/{name}",
            assignment_views.change_view(name),
            f"assignment-{name}",
            POST="manage assignments",
        )
        for name in assignment_views.CHANGES
    ),
    route(f"{_PROJECT}/releases", release.releases, GET="see project"),
    route(f"{_PROJECT}/releases/labels", release.release_labels, POST="export labels"),
    route(f"{_PROJECT}/releases/new", release.release_new, POST="make release"),
    route(f"{_RELEASE}", release.release, GET="see project"),
    route(f"{_RELEASE}/again", release.release_again, POST="make release"),
    route(f"{_RELEASE}/settle", release.release_settle, POST="settle finding"),
    route(f"{_RELEASE}/confirm", release.release_confirm, POST="confirm finding"),
    route(f"{_RELEASE}/download", release.release_download, POST="download release"),
    route(f"{_RELEASE}/delete", release.release_delete, POST="delete release"),
    route("assignments", review.assignments, GET="see own work"),
    route("practice", practice.practice, GET="see own work"),
    route("practice/tour", practice.practice_tour, GET="see own work"),
    route("practice/open", practice.practice_open, POST=_OWN),
    route("practice/open-row", practice.practice_open_row, POST=_OWN),
    route("practice/decide", practice.practice_decide, POST=_OWN),
    route("practice/shortcuts", practice.practice_shortcuts, POST=_OWN),
    route("practice/again", practice.practice_again, POST=_OWN),
    route("practice/finish", practice.practice_finish, GET="see own work", POST=_OWN),
]

ROUTES: Final = {str(each.name): each.callback.actions for each in urlpatterns}  # type: ignore[attr-defined]
"""The action that each method of a route is, by the name of the route."""

handler400 = home.bad_request
handler403 = home.not_allowed
handler404 = home.not_found
handler500 = home.broken
