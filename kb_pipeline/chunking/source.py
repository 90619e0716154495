"""What every chunk mode reads of a document: its sections, their counts, and how many tokens a chunk has."""

from __future__ import annotations

from dataclasses import dataclass, field

from kb_pipeline.chunking.counts import CountMany, Counts
from kb_pipeline.chunking.packing import Packer
from kb_pipeline.chunking.passage import fitting
from kb_pipeline.records import Section
from kb_pipeline.settings import ChunkingSettings


@dataclass
class ChunkSource:
    """A document about to be cut.

    Args:
        max_tokens: what the embedding model reads of a chunk, its headings included.

    Attributes:
        soft: tokens that a chunk should have at most.
        crumbs: headings above each section that there is room for.
        rooms: tokens that a chunk of each section can have at most, beside its headings.
    """

    sections: tuple[Section, ...]
    settings: ChunkingSettings
    count_many: CountMany
    max_tokens: int
    counts: Counts = field(init=False)

    def __post_init__(self) -> None:
        self.soft = min(self.settings.chunk_tokens, self.max_tokens)
        self.counts = Counts(self.sections, self.count_many, self.soft)
        known = {trail: self.fitting(trail) for trail in dict.fromkeys(s.breadcrumb for s in self.sections)}
        self.crumbs = [known[section.breadcrumb] for section in self.sections]
        self.rooms = [self.room(crumbs) for crumbs in self.crumbs]

    def fitting(self, trail: tuple[str, ...]) -> tuple[str, ...]:
        """The headings of a trail that leave room for the text."""
        return fitting(trail, self.max_tokens, self.counts.trail)

    def room(self, crumbs: tuple[str, ...]) -> int:
        """Tokens of text beside headings."""
        return self.max_tokens - self.counts.trail(crumbs) - bool(crumbs)

    def packer(self, rows: bool = False) -> Packer:
        """A packer of these sections."""
        self.counts.ahead()
        return Packer(self.sections, self.counts, self.soft, self.rooms, self.settings.overlap, rows)
