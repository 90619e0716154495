"""Table structure by SLANet: a picture in, structure tokens and cell boxes out."""

from __future__ import annotations

import re
from functools import lru_cache

import cv2
import numpy as np

from kb_pipeline.deepdoc.tables.grid import Cell, Grid
from kb_pipeline.deepdoc.vision.crops import IMAGENET_MEAN, IMAGENET_STD
from kb_pipeline.weights.sessions import metadata_lines, outputs, session

SIDE = 488  # pixels, the net's square input
MAX_TOKENS = 495
"""Tokens from which an output counts as cut: the net stops at 501."""

NAMES = {"table": "slanet-plus", "table second opinion": "slanet-en"}
CELL_TOKENS = ("<td></td>", "<td")

_SPAN = re.compile(r'(col|row)span="?(\d+)')


def read_structure(crop: np.ndarray, role: str = "table") -> Grid:
    """The grid of a table's picture.

    Args:
        crop: [H, W, 3] uint8 BGR, at most about 12 px of margin at 216 dpi around the table.
        role: `table` or `table second opinion`, the model to ask.

    Returns:
        Cells in the order of the model's tokens, boxes in pixels of the crop, mean token probability. No cells where
        the model sees no table.
    """
    height, width = crop.shape[:2]
    ratio = SIDE / max(height, width)
    places, probabilities = outputs(session(role), _planes(crop, ratio))
    vocabulary = _vocabulary(role)
    best, certain = probabilities[0].argmax(1), probabilities[0].max(1)
    ends = np.flatnonzero(best[1:] == len(vocabulary) - 1)
    length = int(ends[0]) + 1 if len(ends) else len(best)
    steps = [i for i in range(length) if 0 < best[i] < len(vocabulary) - 1]
    tokens = [vocabulary[best[i]] for i in steps]
    raw = places[0][[i for i, token in zip(steps, tokens, strict=True) if token in CELL_TOKENS]]
    cells = token_cells(tokens)
    boxes = _boxes(raw, width, height, ratio)[: len(cells)]
    confidence = float(certain[steps].mean()) if steps else 0.0
    return Grid(tuple(cells[: len(boxes)]), boxes, NAMES[role], confidence, len(steps) >= MAX_TOKENS)


def token_cells(tokens: list[str]) -> list[Cell]:
    """Cells of a token list such as `<tr>`, `<td></td>`, `<td`, ` colspan="2"`, `>`, `</td>`, `</tr>`."""
    cells: list[Cell] = []
    taken: set[tuple[int, int]] = set()
    row, col, header, i = -1, 0, False, 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        if token == "<thead>":
            header = True
        elif token in ("</thead>", "<tbody>"):
            header = False
        elif token == "<tr>":
            row, col = row + 1, 0
        elif token in CELL_TOKENS:
            spans = {"row": 1, "col": 1}
            while token == "<td" and i < len(tokens) and (match := _SPAN.search(tokens[i])):
                spans[match[1]] = max(int(match[2]), 1)
                i += 1
            row = max(row, 0)
            while (row, col) in taken:
                col += 1
            taken |= {(row + r, col + k) for r in range(spans["row"]) for k in range(spans["col"])}
            cells.append(Cell(row, col, spans["row"], spans["col"], header))
            col += spans["col"]
    return cells


def _planes(crop: np.ndarray, ratio: float) -> np.ndarray:
    """[1, 3, SIDE, SIDE] float32: scaled to the longer side, zeros to the right and below."""
    height, width = max(int(crop.shape[0] * ratio), 1), max(int(crop.shape[1] * ratio), 1)
    scaled = cv2.resize(crop, (width, height)).astype(np.float32) * np.float32(1 / 255)
    planes = np.zeros((1, 3, SIDE, SIDE), np.float32)
    planes[0, :, :height, :width] = ((scaled - IMAGENET_MEAN) / IMAGENET_STD).transpose(2, 0, 1)
    return planes


@lru_cache
def _vocabulary(role: str) -> tuple[str, ...]:
    tokens = [token for token in metadata_lines(session(role)) or [] if token != "<td>"]
    if "<td></td>" not in tokens:
        tokens.append("<td></td>")
    return ("sos", *tokens, "eos")


def _boxes(raw: np.ndarray, width: int, height: int, ratio: float) -> np.ndarray:
    """[N, 4] pixels of the crop from [N, 4] shares of the crop or [N, 8] shares of the padded input (four corners)."""
    if raw.shape[1] == 4:
        return raw.astype(float) * [width, height, width, height]
    corners = raw.reshape(-1, 4, 2).astype(float) * SIDE / ratio
    return np.concatenate([corners.min(1), corners.max(1)], 1)
