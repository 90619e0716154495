"""Results as lines for people; `--json` prints the same results as one document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, get_args

from kb_pipeline.query.places import in_words
from kb_pipeline.records import Answer, Hit, ParsedDocument

if TYPE_CHECKING:
    from kb_pipeline.evaluation.questions import QuestionReport
    from kb_pipeline.evaluation.self_recall import SelfRecallReport
    from kb_pipeline.evaluation.trace import TraceReport
    from kb_pipeline.operations.chunks import ChunkPreview
    from kb_pipeline.operations.demo import Demo
    from kb_pipeline.operations.doctor import Finding
    from kb_pipeline.operations.down import Ended
    from kb_pipeline.operations.ingest import IngestReport
    from kb_pipeline.operations.own_settings import ListedKnowledgeBase
    from kb_pipeline.operations.status import DocumentPlan, DocumentStatus
    from kb_pipeline.query.results import SearchResult

TEXT_SHOWN = 200  # characters of a hit's text
DROPPED_SHOWN = 40  # characters of a dropped piece
GONE = " (its source is gone)"
DOCUMENTS_SHOWN = 5  # with the number of chunks found in each


def model_lines(rows: Iterable[dict[str, Any]]) -> list[str]:
    return [f"{r['state']:8} {r['set']:8} {r['name']:36} {r['role']:22} {r['weights']}" for r in rows]


def knowledge_base_lines(bases: Iterable[ListedKnowledgeBase]) -> list[str]:
    lines = []
    for base in bases:
        lines.append(f"{base.name}  {base.documents} documents")
        lines += [f"   not used: {key} ({why}); kb unset {base.name} {key}" for key, why in base.unusable.items()]
    return lines or ["none; `kb create NAME` makes one"]


def setting_lines(own: dict[str, Any]) -> list[str]:
    return [f"{key} = {value}" for key, value in own.items()]


def ingest_lines(report: IngestReport) -> list[str]:
    told = [f"  {warning.document}: {warning.reason}" for warning in report.warnings]
    told += [f"  {path}: removed, its source is gone" for path in report.pruned]
    if report.unchanged == report.documents:
        return [f"{report.documents} documents, all up to date: nothing to do", *told]
    counts = f"{report.ingested} ingested, {report.unchanged} up to date, {len(report.failures)} failed"
    failures = [f"  {failure.document}: {failure.reason}" for failure in report.failures]
    return [f"{report.documents} documents: {counts}", *failures, *told]


def status_lines(documents: Iterable[DocumentStatus]) -> list[str]:
    lines = []
    for d in documents:
        seconds = sum(stage.seconds for stage in d.stages.values())
        line = f"{d.state:8} {d.document}  {d.pages} pages  {d.chunks} chunks  {seconds:.1f} s"
        lines.append(f"{line}  {d.reason}" if d.reason else line)
    return lines or ["no documents"]


def plan_lines(plans: Iterable[DocumentPlan]) -> list[str]:
    lines = [f"{p.document}: {s.stage}: {s.reason} ({s.seconds:.1f} s)" for p in plans for s in p.stages]
    return lines or ["everything is up to date"]


def chunk_lines(preview: ChunkPreview) -> list[str]:
    own = [chunk for chunk in preview.chunks if chunk.parent < 0]
    children = len(preview.chunks) - len(own)
    tokens = sum(chunk.tokens for chunk in own)
    lines = [
        f"{preview.document}: mode {preview.mode}, {len(own)} chunks of {tokens} tokens"
        + (f", {children} children" if children else "")
    ]
    for chunk in preview.chunks:
        trail = " > ".join(chunk.breadcrumb)
        of = f"  child of {chunk.parent}" if chunk.parent >= 0 else ""
        added = ", ".join(dict.fromkeys(mark.kind for mark in chunk.added))
        lines += ["", f"#{chunk.ordinal} {chunk.kind}  {chunk.tokens} tokens  {in_words(chunk.locators)}{of}"]
        lines += [f"   under: {trail}"] * bool(trail) + [f"   added: {added}"] * bool(added)
        lines += [f"   | {line}" for line in chunk.text.split("\n")]
    return lines


def hit_lines(hits: Iterable[Hit]) -> list[str]:
    lines = []
    for number, hit in enumerate(hits, 1):
        parts = ", ".join(f"{name} {value:.3f}" for name, value in hit.scores.items())
        lines.append(f"{number}. {hit.score:.3f} ({parts})")
        lines.append(f"   {hit.document} {in_words(hit.locators)}  {hit.chunk_id}{GONE * hit.source_gone}")
        lines.append(f"   {' '.join(hit.text.split())[:TEXT_SHOWN]}")
    return lines or ["no hits"]


def search_lines(result: SearchResult) -> list[str]:
    lines = hit_lines(result.hits)
    for hit in result.hits:
        for passage in result.neighbours.get(hit.chunk_id, ()):
            lines.append(f"   beside {hit.chunk_id}: {' '.join(passage.text.split())[:TEXT_SHOWN]}")
    if result.near_misses:
        why = "near, without what was asked for" if result.missing else f"below {result.threshold:.3f}"
        lines += [f"{why}:", *hit_lines(result.near_misses)]
    if result.documents:
        counts = ", ".join(f"{one.document} {one.hits}" for one in result.documents[:DOCUMENTS_SHOWN])
        lines.append(f"{result.found} chunks found in {len(result.documents)} documents: {counts}")
    return [*lines, *result.notes]


def answer_lines(answer: Answer) -> list[str]:
    cited = [
        f"[{c.n}] {c.document} {in_words(c.locators)}{'' if c.verified else ' (not verified)'}{GONE * c.source_gone}"
        for c in answer.citations
    ]
    return [answer.answer, "", *cited, f"confidence {answer.confidence:.2f} ({answer.mode})", *answer.notes]


def finding_lines(findings: Iterable[Finding]) -> list[str]:
    lines = []
    for finding in findings:
        lines.append(f"{'fixed' if finding.fixed else 'FAIL':5}  {finding.check}: {finding.problem}")
        lines.append(f"       {finding.fix}")
    return lines or ["everything is in order"]


def demo_lines(demo: Demo) -> list[str]:
    lines = ingest_lines(demo.report)
    for asked in demo.asked:
        lines += ["", asked.question, *answer_lines(asked.answer)]
        if asked.picture:
            lines.append(f"marked page: {asked.picture}")
    return lines


def self_recall_lines(report: SelfRecallReport) -> list[str]:
    lines = [f"{report.sample} of {report.chunks} chunks, asked for with their own text"]
    for way, found in report.ways.items():
        figures = f"first {found.recall_at_1:.3f}  in ten {found.recall_at_10:.3f}  MRR@10 {found.mrr_at_10:.3f}"
        lines.append(f"{way:10} {figures}")
        lines += [f"  missed {one.chunk_id}: {one.rank or 'not'} of ten, first {one.first}" for one in found.missed]
    return lines


def question_lines(report: QuestionReport) -> list[str]:
    lines = []
    for kind, s in {"all": report.scores, **report.by_kind}.items():
        lines.append(
            f"{kind:16} {s.questions:4} questions  recall@1 {s.recall_at_1:.3f}  @5 {s.recall_at_5:.3f}  "
            f"@10 {s.recall_at_10:.3f}  MRR@10 {s.mrr_at_10:.3f}  nDCG@10 {s.ndcg_at_10:.3f}  "
            f"page hit@5 {s.page_hit_at_5:.3f}"
        )
    return lines + [f"  not in ten: {one.question}" for one in report.asked if not one.rank]


def trace_lines(report: TraceReport) -> list[str]:
    lines = []
    for kind, s in {"all": report.scores, **report.by_kind}.items():
        lines.append(
            f"{kind:16} {s.questions:4} questions  page first {s.page_first:.3f}  any {s.page_any:.3f}  "
            f"quoted {s.quoted:.3f}  cover {s.cover:.3f}  on hits {s.cover_on_hits:.3f}  IoU {s.iou_on_hits:.3f}  "
            f"in passages {s.cover_on_passages:.3f}"
        )
    return lines + [f"  not covered: {one.question} (shown: {one.at})" for one in report.traced if one.cover < 0.5]


def ended_lines(ended: Iterable[Ended]) -> list[str]:
    lines = [f"ended {one.name}" if one.gone else f"does not end: {one.name}" for one in ended]
    return lines or ["nothing was running"]


def dropped_lines(document: ParsedDocument) -> list[str]:
    """What was dropped, one line per reason: pieces, characters, the first piece; how to keep it."""
    from kb_pipeline.settings import DropReason

    by_reason: dict[str, list[str]] = {}
    for item in document.dropped:
        by_reason.setdefault(item.reason, []).append(" ".join(item.text.split()))
    lines = [
        f"dropped, {reason}: {len(texts)} pieces, {document.characters.dropped[reason]} characters, "
        f"first {texts[0][:DROPPED_SHOWN]!r}"
        for reason, texts in by_reason.items()
    ]
    kept = [reason for reason in by_reason if reason in get_args(DropReason)]
    if kept:
        lines.append(f'keep them with --set keep="{",".join(kept)}"')
    return [*lines, *document.notes]
