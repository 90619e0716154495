"""Where documents come from: files, folders, and anything that fsspec reaches (http, s3, …)."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from kb_pipeline.errors import SourceMissing, UsageError

SKIPPED = (".", "~$")  # hidden files, and the lock files of office programs


def scan(location: str) -> list[tuple[str, str]]:
    """(readable path, source) of every document at a file, folder or address; hidden files are left out.

    A folder's documents are named by their path inside it, a single file by its name, an address by host and path.

    Raises:
        UsageError: there is nothing at that place.
    """
    if "://" in location:
        parts = urlsplit(location)
        return [(unquote(f"{parts.netloc}{parts.path}").strip("/"), location)]
    path = Path(os.path.abspath(location))
    if path.is_file():
        return [(path.name, str(path))]
    if not path.is_dir():
        raise UsageError(f"{location} is no file or folder", remedy="give a path or an address that exists")
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith(SKIPPED))
        for name in sorted(names):
            if not name.startswith(SKIPPED):
                file = Path(folder, name)
                found.append((file.relative_to(path).as_posix(), str(file)))
    return found


def exists(source: str) -> bool:
    """Whether a local source is still there; addresses count as there."""
    return "://" in source or os.path.exists(source)


def stat(source: str) -> dict[str, str]:
    """What tells cheaply whether a source changed: size and time, or the tag that its server gives it.

    Raises:
        SourceMissing: it cannot be reached.
    """
    if "://" not in source:
        try:
            found = os.stat(source)
        except OSError as error:
            raise SourceMissing(
                f"{source}: {error.strerror}", remedy="put the file back, or `kb rm` the document"
            ) from error
        return {"size": str(found.st_size), "modified": str(found.st_mtime_ns)}
    import fsspec

    try:
        fs, path = fsspec.core.url_to_fs(source, **_uncached(source))
        info = fs.info(path)
    except Exception as error:  # the edge to aiohttp and botocore, whose errors share no base
        raise SourceMissing(f"{source}: {error}", remedy="check the address, or `kb rm` the document") from error
    tags = {key: str(info[key]) for key in ("ETag", "etag", "LastModified", "last_modified", "size") if info.get(key)}
    return tags


def read(source: str) -> bytes:
    """The source's bytes.

    Raises:
        SourceMissing: it cannot be read.
    """
    try:
        if "://" not in source:
            return Path(source).read_bytes()
        import fsspec

        fs, path = fsspec.core.url_to_fs(source, **_uncached(source))
        return fs.cat_file(path)
    except Exception as error:  # as above
        raise SourceMissing(f"{source}: {error}", remedy="check the source, or `kb rm` the document") from error


def _uncached(source: str) -> dict[str, bool]:
    return {"use_listings_cache": False} if source.startswith(("s3://", "http://", "https://")) else {}
