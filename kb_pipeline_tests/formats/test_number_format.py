"""Values as a spreadsheet shows them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb_pipeline.formats.spreadsheet.number_format import BUILT_IN, shown_number, shown_text

ACCOUNT = '_ * #,##0.00_ ;_ * -#,##0.00_ ;_ * "-"??_ ;_ @_ '


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1234.5, "General", "1234.5"), (37.050000000000004, "General", "37.05"),
        (1 / 3, "General", "0.333333333333333"),
        (13800138000, "General", "13800138000"), (1e20, "General", "1E+20"), (7, "000", "007"),
        (1234.5, "#,##0.00", "1,234.50"), (0.1234, "0.0%", "12.3%"), (2.675, "0.00", "2.68"), (-3, "0.00_ ", "-3.00"),
        (-3, "0.00_);(0.00)", "(3.00)"), (-1234.567, "#,##0.00;[Red]-#,##0.00", "-1,234.57"), (0, '0;-0;"-"', "-"),
        (1234.5, ACCOUNT, "1,234.50"), (0, ACCOUNT, "-"), (12, "[$¥-804]#,##0.00", "¥12.00"), (5, '0"元"', "5元"),
        (1234567, '#,##0,"k"', "1,235k"), (12345678, "0.00E+00", "1.23E+07"), (2.25, "# ?/?", "2 1/4"),
        (5551234, "000-0000", "555-1234"), (12, "0.##", "12"), (150, '[>100]"high" 0;0', "high 150"),
        (43831, "yyyy/m/d", "2020/1/1"), (43831.5, "yyyy-mm-dd hh:mm", "2020-01-01 12:00"),
        (43831, 'yyyy"年"m"月"d"日"', "2020年1月1日"), (43831, "[$-804]yyyy年m月d日;@", "2020年1月1日"),
        (0.5, "h:mm AM/PM", "12:00 PM"), (1.5, "[h]:mm:ss", "36:00:00"), (43831.123, "mm:ss.0", "57:07.2"),
        (43831, "aaaa", "星期三"), (43831, "d-mmm-yy", "1-Jan-20"), (59, "yyyy/m/d", "1900/2/28"),
        (61, "yyyy/m/d", "1900/3/1"), (-5, "yyyy/m/d", "-5"), (1.5, "@", "1.5"),
    ],
)  # fmt: skip
def test_numbers(value, code, shown):
    assert shown_number(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1234567, '#,##0.0,"K"', "1,234.6K"), (1234567890, '0.0,,"M"', "1234.6M"), (123456, '0!.0,"万"', "12.3万"),
        (123456, '0\\.0,"万元"', "12.3万元"), (1234567890, '[>=1E8]0.00,,"百万";0', "1234.57百万"),
        (12345, '0!.0000"万"', "1.2345万"), (1234567, '#,##0.00,', "1,234.57"),
    ],
)  # fmt: skip
def test_scaled_numbers(value, code, shown):
    assert shown_number(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (-500, "0;[Red]0", "-500"), (-1200.5, "#,##0.00;[Red]#,##0.00", "-1,200.50"), (-77, "0;[Red](0)", "(77)"),
        (-5, "0;0", "-5"), (-3, "General;[Red]General", "-3"), (-3, '0;"负"0', "负3"), (-3, "0;[Red]-0", "-3"),
        (-0.4, "0;[Red]0", "0"), (-9, "[Red][<0]0;0", "-9"),
    ],
)  # fmt: skip
def test_a_sign_that_only_a_colour_tells_is_written(value, code, shown):
    assert shown_number(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (123, "[DBNum1][$-804]General", "一百二十三"), (123, "[DBNum2][$-804]General", "壹佰贰拾叁"),
        (10203, "[DBNum1]General", "一万〇二百〇三".replace("〇", "零")), (2024, "[DBNum1]0", "二〇二四"),
        (123, "[DBNum3]General", "１２３"), (0, "[DBNum1]General", "〇"),
        (45356, '[DBNum1][$-804]yyyy"年"m"月"d"日"', "二〇二四年三月五日"), (15, '[DBNum2]General"元整"', "壹拾伍元整"),
    ],
)  # fmt: skip
def test_chinese_numerals(value, code, shown):
    assert shown_number(value, code) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("1234567890123456", "General", "1234567890123456"), ("6222021234567890123", "0", "6222021234567890123"),
        ("-12345678901234567", "#,##0", "-12,345,678,901,234,567"),
        ("0.1234567890123456", "General", "0.123456789012346"),
        ("0.30000000000000004", "General", "0.3"), ("1E-7", "General", "1E-07"),
    ],
)  # fmt: skip
def test_no_digit_of_a_stored_value_is_lost(value, code, shown):
    assert shown_number(Decimal(value), code) == shown


@pytest.mark.parametrize("value", [5, -5, 0])
def test_a_format_may_hide_a_value(value):
    assert shown_number(value, ";;;") == ""


def test_days_since_1904():
    assert shown_number(42369, "yyyy/m/d", since_1904=True) == "2020/1/1"


def test_texts():
    assert shown_text("ZK1", "General") == "ZK1"
    assert shown_text("ZK1", '@"号"') == "ZK1号"
    assert shown_text("ZK1", '0.00;-0.00;0;"孔"@') == "孔ZK1"


@given(
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from([*BUILT_IN.values(), ACCOUNT, "0.0?%", "", ";;;", "[Red]", '"', "\\", "[h", "#,", "?/?", "E+00"]),
)
def test_no_value_and_no_format_fails(value, code):
    assert isinstance(shown_number(value, code), str)
