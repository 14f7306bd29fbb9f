"""Markdown as an OpenDocument text (.odt), to be edited in any word processor.

It has what our papers use: headings, paragraphs, lists, tables, bold and italic words. Passages in
bold that begin with a given mark are highlighted. The same text makes the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Final
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from markdown_it.token import Token

from mindfirl.web.page.markdown_html import MARKDOWN

MEDIA_TYPE: Final = "application/vnd.oasis.opendocument.text"

_NAMESPACES: Final = (
    " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in {
            "office": "office",
            "style": "style",
            "text": "text",
            "table": "table",
            "fo": "xsl-fo-compatible",
            "meta": "meta",
            "manifest": "manifest",
        }.items()
    )
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
)
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_DAY_ONE: Final = (1980, 1, 1, 0, 0, 0)

_BEGINS: Final = {
    "paragraph_open": '<text:p text:style-name="Text_20_body">',
    "bullet_list_open": '<text:list text:style-name="Bullets">',
    "ordered_list_open": '<text:list text:style-name="Numbers">',
    "list_item_open": "<text:list-item>",
    "thead_open": "<table:table-header-rows>",
    "tr_open": "<table:table-row>",
    "th_open": '<table:table-cell table:style-name="Cell" office:value-type="string">'
    '<text:p text:style-name="Head">',
    "td_open": '<table:table-cell table:style-name="Cell" office:value-type="string">'
    '<text:p text:style-name="Entry">',
    "em_open": '<text:span text:style-name="Italic">',
    "softbreak": " ",
    "hardbreak": "<text:line-break/>",
}
_ENDS: Final = {
    "paragraph_close": "</text:p>\n",
    "heading_close": "</text:h>\n",
    "bullet_list_close": "</text:list>\n",
    "ordered_list_close": "</text:list>\n",
    "list_item_close": "</text:list-item>\n",
    "table_close": '</table:table>\n<text:p text:style-name="Entry"/>\n',
    "thead_close": "</table:table-header-rows>",
    "tr_close": "</table:table-row>\n",
    "th_close": "</text:p></table:table-cell>",
    "td_close": "</text:p></table:table-cell>",
    "em_close": "</text:span>",
    "strong_close": "</text:span>",
}


def open_document(markdown: str, *, highlighted: str) -> bytes:
    """Write Markdown as a file; bold passages that begin with ``highlighted`` are marked."""
    tokens = MARKDOWN.parse(markdown)
    body = "".join(_written(tokens, highlighted))
    title = next((each.content for each in tokens if each.type == "inline"), "")
    content = (
        f'{_HEAD}<office:document-content {_NAMESPACES} office:version="1.3">{_CONTENT_STYLES}'
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    meta = (
        f'{_HEAD}<office:document-meta {_NAMESPACES} office:version="1.3"><office:meta>'
        f"<dc:title>{escape(title)}</dc:title><dc:language>en</dc:language>"
        "</office:meta></office:document-meta>"
    )
    files = {"content.xml": content, "styles.xml": _STYLES, "meta.xml": meta}
    return _zipped({**files, "META-INF/manifest.xml": _manifest(files)})


def _written(tokens: Sequence[Token], highlighted: str) -> Iterator[str]:
    for place, token in enumerate(tokens):
        following = tokens[place + 1 : place + 2]
        if token.type == "heading_open":
            level = token.tag.removeprefix("h")
            yield (f'<text:h text:style-name="Heading_20_{level}" text:outline-level="{level}">')
        elif token.type == "table_open":
            yield f'<table:table table:style-name="Table">{_columns(tokens[place:])}'
        elif token.type == "strong_open":
            begins = following and following[0].content.startswith(highlighted)
            yield f"<text:span text:style-name={quoteattr('ToWrite' if begins else 'Bold')}>"
        elif token.type == "inline":
            yield from _written(token.children or (), highlighted)
        elif token.type in {"text", "code_inline"}:
            yield escape(token.content)
        else:
            yield _BEGINS.get(token.type, "") or _ENDS.get(token.type, "")


def _columns(tokens: Sequence[Token]) -> str:
    """Count the columns by the first row of a table."""
    row = next(place for place, each in enumerate(tokens) if each.type == "tr_close")
    number = sum(each.type == "th_open" for each in tokens[:row])
    return f'<table:table-column table:number-columns-repeated="{number}"/>'


def _manifest(files: dict[str, str]) -> str:
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>'
        for name in files
    )
    return (
        f'{_HEAD}<manifest:manifest {_NAMESPACES} manifest:version="1.3">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{MEDIA_TYPE}"/>'
        f"{entries}</manifest:manifest>"
    )


def _zipped(files: dict[str, str]) -> bytes:
    """Put files together; the type comes first and as it is, by which programs know the whole."""
    made = BytesIO()
    with ZipFile(made, "w") as package:
        package.writestr(ZipInfo("mimetype", _DAY_ONE), MEDIA_TYPE, ZIP_STORED)
        for name, text in files.items():
            package.writestr(ZipInfo(name, _DAY_ONE), text, ZIP_DEFLATED)
    return made.getvalue()


_BULLET: Final = (
    '<text:list-level-style-bullet text:level="1" text:bullet-char="•">{0}'
    "</text:list-level-style-bullet>"
)
_NUMBER: Final = (
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=".">{0}'
    "</text:list-level-style-number>"
)
_INDENT: Final = (
    '<style:list-level-properties text:list-level-position-and-space-mode="label-alignment">'
    '<style:list-level-label-alignment text:label-followed-by="listtab" '
    'fo:text-indent="-0.6cm" fo:margin-left="0.6cm"/></style:list-level-properties>'
)
_CONTENT_STYLES: Final = (
    "<office:automatic-styles>"
    '<style:style style:name="Bold" style:family="text">'
    '<style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="Italic" style:family="text">'
    '<style:text-properties fo:font-style="italic"/></style:style>'
    '<style:style style:name="ToWrite" style:family="text">'
    '<style:text-properties fo:font-weight="bold" fo:background-color="#fff2a8"/></style:style>'
    '<style:style style:name="Table" style:family="table">'
    '<style:table-properties fo:margin-top="0.2cm" style:rel-width="100%"/></style:style>'
    '<style:style style:name="Cell" style:family="table-cell">'
    '<style:table-cell-properties fo:padding="0.1cm" fo:border="0.5pt solid #999999"/>'
    "</style:style>"
    f'<text:list-style style:name="Bullets">{_BULLET.format(_INDENT)}</text:list-style>'
    f'<text:list-style style:name="Numbers">{_NUMBER.format(_INDENT)}</text:list-style>'
    "</office:automatic-styles>"
)


def _heading(level: int, points: int) -> str:
    return (
        f'<style:style style:name="Heading_20_{level}" style:display-name="Heading {level}" '
        'style:family="paragraph" style:next-style-name="Text_20_body" '
        f'style:default-outline-level="{level}">'
        '<style:paragraph-properties fo:margin-top="0.5cm" fo:margin-bottom="0.2cm" '
        'fo:keep-with-next="always"/>'
        f'<style:text-properties fo:font-size="{points}pt" fo:font-weight="bold"/></style:style>'
    )


_STYLES: Final = (
    f'{_HEAD}<office:document-styles {_NAMESPACES} office:version="1.3"><office:styles>'
    '<style:default-style style:family="paragraph">'
    '<style:text-properties fo:font-family="sans-serif" fo:font-size="10.5pt" fo:language="en" '
    'fo:country="GB"/></style:default-style>'
    '<style:style style:name="Text_20_body" style:display-name="Text body" '
    'style:family="paragraph"><style:paragraph-properties fo:margin-bottom="0.2cm" '
    'fo:line-height="120%"/></style:style>'
    '<style:style style:name="Entry" style:family="paragraph"/>'
    '<style:style style:name="Head" style:family="paragraph">'
    '<style:text-properties fo:font-weight="bold"/></style:style>'
    f"{_heading(1, 20)}{_heading(2, 14)}{_heading(3, 12)}</office:styles>"
    '<office:automatic-styles><style:page-layout style:name="A4">'
    '<style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm" '
    'fo:margin-top="2cm" fo:margin-bottom="2cm" fo:margin-left="2.3cm" fo:margin-right="2.3cm"/>'
    "</style:page-layout></office:automatic-styles>"
    '<office:master-styles><style:master-page style:name="Standard" '
    'style:page-layout-name="A4"/></office:master-styles></office:document-styles>'
)
