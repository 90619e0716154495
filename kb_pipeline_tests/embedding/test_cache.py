from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import pytest

from kb_pipeline.embedding.cache import VectorCache, embed_cached
from kb_pipeline.errors import DimensionMismatch, EndpointError
from kb_pipeline.storage.objects import FolderStore


class Model:
    """A deterministic embedder that keeps what it was sent, and fails when told to."""

    max_tokens, cosine_window, language_offsets = 100, (0.0, 1.0), {}

    def __init__(self, model_id="m/1", dimension=4, fail_after=10**9):
        self.model_id, self.dimension, self.fail_after, self.sent = model_id, dimension, fail_after, []

    def embed_passages(self, texts):
        if len(self.sent) + len(texts) > self.fail_after:
            raise EndpointError("gone")
        self.sent += texts
        return np.array([np.random.default_rng(len(t)).random(self.dimension) for t in texts], np.float32)


TEXTS = ["x" * n for n in range(1, 11)]


@pytest.fixture
def store(tmp_path):
    return FolderStore(tmp_path)


def test_a_text_is_sent_once_whatever_is_asked_again(store):
    first = Model()
    vectors, hits = embed_cached(first, [*TEXTS, TEXTS[0]], VectorCache(store))
    assert (hits, first.sent) == (0, TEXTS)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors[0], vectors[-1])

    again = Model()
    same, hits = embed_cached(again, [*reversed(TEXTS), "new" * 20], VectorCache(store))
    assert (hits, again.sent) == (10, ["new" * 20])
    assert np.array_equal(same[:10], vectors[:10][::-1])


def test_a_run_that_dies_goes_on_where_it_was(store):
    with pytest.raises(EndpointError):
        embed_cached(Model(fail_after=7), TEXTS, VectorCache(store), save_every=3)
    rest = Model()
    _, hits = embed_cached(rest, TEXTS, VectorCache(store), save_every=3)
    assert (hits, rest.sent) == (6, TEXTS[6:])


def test_models_do_not_share_vectors(store):
    embed_cached(Model("m/1"), TEXTS, VectorCache(store))
    other = Model("m-1", dimension=5)
    vectors, hits = embed_cached(other, TEXTS, VectorCache(store))
    assert (hits, vectors.shape) == (0, (10, 5))


def test_vectors_are_kept_in_few_objects(store, tmp_path):
    embed_cached(Model(), TEXTS, VectorCache(store))
    embed_cached(Model(), TEXTS, VectorCache(store))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 1
    assert files[0].stat().st_size < 10 * (32 + 4 * 4) + 20


def test_what_another_writer_kept_is_seen_by_a_cache_that_is_already_open(store):
    cache = VectorCache(store)
    embed_cached(Model(), TEXTS[:2], cache)
    embed_cached(Model(), TEXTS[2:], VectorCache(store))
    model = Model()
    assert embed_cached(model, TEXTS, cache)[1] == 10
    assert model.sent == []


@pytest.mark.parametrize(
    "change", [lambda d: d[:-5], lambda d: b"", lambda d: d[:20] + b"\xff" + d[21:], lambda d: d * 2]
)
def test_a_damaged_segment_is_embedded_again(store, tmp_path, change):
    vectors, _ = embed_cached(Model(), TEXTS, VectorCache(store))
    (segment,) = (path for path in tmp_path.rglob("*") if path.is_file())
    segment.write_bytes(change(segment.read_bytes()))
    mended = Model()
    again, hits = embed_cached(mended, TEXTS, VectorCache(store))
    assert (hits, mended.sent) == (0, TEXTS)
    assert np.array_equal(again, vectors)
    assert embed_cached(Model(), TEXTS, VectorCache(store))[1] == 10


def test_vectors_of_a_length_that_changed_are_not_mixed(store):
    embed_cached(Model(dimension=4), TEXTS[:5], VectorCache(store))
    with pytest.raises(DimensionMismatch):
        embed_cached(Model(dimension=6), TEXTS, VectorCache(store))


def test_no_texts_give_no_vectors(store):
    vectors, hits = embed_cached(Model(), [], VectorCache(store))
    assert (vectors.shape, hits) == ((0, 4), 0)


def test_lone_surrogates_have_a_hash(store):
    embed_cached(Model(), ["\ud800"], VectorCache(store))
    assert embed_cached(Model(), ["\ud800"], VectorCache(store))[1] == 1


def _write(root: Path, start: int) -> None:
    texts = ["y" * n for n in range(start, start + 40)]
    embed_cached(Model(), texts, VectorCache(FolderStore(root)), save_every=2)


def test_two_processes_that_write_at_once_lose_nothing(store, tmp_path):
    spawned = multiprocessing.get_context("spawn")
    writers = [spawned.Process(target=_write, args=(tmp_path, start)) for start in (1, 21)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
        assert writer.exitcode == 0
    model = Model()
    assert embed_cached(model, ["y" * n for n in range(1, 61)], VectorCache(store))[1] == 60
    assert model.sent == []
