"""Token counts of a document's sections and of spans of them, each text counted once.

Tokenizers part words at white space, so counts of texts that white space parts add up; what no white space parts is
counted as a whole where the figure must be right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kb_pipeline.chunking.spans import Counted, Plan, Run, Span, run_text, runs
from kb_pipeline.records import Section
from kb_pipeline.tokenization.sentences import sentence_ends

CountMany = Callable[[list[str]], list[int]]
Range = tuple[int, int]

LONG = 8  # characters per token of the limit: no section above this is a chunk as a whole, so its sentences are counted


class Counts:
    """Counts of one document. `limit`: tokens of a chunk, by which a section is too long to be counted as a whole."""

    def __init__(self, sections: Sequence[Section], count_many: CountMany, limit: int):
        self.sections, self._count_many = sections, count_many
        self._known: dict[tuple[int, int, int], int] = {}
        self._trails: dict[tuple[str, ...], int] = {}
        self._sentences = {
            i: self._ranges(i, 0, len(section.text))
            for i, section in enumerate(sections)
            if len(section.text) > LONG * limit
        }

    def ahead(self) -> None:
        """Count all sections at once, which is faster than one by one."""
        whole = [(i, 0, len(s.text)) for i, s in enumerate(self.sections) if i not in self._sentences]
        self._count([*whole, *((i, a, b) for i, ranges in self._sentences.items() for a, b in ranges)])

    def of(self, section: int, start: int = 0, end: int | None = None) -> int:
        """Tokens of `text[start:end]` of a section."""
        key = (section, start, len(self.sections[section].text) if end is None else end)
        if key not in self._known:
            if section in self._sentences and not start and key[2] == len(self.sections[section].text):
                self._known[key] = sum(self.many(section, self._sentences[section]))
            else:
                self._count([key])
        return self._known[key]

    def many(self, section: int, ranges: Sequence[Range]) -> list[int]:
        """Tokens of ranges of a section."""
        self._count([(section, a, b) for a, b in ranges])
        return [self._known[section, a, b] for a, b in ranges]

    def texts(self, texts: list[str]) -> list[int]:
        """Tokens of any texts."""
        return self._count_many(texts) if texts else []

    def spans(self, spans: Sequence[Span]) -> int:
        """About the tokens of spans together: the sum of their counts and one for each that begins a line."""
        return sum(self.of(span.section, span.start, span.end) + 1 for span in spans)

    def trail(self, crumbs: tuple[str, ...]) -> int:
        """Tokens of headings above a chunk."""
        if crumbs not in self._trails:
            self._trails[crumbs] = self._count_many(["\n".join(crumbs)])[0] if crumbs else 0
        return self._trails[crumbs]

    def sentences(self, section: int, start: int, end: int) -> list[Range]:
        """Sentences of `text[start:end]` of a section, as ranges without gaps."""
        if section in self._sentences and (start, end) == (0, len(self.sections[section].text)):
            return self._sentences[section]
        return self._ranges(section, start, end)

    def plans(self, plans: Sequence[Plan]) -> list[Counted]:
        """Plans with the tokens of their texts."""
        parted = [runs(plan.spans, self.sections) for plan in plans]
        known = [self._of_runs(parts, plan) for plan, parts in zip(plans, parted, strict=True)]
        rows = list(zip(plans, parted, known, strict=True))
        texts = [run_text(parts, self.sections) + plan.tail for plan, parts, tokens in rows if tokens is None]
        counted = iter(self.texts(texts))
        return [Counted(plan, parts, next(counted) if tokens is None else tokens) for plan, parts, tokens in rows]

    def _of_runs(self, parts: Sequence[Run], plan: Plan) -> int | None:
        """Tokens of a plan where they follow from counts that are known: its runs are parted by white space."""
        if plan.tail or (parts and parts[0].joint) or any(run.label or not run.joint.isspace() for run in parts[1:]):
            return None
        total = 0
        for run in parts:
            tokens = self._of_run(run, plan.spans)
            if tokens is None:
                return None
            total += tokens
        return total

    def _of_run(self, run: Run, spans: Sequence[Span]) -> int | None:
        """Tokens of a run where they follow from counts that are known: of the whole section, or of spans that white
        space parts."""
        text = self.sections[run.section].text
        if run.section not in self._sentences and not text[: run.start].strip() and not text[run.end :].strip():
            return self.of(run.section)
        total = 0
        for span in spans:
            if span.section == run.section and span.start < run.end and span.end > run.start:
                known = self._known.get((span.section, span.start, span.end))
                inner = run.start < span.start
                if known is None or (inner and not (text[span.start - 1].isspace() or text[span.start].isspace())):
                    return None
                total += known
        return total

    def _ranges(self, section: int, start: int, end: int) -> list[Range]:
        ends = sentence_ends(self.sections[section].text, start, end)
        return list(zip([start, *ends[:-1]], ends, strict=True)) if ends else []

    def _count(self, keys: Sequence[tuple[int, int, int]]) -> None:
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        if new:
            texts = [self.sections[i].text[a:b] for i, a, b in new]
            self._known.update(zip(new, self._count_many(texts), strict=True))
