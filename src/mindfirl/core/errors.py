"""What can go wrong, with numbers and names of columns, never with a value.

Every error a person can meet derives from :class:`MindfirlError`. Its message is a sentence that
says what happened and how to mend it. What a caller typed where a name was expected is not
repeated either: it may be a value that slipped into the wrong place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


def or_list(names: Iterable[str]) -> str:
    """Join names for a sentence: ``a, b or c``."""
    *front, last = names
    return f"{', '.join(front)} or {last}" if front else last


def and_list(names: Iterable[str]) -> str:
    """Join names for a sentence: ``a, b and c``."""
    *front, last = names
    return f"{', '.join(front)} and {last}" if front else last


class MindfirlError(Exception):
    """The base of all errors that a person can mend."""


class UnknownName(MindfirlError):
    """A word that is none of the allowed ones: an attribute, a kind, a level, a setting."""

    def __init__(self, what: str, allowed: Iterable[str]) -> None:
        super().__init__(f"Unknown {what}. Use {or_list(allowed)}.")


class SchemaError(MindfirlError):
    """A schema that contradicts itself."""


class SettingError(MindfirlError):
    """A number outside its range: κ, a count of pairs, a budget, a limit."""


class EmptyPopulation(MindfirlError):
    """A data set without records: nobody to be anonymous among."""

    def __init__(self) -> None:
        super().__init__("The data set has no records. Give at least one.")


class NoSuchRecord(MindfirlError):
    """A pair that names a record outside the data set, or the same record twice."""

    def __init__(self, size: int, *, same: bool = False) -> None:
        self.size = size
        if same:
            message = (
                "A pair needs two different records, and this one names the same record twice."
            )
        else:
            message = (
                f"The pair names a record that does not exist. "
                f"The data set holds {size} records: use positions 0 to {size - 1}."
            )
        super().__init__(message)


class DatabaseUnconfirmed(MindfirlError):
    """A database that could be made of guesses about a few people, and nobody has confirmed."""

    def __init__(self, database: str, why: str) -> None:
        self.database, self.why = database, why
        super().__init__(
            f"The database {database} {why}. It could consist of guesses about a few people, so "
            f"another manager must confirm it on the page Data, with a reason. If there is no "
            f"other manager, an administrator can import it with mindfirl data import --confirm "
            f"REASON."
        )


@dataclass(frozen=True, slots=True)
class UnreadableColumn:
    """A column of which so many filled cells cannot be read as its kind that it may be wrong.

    ``share`` is as coarse as shares of a few cells are told.
    """

    database: str
    column: str
    name: str
    share: str


class UnreadableColumns(MindfirlError):
    """More than a fifth of the filled cells of columns cannot be read, and nothing is imported."""

    def __init__(self, columns: Sequence[UnreadableColumn]) -> None:
        self.columns = tuple(columns)
        told = "; ".join(
            f"{each.name} in {each.database} ({each.share} unreadable as a date)"
            for each in self.columns
        )
        super().__init__(
            f"Nothing was imported, because more than a fifth of the cells of these columns cannot "
            f"be read: {told}. Check the kind and the order of the dates. If they are right, "
            f"confirm the import on the page Columns, or by --accept-unreadable REASON."
        )


class DataError(MindfirlError):
    """A value, row or file that breaks a rule; says where, which rule, and how to mend it."""

    def __init__(
        self,
        rule: str,
        mend: str,
        *,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        self.rule, self.mend = rule, mend
        self.file, self.row, self.column = file, row, column
        super().__init__(f"{self._place()}{rule} {mend}".rstrip())

    def _place(self) -> str:
        """Say where: the file, the row (counted from 1, without the header), the column."""
        parts = [self.file] if self.file else []
        if self.row is not None:
            parts += [f"row {self.row}" if self.row else "header"]
        parts += [f"column {self.column}"] if self.column else []
        return f"{', '.join(parts)}: " if parts else ""

    def located(
        self, *, file: str | None = None, row: int | None = None, column: str | None = None
    ) -> DataError:
        """Return the same error with a better known place."""
        return DataError(
            self.rule,
            self.mend,
            file=file if file is not None else self.file,
            row=row if row is not None else self.row,
            column=column if column is not None else self.column,
        )


class LedgerBroken(MindfirlError):
    """A ledger that was changed, cut or reordered; names the first bad entry."""

    def __init__(self, number: int, reason: str) -> None:
        self.number, self.reason = number, reason
        super().__init__(
            f"The ledger is broken at entry {number}: {reason}. "
            f"Entries before it are intact. Compare the rest with an older copy."
        )


class LedgerBehind(LedgerBroken):
    """A ledger that lacks entries which were written here: cut, or restored from a backup."""

    def __init__(self, number: int, entries: int) -> None:
        super().__init__(
            number,
            f"{entries:,} entries were written here, and it is not among them any more: the "
            f"database was cut, or an older backup was restored. An administrator can say why "
            f"(mindfirl ledger acknowledge); until then nothing is recorded",
        )


class LedgerDiffers(MindfirlError):
    """A ledger that holds, beside a database that says otherwise."""

    def __init__(self, difference: str) -> None:
        super().__init__(
            f"The ledger is intact, but the database does not match it: {difference}. The ledger "
            f"is authoritative. Restore the database from a backup that matches it."
        )


class LedgerDistrusted(MindfirlError):
    """A dispatch or release in a project whose ledger or tables were changed."""

    def __init__(self, found: str) -> None:
        super().__init__(
            f"Dispatches and releases are blocked: this project was changed outside this "
            f"software. {found} An administrator must investigate and acknowledge this first "
            f"(mindfirl ledger acknowledge)."
        )


class ReceiptBroken(MindfirlError):
    """A receipt that is none, or was changed, or is of another project."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"The receipt is not valid: {reason}. Give the file unchanged, as it was downloaded."
        )


