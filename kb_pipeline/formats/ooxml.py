"""The package of an Office Open XML file: its parts within bounds, their relationships, their XML without entities."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lxml import etree

from kb_pipeline.errors import FileTooLarge
from kb_pipeline.formats.archive import Archive

MAX_NODES = 6_000_000  # elements and attributes of a part that is read as a whole: some 120 bytes each
MAX_TAGS = 12_000_000  # of a part that is read piece by piece; a million cells with formulas have six
LARGEST = 10**9  # no count or index in a file of these formats reaches it
STRICT = "http://purl.oclc.org/ooxml/"  # namespaces of the strict form, which say the same
LOOSE = (
    ("http://purl.oclc.org/ooxml/spreadsheetml/main", "http://schemas.openxmlformats.org/spreadsheetml/2006/main"),
    (
        "http://purl.oclc.org/ooxml/wordprocessingml/main",
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    ),
    (
        "http://purl.oclc.org/ooxml/officeDocument/relationships",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    ),
    ("http://purl.oclc.org/ooxml/officeDocument/math", "http://schemas.openxmlformats.org/officeDocument/2006/math"),
    ("http://purl.oclc.org/ooxml/drawingml/", "http://schemas.openxmlformats.org/drawingml/2006/"),
)
# the parser's own bounds on depth, length and entities stay on
SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
}
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


class Relationship(NamedTuple):
    """What a part refers to: the last word of its type, its target as a part name, or an address outside."""

    kind: str
    target: str
    outside: bool


class Package(Archive):
    """Parts of an Office Open XML file.

    Raises:
        DamagedFile: it is no archive, or a part is not XML, is missing, or declares entities.
        FileTooLarge: it unpacks to more than an archive may, or a part holds more than MAX_NODES.
    """

    def xml(self, part: str) -> etree._Element:
        """The root element of a part, names of the strict form as those of the usual one."""
        data = self._loose(part)
        self._bounded(part, data.count(b"<") + data.count(b"="), MAX_NODES)
        try:
            root = etree.fromstring(data, etree.XMLParser(**SAFE))
        except (etree.XMLSyntaxError, ValueError) as error:
            raise self.damaged(f"its part {part} is not XML ({error})") from error
        self._without_entities(root, part)
        return root

    def elements(self, part: str, tags: Sequence[str]) -> Iterator[etree._Element]:
        """Elements of a part with these tags as they end, in order; each is emptied when the next one is asked for, so
        that a part of any length takes little memory."""
        data = self._loose(part)
        self._bounded(part, data.count(b"<"), MAX_TAGS)
        events = etree.iterparse(io.BytesIO(data), events=("end",), tag=list(tags), **SAFE)
        try:
            for count, (_, element) in enumerate(events):
                if count == 0:
                    self._without_entities(element, part)
                yield element
                element.clear()
                while element.getprevious() is not None and element.getparent() is not None:
                    del element.getparent()[0]
        except (etree.XMLSyntaxError, ValueError) as error:
            raise self.damaged(f"its part {part} is not XML ({error})") from error

    def _bounded(self, part: str, count: int, most: int) -> None:
        if count > most:
            raise FileTooLarge(
                f"its part {part} holds more than {most} elements", document=self.name, remedy="split the document"
            )

    def _loose(self, part: str) -> bytes:
        data = self.bytes(part)
        if STRICT.encode() in data:
            for strict, loose in LOOSE:
                data = data.replace(strict.encode(), loose.encode())
        return data

    def _without_entities(self, element: etree._Element, part: str) -> None:
        if element.getroottree().docinfo.internalDTD is not None:
            raise self.damaged(f"its part {part} declares a document type, which Office never does")

    def relationships(self, part: str) -> dict[str, Relationship]:
        """What a part refers to, by relationship id; the package's own for an empty name."""
        folder, file = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{file}.rels")
        if rels not in self:
            return {}
        found = {}
        for element in self.xml(rels):
            target, outside = element.get("Target", ""), element.get("TargetMode") == "External"
            if not outside:
                target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
            kind = element.get("Type", "").rpartition("/")[2]
            found[element.get("Id", "")] = Relationship(kind, target, outside)
        return found

    def main_part(self) -> str:
        """The part that the document begins with."""
        for relationship in self.relationships("").values():
            if relationship.kind == "officeDocument":
                return relationship.target
        raise self.damaged("it names no main part")


def of_kind(relationships: dict[str, Relationship], kind: str) -> list[Relationship]:
    """Relations of a kind, in order."""
    return [relationship for relationship in relationships.values() if relationship.kind == kind]


def integer(text: str | None, default: int = 0) -> int:
    """A whole number out of an attribute or element; the default where there is none, or it is none that a file of
    these formats can mean."""
    try:
        number = int(text or "")
    except ValueError:
        return default
    return number if abs(number) < LARGEST else default
