"""Invoices of one layout lost their number and total, certificates all of their text: taken for running headers.

Lines that differed in any figure were one header. Only the page number may differ, and no page is emptied.
"""

from __future__ import annotations

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.records import ParsedDocument, Region
from kb_pipeline.settings import Settings
from kb_pipeline_tests.assembly_pages import column, line, page

WORDS = ("granite", "basalt", "marble", "gneiss")


def parsed(*pages) -> ParsedDocument:
    document = assemble(pages, [], [], Settings())
    assert document.characters.balanced
    return document


def said(document: ParsedDocument) -> str:
    return "\n".join(section.text for section in document.sections)


def prose(word: str) -> list:
    return column([f"the {word} of row {chr(97 + i)} is described in this line" for i in range(20)], 50, 550, 120)


def test_number_and_total_of_each_invoice_stay():
    pages = [
        page(
            [
                line("Seller: Hill & Sons Ltd, Leeds", 50, 30),
                line(f"Invoice HS-{700 + n}", 50, 45),
                line(f"Total due: {n * 37}.{n}0 GBP", 50, 60),
                line("Payable within 14 days.", 50, 200),
            ],
            n,
        )
        for n in (1, 2, 3)
    ]
    text = said(parsed(*pages))
    for n in (1, 2, 3):
        assert f"Invoice HS-{700 + n}" in text
        assert f"Total due: {n * 37}.{n}0 GBP" in text


def test_certificates_whose_text_lies_in_the_margins_stay_whole():
    pages = [
        page(
            [
                line(f"Certificate {n}", 50, 30),
                line(f"Sampled in week {n + 20}", 50, 45),
                line(f"Lot {900 + n}", 50, 770),
            ],
            n,
        )
        for n in (1, 2, 3)
    ]
    document = parsed(*pages)
    assert document.dropped == ()
    assert len(document.sections) >= 3


def test_lot_beside_a_repeated_line_stays():
    footer = (Region("footer", (40, 750, 560, 790), 0.9),)
    pages = [
        page(
            [
                *prose(word),
                line("Works of Leeds", 50, 762, region=0),
                line(f"Lot {55 + 3 * n}", 300, 775, region=0),
            ],
            n,
            regions=footer,
        )
        for n, word in enumerate(WORDS, 1)
    ]
    document = parsed(*pages)
    assert {item.text for item in document.dropped} == {"Works of Leeds"}
    assert "Lot 58" in said(document)


def test_a_header_with_the_page_number_goes():
    pages = [page([line(f"Rocks of the north | {n + 6}", 50, 30), *prose(word)], n) for n, word in enumerate(WORDS, 1)]
    assert {item.reason for item in parsed(*pages).dropped} == {"running header"}


def test_a_document_of_repeated_lines_alone_is_not_emptied():
    pages = [page([line("Intentionally left blank", 50, 30)], n) for n in (1, 2, 3)]
    assert parsed(*pages).dropped == ()