class KeyMissing(MindfirlError):
    """A key that this process was not given."""

    def __init__(self, side: str, *, of: str = "project") -> None:
        super().__init__(
            f"The {side} key of this {of} is missing from the key folder or cannot be read. Set "
            f"MINDFIRL_KEYS to the folder that contains it, or restore it from your copy."
        )


class VaultBroken(MindfirlError):
    """A file of the vault that is missing, was changed or exchanged, or cannot be opened."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(
            f"The {kind} file of this project {reason}. "
            f"Nothing was read from it. Restore the right key folder or file from your copies, or "
            f"import again."
        )


class IndexDeleted(SettingError):
    """The index of an older version, which no work needed any more."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"The values of version {version} were deleted, because newer data replaced them and "
            f"nobody worked on them any more. Work on the newest version."
        )


class VaultShredded(MindfirlError):
    """Data of a project whose keys were destroyed."""

    def __init__(self) -> None:
        super().__init__(
            "The data of this project were destroyed after it was closed. Nobody can open them "
            "again. Its ledger and figures are kept; see the project page."
        )


class BackupBroken(MindfirlError):
    """A backup that does not open, was changed or cut, or holds what does not fit together."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The backup {reason}. Nothing was restored.")


class Busy(MindfirlError):
    """Work on a project while other work has it."""

    def __init__(self) -> None:
        super().__init__("Other work on this project is running. Try again when it has finished.")


class IndexBroken(MindfirlError):
    """A kept population index whose parts do not fit each other or the schema."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"The stored index of the records is damaged: {reason}. Import the databases again."
        )


class EngineFailed(MindfirlError):
    """An engine that broke off; what it said is not repeated, since it quotes values."""

    def __init__(self, engine: str) -> None:
        super().__init__(
            f"The comparison failed on {engine}. Nothing was kept. Try again; if it fails again, "
            f"try another engine (--engine)."
        )


class MemoryExhausted(MindfirlError):
    """Comparing that needs more memory than there is."""

    def __init__(self, limit: str) -> None:
        self.limit = limit
        super().__init__(
            f"The memory of {limit} is too small for this many comparisons, and unencrypted data "
            f"are never written to disk. Allow fewer comparisons (--most), or use --engine spark."
        )


class EngineMissing(MindfirlError):
    """An engine that is not installed."""

    def __init__(self, engine: str, command: str) -> None:
        super().__init__(f"{engine} is not installed. Install it ({command}), or use DuckDB.")


class NotAllowed(MindfirlError):
    """An action by somebody whom it is not for."""

    def __init__(self) -> None:
        super().__init__(
            "Your role in the project does not allow this. Ask a manager of the project or the "
            "administrator."
        )


