"""The registry of formats, and what the README says of it."""

from __future__ import annotations

import re
from pathlib import Path

from kb_pipeline.choices import loaded
from kb_pipeline.formats.registry import FORMATS, named, readable_as

README = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")


def test_every_reader_is_there():
    assert all(callable(loaded(one.reader)) for one in FORMATS.values() if one.reader)


def test_no_extension_names_two_types():
    for kind, one in FORMATS.items():
        assert {named(extension) for extension in one.extensions} <= {kind}


def test_the_readme_lists_every_format_with_the_place_of_its_answers():
    table = README.partition("\n## Formats\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", table, re.M)[2:]
    shown = {extension: place for names, place in rows for extension in names.split(", ")}
    assert shown == {
        extension: one.place for one in FORMATS.values() if one.reader for extension in one.extensions[: one.shown]
    }


def test_errors_list_what_can_be_read_by_family():
    assert "pictures (png, jpg, tif, bmp, webp, gif), Word (docx), Excel (xlsx, xls)" in readable_as()
