"""Typed errors. Each names the document, the page where there is one, and what the user can do about it."""

from __future__ import annotations

from functools import partial

from kb_pipeline.text.credentials import hide_credentials


class KbError(Exception):
    """Base of every error that a user is meant to read. Credentials in addresses are taken out of all that it says.

    Attributes:
        exit_code: what the `kb` command ends with (1 document failed, 2 wrong usage, 3 service or model missing).
        remedy: one sentence that says what to do.
    """

    exit_code = 1
    passing = False
    """Whether the same bytes may come out otherwise the next time; such a failure is never kept as a result."""

    def __init__(self, message: str, *, document: str = "", page: int = 0, remedy: str = ""):
        message, document, remedy = (hide_credentials(text) for text in (message, document, remedy))
        self.document, self.page, self.remedy = document, page, remedy
        place = document + (f", page {page}" if page else "")
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message

    def __reduce__(self) -> tuple[object, ...]:
        """As it was, where it is raised again in another process."""
        return partial(type(self), document=self.document, page=self.page, remedy=self.remedy), (self.message,)

    @property
    def reason(self) -> str:
        """One line for status listings: kind, message and remedy."""
        text = f"{type(self).__name__}: {self.message}" + (f" ({self.remedy})" if self.remedy else "")
        return " ".join(text.split())


class UsageError(KbError):
    """The request itself is wrong: unknown name, existing name, unknown setting."""

    exit_code = 2


class UnknownKnowledgeBase(UsageError):
    """No knowledge base has that name."""


class KnowledgeBaseExists(UsageError):
    """A knowledge base of that name is already there."""


class InvalidSetting(UsageError):
    """A setting is unknown or its value is not allowed."""


class UnknownDocument(UsageError):
    """No document of the knowledge base has that id or path."""


class UnknownChunk(UsageError):
    """No chunk has that id, or its document was re-ingested since."""


class DocumentError(KbError):
    """A document cannot be read; other documents are not touched by it."""


class SourceMissing(DocumentError):
    """The source location of a document cannot be read any more."""

    passing = True


class EmptyFile(DocumentError):
    """The file holds no bytes, or no page."""


class DamagedFile(DocumentError):
    """The file's structure cannot be read."""


class EncryptedFile(DocumentError):
    """The file needs a password."""


class UnsupportedType(DocumentError):
    """The file's content is of no type that can be read."""


class MismatchedType(DocumentError):
    """The file's name says one type and its content is another."""


class PictureTooLarge(DocumentError):
    """A picture announces more pixels than can be decoded safely."""


class FileTooLarge(DocumentError):
    """A file unpacks to more than can be read safely, or holds more cells than a document can have."""


class PageFailed(DocumentError):
    """One page of a document cannot be read."""


class FileClosed(PageFailed):
    """A page was asked of a file that is closed."""

    passing = True


class ServiceError(KbError):
    """A service or a model is missing or not reachable."""

    exit_code = 3
    passing = True


class ModelMissing(ServiceError):
    """A weight file is not there or is not the one that the manifest names."""


class HomeUnwritable(ServiceError):
    """The folder of the installation cannot be made or written."""


class PortTaken(ServiceError):
    """Another process listens where a service of ours is to listen."""


class AlreadyRunning(UsageError):
    """What is to be started runs already in this installation."""


class IndexUnavailable(ServiceError):
    """Milvus cannot be reached."""


class DimensionMismatch(ServiceError):
    """The embedding model's dimension is not the one of the index."""


class EndpointError(ServiceError):
    """An OpenAI-compatible endpoint failed for good."""


class StorageUnavailable(ServiceError):
    """The object store cannot be read or written."""


class InvalidName(UsageError):
    """A name that cannot be given to a knowledge base."""


class UpstreamMissing(DocumentError):
    """A stage cannot run since a stage before it has left nothing for this document."""

    passing = True


class PartLost(UpstreamMissing):
    """An artefact's part is gone from the store.

    Attributes:
        part: its object name, which says document and stage.
    """

    def __init__(self, message: str, *, part: str = "", document: str = "", page: int = 0, remedy: str = ""):
        super().__init__(message, document=document, page=page, remedy=remedy)
        self.part = part


class Stopped(DocumentError):
    """The run was stopped before the document was through; running it again goes on where it stopped."""

    passing = True


class IndexRequestFailed(ServiceError):
    """Milvus answered that it cannot do what it was asked."""


class ChunkTooLong(DocumentError):
    """A chunk does not fit into a field of the index."""