class ProjectClosed(MindfirlError):
    """A change in a project that was closed for good."""

    def __init__(self) -> None:
        super().__init__("This project is closed. It can be read but not changed.")


class RoleMissing(SettingError):
    """Work for somebody who does not have the role that it needs."""

    def __init__(self) -> None:
        super().__init__(
            "This person does not have this role in the project, or the account is disabled. Add "
            "the person first."
        )


class PracticeNeeded(MindfirlError):
    """The first look at an assignment by somebody who has not passed the practice."""

    def __init__(self, pass_mark: int) -> None:
        super().__init__(
            f"Pass the practice before you start: decide at least {pass_mark} of its pairs "
            f"correctly at the first answer."
        )


class RoleConflict(SettingError):
    """Two roles in a project that one person must not have."""

    def __init__(self, role: str) -> None:
        self.role = role
        allowed = ", unless the project allows it" if role == "manager" else ""
        super().__init__(f"{role.capitalize()}s cannot review in this project{allowed}.")


class SecondPersonNeeded(SettingError):
    """A proposal that must be confirmed by somebody else than the person who made it."""

    def __init__(
        self,
        sentence: str = "This project requires a second person. Another manager, or the auditor, "
        "must confirm what you proposed.",
    ) -> None:
        super().__init__(sentence)


class ChangedMeanwhile(MindfirlError):
    """A change of what somebody else has changed since it was looked at."""

    def __init__(self) -> None:
        super().__init__(
            "Not saved: another person changed this after you opened the page. Check the current "
            "state and save again."
        )


class DecidedElsewhere(MindfirlError):
    """A decision made on a page that did not show the latest one."""

    def __init__(self) -> None:
        super().__init__(
            "Not saved: the decision on this pair changed after your page was loaded, perhaps in "
            "another window. Check the current decision and decide again."
        )


class FieldErrors(MindfirlError):
    """Fields that were filled in wrongly, each with a sentence."""

    def __init__(self, fields: dict[str, str]) -> None:
        self.fields = fields
        super().__init__(" ".join(fields.values()))


class AccountError(MindfirlError):
    """A change of an account that cannot be made."""


class AccessLinkExpired(MindfirlError):
    """An invitation or reset link that was used, replaced, mistyped, or is too old."""

    def __init__(self) -> None:
        super().__init__(
            "This link has been used, replaced by a newer one, or has expired. Ask the "
            "administrator for a new one."
        )


class TooLarge(MindfirlError):
    """A file that is larger than the installation takes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            f"The file is larger than the limit of {limit:,} bytes. Split it, import it from the "
            f"command line, or ask the administrator to raise MINDFIRL_UPLOAD_LIMIT."
        )


class Cancelled(MindfirlError):
    """Work that was cancelled, or begun again elsewhere, before its end."""

    def __init__(self) -> None:
        super().__init__(
            "The work was cancelled or restarted elsewhere. Nothing of it was kept here."
        )


class NotYours(MindfirlError):
    """A pair or an assignment that is not one's own."""

    def __init__(self) -> None:
        super().__init__("This is not one of your assignments. Choose one on the page Assignments.")


class NotOpen(MindfirlError):
    """An assignment in which nothing can be done at the moment."""

    def __init__(self, state: str) -> None:
        super().__init__(
            f"This assignment is {state}: nothing can be opened or decided in it. If this is a "
            f"mistake, ask a manager of the project."
        )


class NothingToOpen(MindfirlError):
    """A step that a cell does not have."""

    def __init__(self) -> None:
        super().__init__("This cell has nothing to open at this level. Choose another cell.")


class CommentRepeats(MindfirlError):
    """A comment that repeats what its writer has opened."""

    def __init__(self) -> None:
        super().__init__(
            "Not saved: the comment repeats a word or number that you have opened, in this pair or "
            "in another one. Other people can read it. Rewrite it without the value, for example "
            "“the names are alike”."
        )


class CommentBroken(MindfirlError):
    """A comment that was changed or exchanged, or whose key is another one."""

    def __init__(self) -> None:
        super().__init__(
            "A comment was changed, or does not open with the key of this project. Restore the "
            "right key folder or database from your copies."
        )
