"""Text line recognition: PP-OCR's CTC net, with the place of every character along its line.

Batches are small and narrow: on a CPU the cost is linear in width, and batching only adds padding and memory.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from kb_pipeline.deepdoc.vision.crops import crop_quad, is_tall
from kb_pipeline.errors import ModelMissing
from kb_pipeline.settings import models_dir
from kb_pipeline.weights.manifest import DEEPDOC, in_use, model_path
from kb_pipeline.weights.sessions import metadata_lines, outputs, session

HEIGHT = 48  # pixels, the net's fixed input height
MIN_WIDTH = 48  # pixels, narrower inputs are padded
BATCH = 4  # maximum number of crops per run
BATCH_SPREAD = 1.15  # widest over narrowest crop of a batch: more padding costs more than another run
WIDEST = 4800  # pixels: longer lines are squeezed to it, which bounds memory

ORIGINAL_WIDTH = 320  # pixels, minimum width with which InfiniFlow/deepdoc runs its rec.onnx

SURE = 0.9  # score from which no other way to turn a tall crop is tried
SLIM = 4.0  # height over width up to which a tall crop may be a single upright character


@dataclass(frozen=True)
class Recognition:
    """A recognised line.

    Attributes:
        score: mean probability of the characters, 0 where there is none.
        edges: `len(text) + 1` boundaries of the characters, 0…1 along the reading direction of the crop.
        turned: degrees clockwise by which the text stands in its crop: 0, 90 (reads downwards, also vertical Chinese
            and Japanese) or 270 (reads upwards).
    """

    text: str
    score: float
    edges: tuple[float, ...] = ()
    turned: int = 0


NOTHING = Recognition("", 0.0)


def recognise(crops: list[np.ndarray], variant: str = "small") -> list[Recognition]:
    """Texts of upright line crops.

    Args:
        crops: [h, w, 3] uint8 BGR each.
        variant: `small` or `tiny` weights (tiny knows no kana); a dropped-in rec.onnx goes before both, red first.
    """
    variant = in_use("recognition", variant)
    if variant == DEEPDOC:
        crops = [crop[:, :, ::-1] for crop in crops]
    if not crops:
        return []
    labels = _alphabet(variant)
    results = [NOTHING] * len(crops)
    ratios = [crop.shape[1] / crop.shape[0] for crop in crops]
    for batch in _batches(ratios):
        width = _width(max(ratios[i] for i in batch), variant)
        planes = np.zeros((len(batch), 3, HEIGHT, width), np.float32)
        used = [_fill(plane, crops[i]) for plane, i in zip(planes, batch, strict=True)]
        probabilities = outputs(session("recognition", variant), planes)[0]
        if probabilities.shape[2] != len(labels):
            classes = f"{model_path('recognition', variant).name} has {probabilities.shape[2]} classes"
            raise ModelMissing(
                f"{classes}, its dictionary {len(labels)}", remedy="put the dictionary of that very net beside it"
            )
        for i, found, share in zip(batch, probabilities, used, strict=True):
            results[i] = _decode(found, labels, share / width)
    return results


def recognise_lines(picture: np.ndarray, quads: np.ndarray, variant: str = "small") -> list[Recognition]:
    """Texts under quads [N, 4, 2] in pixels of the picture.

    Crops at least 1.5 times as high as wide may hold one narrow character, a line that reads downwards or one that
    reads upwards. Reading downwards is tried first, since vertical Chinese and Japanese stand so; upwards only while
    nothing sure was found; upright where a single character is that slim.
    """
    crops = [crop_quad(picture, quad) for quad in quads]
    tall = [i for i, crop in enumerate(crops) if is_tall(crop)]
    results = recognise([np.rot90(crop) if is_tall(crop) else crop for crop in crops], variant)
    for i in tall:
        results[i] = _turned(results[i], 90)
    slim = [i for i in tall if crops[i].shape[0] <= SLIM * crops[i].shape[1]]
    _compete(results, slim, recognise([crops[i] for i in slim], variant), 0)
    unsure = [i for i in tall if results[i].score < SURE]
    _compete(results, unsure, recognise([np.rot90(crops[i], -1) for i in unsure], variant), 270)
    return results


def alphabet(variant: str = "small") -> frozenset[str]:
    """The characters that the net can write."""
    return frozenset(_alphabet(in_use("recognition", variant))[1:])


def can_write(text: str, variant: str = "small") -> bool:
    """Whether the net's alphabet holds at least 80 % of the letters of a text (RAGFlow's guard for other scripts)."""
    letters = [c for c in text if unicodedata.category(c)[0] == "L"]
    known = alphabet(variant)
    return not letters or sum(c in known for c in letters) >= 0.8 * len(letters)


def _turned(found: Recognition, degrees: int) -> Recognition:
    return Recognition(found.text, found.score, found.edges, degrees)


def _compete(results: list[Recognition], places: list[int], others: list[Recognition], degrees: int) -> None:
    for i, other in zip(places, others, strict=True):
        if other.score > results[i].score:
            results[i] = _turned(other, degrees)


def _batches(ratios: list[float]) -> list[list[int]]:
    """Indexes by growing width, at most BATCH of nearly the same width together."""
    batches: list[list[int]] = []
    for i in sorted(range(len(ratios)), key=lambda i: (ratios[i], i)):
        first = ratios[batches[-1][0]] if batches else 0.0
        if batches and len(batches[-1]) < BATCH and ratios[i] <= max(BATCH_SPREAD * first, MIN_WIDTH / HEIGHT):
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches


def _width(ratio: float, variant: str) -> int:
    """Pixels of the net's input for crops that are up to `ratio` times as wide as high."""
    width = min(int(HEIGHT * ratio), WIDEST)
    if variant != DEEPDOC:
        return max(MIN_WIDTH, width)
    given = session("recognition", DEEPDOC).get_inputs()[0].shape[3]
    return given if isinstance(given, int) else max(ORIGINAL_WIDTH, width)


