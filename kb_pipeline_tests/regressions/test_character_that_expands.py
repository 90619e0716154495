"""U+FDFA stands for eighteen characters; twelve of them in a row ended embedding engines that reserved four each."""

from __future__ import annotations

import numpy as np

from kb_pipeline.embedding.local import LocalEmbedder
from kb_pipeline.tokenization.tokens import fine

LIGATURE = "\ufdfa"


def test_it_is_embedded_counted_and_tokenized():
    model = LocalEmbedder()
    assert np.isfinite(model.embed_passages([LIGATURE * 12, f"a {LIGATURE} b"])).all()
    assert model.count_many([LIGATURE * 12])[0] > 12
    assert fine(LIGATURE)
