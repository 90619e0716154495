"""In a justified Chinese line the figures `0.05` came out as `0 . 0 5`, since every gap of the line is stretched."""

from __future__ import annotations

import numpy as np

from kb_pipeline.deepdoc.page.line_text import spaces_between

SIZE = 10.0


def test_stretched_gaps_are_no_spaces():
    texts = list("黄铜矿呈他形粒状，粒径0.05～")
    widths = [SIZE / 2 if c in "0.5" else SIZE for c in texts]
    start, end, x = [], [], 0.0
    for width in widths:
        start.append(x)
        end.append(x + width)
        x += width + 0.2 * SIZE
    spaces = spaces_between(texts, np.array(start), np.array(end), SIZE, [False] * (len(texts) - 1))
    assert not any(spaces)
