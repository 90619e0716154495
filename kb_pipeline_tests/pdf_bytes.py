"""Tiny PDFs written byte by byte, so that every test knows exactly what lies where.

    data = document(page(text("Hello", 72, 700)), page(text("turned", 72, 700), rotate=90))

Coordinates are PDF user space: points before UserUnit, origin bottom left. Font `F1` is Helvetica, `F2` Times, `F3`
Courier, `B1` Helvetica-Bold.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

A4 = (0.0, 0.0, 595.0, 842.0)
FONTS = {"F1": "Helvetica", "F2": "Times-Roman", "F3": "Courier", "B1": "Helvetica-Bold"}
# The padding string of the standard security handler (ISO 32000-1, 7.6.3.3).
PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


@dataclass(frozen=True)
class PageSource:
    """One page; `resources` are further entries such as `/XObject << /X1 {x1} 0 R >>`, `objects` what they name."""

    content: bytes
    media: Sequence[float] = A4
    crop: Sequence[float] | None = None
    rotate: int = 0
    user_unit: float = 1.0
    fonts: dict[str, bytes] = field(default_factory=dict)
    resources: bytes = b""
    objects: dict[str, bytes] = field(default_factory=dict)
    entries: bytes = b""


def page(content: bytes | str = b"", **options: object) -> PageSource:
    return PageSource(content.encode("latin-1") if isinstance(content, str) else content, **options)


def text(words: str | bytes, x: float, y: float, size: float = 12, font: str = "F1", extra: str = "") -> bytes:
    """Content that shows Latin text with its baseline at (x, y); `extra` holds operators such as `3 Tr`."""
    raw = words if isinstance(words, bytes) else words.encode("cp1252")
    raw = raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
    return f"BT /{font} {size:g} Tf {extra} 1 0 0 1 {x:g} {y:g} Tm (".encode() + raw + b") Tj ET\n"


def hex_text(codes: str, x: float, y: float, size: float = 12, font: str = "F1", extra: str = "") -> bytes:
    """Like `text`, for fonts with codes of two bytes: `codes` is a hexadecimal string."""
    return f"BT /{font} {size:g} Tf {extra} 1 0 0 1 {x:g} {y:g} Tm <{codes}> Tj ET\n".encode()


def stream(data: bytes, entries: bytes = b"", compress: bool = False) -> bytes:
    if compress:
        data, entries = zlib.compress(data), entries + b" /Filter /FlateDecode"
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def document(*pages: PageSource, outline: Sequence[tuple[str, int, float]] = (), password: str = "", owner: str = "",
             object_streams: bool = False, catalog: bytes = b"") -> bytes:  # fmt: skip
    """A whole file. `outline`: (title, page from 1, y in user space) entries.

    `password` (user) or `owner` encrypts it with 40 bit RC4; `object_streams` hides the dictionaries in a compressed
    stream, as modern writers do. `catalog`: further entries; the objects of the first page are numbered from 3.
    """
    file = _File(password, owner)
    root, tree = file.reserve(), file.reserve()
    kids = [_add_page(file, tree, source) for source in pages]
    file.set(tree, b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % k for k in kids)))
    extra = b"/Outlines %d 0 R" % _add_outline(file, kids, outline) if outline else b""
    file.set(root, b"<< /Type /Catalog /Pages %d 0 R %s %s >>" % (tree, extra, catalog))
    return file.bytes(root, object_streams)


def identity_font(to_unicode: dict[int, str] | None, base: str = "ABCDEF+Song", width: int = 1000) -> dict[str, bytes]:
    """Objects of a composite font with codes of two bytes and no embedded program, under the name `F9`.

    Pass it as `objects=` and name it in the page by `fonts={"F9": b"{F9} 0 R"}`. `to_unicode` None leaves the map out.
    """
    parts = {
        "D9": b"<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0"
        b" /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>" % base.encode(),
        "C9": b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering"
        b" (Identity) /Supplement 0 >> /FontDescriptor {D9} 0 R /DW %d >>" % (base.encode(), width),
    }
    unicode_map = b""
    if to_unicode is not None:
        rows = "\n".join(f"<{code:04X}> <{value.encode('utf-16-be').hex()}>" for code, value in to_unicode.items())
        parts["U9"] = stream(
            b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange"
            b" <0000> <FFFF> endcodespacerange %d beginbfchar\n%s\nendbfchar endcmap end end"
            % (len(to_unicode), rows.encode())
        )
        unicode_map = b"/ToUnicode {U9} 0 R"
    parts["F9"] = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [{C9} 0 R] %s >>"
        % (base.encode(), unicode_map)
    )
    return parts


class _File:
    def __init__(self, password: str, owner: str):
        self.objects: list[bytes] = []
        self.key = b""
        self.security = b""
        if password or owner:
            self._encrypt(password.encode(), (owner or password).encode())

    def reserve(self) -> int:
        self.objects.append(b"null")
        return len(self.objects)

    def set(self, number: int, body: bytes) -> int:
        self.objects[number - 1] = body
        return number

    def add(self, body: bytes) -> int:
        return self.set(self.reserve(), body)

    def _encrypt(self, password: bytes, owner: bytes) -> None:
        identity = hashlib.md5(b"kb").digest()
        lock = hashlib.md5((owner + PADDING)[:32]).digest()[:5]
        entry_o = _rc4(lock, (password + PADDING)[:32])
        permissions = -44 & 0xFFFFFFFF
        seed = (password + PADDING)[:32] + entry_o + permissions.to_bytes(4, "little") + identity
        self.key = hashlib.md5(seed).digest()[:5]
        self.security = (
            b"/ID [<%s><%s>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P %d >>"
            % (identity.hex().encode(), identity.hex().encode(), entry_o.hex().encode(),
               _rc4(self.key, PADDING).hex().encode(), permissions - (1 << 32))
        )  # fmt: skip

    def _sealed(self, number: int, body: bytes) -> bytes:
        """Streams are encrypted object by object; strings outside streams are not used in such files."""
        head, found, tail = body.partition(b"\nstream\n")
        if not (self.key and found):
            return body
        key = hashlib.md5(self.key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
        return head + found + _rc4(key, tail[: -len(b"\nendstream")]) + b"\nendstream"

    def bytes(self, catalog: int, object_streams: bool) -> bytes:
        if object_streams:
            return self._bytes_with_object_stream(catalog)
        out, offsets = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), []
        for number, body in enumerate(self.objects, 1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, self._sealed(number, body))
        start, size = len(out), len(self.objects) + 1
        out += b"xref\n0 %d\n0000000000 65535 f \n" % size
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        out += b"trailer << /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
            size, catalog, self.security, start)  # fmt: skip
        return bytes(out)

    def _bytes_with_object_stream(self, catalog: int) -> bytes:
        out, rows = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), {0: (0, 0, 65535)}
        packed = [(n, body) for n, body in enumerate(self.objects, 1) if b"\nstream\n" not in body]
        holder, table = len(self.objects) + 1, len(self.objects) + 2
        index, bodies = b"", b""
        for place, (number, body) in enumerate(packed):
            index += b"%d %d " % (number, len(bodies))
            bodies += body + b" "
            rows[number] = (2, holder, place)
        plain = [(n, body) for n, body in enumerate(self.objects, 1) if b"\nstream\n" in body]
        entries = b"/Type /ObjStm /N %d /First %d" % (len(packed), len(index))
        for number, body in [*plain, (holder, stream(index + bodies, entries, compress=True))]:
            rows[number] = (1, len(out), 0)
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        rows[table] = (1, len(out), 0)
        data = b"".join(
            kind.to_bytes(1, "big") + where.to_bytes(4, "big") + extra.to_bytes(2, "big")
            for kind, where, extra in (rows[n] for n in range(table + 1))
        )
        entries = b"/Type /XRef /Size %d /W [1 4 2] /Root %d 0 R" % (table + 1, catalog)
        out += b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (table, stream(data, entries), rows[table][1])
        return bytes(out)


def _add_page(file: _File, tree: int, source: PageSource) -> int:
    numbers = {name: file.reserve() for name in source.objects}

    def resolved(body: bytes) -> bytes:
        return re.sub(rb"\{(\w+)\}", lambda match: b"%d" % numbers[match[1].decode()], body)

    for name, body in source.objects.items():
        file.set(numbers[name], resolved(body))
    fonts = b"".join(
        b"/%s << /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >> " % (k.encode(), v.encode())
        for k, v in FONTS.items()
    )
    fonts += b"".join(b"/%s %s " % (name.encode(), resolved(body)) for name, body in source.fonts.items())
    crop = b"/CropBox [%s]" % _numbers(source.crop) if source.crop else b""
    unit = b"/UserUnit %g" % source.user_unit if source.user_unit != 1 else b""
    return file.add(
        b"<< /Type /Page /Parent %d 0 R /MediaBox [%s] %s /Rotate %d %s /Contents %d 0 R %s"
        b" /Resources << /Font << %s >> %s >> >>"
        % (tree, _numbers(source.media), crop, source.rotate, unit, file.add(stream(source.content)),
           resolved(source.entries), fonts, resolved(source.resources))
    )  # fmt: skip


def _add_outline(file: _File, kids: list[int], outline: Sequence[tuple[str, int, float]]) -> int:
    root, numbers = file.reserve(), [file.reserve() for _ in outline]
    for i, (title, target, y) in enumerate(outline):
        near = (b"/Prev %d 0 R " % numbers[i - 1] if i else b"") + (
            b"/Next %d 0 R" % numbers[i + 1] if i + 1 < len(numbers) else b""
        )
        encoded = (b"\xfe\xff" + title.encode("utf-16-be")).hex().encode()
        file.set(
            numbers[i],
            b"<< /Title <%s> /Parent %d 0 R %s /Dest [%d 0 R /XYZ 0 %g 0] >>"
            % (encoded, root, near, kids[target - 1], y),
        )
    return file.set(
        root, b"<< /Type /Outlines /First %d 0 R /Last %d 0 R /Count %d >>" % (numbers[0], numbers[-1], len(numbers))
    )


def _numbers(values: Sequence[float]) -> bytes:
    return b" ".join(b"%.10g" % v for v in values)


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
