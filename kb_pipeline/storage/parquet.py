"""Tables of many rows as Parquet, through pandas."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


def to_parquet(frame: pandas.DataFrame) -> bytes:
    """Bytes of a frame without its index; the same frame always gives the same bytes."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False, compression="zstd")
    return buffer.getvalue()


def from_parquet(data: bytes) -> pandas.DataFrame:
    """The frame back."""
    import pandas

    return pandas.read_parquet(io.BytesIO(data))
