"""The characters of a page, one row each, and the marks that say which of them a reader cannot see.

`Characters` is columnar: a page of 3000 characters is a dozen arrays. A row is one user-visible character: ligatures
are expanded to letters that share their box, combining marks join their base, spaces are no rows but hints.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from kb_pipeline.text.drop_reasons import BACKGROUND_COLOURED, OFF_PAGE, TINY, TWICE

if TYPE_CHECKING:
    import pandas as pd

# Reasons for which a character is not shown to a reader.

# Text below this size in points is a trick or an accident: a printed full stop is larger.
MIN_SIZE = 1.0
# A copy of the same character so near (share of the type size) is fake bold; two letters "l" lie 0.22 apart.
TWICE_DISTANCE = 0.12
# Grey levels (of 255) between the darkest and the lightest pixel of a place where nothing can be read.
MIN_CONTRAST = 24
# Fonts that are bold by name, where the descriptor does not say so.
BOLD_WEIGHT = 600


@dataclass(frozen=True)
class Characters:
    """Characters of a page in the file's logical order; N rows.

    Attributes:
        text: [N] str, one user-visible character each.
        box: [N, 4] tight box around the ink, points of the displayed page.
        loose: [N, 4] box from the font's ascent, descent and advance; neighbours in a word touch.
        size: [N] type size in points.
        font: [N] str, the font's base name ('' when unknown).
        bold: [N] bool.
        angle: [N] 0, 90, 180 or 270: clockwise turn of the reading direction on the displayed page.
        tilt: [N] degrees between the true direction and `angle`, -45…45.
        light: [N] how light the fill colour is on white paper, 0 black … 1 white.
        space: [N] bool, a space stands between this character and the one before it.
        unmapped: [N] bool, the font does not say which character the glyph is.
        dropped: [N] str, why a reader cannot see it, '' for those that are seen.
    """

    text: np.ndarray
    box: np.ndarray
    loose: np.ndarray
    size: np.ndarray
    font: np.ndarray
    bold: np.ndarray
    angle: np.ndarray
    tilt: np.ndarray
    light: np.ndarray
    space: np.ndarray
    unmapped: np.ndarray
    dropped: np.ndarray

    def __len__(self) -> int:
        return len(self.text)

    @property
    def total(self) -> int:
        """Code points of all rows, dropped ones included: what a page's character sum starts from."""
        return sum(map(len, self.text.tolist()))

    @property
    def seen(self) -> np.ndarray:
        """[N] bool: rows that a reader sees."""
        return self.dropped == ""

    def take(self, rows: np.ndarray) -> Characters:
        """The rows chosen by a boolean mask or by indexes."""
        return Characters(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    def marked(self, rows: np.ndarray, reason: str) -> Characters:
        """A copy where the rows of a boolean mask carry that reason, unless they have one already."""
        dropped = self.dropped.copy()
        dropped[rows & (dropped == "")] = reason
        return replace(self, dropped=dropped)

    def to_frame(self) -> pd.DataFrame:
        """One column per value, ready for Parquet."""
        import pandas as pd

        columns: dict[str, np.ndarray] = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if value.ndim == 2:
                columns.update(
                    {f"{f.name}_{side}": value[:, i] for i, side in enumerate(("x0", "top", "x1", "bottom"))}
                )
            else:
                columns[f.name] = value
        return pd.DataFrame(columns)

    @staticmethod
    def from_frame(frame: pd.DataFrame) -> Characters:
        """The characters that `to_frame` wrote."""
        values = {}
        for name, kind in _KINDS.items():
            if name in ("box", "loose"):
                sides = [frame[f"{name}_{side}"].to_numpy(float) for side in ("x0", "top", "x1", "bottom")]
                values[name] = np.column_stack(sides)
            else:
                values[name] = frame[name].to_numpy().astype(kind)
        return Characters(**values)

    @staticmethod
    def empty() -> Characters:
        """No characters."""
        return Characters(
            **{n: np.zeros((0, 4) if n in ("box", "loose") else 0, dtype=kind) for n, kind in _KINDS.items()}
        )


_KINDS: dict[str, type] = {
    "text": object,
    "box": float,
    "loose": float,
    "size": float,
    "font": object,
    "bold": bool,
    "angle": np.int16,
    "tilt": float,
    "light": float,
    "space": bool,
    "unmapped": bool,
    "dropped": object,
}


def mark_unseen(characters: Characters, width: float, height: float) -> Characters:
    """Marks what lies off a page of that size, is too small to read, or is a second copy of the same character."""
    centre = (characters.loose[:, :2] + characters.loose[:, 2:]) / 2
    outside = np.any((centre < 0) | (centre > np.array([width, height])), axis=1)
    characters = characters.marked(outside, OFF_PAGE)
    extent = (characters.loose[:, 2:] - characters.loose[:, :2]).max(axis=1)
    characters = characters.marked((characters.size < MIN_SIZE) & (extent < MIN_SIZE), TINY)
    return characters.marked(_copies(characters, centre), TWICE)


def mark_ground_colour(characters: Characters, pale: np.ndarray, picture: np.ndarray, scale: float) -> Characters:
    """Marks those of the `pale` rows [N] whose place in the page's grey picture [H, W] shows no contrast.

    White type on a dark ground stays: its place is not of one colour. `scale`: pixels per point.
    """
    hidden = np.zeros(len(characters), dtype=bool)
    height, width = picture.shape
    for row in np.flatnonzero(pale & characters.seen).tolist():
        x0, top, x1, bottom = (characters.box[row] * scale).tolist()
        patch = picture[max(0, int(top)) : min(height, int(bottom) + 2), max(0, int(x0)) : min(width, int(x1) + 2)]
        hidden[row] = patch.size == 0 or int(patch.max()) - int(patch.min()) < MIN_CONTRAST
    return characters.marked(hidden, BACKGROUND_COLOURED)


def _copies(characters: Characters, centre: np.ndarray) -> np.ndarray:
    """[N] bool: rows whose text, size and place are those of an earlier row that is seen.

    Rows are hashed by text, size and cell of a grid twice as wide as the distance that counts; two rows that near share
    a cell of the grid itself or of one of its copies moved by half a cell. Only rows that share a hash are compared.
    """
    copies = np.zeros(len(characters), dtype=bool)
    rows = np.flatnonzero(characters.seen & (characters.size > 0))
    if len(rows) < 2:
        return copies
    _, code = np.unique(characters.text[rows].astype(str), return_inverse=True)
    _, kind = np.unique(characters.size[rows], return_inverse=True)
    cell = centre[rows] / (2 * TWICE_DISTANCE * characters.size[rows, None])
    pairs: set[tuple[int, int]] = set()
    for shift in ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5)):
        across, down = np.floor(cell + shift).astype(np.int64).T
        key = ((code * 100_003 + kind) * 1_000_003 + across) * 1_000_003 + down
        order = np.lexsort((rows, key))
        for i in np.flatnonzero(key[order[1:]] == key[order[:-1]]).tolist():
            pairs.add((int(rows[order[i]]), int(rows[order[i + 1]])))
    for first, second in sorted(pairs):
        near = np.abs(centre[first] - centre[second]).max() <= TWICE_DISTANCE * characters.size[first]
        copies[second] |= near and characters.text[first] == characters.text[second]
    return copies
