"""Pieces of a page out of blocks, and out of Markdown alone."""

from __future__ import annotations

from kb_pipeline.remote_parser.answer import RemoteBlock, RemotePage
from kb_pipeline.remote_parser.blocks import page_pieces

BOX = (10.0, 20.0, 300.0, 400.0)
MARKDOWN = """# Report on copper

## 1 Drilling

Hole ZK305 ended
in limestone.
岩石
坚硬

<div style="text-align: center;"><img src="imgs/map.jpg" alt="Image" width="50%" /></div>

<div style="text-align: center;">Figure 1. Map</div>

<div style="text-align: center;"><html><body><table><tr><td>a</td></tr></table></body></html></div>

$$ x < y $$

![logo](imgs/logo.png)
"""


def page(*blocks, markdown="", images=()):
    return RemotePage(tuple(blocks), markdown, {name: "x" for name in images}, 600, 800, 0)


def told(pieces):
    return [(p.role, p.text, p.level, p.image) for p in pieces]


def test_markdown_alone_gives_pieces_in_order():
    assert told(page_pieces(page(markdown=MARKDOWN, images=["imgs/map.jpg", "imgs/logo.png", "imgs/unseen.png"]))) == [
        ("title", "Report on copper", 1, ""),
        ("title", "1 Drilling", 2, ""),
        ("text", "Hole ZK305 ended in limestone.岩石坚硬", 0, ""),
        ("figure", "", 0, "imgs/map.jpg"),
        ("caption", "Figure 1. Map", 0, ""),
        ("table", "<table><tr><td>a</td></tr></table>", 0, ""),
        ("equation", "x < y", 0, ""),
        ("figure", "", 0, "imgs/logo.png"),
        ("figure", "", 0, "imgs/unseen.png"),
    ]


def test_blocks_take_their_heading_levels_from_the_markdown():
    found = page_pieces(
        page(
            RemoteBlock("doc_title", "Report", BOX), RemoteBlock("paragraph_title", "1.1 Water", BOX),
            RemoteBlock("paragraph_title", "Elsewhere", BOX), RemoteBlock("text", "a\nb", BOX),
            markdown="# Report\n\n### 1.1 Water\n",
        )
    )  # fmt: skip
    assert [(p.text, p.level) for p in found] == [("Report", 1), ("1.1 Water", 3), ("Elsewhere", 2), ("a b", 0)]


def test_margins_are_marked_with_their_reasons_and_charts_may_be_tables():
    found = page_pieces(
        page(
            RemoteBlock("header", "Company", BOX), RemoteBlock("number", "7", BOX), RemoteBlock("footer", "2024", BOX),
            RemoteBlock("chart", "<table><tr><td>1</td></tr></table>", BOX), RemoteBlock("formula", "$$ a=b $$", BOX),
            RemoteBlock("unheard_of", "text", BOX),
        )
    )  # fmt: skip
    assert [(p.role, p.reason) for p in found] == [
        ("text", "running header"), ("text", "page number"), ("text", "running footer"),
        ("table", ""), ("equation", ""), ("text", ""),
    ]  # fmt: skip
    assert found[4].text == "a=b"


def test_figures_get_their_own_picture_by_box_then_by_order():
    second = (10.0, 420.0, 300.0, 700.0)
    named = ["imgs/img_in_chart_box_10_420_300_700.jpg", "imgs/img_in_image_box_10_20_300_400.jpg"]
    blocks = (RemoteBlock("text", "words", BOX), RemoteBlock("image", "", BOX), RemoteBlock("chart", "", second))
    found = page_pieces(page(*blocks, images=named))
    assert [p.image for p in found] == ["", named[1], named[0]]
    plain = page_pieces(page(*blocks, images=["a.png", "b.png", "c.png"], markdown='<img src="b.png">'))
    assert [p.image for p in plain] == ["", "b.png", "a.png", "c.png"]
