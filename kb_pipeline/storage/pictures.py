"""Pictures that readers look at: stages that keep them, and the names of the parts."""

from __future__ import annotations

PAGE_PICTURES = "page_renders"
"""Stage that keeps a JPEG of each displayed page."""
FIGURE_PICTURES = "sections"
"""Stage that keeps the crops of figures, each under the part name that its section and its chunk give."""


def page_picture_part(page: int) -> str:
    """Part name of a page's picture; `page` from 1."""
    return f"{page:05d}.jpg"
