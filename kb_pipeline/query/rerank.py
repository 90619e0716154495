"""Reranking of the best hits by a second look at question and text.

`rules`     factors that anybody can follow (rerank_rules.py)
`endpoint`  a cross-encoder behind any /rerank endpoint: Jina, Cohere, vLLM, text-embeddings-inference
`onnx`      a cross-encoder in a folder of one's own: `model.onnx` and `tokenizer.json`

Each gives a share in 0…1 for every text, which takes its weight of the fused score; identifiers stay a tier of their
own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any

from kb_pipeline.errors import EndpointError, ModelMissing
from kb_pipeline.query.question import Question
from kb_pipeline.query.rerank_rules import rule_factors, rule_score
from kb_pipeline.query.rescore import DIGITS, Scored, total
from kb_pipeline.settings import RerankSettings

WEIGHTS = {"rules": 1.0, "endpoint": 0.7, "onnx": 0.7}  # of the rerank score, where none is set
MAX_TOKENS = 512  # of question and text together, what usual cross-encoders take


def rerank(
    question: Question, scored: Sequence[Scored], texts: Mapping[str, str], settings: RerankSettings
) -> tuple[list[Scored], str]:
    """Candidates with their rerank scores, best first, and a note where the reranker failed and nothing was changed.

    Args:
        scored: best first, at most `settings.window` of them.
        texts: raw text by chunk id; candidates without one are left out.
    """
    found = [one for one in scored if one.candidate.chunk_id in texts]
    passages = [texts[one.candidate.chunk_id] for one in found]
    if not found or settings.provider == "none":
        return list(scored), ""
    try:
        if settings.provider == "rules":
            factors = rule_factors(question, found, passages)
            parts = [{"rerank": rule_score(one), **one} for one in factors]
        else:
            ask = _endpoint_scores if settings.provider == "endpoint" else _onnx_scores
            parts = [{"rerank": score} for score in ask(question.text, passages, settings)]
    except (EndpointError, ModelMissing) as error:
        return list(scored), f"not reranked: {error.message}"
    weight = WEIGHTS[settings.provider] if settings.weight is None else settings.weight
    ranked = []
    for one, part in zip(found, parts, strict=True):
        rounded = {name: round(value, DIGITS) for name, value in part.items()}
        scores = {**one.scores, **rounded, "rerank weight": weight}
        ranked.append(replace(one, scores=scores, score=total(scores)))
    return sorted(ranked, key=lambda one: (-one.score, one.candidate.chunk_id)), ""


def _endpoint_scores(question: str, passages: Sequence[str], settings: RerankSettings) -> list[float]:
    """Scores of a /rerank endpoint, in the order of `passages`. Raises EndpointError."""
    import httpx2

    if not settings.base_url:
        raise EndpointError("rerank.base_url is not set")
    url = settings.base_url.rstrip("/")
    url = url if url.endswith("/rerank") else f"{url}/rerank"
    key = settings.api_key.get_secret_value()
    # `texts` is what text-embeddings-inference calls `documents`; each ignores the other's word
    body: dict[str, Any] = {"model": settings.model, "query": question, "documents": list(passages)}
    body |= {"texts": list(passages), "top_n": len(passages), "return_documents": False}
    try:
        reply = httpx2.post(
            url, json=body, headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=settings.timeout_s
        )
        reply.raise_for_status()
        return _read_scores(reply.json(), len(passages))
    except (httpx2.HTTPError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EndpointError(f"{url}: {type(error).__name__}: {' '.join(str(error).split())[:200]}") from error


def _read_scores(reply: Any, count: int) -> list[float]:
    results = reply if isinstance(reply, list) else reply.get("results", reply.get("data"))
    scores = {int(one["index"]): float(one.get("relevance_score", one.get("score"))) for one in results}
    if sorted(scores) != list(range(count)):
        raise ValueError(f"scores for {len(scores)} of {count} texts")
    return _shares([scores[i] for i in range(count)])


def _shares(scores: Sequence[float]) -> list[float]:
    """Scores as they are where all lie in 0…1, else through the logistic function: some servers give logits."""
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    return [1 / (1 + exp(-min(max(score, -60.0), 60.0))) for score in scores]


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
