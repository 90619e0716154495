"""Named byte objects in a folder, on S3, or on anything else that fsspec reaches."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import shutil
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from kb_pipeline.errors import StorageUnavailable
from kb_pipeline.settings import PRIVATE_FILE, Settings, make_home, reveal_options

LOCKS, LOCK_FILES = ".locks", 256  # folder of a store's lock files, and how many there are
UPDATES = 40  # attempts at an update that others come before
MAX_PAUSE = 0.5  # seconds between two of them
READERS = 32  # objects of a remote store that are read at the same time
S3_CONFIG = {
    # s3fs tries 5 times by itself: 2 x 5 attempts instead of 25 keep an outage short
    "retries": {"mode": "standard", "total_max_attempts": 2},
    "connect_timeout": 3,  # seconds
    "read_timeout": 30,
    # many S3-compatible services refuse the checksums that newer clients send unasked
    "request_checksum_calculation": "when_required",
    "response_checksum_validation": "when_required",
}


Change = Callable[[bytes | None], bytes | None]
"""From an object's bytes (None for none) to its new ones; None leaves it as it is."""


class ObjectStore(Protocol):
    """Byte objects under `/`-separated names. A write is seen whole or not at all."""

    def read(self, name: str) -> bytes | None:
        """The object's bytes; None where there is no such object."""
        ...

    def read_many(self, names: Sequence[str]) -> list[bytes | None]:
        """What `read` gives for each name, read at the same time where the store is far away."""
        ...

    def write(self, name: str, data: bytes, private: bool = False) -> None:
        """Create or replace an object; a private one is for the user alone, where the store knows users."""
        ...

    def update(self, name: str, change: Change) -> None:
        """Replace an object by what `change` makes of it, so that no other update is lost, of whatever process or
        machine. `change` may be called again where another one came first."""
        ...

    def names(self, folder: str) -> list[str]:
        """Names of the objects and folders right under a folder, sorted; empty where there is none."""
        ...

    def remove(self, name: str) -> None:
        """Remove an object, or a folder with all that is under it; nothing happens where there is none."""
        ...


def home_store(settings: Settings) -> ObjectStore:
    """The store of an installation: at `storage.uri`, or the folder `store` in its home."""
    options = reveal_options(settings.storage.options)
    if settings.storage.uri:
        return open_store(settings.storage.uri, options)
    return FolderStore(settings.home / "store", settings.home)


def open_store(uri: str, options: dict[str, Any]) -> ObjectStore:
    """The store at a path (no scheme or `file://`) or at an fsspec address."""
    if "://" not in uri or uri.startswith("file://"):
        return FolderStore(Path(uri.removeprefix("file://")))
    return RemoteStore(uri, options)


class FolderStore:
    """Objects as files of one folder: written beside their place and renamed, so that a kill leaves no half object.

    `home`: the installation's folder above it, which is made for its user alone."""

    def __init__(self, root: Path, home: Path | None = None):
        self.root, self.home = root, home

    def _path(self, name: str) -> Path:
        if name.startswith("/") or any(part in ("", ".", "..") for part in name.split("/")):
            raise ValueError(f"not an object name: {name!r}")
        return self.root / name

    def read(self, name: str) -> bytes | None:
        try:
            return self._path(name).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def read_many(self, names: Sequence[str]) -> list[bytes | None]:
        return [self.read(name) for name in names]

    def write(self, name: str, data: bytes, private: bool = False) -> None:
        path, mode = self._path(name), PRIVATE_FILE if private else 0o666
        partial = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            try:
                _write(partial, data, mode)
            except (FileNotFoundError, NotADirectoryError):
                if self.home:
                    make_home(self.home)
                path.parent.mkdir(parents=True, exist_ok=True)
                _write(partial, data, mode)
            os.replace(partial, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise StorageUnavailable(f"cannot write {path}: {error.strerror}", remedy="free space or rights") from error

    def update(self, name: str, change: Change) -> None:
        """Held by a lock on a file beside the objects (flock), which the system frees when its holder dies."""
        lock = self.root / LOCKS / f"{zlib.crc32(name.encode()) % LOCK_FILES:03d}"
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            with open(lock, "wb") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                data = change(self.read(name))
                if data is not None:
                    self.write(name, data)
        except OSError as error:
            raise StorageUnavailable(f"cannot lock {lock}: {error.strerror}", remedy="free space or rights") from error

    def names(self, folder: str) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self._path(folder)) if not name.startswith("."))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def remove(self, name: str) -> None:
        path = self._path(name)
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _write(path: Path, data: bytes, mode: int) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(data)


