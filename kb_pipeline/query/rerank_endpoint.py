"""A cross-encoder behind any /rerank endpoint: Jina, Cohere, vLLM, text-embeddings-inference."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

from kb_pipeline.errors import EndpointError
from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import Scored
from kb_pipeline.settings import RerankSettings, reveal


def endpoint_parts(
    question: Question, scored: Sequence[Scored], passages: Sequence[str], settings: RerankSettings
) -> list[dict[str, float]]:
    """The service's score of each passage, in order.

    Raises:
        EndpointError: no address is set, or the service fails.
    """
    return [{"rerank": score} for score in _endpoint_scores(question.text, passages, settings)]


def _endpoint_scores(question: str, passages: Sequence[str], settings: RerankSettings) -> list[float]:
    """Scores of a /rerank endpoint, in the order of `passages`. Raises EndpointError."""
    import httpx2

    if not settings.base_url:
        raise EndpointError("rerank.base_url is not set")
    url = settings.base_url.rstrip("/")
    url = url if url.endswith("/rerank") else f"{url}/rerank"
    key = reveal(settings.api_key)
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
