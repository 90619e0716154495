"""Layout regions by a dropped-in layout.onnx."""

from __future__ import annotations

import numpy as np

from kb_pipeline.deepdoc.vision.deepdoc_weights.nets import YOLO_V10, find, kind
from kb_pipeline.deepdoc.vision.layout import without_overlaps
from kb_pipeline.records import Region, Role

V10_ROLES: tuple[Role, ...] = (
    "title", "text", "reference", "figure", "figure caption", "table", "table caption", "table caption", "equation",
    "figure caption",
)  # fmt: skip
"""Roles by class number of the YOLOv10 file, which has no header or footer."""

OLDER_ROLES: tuple[Role | None, ...] = (
    None, "text", "title", "figure", "figure caption", "table", "table caption", "header", "footer", "reference",
    "equation",
)  # fmt: skip
"""Roles by class number of the older files; the first is the background."""

REMOVABLE_SCORE = 0.4
"""Minimum score of headers, footers and references, since their text may be left out later."""


def deepdoc_regions(picture: np.ndarray) -> list[Region]:
    """Regions of a page, strongest first, with boxes in pixels of the picture; thresholds are the net's own.

    Args:
        picture: [H, W, 3] uint8, BGR.

    Raises:
        ModelMissing: layout.onnx is no net that is known.
    """
    roles = V10_ROLES if kind("layout", len(OLDER_ROLES)) == YOLO_V10 else OLDER_ROLES
    found = find("layout", picture, len(roles))
    height, width = picture.shape[:2]
    regions = []
    for box, number, score in zip(found.boxes, found.classes, found.scores, strict=True):
        role = roles[number]
        x0, top, x1, bottom = np.clip(box, 0, [width, height, width, height]).tolist()
        removable = role in ("header", "footer", "reference")
        if role is None or (removable and score < REMOVABLE_SCORE) or x1 <= x0 or bottom <= top:
            continue
        regions.append(Region(role, (x0, top, x1, bottom), float(score)))
    return without_overlaps(regions)
