"""How a file is to be read, where somebody says so: its encoding, its delimiter, its sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mindfirl.core.errors import DataError, or_list

ENCODINGS: Final[Mapping[str, str]] = {
    "utf-8": "utf-8",
    "utf-16": "utf-16",
    "windows-1252": "cp1252",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1253": "cp1253",
    "windows-1254": "cp1254",
    "windows-1257": "cp1257",
    "iso-8859-1": "latin-1",
    "iso-8859-2": "iso8859-2",
    "iso-8859-15": "iso8859-15",
    "mac-roman": "mac-roman",
    "cp437": "cp437",
    "cp850": "cp850",
    "cp852": "cp852",
}
"""What an encoding is called here, and by Python."""
DELIMITERS: Final[Mapping[str, str]] = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def _check_known(option: str, given: str, known: Mapping[str, str]) -> None:
    if given and given not in known:
        raise DataError(f"this {option} is not known.", f"Give {or_list(known)}.")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Names of :data:`ENCODINGS` and :data:`DELIMITERS`, and of a sheet.

    What is empty is detected; of a workbook, the first sheet is read.
    """

    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""

    def __post_init__(self) -> None:
        _check_known("encoding", self.encoding, ENCODINGS)
        _check_known("delimiter", self.delimiter, DELIMITERS)

    def over(self, others: FileOptions) -> FileOptions:
        """Return these options, and the others for what they leave open."""
        return FileOptions(
            self.encoding or others.encoding,
            self.delimiter or others.delimiter,
            self.sheet or others.sheet,
        )


DETECTED: Final = FileOptions()


@dataclass(frozen=True, slots=True)
class FileReading:
    """How a file was read: by the names of its options, and the sheets that it has."""

    format: str
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    sheets: tuple[str, ...] = ()