def _fill(plane: np.ndarray, crop: np.ndarray) -> int:
    """Write the crop into [3, HEIGHT, W] at full height, left aligned; the width used."""
    width = max(1, min(plane.shape[2], math.ceil(HEIGHT * crop.shape[1] / crop.shape[0])))
    scaled = cv2.resize(crop, (width, HEIGHT)).astype(np.float32).transpose(2, 0, 1) / 255
    plane[:, :, :width] = (scaled - 0.5) / 0.5
    return width


def _alphabet(variant: str) -> tuple[str, ...]:
    """Class labels: the CTC blank, the dictionary, a space."""
    if variant == DEEPDOC:
        path = model_path("recognition dictionary", DEEPDOC)
        return _dictionary(path, path.stat().st_mtime_ns)
    return _labels(variant)


@lru_cache
def _labels(variant: str) -> tuple[str, ...]:
    lines = metadata_lines(session("recognition", variant))
    if lines is None:
        path = (models_dir() / model_path("recognition", variant).name).with_suffix(".txt")
        if not path.is_file():
            raise ModelMissing(f"the dictionary {path.name} is not in {models_dir()}", remedy="run `kb models fetch`")
        return _dictionary(path, path.stat().st_mtime_ns)
    return ("", *lines, " ")


@lru_cache
def _dictionary(path: Path, mtime_ns: int) -> tuple[str, ...]:
    """Class labels out of a file with one character a line; nothing but line ends is stripped."""
    lines = path.read_text("utf-8").replace("\r\n", "\n").split("\n")
    return ("", *(lines[:-1] if lines[-1] == "" else lines), " ")


def _decode(probabilities: np.ndarray, labels: tuple[str, ...], used: float) -> Recognition:
    """Greedy CTC: the best class of every time step, repeats collapsed, blanks removed.

    Args:
        probabilities: [T, classes]; the T steps cover the whole input.
        used: share of the input that the crop fills; edges are relative to the crop.
    """
    best = probabilities.argmax(1)
    starts = np.flatnonzero(np.concatenate([[True], best[1:] != best[:-1]]))
    ends = np.concatenate([starts[1:], [len(best)]])
    kept = best[starts] != 0
    starts, ends = starts[kept], ends[kept]
    if len(starts) == 0:
        return NOTHING
    texts = [labels[best[s]] for s in starts]
    score = float(probabilities[starts, best[starts]].mean())
    centres = (starts + ends) / 2 / len(best) / used
    return Recognition("".join(texts), score, _edges(texts, centres))


def _edges(texts: list[str], centres: np.ndarray) -> tuple[float, ...]:
    """Boundaries between characters whose centres are known: the gap is shared by the usual widths of both."""
    widths = np.array([2.0 if unicodedata.east_asian_width(t[0]) in "WF" else 1.0 for t in texts])
    if len(texts) == 1:
        return (0.0, *([1.0] * len(texts[0])))
    gaps = np.diff(centres)
    inner = centres[:-1] + gaps * widths[:-1] / (widths[:-1] + widths[1:])
    first = centres[0] - gaps[0] * widths[0] / (widths[0] + widths[1])
    last = centres[-1] + gaps[-1] * widths[-1] / (widths[-1] + widths[-2])
    edges = np.maximum.accumulate(np.clip([first, *inner, last], 0.0, 1.0))
    whole: list[float] = [float(edges[0])]
    for text, left, right in zip(texts, edges[:-1], edges[1:], strict=True):
        whole += [float(left + (right - left) * (k + 1) / len(text)) for k in range(len(text))]
    return tuple(whole)
