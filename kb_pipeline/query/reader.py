"""Reading the index of a knowledge base while it may be replaced under the reader, or its Milvus be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from pymilvus import MilvusClient

from kb_pipeline.errors import IndexRequestFailed, IndexUnavailable
from kb_pipeline.query.candidates import Active
from kb_pipeline.query.index_rows import ShownRows, all_chunk_ids, is_chunk_id, read_rows

if TYPE_CHECKING:
    from kb_pipeline.embedding.choose import Embedder

ROUNDS = 3  # attempts, where another index took the place of the one that was read

T = TypeVar("T")


class Documents(Protocol):
    """What a knowledge base knows of its documents."""

    def active_versions(self, document_ids: Iterable[str], collection: str) -> dict[str, str]:
        """Version that readers of a collection see, by document id; a document that is not visible is left out."""
        ...

    def boosts(self, document_ids: Iterable[str]) -> dict[str, float]:
        """Boost by document id, for those that have one other than 1."""
        ...

    def without_source(self, document_ids: Iterable[str]) -> set[str]:
        """Those of these documents whose source is gone, as far as that is known or can be seen at once."""
        ...

    def document_path(self, document_id: str) -> str:
        """The readable path of a document within its knowledge base."""
        ...

    def page_picture(self, document_id: str, page: int, version: str) -> bytes:
        """JPEG of a displayed page. Raises UnknownDocument where none is kept."""
        ...

    def figure_picture(self, document_id: str, picture: str, version: str) -> bytes:
        """The crop of a figure, by its part name. Raises UnknownDocument where it is not kept."""
        ...


@dataclass(frozen=True)
class SearchedIndex:
    """What is searched: a collection, the model that made its vectors, and the Milvus that holds it (empty for Milvus
    Lite in KB_HOME). `note` is told with every result."""

    collection: str
    embedder: Embedder
    uri: str = ""
    note: str = ""


class Reader:
    """Reads of the index that readers see. Safe to share between threads; not to be carried through a fork.

    Args:
        index: tells which index that is; asked at every read, since a new one takes over while this reader lives.
        connect: makes a client for an index; called at first use, and again after Milvus was lost.
    """

    def __init__(
        self,
        index: Callable[[], SearchedIndex],
        connect: Callable[[SearchedIndex], MilvusClient],
        documents: Documents,
    ):
        self._index, self._connect, self._documents = index, connect, documents
        self._connected: tuple[SearchedIndex, MilvusClient] | None = None

    def with_index(self, work: Callable[[SearchedIndex], T]) -> T:
        """Work with the index that readers see; again, where another one took its place in the meantime.

        Raises:
            IndexUnavailable, IndexRequestFailed, and what the work raises.
        """
        index, left = self._index(), ROUNDS
        while True:
            left -= 1
            try:
                done = work(index)
            except (IndexRequestFailed, IndexUnavailable):
                if not left or self._index() == index:
                    raise
            else:
                if not left or self._index() == index:
                    return done
            index = self._index()

    def with_client(self, index: SearchedIndex, read: Callable[[MilvusClient], T]) -> T:
        """Read with the client at hand; with a new one, once, where Milvus was lost (Milvus Lite restarts so)."""
        connected = self._connected
        if connected and connected[0] == index:
            try:
                return read(connected[1])
            except IndexUnavailable:
                self._connected = None
        client = self._connect(index)
        self._connected = (index, client)
        return read(client)

    def active(self, index: SearchedIndex) -> Active:
        """Tells versions that readers of an index see."""
        return lambda ids: self._documents.active_versions(ids, index.collection)

    def rows(self, index: SearchedIndex, chunk_ids: Iterable[str]) -> ShownRows:
        """What hits show of these chunks; those that are gone are left out."""
        wanted = list(chunk_ids)
        return self.with_client(index, lambda client: read_rows(client, index.collection, wanted))

    def chunk_ids(self, index: SearchedIndex) -> list[str]:
        """Ids of all chunks that readers see, sorted."""
        rows = self.with_client(index, lambda client: all_chunk_ids(client, index.collection))
        found = [one for one in rows if is_chunk_id(one)]  # children and questions are shown as their chunks
        versions = self.active(index)({key_parts(one)[0] for one in found})
        return sorted(one for one in found if versions.get(key_parts(one)[0]) == key_parts(one)[1])


def key_parts(chunk_id: str) -> tuple[str, str, int]:
    """Document, version and ordinal of a chunk id."""
    document, version, number = chunk_id.split(":")
    return document, version, int(number)
