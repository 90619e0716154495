"""What a layout-parsing service answered, checked: pages with their blocks, Markdown and pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kb_pipeline.endpoints.calls import Endpoint
from kb_pipeline.errors import EndpointError
from kb_pipeline.records import Box


@dataclass(frozen=True)
class RemoteBlock:
    """A block in the service's words; `box` in pixels of the picture that it saw."""

    label: str
    content: str
    box: Box | None


@dataclass(frozen=True)
class RemotePage:
    """A page of the answer.

    Attributes:
        blocks: in reading order; empty where the service gives Markdown alone.
        images: picture names, as the Markdown writes them, to addresses or base64.
        width, height: pixels of the picture that the service saw, 0 where it does not say.
        turned: degrees by which the service turned the page counter-clockwise before it measured boxes.
    """

    blocks: tuple[RemoteBlock, ...]
    markdown: str
    images: Mapping[str, str]
    width: float
    height: float
    turned: int


def read_result(result: Mapping[str, Any], pages: int, endpoint: Endpoint) -> list[RemotePage]:
    """The pages of a `result`.

    Raises:
        EndpointError: not of the documented form, without pages, or with another number of them than was sent.
    """
    found = result.get("layoutParsingResults")
    if not isinstance(found, list):
        raise _wrong(endpoint, "an answer without layoutParsingResults")
    if not found:
        raise _wrong(endpoint, "no page at all")
    if len(found) != pages:
        raise endpoint.failed(
            f"answered with {len(found)} pages for {pages}", "lower parser.pages to the service's own limit"
        )
    sizes = _sizes(result.get("dataInfo"), pages)
    return [_page(item, number, sizes[number - 1], endpoint) for number, item in enumerate(found, 1)]


def _wrong(endpoint: Endpoint, what: str) -> EndpointError:
    return endpoint.failed(f"answered with {what}", "check that parser.base_url is a PP-StructureV3 service")


def _page(item: Any, number: int, size: tuple[float, float], endpoint: Endpoint) -> RemotePage:
    markdown = item.get("markdown") if isinstance(item, dict) else None
    text = markdown.get("text") if isinstance(markdown, dict) else None
    images = (markdown.get("images") or {}) if isinstance(markdown, dict) else {}
    if not isinstance(text, str) or not isinstance(images, dict):
        raise _wrong(endpoint, f"no Markdown for page {number}")
    pruned = item.get("prunedResult")
    pruned = pruned if isinstance(pruned, dict) else {}
    width, height = _length(pruned.get("width")), _length(pruned.get("height"))
    width, height = (width, height) if width and height else size
    return RemotePage(
        blocks=_blocks(pruned.get("parsing_res_list")),
        markdown=text,
        images={str(name): str(value) for name, value in images.items()},
        width=width,
        height=height,
        turned=_turned(pruned.get("doc_preprocessor_res")),
    )


def _blocks(found: Any) -> tuple[RemoteBlock, ...]:
    """The blocks; none where one of them is not of the known form, since the Markdown then says more."""
    blocks = []
    for item in found if isinstance(found, list) else ():
        if not isinstance(item, dict) or not isinstance(item.get("block_label"), str):
            return ()
        content = item.get("block_content")
        blocks.append(RemoteBlock(item["block_label"], content if isinstance(content, str) else "", _box(item)))
    return tuple(blocks)


def _box(item: Mapping[str, Any]) -> Box | None:
    box = item.get("block_bbox")
    if not isinstance(box, list) or len(box) != 4 or not all(_is_number(v) for v in box):
        return None
    x0, top, x1, bottom = (float(v) for v in box)
    return (x0, top, x1, bottom) if x1 > x0 and bottom > top else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _length(value: Any) -> float:
    return float(value) if _is_number(value) and value > 0 else 0.0


def _turned(found: Any) -> int:
    angle = found.get("angle") if isinstance(found, dict) else 0
    return angle if angle in (90, 180, 270) else 0


def _sizes(info: Any, pages: int) -> list[tuple[float, float]]:
    """Width and height of every page in pixels, by the service's summary of the file."""
    info = info if isinstance(info, dict) else {}
    listed = info.get("pages") if isinstance(info.get("pages"), list) else [info]
    sizes = [(_length(one.get("width")), _length(one.get("height"))) for one in listed if isinstance(one, dict)]
    return sizes if len(sizes) == pages and all(w and h for w, h in sizes) else [(0.0, 0.0)] * pages
