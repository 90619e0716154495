"""Zip archives unpacked within one budget: the only place where a packed file of a document is opened."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from kb_pipeline.errors import DamagedFile, FileTooLarge

MAX_BYTES = 512 * 1024 * 1024  # that all members read of an archive may unpack to
MAX_RATIO = 400  # unpacked to packed bytes of a member; text packs to a fiftieth, at most to a two-hundredth
SMALL = 8 * 1024 * 1024  # bytes of a member whose ratio does not matter
MAX_MEMBERS = 100_000  # some 700 bytes each; a workbook of a thousand sheets has a few thousand
ENTRY = b"PK\x01\x02"  # how a member's entry in the directory begins
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Office, OpenDocument and EPUB know no others
# what zipfile raises on bytes that are not what they should be
DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError, IndexError, KeyError,
    OverflowError,
)  # fmt: skip

Content = bytes  # a name for it where a method has the other


class Archive:
    """Members of a zip archive by name; letter case and a leading slash do not matter.

    Raises:
        DamagedFile: it is no archive, or a member is missing or cannot be unpacked.
        FileTooLarge: more members, or more unpacked bytes, than the bounds above.
    """

    def __init__(self, data: bytes, name: str):
        self.name = name
        self._spent = 0
        self._shared: dict[str, Content] = {}
        if data.count(ENTRY) > MAX_MEMBERS:
            raise FileTooLarge(
                f"it holds more than {MAX_MEMBERS} parts", document=name, remedy="split it, or export it again"
            )
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except DAMAGE as error:
            raise self.damaged(f"the archive cannot be opened ({error})") from error
        self._members = {_plain(info.filename): info for info in self._archive.infolist()}

    def __contains__(self, member: str) -> bool:
        return _plain(member) in self._members

    @property
    def names(self) -> list[str]:
        """Names of the members as they are written."""
        return self._archive.namelist()

    def size(self, member: str) -> int:
        """Unpacked bytes of a member as the archive announces them."""
        return self._members[_plain(member)].file_size

    def bytes(self, member: str, most: int | None = None) -> bytes:
        """A member's bytes, or its first `most`. What is unpacked counts each time that it is asked for."""
        info = self._members.get(_plain(member))
        if info is None:
            raise self.damaged(f"its part {member} is missing")
        size = info.file_size if most is None else min(most, info.file_size)
        self._spent += size
        swollen = size > SMALL and info.file_size > MAX_RATIO * max(1, info.compress_size)
        if swollen or self._spent > MAX_BYTES:
            raise FileTooLarge(
                f"its part {member} unpacks to {info.file_size} bytes", document=self.name,
                remedy="split the document, or export it again",
            )  # fmt: skip
        if info.compress_type not in METHODS:
            raise self.damaged(f"its part {member} is packed by a method that no such file uses")
        try:
            with self._archive.open(info) as stream:
                return stream.read(size)  # never more than announced, whatever the stream holds
        except DAMAGE as error:
            raise self.damaged(f"its part {member} cannot be unpacked ({error})") from error

    def shared(self, member: str) -> Content:
        """A member's bytes, unpacked once however often they are asked for: a picture that stands in many places."""
        if member not in self._shared:
            self._shared[member] = self.bytes(member)
        return self._shared[member]

    def damaged(self, message: str) -> DamagedFile:
        """The error that says so of this archive."""
        return DamagedFile(message, document=self.name, remedy="open it in its own program and save it again")


def _plain(name: str) -> str:
    return name.lower().lstrip("/")
