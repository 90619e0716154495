"""Pictures inside Office files."""

from __future__ import annotations

MAGIC = (
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\0", "tif"),
    (b"MM\0*", "tif"),
)


def picture_ending(data: bytes) -> str:
    """The file ending of a picture that can be shown; empty for vector formats of Windows and what is unknown."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((ending for magic, ending in MAGIC if data.startswith(magic)), "")


def picture_part(number: int, ending: str) -> str:
    """Part name of a picture in the sections artefact; `number` from 1."""
    return f"picture-{number:05d}.{ending}"
