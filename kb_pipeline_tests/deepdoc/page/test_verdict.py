from __future__ import annotations

import numpy as np
import pytest

from kb_pipeline.deepdoc.files.characters import Characters
from kb_pipeline.deepdoc.files.pdf import PdfFile
from kb_pipeline.deepdoc.page.plausibility import reads_like_language
from kb_pipeline.deepdoc.page.verdict import line_is_garbled, page_verdict, suspects
from kb_pipeline.records import Verdict
from kb_pipeline_tests.pdf_bytes import PageSource, document, hex_text, identity_font, page, text

ENGLISH = (
    "The exploration licence covers forty square kilometres of rolling hills north of the river, where three drill"
    " holes intersected massive sulphide ore below the weathered zone and samples were assayed for copper and gold."
)
CHINESE = (
    "本次勘查工作在矿区北部施工三个钻孔，见矿深度由一百二十米至三百米不等，矿石类型以块状硫化物为主，伴生金品位较高。"
)
KOREAN = "이번 조사에서는 광산 북쪽에 시추공 세 개를 뚫었으며 구리와 금의 품위가 높은 광석이 확인되었다"
RUSSIAN = (
    "В ходе разведки на северном участке пробурены три скважины, в которых вскрыты массивные сульфидные руды с золотом."
)
ARABIC = "كشفت أعمال الاستكشاف في الجزء الشمالي من المنجم عن خام النحاس والذهب في ثلاث آبار محفورة على أعماق مختلفة"
THAI = "การสำรวจทางตอนเหนือของเหมืองพบแร่ทองแดงและทองคำในหลุมเจาะสามหลุมที่ระดับความลึกต่างกัน"
FORMULAS = (
    "a² + b² = c²; ∑ x_i / n = (x₁ + x₂) / 2; |f(x)| ≤ ε; {∂u/∂t} = k·∇²u + q(x, t);"
    " y = [A·x + b] × 10⁻³ ± 0.5; p < 0.05"
)
DOTTED = (
    "1 Introduction ............................ 3 2 Methods ................................. 7 3 Results ........ 12 "
)
NUMBERS = (
    "0.25 1,204.50 (3.1%) 17/04/2021 -4.2 99.7 0.031 1:25,000 +12% $3.50 [12] 0.25 1,204.50 (3.1%) 17 0.031 #4 " * 2
)


