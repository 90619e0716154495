"""Word documents: what is text, what is dropped and why, and where each piece stands."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb_pipeline.formats import read_native
from kb_pipeline_tests.office_bytes import (
    NAMESPACES,
    PNG,
    cell,
    changed,
    docx,
    heading,
    p,
    picture,
    r,
    rels,
    row,
    table,
)


def read(body: str, keep=(), **parts):
    return read_native("docx", docx(body, **parts), "a.docx", keep).document


def texts(document):
    return [section.text for section in document.sections]


def dropped(document):
    return [(item.reason, item.text) for item in document.dropped]


# ---------------------------------------------------------------- headings and places


def test_headings_by_outline_and_by_localized_style_names():
    styles = (
        '<w:style w:type="paragraph" w:styleId="a5"><w:name w:val="标题 2"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="b"><w:name w:val="mine"/><w:basedOn w:val="c"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="c"><w:name w:val="heading 3"/>'
        '<w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
    )
    body = heading("总则") + p("目的", '<w:pStyle w:val="a5"/>') + p("范围", '<w:pStyle w:val="b"/>') + p("正文。")
    document = read(body, styles=styles)
    assert [(s.level, s.text) for s in document.sections] == [(1, "总则"), (2, "目的"), (3, "范围"), (0, "正文。")]
    place = document.sections[-1].locators[0]
    assert (place.first, place.last, place.heading_path) == (4, 4, ("总则", "目的", "范围"))
    assert document.sections[-1].breadcrumb == ("总则", "目的", "范围")


def test_under_a_title_headings_are_one_deeper():
    styles = '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    document = read(p("Report", '<w:pStyle w:val="T"/>') + heading("Scope") + p("Text."), styles=styles)
    assert [section.level for section in document.sections] == [1, 2, 0]
    assert document.sections[2].breadcrumb == ("Report", "Scope")


def test_soft_breaks_tabs_and_symbols():
    body = p('<w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>'
             '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/></w:r>')  # fmt: skip
    document = read(body)
    assert texts(document) == ["a\nb\tc-d✓α"]
    assert document.characters.balanced


def test_hyperlinks_content_controls_and_fields_keep_their_text():
    body = p(
        f'<w:hyperlink r:id="x">{r("link")}</w:hyperlink><w:sdt><w:sdtPr/><w:sdtContent>{r(" control")}</w:sdtContent>'
        f'</w:sdt><w:fldSimple w:instr="PAGE">{r(" 7")}</w:fldSimple><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        '<w:r><w:instrText> REF x </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
        f'{r(" result")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    assert texts(read(body)) == ["link control 7 result"]


# ---------------------------------------------------------------- what is dropped


def test_tracked_changes():
    body = p(
        f'{r("was ")}<w:del w:id="1"><w:r><w:delText>old</w:delText></w:r></w:del><w:ins w:id="2">{r("new")}</w:ins>'
    )
    document = read(body)
    assert texts(document) == ["was new"]
    assert dropped(document) == [("deleted text", "old")]
    assert document.dropped[0].locators[0].first == 1
    assert document.characters.balanced
    assert texts(read(body, keep=("deleted text",))) == ["was oldnew"]


def test_hidden_text():
    styles = '<w:style w:type="character" w:styleId="H"><w:name w:val="Hid"/><w:rPr><w:vanish/></w:rPr></w:style>'
    body = p(
        r("seen ") + r("own", "<w:vanish/>") + r("styled", '<w:rStyle w:val="H"/>') + r("not", '<w:vanish w:val="0"/>')
    )
    document = read(body, styles=styles)
    assert texts(document) == ["seen not"]
    assert dropped(document) == [("hidden text", "own"), ("hidden text", "styled")]
    assert document.characters.balanced


def test_comments_are_kept_apart():
    comments = f'<w:comment w:id="5" w:author="甲">{p("请核对")}</w:comment>'
    body = p(r("总量") + '<w:r><w:commentReference w:id="5"/></w:r>') + p("后文")
    document = read(body, comments=comments)
    assert texts(document) == ["总量", "后文"]
    assert dropped(document) == [("comment", "请核对")]
    assert document.dropped[0].locators[0].first == 1
    assert texts(read(body, keep=("comment",), comments=comments)) == ["总量", "甲: 请核对", "后文"]


def test_running_headers_and_footers_of_all_kinds():
    sections = p("body") + '<w:sectPr><w:headerReference w:type="first" r:id="header"/>' \
        '<w:footerReference w:type="default" r:id="footer"/><w:titlePg/></w:sectPr>'  # fmt: skip
    document = read(sections, header=p("First page"), footer=p("Page 1"))
    assert texts(document) == ["body"]
    assert dropped(document) == [("running header", "First page"), ("running footer", "Page 1")]
    kept = read(sections, keep=("running header",), header=p("First page"), footer=p("Page 1"))
    assert [(section.role, section.text) for section in kept.sections] == [("header", "First page"), ("text", "body")]
    assert kept.characters.balanced


def test_contents_of_a_field_and_of_styles():
    styles = '<w:style w:type="paragraph" w:styleId="T1"><w:name w:val="toc 1"/></w:style>'
    body = (
        p('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>'
          f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{r("Scope 3")}')
        + p("Method 5")
        + p('<w:r><w:fldChar w:fldCharType="end"/></w:r>')
        + p("Results 9", '<w:pStyle w:val="T1"/>')
        + p("Text.")
    )  # fmt: skip
    document = read(body, styles=styles)
    assert texts(document) == ["Text."]
    assert [reason for reason, _ in dropped(document)] == ["contents"] * 3
    assert document.characters.balanced


def test_fields_without_an_end_hide_nothing_that_follows():
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    code = "<w:r><w:instrText>{}</w:instrText></w:r>"
    result = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    body = p(begin + code.format("TOC") + result + r("Scope 3")) + heading("Scope") + p(begin + code.format("REF x"))
    document = read(body + p("Text."))
    assert texts(document) == ["Scope", "Text."]


def test_notes_follow_the_paragraph_that_refers_to_them():
    footnotes = (
        f'<w:footnote w:id="0" w:type="separator">{p("line")}</w:footnote><w:footnote w:id="2">{p("See annex.")}'
        f'</w:footnote><w:footnote w:id="3">{p("Nobody refers to this.")}</w:footnote>'
    )
    body = p(r("Gold") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + r(" and copper")) + p("Next.")
    document = read(body, footnotes=footnotes)
    assert texts(document) == ["Gold[1] and copper", "[1] See annex.", "Next."]
    assert document.sections[1].locators[0].first == 1
    assert dropped(document) == [("hidden text", "Nobody refers to this.")]
    assert document.characters.balanced


# ---------------------------------------------------------------- tables


def test_a_table_with_spans():
    body = table(
        row("孔号", cell("深度", span=2)),
        row(cell("ZK1", merge="restart"), "10", "20"),
        row(cell("", merge="continue"), "30", "40"),
    )
    section = read(body).sections[0]
    spans = {c.text: (c.row, c.col, c.rowspan, c.colspan) for c in section.cells}
    assert spans["深度"] == (0, 1, 1, 2)
    assert spans["ZK1"] == (1, 0, 2, 1)
    assert spans["40"] == (2, 2, 1, 1)
    assert section.text == "孔号 | 深度\nZK1 | 10 | 20\n30 | 40"
    assert [c.text for c in section.cells if c.header] == ["孔号", "深度"]


def test_cells_have_their_paragraph_and_their_place_in_the_grid():
    body = heading("品位") + table(row("孔号", "品位"), row("ZK1", cell(p("0.5") + p("复查"))))
    section = read(body).sections[1]
    last = section.cells[-1]
    assert last.text == "0.5 复查"
    assert [(place.first, place.range, place.heading_path) for place in last.locators] == [
        (5, "B2", ("品位",)),
        (6, "B2", ("品位",)),
    ]
    assert [section.text[place.start : place.end] for place in section.locators][-2:] == ["0.5", "复查"]


def test_marked_header_rows():
    mark = "<w:tblHeader/>"
    section = read(table(row("a", "b", properties=mark), row("c", "d", properties=mark), row("1", "2"))).sections[0]
    assert [c.text for c in section.cells if c.header] == ["a", "b", "c", "d"]


def test_a_table_within_a_cell_stays_in_it():
    inner = table(row("A", "B"), row("1", "2"))
    document = read(table(row("名称", "组成"), row("合金", cell(p("见下") + inner + p()))))
    assert len(document.sections) == 1
    assert document.sections[0].cells[-1].text == "见下; A, B; 1, 2"
    assert document.characters.balanced


def test_a_table_that_frames_text_is_text():
    document = read(table(row(cell(heading("标题") + p("正文。")))))
    assert [(section.role, section.text) for section in document.sections] == [("title", "标题"), ("text", "正文。")]


def test_rows_that_begin_late_are_filled_up():
    late = '<w:gridBefore w:val="1"/>'
    section = read(table(row("a", "b", "c"), row("1", "2", properties=late))).sections[0]
    assert [(c.col, c.text) for c in section.cells if c.row == 1] == [(0, ""), (1, "1"), (2, "2")]


def test_deleted_rows():
    document = read(table(row("a", "b"), row("1", "2", properties='<w:del w:id="1"/>'), row("3", "4")))
    assert document.sections[0].text == "a | b\n3 | 4"
    assert dropped(document) == [("deleted text", "1\n2")]
    assert document.characters.balanced


def test_what_follows_a_table_within_a_cell_comes_after_it():
    inner = table(row("A", "B"), row("1", table(row("x"), row("y")) + p("z")))
    document = read(table(row("名称", "组成"), row("合金", cell(p("见下") + inner + p("续") + inner + p("末")))))
    assert document.sections[0].cells[-1].text == "见下; A, B; 1, x; y; z; 续; A, B; 1, x; y; z; 末"
    assert document.characters.balanced


# ---------------------------------------------------------------- looks of runs


@pytest.mark.parametrize(
    ("look", "reason"),
    [
        ("<w:strike/>", "struck-out text"),
        ("<w:dstrike/>", "struck-out text"),
        ('<w:color w:val="FFFFFF"/>', "background-coloured text"),
        ('<w:color w:val="fefefe"/>', "background-coloured text"),
        ('<w:sz w:val="2"/>', "too small to read"),
        ("<w:vanish/>", "hidden text"),
        ('<w:rStyle w:val="S"/>', "struck-out text"),
    ],
)
def test_what_a_reader_does_not_see_or_is_struck_out_is_dropped(look, reason):
    styles = '<w:style w:type="character" w:styleId="S"><w:rPr><w:strike/></w:rPr></w:style>'
    body = p(r("Price ") + r("100", look) + r("80")) + table(
        row("k", cell(p(r("old", look) + r("new")))), row("a", "b")
    )
    document = read(body, styles=styles)
    assert texts(document) == ["Price 80", "k | new\na | b"]
    assert dropped(document) == [(reason, "100"), (reason, "old")]
    assert document.characters.balanced
    kept = read(body, keep=(reason,), styles=styles)
    assert texts(kept) == ["Price 10080", "k | oldnew\na | b"]
    assert kept.characters.balanced


@pytest.mark.parametrize(
    "look", ['<w:strike w:val="0"/>', '<w:color w:val="auto"/>', '<w:color w:val="FFFF00"/>', '<w:sz w:val="3"/>']
)
def test_what_a_reader_sees_is_kept(look):
    assert texts(read(p(r("seen", look)))) == ["seen"]


WHITE = r("title", '<w:color w:val="FFFFFF"/>')


@pytest.mark.parametrize(
    "body",
    [
        p(r("title", '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>')),
        p(WHITE, '<w:shd w:val="clear" w:fill="1F3864"/>'),
        p(WHITE, '<w:pStyle w:val="Dark"/>'),
        table(row(cell(p(WHITE)).replace("<w:tcPr>", '<w:tcPr><w:shd w:val="clear" w:fill="000000"/>'), "b")),
        table(row(cell(p(WHITE)), "b")).replace("<w:tbl>", '<w:tbl><w:tblPr><w:tblStyle w:val="Grid"/></w:tblPr>'),
    ],
)
def test_white_on_a_dark_ground_is_read(body):
    styles = '<w:style w:type="paragraph" w:styleId="Dark"><w:pPr><w:shd w:fill="000000"/></w:pPr></w:style>'
    assert "title" in texts(read(body, styles=styles))[0]


def script(text: str, kind: str) -> str:
    return r(text, f'<w:vertAlign w:val="{kind}"/>')


def test_raised_and_lowered_characters_do_not_merge_with_those_beside_them():
    body = p(
        r("10") + script("5", "superscript") + r(" and 10") + script("-", "superscript") + script("3", "superscript")
        + r(", H") + script("2", "subscript") + r("O, x") + script("max", "superscript") + r(", 1")
        + script("st", "superscript") + r(", 50") + r("12", '<w:position w:val="8"/>')
    )  # fmt: skip
    document = read(body + table(row("k", cell(p(r("m") + script("2", "superscript")))), row("a", "b")))
    assert texts(document) == ["10⁵ and 10⁻³, H₂O, x^max, 1st, 50¹²", "k | m²\na | b"]
    assert document.characters.balanced


def test_the_mark_of_a_note_stands_apart_from_a_figure():
    body = p(r("Loss of 50") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + r(" a year"))
    document = read(body, footnotes=f'<w:footnote w:id="2">{p("Rent.")}</w:footnote>')
    assert texts(document) == ["Loss of 50 [1] a year", "[1] Rent."]


# ---------------------------------------------------------------- forms


def box(on: str, sign: str) -> str:
    return (
        f'<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{on}"/></w14:checkbox></w:sdtPr><w:sdtContent>{sign}'
        "</w:sdtContent></w:sdt>"
    )


def field(data: str, result: str = "") -> str:
    kind = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'
    return begin + kind.format("separate") + result + kind.format("end")


def test_ticked_boxes_are_told_from_empty_ones():
    body = p(box("1", r("☒")) + r(" yes ") + box("0", r("☐")) + r(" no"))
    body += p(box("1", '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>') + r(" other"))
    body += p(field("<w:checkBox><w:checked/></w:checkBox>") + r(" old ") + field("<w:checkBox/>") + r(" older"))
    document = read(body + box("1", p("☒")))
    assert texts(document) == ["☑ yes ☐ no", "☑ other", "☑ old ☐ older", "☑"]
    assert document.characters.balanced


def test_what_is_chosen_and_typed_in_forms_is_text():
    entries = '<w:listEntry w:val="iron"/><w:listEntry w:val="copper"/>'
    body = p(r("Metal: ") + field(f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>'))
    body += p(r("Name: ") + field("<w:textInput/>", r("Li Hua")))
    body += p(
        r("Kind: ") + f"<w:sdt><w:sdtPr><w:dropDownList/></w:sdtPr><w:sdtContent>{r('open pit')}</w:sdtContent></w:sdt>"
    )
    document = read(body)
    assert texts(document) == ["Metal: copper", "Name: Li Hua", "Kind: open pit"]
    assert document.characters.balanced


# ---------------------------------------------------------------- objects


def test_equations():
    inline = (
        "<m:oMath><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    )
    alone = (
        "<m:oMathPara><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>α</m:t></m:r></m:den></m:f>"
        "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub>"
        "<m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:r><m:t>x</m:t></m:r></m:e></m:nary></m:oMath></m:oMathPara>"
    )
    document = read(p(r("energy ") + inline + r("is")) + p(alone))
    assert [(section.role, section.text) for section in document.sections] == [
        ("text", "energy $c^{2}$ is"),
        ("equation", r"\frac{a}{\alpha}\sum_{i=1}^{n} x"),
    ]
    assert document.characters.balanced


def test_symbols_and_deletions_within_equations():
    symbol = '<m:r><m:t>E</m:t></m:r><m:r><w:sym w:font="Symbol" w:char="F067"/></m:r>'
    struck = '<w:del w:id="1"><m:r><m:t>x</m:t></m:r></w:del>'
    document = read(p(f"<m:oMath>{symbol}{struck}</m:oMath>"))
    assert texts(document) == [r"E\gamma"]
    assert dropped(document) == [("deleted text", "x")]
    assert document.characters.balanced


def test_pictures_keep_their_place_their_text_and_their_bytes():
    body = p("before") + p(picture("p1", "a map")) + p("图1 矿区位置") + p("after")
    native = read_native("docx", docx(body, media={"p1": PNG}), "a.docx")
    assert [(s.role, s.text) for s in native.document.sections] == [
        ("text", "before"),
        ("figure", "图1 矿区位置\na map"),
        ("text", "after"),
    ]
    figure = native.document.sections[1]
    assert figure.caption == "图1 矿区位置"
    assert native.pictures[figure.picture] == PNG


def test_pictures_that_cannot_be_shown_are_told():
    native = read_native("docx", docx(p("text") + p(picture("p1")), media={"p1": b"EMF"}), "a.docx")
    assert native.document.notes == ("1 pictures in a format that cannot be shown",)
    assert not native.pictures


def test_embedded_documents_are_told():
    assert read(p("text") + '<w:altChunk r:id="x"/>').notes == ("1 embedded documents that were not read",)


def test_charts_are_the_table_of_their_figures():
    c = "http://schemas.openxmlformats.org/drawingml/2006/chart"

    def points(tag, values):
        inner = "".join(f'<c:pt idx="{i}"><c:v>{value}</c:v></c:pt>' for i, value in enumerate(values))
        return f"<c:{tag}><c:strRef><c:strCache>{inner}</c:strCache></c:strRef></c:{tag}>"

    chart = (
        f'<c:chartSpace xmlns:c="{c}" {NAMESPACES}><c:chart><c:title><c:tx><a:p><a:r><a:t>产量</a:t></a:r></a:p></c:tx>'
        f"</c:title><c:plotArea><c:barChart><c:ser>{points('tx', ['铜'])}{points('cat', ['2021', '2022'])}"
        f"{points('val', ['4.4000000000000004', '5'])}</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    drawing = (
        f'<w:r><w:drawing><a:graphic><a:graphicData><c:chart xmlns:c="{c}" r:id="k"/>'
        "</a:graphicData></a:graphic></w:drawing></w:r>"
    )
    data = changed(
        docx(p(drawing), styles=""), "word/_rels/document.xml.rels", lambda _: rels({"k": ("chart", "c.xml")})
    )
    data = changed(data, "word/styles.xml", lambda text: text)

    target = io.BytesIO(data)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("word/c.xml", chart)
    document = read_native("docx", target.getvalue(), "a.docx").document
    assert texts(document) == ["产量\n | 铜\n2021 | 4.4\n2022 | 5"]
    assert document.characters.balanced


# ---------------------------------------------------------------- whatever comes

TEXT = st.sampled_from(["矿区", "a b", "x", "1.5", "图1 位置", "表1 品位", ""])
LOOKS = ["", "<w:vanish/>", "<w:b/>", "<w:strike/>", '<w:vertAlign w:val="superscript"/>', '<w:color w:val="FFFFFF"/>']
RUN = st.builds(r, TEXT, st.sampled_from(LOOKS))
INLINE = st.one_of(
    RUN,
    st.builds(lambda text: f'<w:del w:id="1"><w:r><w:delText>{text}</w:delText></w:r></w:del>', TEXT),
    st.builds(lambda run: f'<w:ins w:id="2">{run}</w:ins>', RUN),
    st.builds(lambda run: f'<w:hyperlink r:id="h">{run}</w:hyperlink>', RUN),
    st.just("<m:oMath><m:r><m:t>a+b</m:t></m:r></m:oMath>"),
    st.just('<w:r><w:footnoteReference w:id="1"/></w:r>'),
    st.just('<w:r><w:commentReference w:id="1"/></w:r>'),
    st.sampled_from(
        [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
        + ["<w:r><w:instrText>TOC</w:instrText></w:r>"]
    ),
    st.just(picture("p1")),
)
PARAGRAPH = st.builds(
    lambda runs, level: p("".join(runs), f'<w:outlineLvl w:val="{level}"/>' if level is not None else ""),
    st.lists(INLINE, min_size=1, max_size=4),
    st.sampled_from([None, None, 0, 1]),
)


def blocks(depth: int):
    if not depth:
        return PARAGRAPH
    inner = st.lists(blocks(depth - 1), min_size=1, max_size=3).map("".join)
    made = st.builds(cell, inner, st.integers(1, 3), st.sampled_from(["", "", "restart", "continue"]))
    box = inner.map(
        lambda content: p(f"<w:r><w:pict><v:shape><v:textbox><w:txbxContent>{content}</w:txbxContent></v:textbox>"
                          "</v:shape></w:pict></w:r>")
    )  # fmt: skip
    rows = st.lists(st.lists(made, min_size=1, max_size=3).map(lambda cells: row(*cells)), min_size=1, max_size=3)
    return st.one_of(PARAGRAPH, rows.map(lambda found: table(*found)), box)


@settings(max_examples=60, deadline=None)
@given(st.lists(blocks(2), min_size=1, max_size=5).map("".join))
def test_the_character_sum_is_exact(body):
    data = docx(
        body + p("end"),
        media={"p1": PNG},
        footnotes=f'<w:footnote w:id="1">{p("note")}</w:footnote>',
        comments=f'<w:comment w:id="1">{p("remark")}</w:comment>',
    )
    document = read_native("docx", data, "a.docx").document
    assert document.characters.balanced
    for section in document.sections:
        assert all(0 <= place.start <= place.end <= len(section.text) for place in section.locators)


def test_the_strict_form_says_the_same():
    loose, strict = "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/"
    data = changed(docx(p("text")), "word/document.xml", lambda x: x.replace(loose, f"{strict}wordprocessingml/main"))
    assert texts(read_native("docx", data, "a.docx").document) == ["text"]