class MemoryStore:
    """Objects in this process's memory, gone with it: for reading a file without keeping anything."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def read(self, name: str) -> bytes | None:
        return self.kept.get(name)

    def read_many(self, names: Sequence[str]) -> list[bytes | None]:
        return [self.read(name) for name in names]

    def write(self, name: str, data: bytes, private: bool = False) -> None:
        self.kept[name] = data

    def update(self, name: str, change: Change) -> None:
        with self._lock:
            data = change(self.kept.get(name))
            if data is not None:
                self.kept[name] = data

    def names(self, folder: str) -> list[str]:
        depth = folder.count("/") + 1
        return sorted({name.split("/")[depth] for name in list(self.kept) if name.startswith(folder + "/")})

    def remove(self, name: str) -> None:
        for kept in [k for k in self.kept if k == name or k.startswith(name + "/")]:
            del self.kept[kept]


class RemoteStore:
    """Objects on an fsspec file system. Listings are never cached, retries are bounded, writes are single puts."""

    def __init__(self, uri: str, options: dict[str, Any]):
        import fsspec

        merged = dict(options)
        if uri.startswith(("s3://", "s3a://")):
            merged.setdefault("use_listings_cache", False)  # a cached listing hides what other processes wrote
            merged["config_kwargs"] = {**S3_CONFIG, **merged.get("config_kwargs", {})}
        self.fs, self.root = fsspec.core.url_to_fs(uri, **merged)
        self.uri = uri
        self._lock = threading.Lock()

    def _path(self, name: str) -> str:
        if name.startswith("/") or any(part in ("", ".", "..") for part in name.split("/")):
            raise ValueError(f"not an object name: {name!r}")
        return f"{self.root.rstrip('/')}/{name}"

    def _fault(self, error: Exception) -> StorageUnavailable:
        return StorageUnavailable(f"{self.uri}: {error}", remedy="check storage.uri, storage.options and the service")

    def read(self, name: str) -> bytes | None:
        try:
            return self.fs.cat_file(self._path(name))
        except (FileNotFoundError, IsADirectoryError):
            return None
        except Exception as error:  # the edge to botocore, aiohttp and others, whose errors share no base
            raise self._fault(error) from error

    def read_many(self, names: Sequence[str]) -> list[bytes | None]:
        with ThreadPoolExecutor(READERS, "read") as pool:
            return list(pool.map(self.read, names))

    def write(self, name: str, data: bytes, private: bool = False) -> None:
        try:
            self.fs.pipe_file(self._path(name), data)
        except Exception as error:  # as above
            raise self._fault(error) from error

    def update(self, name: str, change: Change) -> None:
        """On S3 by conditional writes (If-Match, If-None-Match), which AWS, MinIO and SeaweedFS know. Other file
        systems of fsspec have no such thing: there, updates of one process alone are kept apart."""
        if "s3" not in self.fs.protocol:
            with self._lock:
                data = change(self.read(name))
                if data is not None:
                    self.write(name, data)
            return
        bucket, _, key = self._path(name).partition("/")
        for attempt in range(UPDATES):
            before, tag = self._tagged(bucket, key)
            data = change(before)
            if data is None:
                return
            condition = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
            try:
                self.fs.call_s3("put_object", Bucket=bucket, Key=key, Body=data, **condition)
                return
            except Exception as error:  # as above
                if not _lost_race(error):
                    raise self._fault(error) from error
            time.sleep(min(MAX_PAUSE, 0.01 * 2**attempt) * random.random())
        raise StorageUnavailable(f"{self.uri}/{name} was changed by others {UPDATES} times", remedy="run it again")

    def _tagged(self, bucket: str, key: str) -> tuple[bytes | None, str]:
        """An object's bytes and the tag of that version; None and no tag where there is no such object."""
        try:
            tag = self.fs.call_s3("head_object", Bucket=bucket, Key=key)["ETag"]
            return self.fs.cat_file(f"{bucket}/{key}"), tag
        except FileNotFoundError:
            return None, ""
        except Exception as error:  # as above
            raise self._fault(error) from error

    def names(self, folder: str) -> list[str]:
        path = self._path(folder)
        try:
            found = self.fs.ls(path, detail=False)
        except FileNotFoundError:
            return []
        except Exception as error:  # as above
            raise self._fault(error) from error
        return sorted({p.rstrip("/").rsplit("/", 1)[-1] for p in found if p.rstrip("/") != path})

    def remove(self, name: str) -> None:
        try:
            self.fs.rm(self._path(name), recursive=True)
        except FileNotFoundError:
            return
        except Exception as error:  # as above
            raise self._fault(error) from error


def _lost_race(error: BaseException | None) -> bool:
    """Whether a conditional write was refused since another one came first."""
    while error is not None:
        code = getattr(error, "response", {}).get("Error", {}).get("Code", "")
        if code in ("PreconditionFailed", "ConditionalRequestConflict", "412", "409"):
            return True
        error = error.__cause__ or error.__context__
    return False
