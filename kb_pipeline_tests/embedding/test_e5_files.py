"""The weight file is checked from its first byte; the graph beside it is only a cache."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from kb_pipeline.embedding import e5_graph
from kb_pipeline.embedding.e5_graph import CACHE_NAME, build_graph, encoder_session
from kb_pipeline.embedding.e5_weights import BLOCK, dequantised, read_weights
from kb_pipeline.errors import ModelMissing
from kb_pipeline.settings import models_dir

HEADER_END = 72


@pytest.fixture(scope="module")
def real():
    return models_dir() / "e5-small-q4.bin"


@pytest.fixture(scope="module")
def weights(real):
    return read_weights(real)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KB_MODELS", str(tmp_path))
    return tmp_path


def damaged(real, folder, change):
    path = folder / "damaged.bin"
    shutil.copyfile(real, path)
    with open(path, "r+b") as file:
        change(file)
    return path


@pytest.mark.parametrize("data", [b"", b"E5S1", b"PK\x03\x04" * 100, b"E5S1\x01\0\0\0" + b"\xff" * 500,
                                  b"E5S1\x01\0\0\0" + bytes(500)])  # fmt: skip
def test_nonsense_is_refused_with_the_remedy(tmp_path, data):
    path = tmp_path / "weights.bin"
    path.write_bytes(data)
    with pytest.raises(ModelMissing) as caught:
        read_weights(path)
    assert "kb models" in caught.value.remedy


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ModelMissing):
        read_weights(tmp_path / "none.bin")


@pytest.mark.parametrize("size", [60, 5000, 2_000_000, 4_630_000, 60_000_000])
def test_a_file_that_was_cut_short_is_refused(real, tmp_path, size):
    path = damaged(real, tmp_path, lambda file: file.truncate(size))
    with pytest.raises(ModelMissing, match="damaged"):
        read_weights(path)


@pytest.mark.parametrize("at", range(8, HEADER_END, 4))
def test_a_changed_number_in_the_header_never_ends_in_another_error(real, tmp_path, at):
    def change(file):
        file.seek(at)
        file.write(b"\xfb\xff\xff\x7f")

    path = damaged(real, tmp_path, change)
    try:
        build_graph(read_weights(path), {})
    except ModelMissing:
        return
    assert at in {32, 36, 40, 56}  # pooling, epsilon, block size, padding id: numbers that no check can know


def test_four_bit_blocks_are_low_nibbles_then_high_nibbles():
    block = np.zeros((1, 1), BLOCK)
    block["scale"] = 2.0
    block["nibbles"][0, 0] = np.arange(16) | (np.arange(16)[::-1] << 4)
    expected = [(n - 8) * 2.0 for n in (*range(16), *reversed(range(16)))]
    assert dequantised(block).tolist() == [expected]


def test_the_graph_has_the_same_bytes_every_time(weights):
    metadata = {"weights": "x", "builder": "1"}
    assert build_graph(weights, metadata) == build_graph(weights, dict(reversed(metadata.items())))


def test_the_graph_is_written_once_and_rebuilt_when_it_no_longer_fits(weights, folder, monkeypatch):
    path = folder / CACHE_NAME
    encoder_session(weights, "hash one")
    first = path.stat().st_mtime_ns
    encoder_session(weights, "hash one")
    assert path.stat().st_mtime_ns == first
    assert [p.name for p in folder.iterdir()] == [CACHE_NAME]

    encoder_session(weights, "hash two")
    second = path.read_bytes()
    assert b"hash two" in second
    monkeypatch.setattr(e5_graph, "BUILDER_VERSION", "other")
    encoder_session(weights, "hash two")
    assert path.read_bytes() != second
    path.write_bytes(second[:1000])
    encoder_session(weights, "hash two")
    assert len(path.read_bytes()) > 1_000_000


def test_a_folder_that_cannot_be_written_does_not_stop_the_model(weights, folder, monkeypatch):
    def refuse(*_):
        raise PermissionError("read-only")

    monkeypatch.setattr(os, "replace", refuse)
    session = encoder_session(weights, "hash")
    words = np.zeros((1, 4, weights.hidden), np.float32)
    assert session.run(None, {"words": words})[0].shape == (1, weights.hidden)
    assert not list(folder.iterdir())


def test_the_graph_computes_the_encoder(weights, folder):
    """Against the layers written out in numpy, with the weights in float: only 4-bit activations' rounding apart."""
    count = 7
    words = np.random.default_rng(5).standard_normal((1, count, weights.hidden)).astype(np.float32)
    found = encoder_session(weights, "hash").run(None, {"words": words})[0][0]
    expected = _encoder(weights, words[0].astype(np.float64)).mean(axis=0)
    cosine = found @ expected / np.linalg.norm(found) / np.linalg.norm(expected)
    assert cosine > 0.998


def _encoder(weights, state):
    from math import erf, sqrt

    hidden, inner, heads = weights.hidden, weights.inner, weights.heads

    def norm(x, name):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + weights.epsilon)
        return x * weights.floats(f"{name}.w", hidden) + weights.floats(f"{name}.b", hidden)

    def linear(x, name, width, inputs):
        return x @ dequantised(weights.blocks(f"{name}.w", width, inputs)).T + weights.floats(f"{name}.b", width)

    def split(x):
        return x.reshape(len(x), heads, -1).transpose(1, 0, 2)

    state = norm(state, "emb.ln")
    for n in range(weights.layers):
        q, k, v = (split(linear(state, f"l{n}.{part}", hidden, hidden)) for part in "qkv")
        scores = q @ k.transpose(0, 2, 1) / sqrt(hidden // heads)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(state), hidden)
        state = norm(state + linear(mixed, f"l{n}.ao", hidden, hidden), f"l{n}.aln")
        wide = linear(state, f"l{n}.fi", inner, hidden)
        wide = wide * 0.5 * (1 + np.vectorize(erf)(wide / sqrt(2)))
        state = norm(state + linear(wide, f"l{n}.fo", hidden, inner), f"l{n}.oln")
    return state
