"""A one-page English letter that exists only as a scan."""

from __future__ import annotations

from drawing import Sheet, Style
from flow import Flow, Frame
from scans import add_scan
from truth import Document

NAME = "scanned_letter.pdf"
TITLE = "Letter about drill core storage"
BODY = Style(size=11.5, leading=17, font="Times-Roman", align="left", after=9)
HEAD = [
    "Tongshan Core Store",
    "Shed 4, North Yard",
    "14 November 2023",
]
TEXTS = [
    "To the Survey Group, Upper Qingxi Basin Project",
    "Subject: Storage of drill core from exploration line 3",
    "We confirm that 214 boxes of core from the holes ZK301 to ZK312 reached the store on 9 November 2023. Eleven "
    "boxes were damaged on the way; their core was moved to new boxes and the depth marks were checked against the "
    "field logs.",
    "The boxes stand on racks 17 to 23. Core of the ore intervals is kept in locked rack 20, which may be opened only "
    "when two members of the store are present. Half core left after sampling is stored with the full core of the "
    "same hole.",
    "Storage is free of charge until 31 December 2025. After that date the yearly fee is 6.50 yuan a box, payable in "
    "January. Please let us know by 30 September 2025 which holes you wish to keep.",
    "Box 88 of hole ZK307 was empty when it arrived. We ask you to find out whether its core, from 248.10 m to 251.30 "
    "m, is still at the laboratory.",
    "With kind regards,",
    "Tongshan Core Store",
]


def make_letter() -> tuple[bytes, Document]:
    """The PDF and its truth."""
    drawn = Sheet(NAME, TITLE)
    drawn.new_page()
    flow = Flow(drawn, iter([Frame(340, 96, 190, 780)]))
    for text in HEAD:
        flow.paragraph(text, Style(size=11.5, leading=16, font="Times-Roman", align="left"))
    flow.use(iter([Frame(78, 190, 440, 780)]))
    for text in TEXTS:
        flow.paragraph(text, BODY)
    pdf = drawn.close()
    sheet = Sheet(NAME, TITLE)
    add_scan(sheet, pdf, drawn.document, slope=-0.014, seed=88)
    return sheet.close(), sheet.document
