"""Damaged files end with a typed error or a result: 150 seeded mutants; benchmarks/mutants.py takes thousands."""

from __future__ import annotations

import contextlib
import random
import time

import pytest

from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.files.pictures import PictureFile
from kb_pipeline.errors import KbError
from kb_pipeline.formats import read_native
from kb_pipeline.formats.detect import check_name, detect
from kb_pipeline.formats.registry import FORMATS
from kb_pipeline_tests.mutants import mutant, sources

SOURCES = sources()
SMALL = [name for name in sorted(SOURCES) if len(SOURCES[name]) < 100_000]


@pytest.mark.parametrize("name", SMALL)
def test_a_damaged_file_is_read_or_refused(name):
    for number in range(150 // len(SMALL) + 1):
        data = mutant(SOURCES[name], random.Random(f"{name} {number}"))
        started = time.process_time()
        with contextlib.suppress(KbError):
            read(data, name)
        assert time.process_time() - started < 10


def read(data: bytes, name: str) -> None:
    """The file as far as it goes without a model."""
    kind = detect(data, name)
    check_name(kind, name)
    if FORMATS[kind].pages:
        with PdfFile(data, name) if kind == "pdf" else PictureFile(data, name) as file:
            for page in range(1, min(file.page_count, 3) + 1):
                file.characters(page)
                file.rulings(page)
                file.render(page, 0.5)
            file.bookmarks()
    else:
        assert read_native(kind, data, name).document.characters.balanced
