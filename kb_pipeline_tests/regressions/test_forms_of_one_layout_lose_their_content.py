"""Certificates and invoices of one layout came out empty: what stood at one height on each page was its header."""

from __future__ import annotations

import pytest

from kb_pipeline.deepdoc.assembly.assemble import assemble
from kb_pipeline.settings import Settings
from kb_pipeline_tests.assembly_pages import HEIGHT, line, page


def put_together(*pages: list[tuple[str, float]]):
    made = [page([line(text, 72, y) for text, y in lines], number) for number, lines in enumerate(pages, 1)]
    return assemble(made, [], [], Settings())


def dropped(document) -> set[str]:
    return {item.text for item in document.dropped}


@pytest.mark.parametrize("pages", [2, 3, 6])
def test_a_certificate_of_few_lines_is_kept_on_every_page(pages):
    document = put_together(
        *(
            [
                (f"Certificate of an analysis, part {n}.", 50),
                (f"The sample of week {n + 9} was taken at noon.", 66),
                ("The result was within the limits.", 82),
                (f"Batch {5530 + n} expires 2026-{n:02d}-15", HEIGHT - 40),
            ]
            for n in range(1, pages + 1)
        )
    )
    assert document.dropped == ()
    assert {section.locators[0].page for section in document.sections} == set(range(1, pages + 1))


def test_the_number_and_the_total_of_an_invoice_are_content():
    totals = ("120.00", "75.50", "310.25")
    document = put_together(
        *(
            [
                ("Seller: Riverside Works Ltd, Dover", 40),
                (f"Invoice INV-{500 + n}", 56),
                (f"Total due: {total} GBP", 72),
                ("Payable within 30 days to the account below.", 300),
            ]
            for n, total in enumerate(totals, 1)
        )
    )
    text = " ".join(section.text for section in document.sections)
    assert all(f"INV-{500 + n}" in text and total in text for n, total in enumerate(totals, 1))
    assert dropped(document) <= {"Seller: Riverside Works Ltd, Dover"}


def test_a_running_line_that_counts_the_pages_still_goes():
    pages = [[(f"Annual report 2023 | {n + 10}", 40), (f"What page {n} says of the year.", 300)] for n in range(1, 5)]
    assert dropped(put_together(*pages)) == {f"Annual report 2023 | {n + 10}" for n in range(1, 5)}
