"""Reranking of the best hits by a second look at question and text.

`choices.RERANKERS` lists them: `rules`, factors that anybody can follow; `endpoint`, a cross-encoder behind a service;
`onnx`, one in a folder of one's own. Each gives a share in 0…1 for every text, which takes its weight of the fused
score; identifiers stay a tier of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kb_pipeline.choices import RERANKERS, loaded
from kb_pipeline.errors import EndpointError, ModelMissing
from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import DIGITS, Scored, total
from kb_pipeline.settings import RerankSettings


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
    reranker = RERANKERS[settings.provider]
    ask: Callable[[Question, Sequence[Scored], Sequence[str], RerankSettings], list[dict[str, float]]]
    ask = loaded(reranker.target)
    try:
        parts = ask(question, found, passages, settings)
    except (EndpointError, ModelMissing) as error:
        return list(scored), f"not reranked: {error.message}"
    weight = reranker.weight if settings.weight is None else settings.weight
    ranked = []
    for one, part in zip(found, parts, strict=True):
        rounded = {name: round(value, DIGITS) for name, value in part.items()}
        scores = {**one.scores, **rounded, "rerank weight": weight}
        ranked.append(replace(one, scores=scores, score=total(scores)))
    return sorted(ranked, key=lambda one: (-one.score, one.candidate.chunk_id)), ""
