"""Scans made of drawn pages: rasterised, skewed, noisy, stored as a grey JPEG, so that no text layer is left.

The arithmetic is numpy's in 64-bit floats and integers, whose results do not depend on the processor.
"""

from __future__ import annotations

import io
import math

import cv2
import numpy as np
import pypdfium2 as pdfium
from drawing import A4, Sheet
from reportlab.lib.utils import ImageReader
from truth import Document, Point

DPI = 150
NOISE = 9  # grey levels, standard deviation about this
PAPER = 243  # grey level of the paper
JPEG_QUALITY = 42


def skew(slope: float):
    """The map of page points that turns the page about its centre, clockwise by `atan(slope)`."""
    cos = 1 / math.sqrt(1 + slope * slope)
    sin, cx, cy = slope * cos, A4[0] / 2, A4[1] / 2

    def turn(point: Point) -> Point:
        x, y = point[0] - cx, point[1] - cy
        return cx + cos * x - sin * y, cy + sin * x + cos * y

    return turn


def scan_picture(pdf: bytes, slope: float, seed: int) -> bytes:
    """The first page of a PDF as a JPEG picture of a skewed, noisy sheet."""
    document = pdfium.PdfDocument(pdf)
    ink = document[0].render(scale=DPI / 72, grayscale=True).to_numpy().astype(np.float64)
    document.close()
    ink = ink[..., 0] if ink.ndim == 3 else ink
    grey = _turned(ink, slope) * (PAPER - 25) / 255 + 25
    height, width = grey.shape
    shade = np.arange(width) * (10 / width) + np.arange(height)[:, None] * (6 / height)
    dice = np.random.default_rng(seed)
    noise = dice.integers(0, 2 * NOISE + 1, size=(3, height, width)).sum(axis=0) - 3 * NOISE
    speckle = dice.integers(0, 40000, size=(height, width)) == 0
    grey = np.clip(grey - shade + noise, 0, 255)
    grey[speckle] = 60
    done, data = cv2.imencode(".jpg", grey.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise ValueError("the scanned page could not be encoded as JPEG")
    return data.tobytes()


def _turned(ink: np.ndarray, slope: float) -> np.ndarray:
    """Bilinear sampling of the page, turned about its centre; white outside."""
    height, width = ink.shape
    cos = 1 / math.sqrt(1 + slope * slope)
    sin = slope * cos
    x, y = np.meshgrid(np.arange(width) - width / 2, np.arange(height) - height / 2)
    u, v = cos * x + sin * y + width / 2, cos * y - sin * x + height / 2
    inside = (u >= 0) & (u < width - 1) & (v >= 0) & (v < height - 1)
    u, v = np.where(inside, u, 0), np.where(inside, v, 0)
    i, j = v.astype(np.int64), u.astype(np.int64)
    a, b = v - i, u - j
    mixed = (ink[i, j] * (1 - b) + ink[i, j + 1] * b) * (1 - a) + (ink[i + 1, j] * (1 - b) + ink[i + 1, j + 1] * b) * a
    return np.where(inside, mixed, 255.0)


def add_scan(sheet: Sheet, pdf: bytes, drawn: Document, slope: float, seed: int) -> None:
    """Appends the first page of `pdf` to the sheet as a scan, with its sections and noise where the skew puts them."""
    sheet.new_page(source="ocr")
    picture = ImageReader(io.BytesIO(scan_picture(pdf, slope, seed)))
    sheet.canvas.drawImage(picture, 0, 0, *A4)
    turn = skew(slope)
    for section in drawn.sections:
        for line in section.lines:
            line.page, line.turn = sheet.page, turn
        sheet.document.sections.append(section)
