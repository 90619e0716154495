"""Where documents come from: files, folders, and anything that fsspec reaches (http, s3, memory, …).

A source is an absolute path or an address. A path whose bytes are no UTF-8 text is kept as a `file://` address with
those bytes percent-encoded, since a store, Dagster and an index take text only. An address keeps its credentials: it is
read with them, and named, compared and shown without (`hide_credentials`).
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import stat as modes
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, unquote, unquote_to_bytes, urldefrag, urlsplit

from kb_pipeline.errors import SourceMissing, StorageUnavailable, UsageError
from kb_pipeline.text.credentials import hide_credentials

SKIPPED = (".", "~$")  # hidden files, and the lock files of office programs
HTTP = ("http://", "https://")
FILE = "file://"
HASH_DIGITS = 8  # of a source, where nothing more readable tells two of them apart
# what servers and file systems say of a file that is another one when the file is: fsspec passes on their own names
TAGS = (
    "ETag", "etag", "Content-MD5", "Digest", "Last-Modified", "LastModified", "last_modified", "VersionId",
    "generation", "md5Hash", "updated", "mtime", "modified", "created",
)  # fmt: skip
GONE_STATUS = (404, 410)

_UNREADABLE = re.compile(r"[\x00-\x1f\x7f\udc80-\udcff]")  # control characters, and bytes that Python could not decode

log = logging.getLogger(__name__)


def scan(location: str) -> list[tuple[str, str]]:
    """(readable path, source) of every document at a file, folder or address; hidden files are left out.

    A folder's documents are named by their path inside it, here as on S3 and wherever else files can be listed; a
    single file by its name, an address by host, path and query. Pipes, devices and sockets are left out with a warning;
    linked files are taken, linked folders are not entered.

    Raises:
        UsageError: there is nothing at that place.
        StorageUnavailable: its server cannot be asked.
    """
    if "://" in location and not location.startswith(FILE):
        return _scan_address(location)
    literal = location.removeprefix(FILE)
    path = os.path.abspath(literal if os.path.lexists(literal) else local_path(location) or literal)
    if os.path.isfile(path):
        return [single(path)]
    if not os.path.isdir(path):
        raise UsageError(f"{_readable(location)} is no file or folder", remedy="give a path or an address that exists")
    return list(_scan_folder(path))


def single(location: str) -> tuple[str, str]:
    """(readable name, source) of one file or address, which need not be there."""
    if "://" in location:
        return _readable(hide_credentials(location)), location
    return _readable(os.path.basename(location)), _source(os.path.abspath(location))


def _scan_folder(top: str) -> Iterator[tuple[str, str]]:
    for folder, folders, names in os.walk(top, onerror=_warn):
        folders[:] = sorted(name for name in folders if not name.startswith(SKIPPED))
        for name in sorted(name for name in names if not name.startswith(SKIPPED)):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                yield _readable(os.path.relpath(path, top)), _source(path)
            else:
                log.warning("%s is left out: it is no regular file, or a link to none", _readable(path))


def _warn(error: OSError) -> None:
    log.warning("%s is left out: %s", _readable(str(error.filename)), error.strerror)


def _scan_address(location: str) -> list[tuple[str, str]]:
    if location.startswith(HTTP):
        location = urldefrag(location).url
        parts = urlsplit(hide_credentials(location))
        query = f"?{unquote(parts.query)}" if parts.query else ""
        return [(_readable(unquote(f"{parts.netloc}{parts.path}").strip("/") + query), location)]
    try:
        fs, root = _file_system(location)
        if fs.info(root)["type"] != "directory":
            return [(_bare(location), location)]
        found = {name: info for name, info in fs.find(root, detail=True).items() if info["type"] == "file"}
    except FileNotFoundError as error:
        raise UsageError(f"{location} is no file or folder", remedy="give an address that exists") from error
    except Exception as error:  # the edge to botocore and others, whose errors share no base
        raise StorageUnavailable(f"{location}: {error}", remedy="check the address and its server") from error
    inside = {name.removeprefix(root).lstrip("/"): name for name in found}
    first, chain, rest = location.partition("::")
    return [
        (_readable(path), f"{first.rstrip('/')}/{path}{chain}{rest}")
        for path in sorted(inside)
        if path and not any(part.startswith(SKIPPED) for part in path.split("/"))
    ]


def _bare(location: str) -> str:
    """An address without scheme and credentials, as a path."""
    return _readable(hide_credentials(location).partition("://")[2].strip("/"))


def _readable(path: str) -> str:
    """A path as text that every store takes: control characters, and bytes that are no UTF-8, as %XX."""
    return _UNREADABLE.sub(lambda found: f"%{ord(found[0]) & 0xFF:02X}", path)


def _source(path: str) -> str:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return FILE + quote(os.fsencode(path))
    return path


def local_path(source: str) -> str | None:
    """The path of a local source; None for one that is elsewhere."""
    if source.startswith(FILE):
        return os.fsdecode(unquote_to_bytes(source.removeprefix(FILE)))
    return None if "://" in source else source


def names(path: str, source: str) -> Iterator[str]:
    """Paths that a source may have in a knowledge base: its readable one, those with more of its place in front, and at
    last one that no other source can have."""
    yield path
    local = local_path(source)
    if local is None:
        yield hide_credentials(source)
    else:
        folders = _readable(os.path.dirname(local)).strip("/").split("/")
        for start in range(len(folders) - 1, -1, -1):
            yield "/".join((*folders[start:], path))
    yield f"{path} ({hashlib.sha256(hide_credentials(source).encode()).hexdigest()[:HASH_DIGITS]})"


def file_name(path: str, source: str) -> str:
    """The name whose extension tells the type of a document's text: without the query of an address."""
    return PurePosixPath(unquote(urlsplit(source).path)).name if source.startswith(HTTP) else path


