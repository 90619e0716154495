"""A reranker: short passages first."""

from __future__ import annotations

from collections.abc import Sequence

from kb_pipeline.query.question import Question
from kb_pipeline.query.rescore import Scored
from kb_pipeline.settings import RerankSettings


def brevity_parts(
    question: Question, scored: Sequence[Scored], passages: Sequence[str], settings: RerankSettings
) -> list[dict[str, float]]:
    return [{"rerank": 1 / (1 + len(passage))} for passage in passages]
