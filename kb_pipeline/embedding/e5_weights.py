"""Reads e5-small-q4.bin: multilingual-e5-small with 4-bit linear layers, its vocabulary and its character map.

Layout, little endian: magic `E5S1` and version; sizes; special token ids; vocabulary (offsets, scores, bytes);
character map (code point to replacement); tensor directory (name, type, element count, offset, bytes); tensors.
A tensor is float32 (type 0) or Q4_0 (type 1): blocks of 32 weights as one float16 scale and 16 bytes of nibbles, low
nibbles the first 16 weights, high nibbles the last 16, `weight = (nibble - 8) * scale`.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from kb_pipeline.errors import ModelMissing

MAGIC = b"E5S1\x01\x00\x00\x00"
BLOCK_WEIGHTS = 32
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK_WEIGHTS // 2)])
FLOAT32, Q4 = 0, 1
MAX_SIZE = 1 << 21  # no size in the header of a model of this kind is larger; guards allocations against nonsense


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies in the file: `kind` FLOAT32 or Q4, `offset` and `length` in bytes."""

    kind: int
    count: int
    offset: int
    length: int


@dataclass(frozen=True)
class E5Weights:
    """The parsed file. Arrays are views of the mapped file, nothing is copied until it is used.

    Attributes:
        words: rows of the word embedding table, at least one a piece.
        positions: length of the position table, the most tokens of one run including the two special ones.
        vocabulary: where the pieces lie in the file and how many they are; `pieces` reads them.
        characters: replacement of each mapped code point (upper half of NFKC and white space rules).
    """

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    epsilon: float
    start_id: int
    end_id: int
    unknown_id: int
    vocabulary: tuple[int, int]
    characters: dict[int, str]
    tensors: dict[str, Tensor]
    data: mmap.mmap

    def pieces(self) -> list[tuple[str, float]]:
        """Vocabulary of the Unigram tokenizer as (piece, log probability), index = token id; 60 MB, so not kept.

        Raises:
            ModelMissing: a piece is no UTF-8.
        """
        _, offsets, scores, blob = _vocabulary(self.data, *self.vocabulary)
        try:
            texts = [blob[a:b].decode() for a, b in pairwise(offsets.tolist())]
        except UnicodeDecodeError as error:
            raise _damaged(f"the vocabulary is damaged: {error}") from error
        return list(zip(texts, scores.tolist(), strict=True))

    def floats(self, name: str, *shape: int) -> np.ndarray:
        """A float32 tensor in that shape."""
        tensor = self._tensor(name, FLOAT32, int(np.prod(shape)))
        return np.frombuffer(self.data, "<f4", tensor.count, tensor.offset).reshape(shape)

    def blocks(self, name: str, rows: int, columns: int) -> np.ndarray:
        """A Q4 matrix as BLOCK records `[rows, columns / 32]`."""
        tensor = self._tensor(name, Q4, rows * columns)
        count = tensor.count // BLOCK_WEIGHTS
        return np.frombuffer(self.data, BLOCK, count, tensor.offset).reshape(rows, columns // BLOCK_WEIGHTS)

    def _tensor(self, name: str, kind: int, count: int) -> Tensor:
        tensor = self.tensors.get(name)
        if tensor is None or tensor.kind != kind or tensor.count != count:
            raise _damaged(f"tensor {name} is missing or of another shape")
        return tensor


def nibbles(blocks: np.ndarray) -> np.ndarray:
    """The 32 unsigned 4-bit numbers of each block, in order: `[..., 32]` uint8."""
    return np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=-1)


def dequantised(blocks: np.ndarray) -> np.ndarray:
    """Q4 rows as float32 `[rows, columns]`."""
    values = nibbles(blocks).astype(np.float32) - 8
    return (values * blocks["scale"].astype(np.float32)[..., None]).reshape(blocks.shape[0], -1)


def read_weights(path: Path) -> E5Weights:
    """Map and check a weight file.

    Raises:
        ModelMissing: it is not there, or not a file of this layout from the first byte to the last tensor.
    """
    try:
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _damaged(f"{path} cannot be read: {error}") from error
    try:
        return _parse(data)
    except (struct.error, ValueError, IndexError) as error:
        raise _damaged(f"{path} is damaged: {error}") from error


def _parse(data: mmap.mmap) -> E5Weights:
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError("it does not begin as an E5S1 file of version 1")
    at = len(MAGIC)
    at, (hidden, layers, heads, inner, words, positions, _) = _take(data, at, "<7i")
    at, (epsilon, _) = _take(data, at, "<fi")
    at, (count, start_id, end_id, _, unknown_id) = _take(data, at, "<5i")
    for size in (hidden, layers, heads, inner, words, positions, count):
        if not 0 < size < MAX_SIZE:
            raise ValueError(f"a size of {size} in its header")
    if hidden % heads or hidden % BLOCK_WEIGHTS or inner % BLOCK_WEIGHTS or positions < 3:
        raise ValueError("sizes in its header that do not fit each other")
    if not all(0 <= token < min(count, words) for token in (start_id, end_id, unknown_id)) or count > words:
        raise ValueError("special tokens outside its vocabulary")
    vocabulary = (at, count)
    at, *_ = _vocabulary(data, at, count)
    at, characters = _characters(data, at)
    at, tensors = _tensors(data, at)
    return E5Weights(
        hidden, layers, heads, inner, words, positions, epsilon, start_id, end_id, unknown_id,
        vocabulary, characters, tensors, data,
    )  # fmt: skip


def _take(data: mmap.mmap, at: int, form: str) -> tuple[int, tuple]:
    return at + struct.calcsize(form), struct.unpack_from(form, data, at)


def _vocabulary(data: mmap.mmap, at: int, count: int) -> tuple[int, np.ndarray, np.ndarray, bytes]:
    """Where it ends, offsets of the pieces in their bytes, their log probabilities, and these bytes."""
    at, (length,) = _take(data, at, "<Q")
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    if at + length > len(data) or offsets[-1] > length or not np.isfinite(scores).all():
        raise ValueError("its vocabulary reaches past the end of the file")
    return at + length, offsets, scores, data[at : at + length]


def _characters(data: mmap.mmap, at: int) -> tuple[int, dict[int, str]]:
    at, (count, _) = _take(data, at, "<iI")
    found = {}
    for _ in range(_bounded(count)):
        at, (code, length) = _take(data, at, "<IB")
        at, codes = _take(data, at, f"<{length}I")
        found[code] = "".join(map(chr, codes))
    return at, found


def _tensors(data: mmap.mmap, at: int) -> tuple[int, dict[str, Tensor]]:
    at, (count,) = _take(data, at, "<i")
    found = {}
    for _ in range(_bounded(count)):
        at, (length,) = _take(data, at, "<H")
        at, (name,) = _take(data, at, f"<{length}s")
        at, tensor = _take(data, at, "<BIQQ")
        found[name.decode()] = checked = Tensor(*tensor)
        size = {FLOAT32: 4 * checked.count, Q4: checked.count // BLOCK_WEIGHTS * BLOCK.itemsize}.get(checked.kind)
        if size != checked.length or checked.offset + checked.length > len(data):
            raise ValueError(f"tensor {name.decode()} reaches past the end of the file")
    return at, found


def _bounded(count: int) -> int:
    if not 0 <= count < MAX_SIZE:
        raise ValueError(f"a count of {count} entries")
    return count


def _damaged(message: str) -> ModelMissing:
    return ModelMissing(message, remedy="delete the file, run `kb models fetch`, then `kb models verify`")
