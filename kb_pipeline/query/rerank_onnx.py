"""A cross-encoder in a folder of one's own: `model.onnx` and `tokenizer.json`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

from kb_pipeline.errors import ModelMissing
from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import Scored
from kb_pipeline.settings import RerankSettings

MAX_TOKENS = 512  # of question and text together, what usual cross-encoders take


def onnx_parts(
    question: Question, scored: Sequence[Scored], passages: Sequence[str], settings: RerankSettings
) -> list[dict[str, float]]:
    """The model's score of each passage, in order.

    Raises:
        ModelMissing: the folder `rerank.model` lacks a file.
    """
    return [{"rerank": score} for score in _onnx_scores(question.text, passages, settings)]


def _onnx_scores(question: str, passages: Sequence[str], settings: RerankSettings) -> list[float]:
    """Scores of a cross-encoder in the folder `settings.model`. Raises ModelMissing."""
    import numpy as np

    tokens, session = _cross_encoder(settings.model)
    names = {one.name for one in session.get_inputs()}
    logits = []
    for passage in passages:
        pair = tokens.encode(question, passage)
        fed = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        inputs = {name: np.array([values], np.int64) for name, values in fed.items() if name in names}
        logits.append(float(np.ravel(session.run(None, inputs)[0])[-1]))
    return [1 / (1 + exp(-min(max(logit, -60.0), 60.0))) for logit in logits]


@lru_cache(maxsize=2)
def _cross_encoder(folder: str) -> tuple[Any, Any]:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    model, tokens = Path(folder) / "model.onnx", Path(folder) / "tokenizer.json"
    for file in (model, tokens):
        if not folder or not file.is_file():
            raise ModelMissing(f"rerank.model {folder!r} has no {file.name}", remedy="name a folder that has both")
    loaded = Tokenizer.from_file(str(tokens))
    loaded.enable_truncation(MAX_TOKENS, strategy="only_second")
    return loaded, InferenceSession(str(model), providers=["CPUExecutionProvider"])
