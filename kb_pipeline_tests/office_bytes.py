"""Small Office files for tests: DOCX parts by hand, workbooks by openpyxl."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

import openpyxl

TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
NAMESPACES = " ".join(
    f'xmlns:{name}="{uri}"'
    for name, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": RELATION,
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "v": "urn:schemas-microsoft-com:vml",
        "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    }.items()
)
PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"
    b"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa7\x9a\x9d\xb5\x00\x00\x00\x00IEND\xaeB`\x82"
)


def zipped(parts: Mapping[str, bytes | str]) -> bytes:
    """An archive of parts, packed."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def rels(targets: Mapping[str, tuple[str, str]]) -> str:
    """A relations part: (kind, target) by id."""
    lines = "".join(
        f'<Relationship Id="{key}" Type="{RELATION}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{RELATIONS}">{lines}</Relationships>'


def docx(body: str, extra: str = "", media: Mapping[str, bytes] | None = None, **parts: str) -> bytes:
    """A DOCX of a body's XML.

    Args:
        parts: inner XML of further parts by the kind of their relation (styles, numbering, footnotes, comments,
            header, footer); their relation ids are those kinds.
        media: picture bytes by relation id.
    """
    roots = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes", "endnotes": "endnotes",
             "comments": "comments", "header": "hdr", "footer": "ftr"}  # fmt: skip
    targets = {kind: (kind, f"{kind}.xml") for kind in parts}
    targets |= {key: ("image", f"media/{key}.png") for key in media or {}}
    files: dict[str, bytes | str] = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": rels({"main": ("officeDocument", "word/document.xml")}),
        "word/_rels/document.xml.rels": rels(targets),
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body>{extra}</w:document>",
    }
    files |= {f"word/{k}.xml": f"<w:{roots[k]} {NAMESPACES}>{inner}</w:{roots[k]}>" for k, inner in parts.items()}
    files |= {f"word/media/{key}.png": data for key, data in (media or {}).items()}
    return zipped(files)


def r(text: str, properties: str = "") -> str:
    """A run."""
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def p(content: str = "", properties: str = "") -> str:
    """A paragraph of text, or of runs."""
    inner = content if content.startswith("<") else r(content) if content else ""
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def heading(text: str, level: int = 1) -> str:
    """A heading by its outline level."""
    return p(text, f'<w:outlineLvl w:val="{level - 1}"/>')


def listed(text: str, level: int = 0, number: str = "1") -> str:
    """A paragraph of a numbered list."""
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def levels(*forms: tuple[str, str], more: str = "") -> str:
    """A numbering part of one list (id 1): (format, text) by level."""
    inner = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for i, (form, text) in enumerate(forms)
    )
    return (
        f'<w:abstractNum w:abstractNumId="0">{inner}</w:abstractNum>'
        f'<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>{more}'
    )


def table(*rows: str) -> str:
    """A table of rows."""
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def row(*cells: str, properties: str = "") -> str:
    """A row of cells, or of texts."""
    inner = "".join(one if one.startswith("<w:tc>") else cell(one) for one in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inner}</w:tr>"


def cell(content: str, span: int = 1, merge: str = "") -> str:
    """A cell of text or blocks. `merge`: restart or continue."""
    vertical = f'<w:vMerge w:val="{merge}"/>' if merge else ""
    inner = content if content.startswith("<") else p(content)
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/>{vertical}</w:tcPr>{inner}</w:tc>'


def picture(key: str, alt: str = "") -> str:
    """A run with a picture."""
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="{alt}"/><a:graphic><a:graphicData>'
        f'<pic:pic><pic:blipFill><a:blip r:embed="{key}"/></pic:blipFill></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def workbook(*fills: Callable[[openpyxl.worksheet.worksheet.Worksheet], None]) -> bytes:
    """A workbook with a sheet for each function that fills one."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, fill in enumerate(fills, 1):
        fill(book.create_sheet(f"Sheet{number}"))
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def rows(*values: list) -> Callable[[openpyxl.worksheet.worksheet.Worksheet], None]:
    """Fills a sheet with rows."""

    def fill(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
        for one in values:
            sheet.append(one)

    return fill


def changed(data: bytes, part: str, change: Callable[[str], str]) -> bytes:
    """A package with one part changed as text."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part].decode("utf-8"))
    return zipped(parts)
