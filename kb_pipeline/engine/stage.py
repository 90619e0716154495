"""What a stage is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kb_pipeline.settings import Settings
from kb_pipeline.storage.artefacts import Artefact, Artefacts
from kb_pipeline.storage.catalogue import Catalogue, DocumentEntry


class Pages(Protocol):
    """An opened file with pages, from 1 to `page_count`."""

    @property
    def page_count(self) -> int: ...

    def close(self) -> None: ...


Models = tuple[tuple[str, str], ...]  # (role, variant) of the weight files that a stage uses


@dataclass(frozen=True)
class Output:
    """Parts by name, and plain facts about them for listings."""

    parts: Mapping[str, bytes]
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """What a stage is given for one document.

    Attributes:
        inputs: upstream artefacts by stage name.
        pages: what the stage's `open_pages` opened; only for page stages.
        map: runs a function over items on the process's page workers, results in order.
    """

    document: DocumentEntry
    settings: Settings
    artefacts: Artefacts
    catalogue: Catalogue
    inputs: Mapping[str, Artefact]
    map: Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
    fingerprint: str = ""
    pages: Any = None

    def read(self, stage: str, part: str) -> bytes:
        """Bytes of an upstream part."""
        return self.artefacts.part(self.inputs[stage], part)

    def part_names(self, stage: str, suffix: str) -> list[str]:
        """Names of an upstream artefact's parts that end so, in order."""
        return sorted(name for name in self.inputs[stage].parts if name.endswith(suffix))


@dataclass(frozen=True)
class PageWork:
    """What a page stage is given for one page: `source` is the opened file, `read(stage, name)` gives the page's
    upstream parts."""

    page: int
    settings: Settings
    source: Any
    read: Callable[[str, str], bytes]


def no_models(settings: Settings) -> Models:
    """For stages without models."""
    return ()


def always_applies(work: Work) -> str:
    """For page stages that have something to do in every document."""
    return ""


def no_page(work: PageWork) -> tuple[dict[str, bytes], Mapping[str, float]]:
    """For stages of a whole document, which are never asked for a page."""
    raise NotImplementedError("a stage of a whole document has no pages")


def no_failed_page(page: int, reason: str) -> dict[str, bytes]:
    """As `no_page`."""
    raise NotImplementedError("a stage of a whole document has no pages")


def no_pages(work: Work) -> Pages:
    """As `no_page`."""
    raise NotImplementedError("a stage of a whole document opens no pages")


def always(work: Work, artefact: Artefact) -> bool:
    """For stages whose artefact is all that they make."""
    return True


@dataclass(frozen=True)
class Stage:
    """One stage of a pipeline.

    Attributes:
        upstream: stages whose artefacts it reads.
        code_version: raise it whenever the same input may come out differently.
        settings: groups (`chunking`) and keys (`embedding.model`) that it reads.
        models: weight files that it uses under given settings.
        compute: from `Work` to parts, for stages of a whole document; None for those that go page by page.
        compute_page: from `PageWork` to parts and facts, for those.
        failed_page: parts that stand for a page which could not be read.
        idle: why a page stage has nothing to do in a document; empty where it has.
        open_pages: the document's file, opened for page stages; the first one that is computed opens it for all.
        finish: further parts and metadata of a page stage's document.
        still_valid: whether what an artefact stands for outside the store is still so.
        display: ending of parts that people look at and no later stage reads; they are left out of content hashes.
        kinds: what it works with, as the Dagster UI shows it on the asset.
        sums_characters: its metadata tells whether the document's character sum is exact; an asset check follows.
        serves_readers: what it makes is what searches see; scores of retrieval depend on it.
    """

    name: str
    upstream: tuple[str, ...]
    code_version: str
    description: str
    settings: tuple[str, ...] = ()
    models: Callable[[Settings], Models] = no_models
    compute: Callable[[Work], Output] | None = None
    compute_page: Callable[[PageWork], tuple[dict[str, bytes], Mapping[str, float]]] = no_page
    failed_page: Callable[[int, str], dict[str, bytes]] = no_failed_page
    idle: Callable[[Work], str] = always_applies
    open_pages: Callable[[Work], Pages] = no_pages
    finish: Callable[[Work], Output] | None = None
    still_valid: Callable[[Work, Artefact], bool] = always
    display: str = "\0"
    kinds: tuple[str, ...] = ()
    sums_characters: bool = False
    serves_readers: bool = False
