"""Why text of a document is in none of its sections: the words that listings show and the setting `keep` takes."""

from __future__ import annotations

from typing import Final, Literal

RUNNING_HEADER: Final = "running header"
RUNNING_FOOTER: Final = "running footer"
RUNNING_MARGIN: Final = "running margin text"
PAGE_NUMBER: Final = "page number"
WATERMARK: Final = "watermark"
CONTENTS: Final = "contents"
DUPLICATE: Final = "duplicate"
REPEATED_HEADER: Final = "repeated table header"
CONTINUED_CAPTION: Final = "continued caption"
LINE_END_HYPHEN: Final = "line-end hyphen"
INVISIBLE: Final = "invisible text"
TRANSPARENT: Final = "transparent text"
BACKGROUND_COLOURED: Final = "background-coloured text"
NOT_PAINTED: Final = "not painted"
OFF_PAGE: Final = "off page"
TWICE: Final = "drawn twice"
TINY: Final = "too small to read"
LOW_SCORE: Final = "low recognition score"
GARBLED: Final = "garbled text"
HIDDEN_TEXT: Final = "hidden text"
HIDDEN_SHEET: Final = "hidden sheet"
HIDDEN_ROW: Final = "hidden row"
HIDDEN_COLUMN: Final = "hidden column"
HIDDEN_VALUE: Final = "hidden value"
LINK_ADDRESS: Final = "link address"
COMMENT: Final = "comment"
DELETED: Final = "deleted text"
STRUCK: Final = "struck-out text"
PROPERTY: Final = "document property"

DropReason = Literal[
    "running header",
    "running footer",
    "running margin text",
    "page number",
    "watermark",
    "contents",
    "duplicate",
    "repeated table header",
    "continued caption",
    "line-end hyphen",
    "invisible text",
    "transparent text",
    "background-coloured text",
    "not painted",
    "off page",
    "drawn twice",
    "too small to read",
    "low recognition score",
    "garbled text",
    "hidden text",
    "hidden sheet",
    "hidden row",
    "hidden column",
    "hidden value",
    "link address",
    "comment",
    "deleted text",
    "struck-out text",
    "document property",
]
"""Reasons that `keep` switches off, so that such text stays in the sections."""

# always dropped: what a format writes beside its text
COVERED_BY_MERGE: Final = "covered by a merged cell"
MARKDOWN_MARK: Final = "Markdown mark"
HTML_TAG: Final = "HTML tag"
PICTURE_ADDRESS: Final = "picture address"
