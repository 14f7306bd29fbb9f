"""``mindfirl papers``: drafts for ethics boards, data protection officers and data owners."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from mindfirl.cli.terminal.new_files import check_new
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.web.report.paper_views import FORMATS, paper_file
from mindfirl.web.report.papers import PAPERS, paper_kind, passages_to_write, write_paper

_FORMATS: Final = tuple(FORMATS)


@click.command()
@click.argument("name")
@click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder for the files. Default: the current folder.",
)
@click.option("--only", metavar="PAPER", help="Write one paper, such as linkage-plan.")
@click.option(
    "--format",
    "ending",
    type=click.Choice(_FORMATS),
    help="Write one format. Default: both.",
)
def papers(name: str, out: Path, only: str | None, ending: str | None) -> None:
    """Write drafts of the papers that a project needs, filled with what it knows.

    An impact assessment (data protection), a section for an ethics application, a data-use
    agreement and a linkage plan, each as OpenDocument and Markdown. Passages that only a person can
    write are marked. No personal data is included.

    \b
    For example:
      mindfirl papers study --out papers
      mindfirl papers study --only linkage-plan --format odt
    """
    kinds = (paper_kind(only),) if only else PAPERS
    endings = (ending,) if ending else _FORMATS
    project = installed_project(name)
    files = {kind: [out / f"{name}-{kind.name}.{each}" for each in endings] for kind in kinds}
    for path in (path for paths in files.values() for path in paths):
        check_new(path)
    out.mkdir(parents=True, exist_ok=True)
    for kind, paths in files.items():
        text = write_paper(kind, project=project, actor=COMMAND_LINE)
        for path in paths:
            path.write_bytes(paper_file(text, path.suffix.removeprefix(".")))
            click.echo(f"{path}: {passages_to_write(text)} passages for you to write")