def layer(words: str, font: str = "ABCDEF+Sans", unmapped: bool = False, dropped: str = "") -> Characters:
    """Characters of a text set in lines of sixty, without a file."""
    rows = [(c, 50 + 6.0 * (i % 60), 50 + 14.0 * (i // 60), words[i - 1 : i] == " ") for i, c in enumerate(words)]
    rows = [row for row in rows if not row[0].isspace()]
    boxes = np.array([(x, y, x + 6, y + 12) for _, x, y, _ in rows]).reshape(-1, 4)
    count = len(rows)
    return Characters(
        text=np.array([row[0] for row in rows], dtype=object),
        box=boxes,
        loose=boxes,
        size=np.full(count, 10.0),
        font=np.full(count, font, dtype=object),
        bold=np.zeros(count, dtype=bool),
        angle=np.zeros(count, dtype=np.int16),
        tilt=np.zeros(count),
        light=np.zeros(count),
        space=np.array([row[3] for row in rows], dtype=bool),
        unmapped=np.full(count, unmapped),
        dropped=np.full(count, dropped, dtype=object),
    )


def joined(*layers: Characters) -> Characters:
    return Characters(**{n: np.concatenate([getattr(part, n) for part in layers]) for n in vars(layers[0])})


def shifted(words: str, by: int = -29) -> str:
    """What a font without a character map yields: each letter replaced by the one so many codes away."""
    return "".join(chr(ord(c) + by) if ord(c) + by > 32 else "\ufffd" for c in words)


def verdict_of(source: PageSource) -> Verdict:
    with PdfFile(document(source), "page.pdf") as file:
        return page_verdict(file.characters(1), file.picture_coverage(1), file.drawing_count(1))


CLEAN = {
    "english": ENGLISH,
    "chinese": CHINESE,
    "korean": KOREAN,
    "russian": RUSSIAN,
    "arabic": ARABIC,
    "thai": THAI,
    "formulas": FORMULAS,
    "dotted": DOTTED,
    "numbers": NUMBERS,
    "shouting": ENGLISH.upper(),
}


@pytest.mark.parametrize("words", CLEAN.values(), ids=CLEAN)
def test_honest_pages_are_clean(words: str):
    assert page_verdict(layer(words), 0.0, 3).label == "clean"
    assert page_verdict(layer(words), 0.2, 3).label == "clean"
    # A full-page background picture (slides, brochures) does not make a page a scan.
    if words not in (FORMULAS, DOTTED, NUMBERS):
        assert page_verdict(layer(words), 1.0, 3).label == "clean"


@pytest.mark.parametrize("words", [ENGLISH, CHINESE, KOREAN, RUSSIAN, ARABIC, THAI], ids=list(CLEAN)[:6])
def test_fonts_without_a_map_are_clean_where_the_text_reads_like_language(words: str):
    """Type 3 fonts have no character map and are mostly right."""
    assert page_verdict(layer(words, font="", unmapped=True), 0.0, 3).label == "clean"


GARBLED = {
    "private use": (CHINESE.translate({ord(c): 0xE000 + ord(c) % 512 for c in set(CHINESE)}), False),
    "replacement": ("\ufffd" * 40 + ENGLISH[:60], False),
    "shifted": (shifted(ENGLISH), True),
    "figures drawn by punctuation": ('9:;<9:;99:9=9:9;<9:;<9:;9:>"$;<9:;99:9=' * 3, True),
    "scripts at random": ("".join(chr(0x180 + 37 * i % 0x500) for i in range(120)), True),
}


@pytest.mark.parametrize(("words", "unmapped"), GARBLED.values(), ids=GARBLED)
def test_garbled_pages(words: str, unmapped: bool):
    verdict = page_verdict(layer(words, unmapped=unmapped), 0.0, 3)
    assert verdict.label == "garbled"
    assert verdict.figures["characters"] > 0


def test_a_subset_font_of_punctuation_that_reads_like_nothing_is_garbled():
    words = "".join(f"{a}{b}" for a, b in zip("!\"#$%&'()*+,-./:;<=>?@[" * 8, "xqzkvwtrpsdfghjbnmlc" * 9, strict=False))
    words = " ".join(words[i : i + 5].replace("!", "bcdfg") for i in range(0, len(words), 5))
    assert page_verdict(layer(words), 0.0, 3).label == "garbled"
    assert page_verdict(layer(words, font="Courier"), 0.0, 3).label == "clean"


def test_the_figures_that_led_to_the_label_are_kept():
    figures = page_verdict(layer(shifted(ENGLISH), unmapped=True), 0.25, 3).figures
    assert figures["unmapped"] == 1.0
    assert figures["suspect"] == 1.0
    assert figures["picture_coverage"] == 0.25
    assert figures["language"] == 0.0
    assert figures["seen"] == figures["characters"] == len(shifted(ENGLISH))


def test_scans_blank_pages_and_outlines():
    nothing = Characters.empty()
    assert page_verdict(nothing, 0.0, 0).label == "blank"
    assert page_verdict(nothing, 0.9, 0).label == "scan"
    assert page_verdict(nothing, 0.0, 500).label == "scan"  # text turned into outlines


def test_an_invisible_layer_over_a_picture_is_a_scan():
    verdict = page_verdict(layer(ENGLISH, dropped="invisible text"), 0.95, 0)
    assert (verdict.label, verdict.figures["language"]) == ("scan", 1.0)
    assert verdict.figures["hidden"] == verdict.figures["characters"]
    stamped = joined(layer(ENGLISH, dropped="invisible text"), layer("page 7"))
    assert page_verdict(stamped, 0.95, 0).label == "scan"
    # Without a picture the visible words are what the page says.
    assert page_verdict(joined(layer(ENGLISH), layer(ENGLISH, dropped="invisible text")), 0.0, 0).label == "clean"
    # And a page whose only text is invisible shows nothing.
    assert page_verdict(layer(ENGLISH, dropped="invisible text"), 0.0, 0).label == "blank"


def test_a_layer_of_noise_over_a_scan():
    noise = "l1 ,;'. ~i| :.. _- ^ r1 ;; |'l .,: ii !l -_ 'r ;i. ,l1 ~~ .:| i; " * 3
    assert page_verdict(layer(noise), 0.95, 0).label == "scan noise"
    assert page_verdict(layer(noise, dropped="invisible text"), 0.95, 0).label == "scan noise"
    assert page_verdict(layer(noise), 0.1, 0).label == "clean"


def test_a_stamp_on_a_scan_is_no_noise():
    assert page_verdict(layer("Page 12 of 40"), 0.95, 0).label == "clean"


def test_real_files_without_a_character_map():
    codes = "".join(f"{ord(c) - 29:04X}" for c in ENGLISH)
    lines = b"".join(hex_text(codes[i : i + 160], 40, 800 - i / 8, font="F9") for i in range(0, len(codes), 160))
    source = page(lines, fonts={"F9": b"{F9} 0 R"}, objects=identity_font(None, width=500))
    assert verdict_of(source).label == "garbled"


def test_real_files_with_words():
    assert verdict_of(page(text(ENGLISH[:90], 40, 700) + text(ENGLISH[90:], 40, 680))).label == "clean"
    assert verdict_of(page()).label == "blank"
    assert verdict_of(page(b"10 10 m 90 90 l S")).label == "scan"


# ---------------------------------------------------------------- lines


def test_lines_with_characters_that_cannot_be_right():
    assert line_is_garbled("\ue001\ue002 \ufffda")
    assert not line_is_garbled("plain text")
    assert not line_is_garbled("公式 (3.1) =")
    assert not line_is_garbled("\ue001 one odd sign in a line")
    assert not line_is_garbled("")


def test_bullets_of_symbol_fonts_are_no_garbage():
    assert line_is_garbled("\uf0b7")
    assert not line_is_garbled("\uf0b7", fonts=["Symbol"])


def test_suspect_fonts_are_judged_by_all_their_text_on_the_page():
    figures = "9:;<9:;99:9=9:9;<9:;<9:;9:>"
    page_layer = joined(layer(ENGLISH), layer(figures, font="Dyn0", unmapped=True))
    suspect = suspects(page_layer)
    assert suspect.tolist() == [False] * (len(page_layer) - len(figures)) + [True] * len(figures)
    assert line_is_garbled(figures[:4], suspect[-4:])
    assert not line_is_garbled("12:4", suspect[:4])


def test_language_needs_enough_text():
    assert reads_like_language("3.14 km") is None
    assert reads_like_language(ENGLISH) is True
    assert reads_like_language(shifted(ENGLISH)) is False
    assert reads_like_language("龘靐齉齾爩鱻麤龗灪吁龖厵滟爨癵籱饢驫鲡鹂鸾" * 2) is False
