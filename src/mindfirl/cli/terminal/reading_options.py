"""Options that say how files are to be read, and a sentence that says how they were."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from mindfirl.engine.reading.file_options import (
    DELIMITERS,
    ENCODINGS,
    FileOptions,
    FileReading,
)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a file, which it takes as ``options``."""

    @click.option(
        "--encoding",
        type=click.Choice(list(ENCODINGS)),
        show_choices=False,
        metavar="NAME",
        help=f"Encoding of text files: {', '.join(ENCODINGS)}. Default: detected.",
    )
    @click.option(
        "--delimiter",
        type=click.Choice(list(DELIMITERS)),
        show_choices=False,
        metavar="NAME",
        help=f"Delimiter of text files: {', '.join(DELIMITERS)}. Default: detected.",
    )
    @click.option(
        "--sheet", default="", metavar="NAME", help="Sheet of a workbook. Default: first."
    )
    @wraps(command)
    def with_options(
        *,
        encoding: str | None,
        delimiter: str | None,
        sheet: str,
        **others: Any,  # noqa: ANN401  # those of the command
    ) -> Any:  # noqa: ANN401  # what it returns
        return command(options=FileOptions(encoding or "", delimiter or "", sheet), **others)

    return with_options


def reading_words(reading: FileReading) -> str:
    said = [reading.encoding, reading.delimiter and f"delimiter {reading.delimiter}"]
    if reading.sheet:
        said.append(f"sheet {reading.sheets.index(reading.sheet) + 1} of {len(reading.sheets)}")
    return ", ".join(filter(None, [reading.format, *said]))
