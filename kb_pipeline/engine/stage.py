"""What a stage is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kb_pipeline.settings import Settings
from kb_pipeline.storage.artefacts import Artefact, Artefacts
from kb_pipeline.storage.catalogue import Catalogue, DocumentEntry

if TYPE_CHECKING:
    from kb_pipeline.deepdoc.files.page_source import PageSource

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
        pages: the opened file; only for page stages.
        map: runs a function over items on the process's page workers, results in order.
    """

    document: DocumentEntry
    settings: Settings
    artefacts: Artefacts
    catalogue: Catalogue
    inputs: Mapping[str, Artefact]
    map: Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
    fingerprint: str = ""
    pages: PageSource | None = None

    def read(self, stage: str, part: str) -> bytes:
        """Bytes of an upstream part."""
        return self.artefacts.part(self.inputs[stage], part)

    def part_names(self, stage: str, suffix: str) -> list[str]:
        """Names of an upstream artefact's parts that end so, in order."""
        return sorted(name for name in self.inputs[stage].parts if name.endswith(suffix))


@dataclass(frozen=True)
class PageWork:
    """What a page stage is given for one page: `read(stage, name)` gives the page's upstream parts."""

    page: int
    settings: Settings
    source: PageSource
    read: Callable[[str, str], bytes]


def no_models(settings: Settings) -> Models:
    """For stages without models."""
    return ()


def always_applies(settings: Settings) -> str:
    """For page stages that no setting switches off."""
    return ""


def always(work: Work, artefact: Artefact) -> bool:
    """For stages whose artefact is all that they make."""
    return True


@dataclass(frozen=True)
class Stage:
    """One of the nine stages.

    Attributes:
        upstream: stages whose artefacts it reads.
        code_version: raise it whenever the same input may come out differently.
        settings: groups (`chunking`) and keys (`embedding.model`) that it reads.
        models: weight files that it uses under given settings.
        compute: from `Work` to parts, for stages of a whole document.
        compute_page: from `PageWork` to parts and facts, for stages that go page by page.
        failed_page: parts that stand for a page which could not be read.
        idle: why a page stage has nothing to do under given settings; empty where it has.
        finish: further parts and metadata of a page stage's document.
        in_force: whether what an artefact stands for outside the store is still so.
        display: ending of parts that people look at and no later stage reads; they are left out of content hashes.
    """

    name: str
    upstream: tuple[str, ...]
    code_version: str
    description: str
    settings: tuple[str, ...] = ()
    models: Callable[[Settings], Models] = no_models
    compute: Callable[[Work], Output] | None = None
    compute_page: Callable[[PageWork], tuple[dict[str, bytes], dict[str, float]]] | None = None
    failed_page: Callable[[int, str], dict[str, bytes]] | None = None
    idle: Callable[[Settings], str] = always_applies
    finish: Callable[[Work], Output] | None = None
    in_force: Callable[[Work, Artefact], bool] = always
    display: str = "\0"
