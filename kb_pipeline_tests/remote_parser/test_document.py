"""The sum of characters and the places of whatever a service may answer."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb_pipeline.records import PageRender, Verdict
from kb_pipeline.remote_parser.answer import RemoteBlock, RemotePage
from kb_pipeline.remote_parser.blocks import NOISE, ROLES
from kb_pipeline.remote_parser.document import remote_document

SNIPPETS = ["<table><tr><td>", "</td></tr></table>", "<img src='a.png'>", "![x](b.png)", "$$", "# ", "\n\n", "<br>",
            "<div style='text-align: center'>", "</div>", "<td", "</table>", "<script>", "<!-- ", " -->", "&lt;", "]]>",
            "<![CDATA[", "<?x", "a", "b c", "中文", "&", "<", ">", " < ", "\u2028", "\x00"]  # fmt: skip
CONTENT = st.lists(st.sampled_from(SNIPPETS), max_size=8).map("".join)
BOX = st.none() | st.tuples(*[st.floats(-50, 900)] * 4).filter(lambda b: b[2] > b[0] and b[3] > b[1])
BLOCK = st.builds(RemoteBlock, st.sampled_from([*ROLES, *NOISE, "text", "algorithm", "other"]), CONTENT, BOX)
ANSWER = st.builds(
    RemotePage, st.lists(BLOCK, max_size=6).map(tuple), CONTENT,
    st.dictionaries(st.sampled_from(["a.png", "b.png", "i_1_2_30_40.png"]), st.just("x")),
    st.sampled_from([0.0, 600.0]), st.sampled_from([0.0, 400.0]), st.sampled_from([0, 90, 180, 270]),
)  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ANSWER, min_size=1, max_size=3))
def test_every_character_is_kept_or_dropped_and_every_place_is_on_its_page(answers):
    renders = [
        PageRender(n, 300.0, 200.0, 0, 3.0, "", 0, Verdict("scan", {})) for n, _ in enumerate(answers, 1)
    ]  # fmt: skip
    found = remote_document(renders, answers)
    document = found.document
    assert document.characters.balanced
    for section in document.sections:
        assert section.locators
        for place in section.locators:
            x0, top, x1, bottom = place.box
            assert 0 <= x0 < x1 <= 300 and 0 <= top < bottom <= 200
            assert 0 <= place.start <= place.end <= len(section.text)
    named = {name for _, name in found.pictures.values()}
    assert {name for answer in answers for name in answer.images} <= named
