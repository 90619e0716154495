"""Keys of questions and passages: one spelling for what is written in many ways, and two for what differs."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.tokenization.keys import ids, is_name, keys
from kb_pipeline.tokenization.numerals import number
from kb_pipeline.tokenization.tokens import coarse, fine

MONTHS = [date(2000, month, 1).strftime("%B") for month in range(1, 13)]
DIGITS = "〇一二三四五六七八九"


def chinese(value: int) -> str:
    tens, ones = divmod(value, 10)
    return ("" if tens < 2 else DIGITS[tens]) + ("十" if tens else "") + (DIGITS[ones] if ones else "")


SHAPES = (
    lambda d: d.isoformat(),
    lambda d: f"{d.year}/{d.month}/{d.day}",
    lambda d: f"{d.year}.{d.month:02d}.{d.day:02d}",
    lambda d: f"{d:%Y%m%d}",
    lambda d: f"{d.year}年{d.month}月{d.day}日",
    lambda d: f"{d.year} 年 {d.month} 月 {d.day} 日",
    lambda d: "".join(DIGITS[int(c)] for c in str(d.year)) + f"年{chinese(d.month)}月{chinese(d.day)}日",
    lambda d: f"{d.day} {MONTHS[d.month - 1]} {d.year}",
    lambda d: f"{MONTHS[d.month - 1][:3]}. {d.day}, {d.year}",
    lambda d: f"the {d.day}th of {MONTHS[d.month - 1]} {d.year}",
)


@given(
    st.dates(date(1900, 1, 1), date(2099, 12, 31)),
    st.sampled_from(SHAPES),
    st.sampled_from(["于{}签订", "on {}.", "({})"]),
)
def test_a_date_in_any_form_is_one_key(day, shape, around):
    assert ids(around.format(shape(day))) == [day.isoformat()]


@given(st.integers(1, 99))
def test_chinese_numerals_are_numbers(value):
    assert number(chinese(value)) == value


@pytest.mark.parametrize(
    "same",
    [
        ("v3.10.1", "3.10.1", "version 3.10.1", "版本3.10.1", "V 3.10.1"),
        ("第12条", "第十二条", "第 12 条", "Article 12", "clause 12"),
        ("1.6 MPa", "16 bar", "1600kPa", "16巴", "1.6兆帕", "1.6×10⁶ Pa"),
        ("25 m3/h", "25立方米每小时", "25 m³/h", "25 m³ / h", "25 cubic metres per hour"),
        ("40 ℃", "40 °C", "40°C", "40 degrees", "40摄氏度", "104 °F"),
        ("−40 °C", "-40℃", "零下40度", "负40摄氏度", "minus 40 degrees"),
        ("30万元", "300,000元", "300000 yuan"),
        ("表4-1", "Table 4-1", "表 4-1"),
        ("2.5 km", "2500 m", "2,500米", "2.5公里"),
    ],
)
def test_what_is_written_differently_and_means_the_same_is_one_key(same):
    assert len({tuple(ids(text)) for text in same}) == 1
    assert len(ids(same[0])) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("v3.10.1", "3.1.10"),
        ("−40 °C", "+40 °C"),
        ("第12条", "第2条"),
        ("16 bar", "16 psi"),
        ("10-40 °C", "-40 °C"),
        ("2024-03-05", "2024-05-03"),
        ("Table 4-1", "Table 41"),
    ],
)
def test_what_differs_stays_apart(first, second):
    assert set(ids(first)).isdisjoint(ids(second))


@pytest.mark.parametrize("text", ["3D", "the 1970s and 80s", "一年三月", "10⁵ Pa?", "第次"])
def test_what_is_no_key_is_none(text):
    assert not any(key.sought for key in keys(text) if key.kind != "year")


@pytest.mark.parametrize(
    ("text", "sought"),
    [
        ("故障代码2201怎么处理", ["2201"]),
        ("订单号 88213 的金额", ["88213"]),
        ("error 404", ["404"]),
        ("pumps rated above 1.6 MPa", []),
        ("1.6MPa以上的管道", []),
        ("What happened in 1998?", ["1998"]),
        ("CO2 emissions of Q3 within 24 hours", []),
    ],
)
def test_what_a_passage_must_hold_to_answer(text, sought):
    assert [key.token for key in keys(text) if key.sought] == sought


@pytest.mark.parametrize("text", ["5/3/2024", "2024-13-05"])
def test_what_may_be_two_dates_or_none_stays_as_it_is_written(text):
    assert [key.kind for key in keys(text)] == ["identifier"]


def test_a_month_is_found_in_the_days_of_it():
    assert set(coarse("2024年3月")) & set(fine("2024-03-05")) and "2024ǀ03ǀ05" in fine("会议于2024/3/5召开")


@given(st.text(st.sampled_from("0123456789.-/ 年月日第条vqm表%°c年一二十万/h\n"), max_size=60))
def test_keys_stand_where_they_say_and_never_overlap(text):
    from kb_pipeline.tokenization.keys import folded, placed_keys

    whole, end = folded(text), 0
    for key in placed_keys(whole):
        assert key.start >= end and key.end > key.start and "\n" not in whole[key.start : key.end]
        end = key.end


@pytest.mark.parametrize("piece", ["1 ", "第", "2024-03-05 16 bar ZK305 | ", "1", "v1.", "一年", "5 march "])
def test_long_texts_take_no_more_than_their_length(piece):
    start = time.perf_counter()
    keys(piece * (40_000 // len(piece)))
    assert time.perf_counter() - start < 2.0


def test_dates_clauses_and_values_name_nothing():
    """A sentence that gives a date beside what it is asked of is about no other thing."""
    text = "In April 2022 the dye appeared in Q3 after 2.9 km, see Table 4 and v3.10.1."
    assert [key for key in ids(text) if is_name(key)] == ["q3", "3.10.1"]