def is_gone(source: str) -> bool:
    """Whether a source is not there any more. One that cannot be looked at (no rights, no network) is not gone."""
    local = local_path(source)
    if local is not None:
        try:
            os.stat(local)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False
    try:
        fs, path = _file_system(source)
        fs.info(path)
    except FileNotFoundError as error:  # fsspec raises it over http for every failure, with the true one behind it
        cause = error.__cause__
        return cause is None or isinstance(cause, FileNotFoundError) or getattr(cause, "status", 0) in GONE_STATUS
    except Exception:  # the edge to aiohttp and botocore, whose errors share no base
        return False
    return False


def is_deleted_here(source: str) -> bool:
    """Whether a local source is gone from a folder that is there. Where the folder is not there, either, this may be
    another machine than the one that ingested."""
    local = local_path(source)
    return local is not None and os.path.isdir(os.path.dirname(local)) and is_gone(source)


def is_inside(source: str, location: str) -> bool:
    """Whether a source lies in a folder, or under an address, that was given."""
    local = local_path(source)
    if "://" in location and not location.startswith(FILE):
        return local is None and hide_credentials(source).startswith(hide_credentials(location).rstrip("/") + "/")
    folder = os.path.abspath(local_path(location) or location)
    return local is not None and local.startswith(folder.rstrip("/") + "/")


def stat(source: str) -> dict[str, str]:
    """What tells whether a source changed: size and time, or the tag that its server gives it, else its content's hash.

    Raises:
        SourceMissing: it cannot be reached.
    """
    local = local_path(source)
    if local is not None:
        try:
            found = os.stat(local)
        except OSError as error:
            raise _missing(source, error) from error
        return {"size": str(found.st_size), "modified": str(found.st_mtime_ns)}
    try:
        fs, path = _file_system(source)
        info = fs.info(path)
    except Exception as error:  # the edge to aiohttp and botocore, whose errors share no base
        raise _missing(source, error) from error
    tags = {key: str(info[key]) for key in TAGS if info.get(key)}
    if not tags:  # a size alone says nothing of a figure that was corrected
        tags["sha256"] = hashlib.sha256(read(source)).hexdigest()
    return tags | ({"size": str(info["size"])} if info.get("size") else {})


def read(source: str) -> bytes:
    """The source's bytes; those of regular files only, since a pipe or device may never end.

    Raises:
        SourceMissing: it cannot be read.
    """
    local = local_path(source)
    try:
        if local is not None:
            return _read_regular(local)
        fs, path = _file_system(source)
        return fs.cat_file(path)
    except SourceMissing:
        raise
    except Exception as error:  # as above
        raise _missing(source, error) from error


def _read_regular(path: str) -> bytes:
    if modes.S_ISREG(os.stat(path).st_mode):
        # what stands there may have become a pipe in the meantime, which would wait for its writer
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if modes.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
    raise SourceMissing(f"{_readable(path)} is no regular file", remedy="give a file or a folder of files")


def _missing(source: str, error: Exception) -> SourceMissing:
    local, cause = local_path(source), error.__cause__ or error
    if local is not None:
        said = getattr(error, "strerror", None) or str(error)
        return SourceMissing(f"{_readable(local)}: {said}", remedy="put the file back, or `kb rm` the document")
    return SourceMissing(f"{source}: {cause}", remedy="check the address, or `kb rm` the document")


def _file_system(source: str) -> tuple[Any, str]:
    import fsspec

    uncached = {"use_listings_cache": False} if source.startswith(("s3://", "s3a://", *HTTP)) else {}
    return fsspec.core.url_to_fs(source, **uncached)
