"""The remote parser against a real HTTP server: records, places, faults, pictures, and the whole pipeline."""

from __future__ import annotations

import base64
import io
import json
import sys
from pathlib import Path

import msgspec
import pypdfium2
import pytest
from PIL import Image

from kb_pipeline.errors import EndpointError
from kb_pipeline.operations.parse import parse
from kb_pipeline.settings import Settings, models_dir
from kb_pipeline_tests import pdf_bytes
from kb_pipeline_tests.layout_parsing_server import Fault, LayoutParsingServer, block, page
from kb_pipeline_tests.pdf_pages import text_pdf

SIZE = (300.0, 200.0)
TABLE = (
    '<html><body><table><tr><td rowspan="2">Hole</td><td colspan="2">Grade &amp; depth</td></tr>'
    "<tr><td>m</td><td>%</td></tr><tr><td>ZK305</td><td>412.5</td><td>1.25</td></tr></table></body></html>"
)


def picture(kind="PNG", size=(40, 30), colour=(200, 30, 30)):
    data = io.BytesIO()
    Image.new("RGB", size, colour).save(data, kind)
    return data.getvalue()


@pytest.fixture
def server():
    with LayoutParsingServer() as server:
        server.pages["Page one"] = page(
            block("header", "Copper Company", (40, 4, 300, 16)),
            block("doc_title", "Report on copper", (60, 20, 400, 60)),
            block("text", "Hole ZK305 ended\nin limestone.", (60, 80, 400, 120)),
            block("table_title", "Table 1 Grades", (60, 130, 300, 150)),
            block("table", TABLE, (60, 160, 500, 260)),
            block("image", "", (60, 270, 260, 380)),
            block("figure_title", "Figure 1 Map", (60, 382, 260, 396)),
            markdown='# Report on copper\n\n<img src="imgs/img_in_image_box_60_270_260_380.jpg">',
            images={"imgs/img_in_image_box_60_270_260_380.jpg": f"{server.base_url}/imgs/map.png"},
            width=600,
            height=400,
        )
        server.pages["Page two"] = page(
            markdown=f"## Water\n\nThe spring yields 0.52 m3 a second.\n\n{TABLE}",
            images={"imgs/inline.jpg": base64.b64encode(picture("JPEG")).decode()},
        )
        server.images["map.png"] = picture()
        yield server


@pytest.fixture
def pdf(tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(text_pdf([["Page one of the report"], ["Page two of the report"]]))
    return str(path)


@pytest.fixture
def no_models(tmp_path, monkeypatch):
    """A models folder without any vision model."""
    folder = tmp_path / "few-models"
    folder.mkdir()
    for path in models_dir().iterdir():
        if path.name.startswith("e5-"):
            (folder / path.name).symlink_to(path)
    monkeypatch.setenv("KB_MODELS", str(folder))


def settings(server, **more):
    found = {"engine": "remote", "base_url": server.base_url, "timeout_s": 5.0, "max_retries": 0, **more}
    return Settings().merged({f"parser.{key}": value for key, value in found.items()})


def test_blocks_become_sections_at_their_places_without_any_local_model(server, pdf, no_models):
    document = parse(pdf, settings(server))
    assert [(s.role, s.level) for s in document.sections] == [
        ("title", 1), ("text", 0), ("table", 0), ("figure", 0),
        ("title", 2), ("text", 0), ("table", 0), ("figure", 0),
    ]  # fmt: skip
    title, text, table, figure, water, spring, second, _ = document.sections
    assert (title.text, text.text) == ("Report on copper", "Hole ZK305 ended in limestone.")
    assert text.breadcrumb == ("Report on copper",)
    assert text.locators[0].box == (30, 40, 200, 60)
    assert text.locators[0].page_size == SIZE
    assert text.text[text.locators[0].start : text.locators[0].end] == text.text
    assert table.caption == "Table 1 Grades"
    assert table.text == "Table 1 Grades\nHole | Grade & depth\nm | %\nZK305 | 412.5 | 1.25"
    assert '<td rowspan="2">Hole</td><td colspan="2">Grade &amp; depth</td>' in table.html
    cell = next(c for c in table.cells if c.text == "412.5")
    assert (cell.row, cell.col, cell.locators[0].box) == (2, 1, (30, 80, 250, 130))
    place = next(place for place in table.locators if table.text[place.start : place.end] == "412.5")
    assert place.box == (30, 80, 250, 130)
    assert (figure.text, figure.caption, figure.locators[0].box) == (
        "Figure 1 Map",
        "Figure 1 Map",
        (30, 135, 130, 190),
    )
    assert water.locators[0].page == 2 and water.locators[0].box == (0, 0, *SIZE)
    assert spring.breadcrumb == ("Report on copper", "Water") and second.cells
    assert [(d.text, d.reason, d.locators[0].page) for d in document.dropped] == [
        ("Copper Company", "running header", 1)
    ]
    assert document.characters.balanced and document.characters.in_ > 150
    assert [(p.page, p.width, p.height, p.source) for p in document.pages] == [(1, *SIZE, "ocr"), (2, *SIZE, "ocr")]


def test_the_request_says_what_was_set(server, pdf):
    server.token = "secret"
    parse(pdf, settings(server, token="secret", chart_recognition=True, orientation_classify=False))
    (request,) = server.requests
    assert (request["fileType"], request["useChartRecognition"], request["useDocOrientationClassify"]) == (
        0,
        True,
        False,
    )
    assert base64.b64decode(request["file"]).startswith(b"%PDF")
    server.requests.clear()
    parse(pdf, settings(server, token="secret", base_url=f"{server.base_url}/layout-parsing/", pages=1))
    assert len(server.requests) == 2  # a page a request, in order
    assert server.requests[0]["path"] == "/layout-parsing"


def test_long_files_go_in_runs_of_pages_and_come_back_in_order(server, tmp_path):
    for n in range(1, 6):
        server.pages[f"Sheet {n}"] = page(markdown=f"Text of sheet {n}.")
    path = tmp_path / "long.pdf"
    path.write_bytes(text_pdf([[f"Sheet {n}"] for n in range(1, 6)]))
    document = parse(str(path), settings(server, pages=2))
    assert [(s.text, s.locators[0].page) for s in document.sections] == [
        (f"Text of sheet {n}.", n) for n in range(1, 6)
    ]
    assert len(server.requests) == 3


def test_pages_that_are_cut_out_look_as_they_did(server, tmp_path):
    crop, turn, words = (50, 60, 350, 260), 90, pdf_bytes.text("Sheet", 100, 200)
    data = pdf_bytes.document(*[pdf_bytes.page(words, media=(0, 0, 400, 300), crop=crop, rotate=turn)] * 3)
    (tmp_path / "plans.pdf").write_bytes(data)
    server.pages["Sheet"] = page(block("text", "corner", (0, 0, 40, 30)), width=400, height=600)
    document = parse(str(tmp_path / "plans.pdf"), settings(server, pages=2))
    assert [s.locators[0].box for s in document.sections] == [(0, 0, 20, 15)] * 3
    sent = pypdfium2.PdfDocument(base64.b64decode(server.requests[1]["file"]))
    assert len(sent) == 1 and sent[0].get_size() == (200, 300)
    whole = pypdfium2.PdfDocument(data)[0].render(scale=1).to_numpy()
    assert (sent[0].render(scale=1).to_numpy() == whole).all()


def test_an_encrypted_file_is_sent_open(server, tmp_path):
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfgen.canvas import Canvas

    path = tmp_path / "locked.pdf"
    canvas = Canvas(str(path), pagesize=SIZE, encrypt=StandardEncryption("sesame"), invariant=1)
    canvas.drawString(30, 100, "Page two")
    canvas.save()
    opened = settings(server).merged({"render.password": "sesame"})
    assert parse(str(path), opened).sections[0].text == "Water"


@pytest.mark.parametrize(("kind", "frames"), [("PNG", 1), ("GIF", 1), ("TIFF", 2)])
def test_pictures_are_sent_page_by_page(server, tmp_path, kind, frames):
    server.pages["picture"] = page(markdown="A scanned letter.")
    path = tmp_path / f"scan.{kind.lower()}"
    image = Image.new("RGB", (200, 100), (250, 250, 250))
    more = {"save_all": True, "append_images": [Image.new("RGB", (200, 100))]} if frames > 1 else {}
    image.save(path, kind, **more)
    document = parse(str(path), settings(server))
    assert [s.locators[0].page for s in document.sections] == list(range(1, frames + 1))
    assert [r["fileType"] for r in server.requests] == [1] * frames
    for request in server.requests:
        assert Image.open(io.BytesIO(base64.b64decode(request["file"]))).format == "PNG"


@pytest.mark.parametrize("told", ["upright", "as displayed"])
def test_boxes_of_a_page_that_the_service_turned_lead_back(server, pdf, told):
    width, height = (400, 600) if told == "upright" else (600, 400)
    # content standing 90 degrees clockwise: what is at the top right of the page is at the top left once upright
    server.pages["Page one"] = page(
        block("text", "turned", (0, 0, 100, 60)), width=width, height=height, angle=90
    )  # fmt: skip
    box = parse(pdf, settings(server)).sections[0].locators[0].box
    assert box == (270, 0, 300, 50)


def test_the_size_may_come_with_the_summary_of_the_file(server, pdf):
    for key in ("Page one", "Page two"):
        server.pages[key] = page(block("text", "here", (300, 200, 600, 400)))
    server.data_info = {"type": "pdf", "numPages": 2, "pages": [{"width": 600, "height": 400}] * 2}
    assert parse(pdf, settings(server)).sections[0].locators[0].box == (150, 100, 300, 200)


def test_margin_text_can_be_kept(server, pdf):
    kept = settings(server).merged({"assembly.keep": ["running header"]})
    document = parse(pdf, kept)
    assert document.sections[0].text == "Copper Company" and document.dropped == ()
    assert document.characters.balanced


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("fault", "said", "remedy"),
    [
        (Fault(401), "status 401: scripted 401", "parser.token"),
        (Fault(413), "status 413", "parser.pages"),
        (Fault(429), "status 429", "wait"),
        (Fault(500), "status 500: scripted 500", "service runs"),
        (Fault(422), "status 422: scripted 422", "parser.base_url"),
        (Fault(mode="html"), "no JSON: <html>", "parser.base_url"),
        (Fault(mode="text"), "no JSON object", "parser.base_url"),
        (Fault(mode="cut body"), "broke off", "parser.base_url"),
        (Fault(mode="redirect"), "status 302", "parser.base_url"),
        (Fault(mode="empty"), "no page at all", "PP-StructureV3"),
        (Fault(mode="fewer"), "1 pages for 2", "parser.pages"),
        (Fault(mode="no result"), "no result", "parser.base_url"),
        (Fault(mode="no markdown"), "no Markdown for page 1", "PP-StructureV3"),
        (Fault(mode="error code"), "error code 117: model pool is exhausted", "log"),
    ],
)
def test_faults_are_one_typed_error_with_a_remedy(server, pdf, fault, said, remedy):
    server.script(fault)
    with pytest.raises(EndpointError) as caught:
        parse(pdf, settings(server))
    assert said in caught.value.message
    assert remedy in caught.value.remedy
    assert len(server.requests) == 1


def test_nobody_listens_or_no_address_is_set(server, pdf):
    with LayoutParsingServer() as other:
        gone = settings(server, base_url=other.base_url)
    with pytest.raises(EndpointError, match="cannot be reached"):
        parse(pdf, gone)
    for address in ("", "ftp://host/x", "host:8080"):
        with pytest.raises(EndpointError) as caught:
            parse(pdf, settings(server, base_url=address))
        assert "parser.base_url" in caught.value.remedy


def test_passing_faults_are_tried_again_and_retry_after_is_obeyed(server, pdf):
    server.script(Fault(429, retry_after=0.3), Fault(mode="html"), Fault(503, retry_after=0))
    assert parse(pdf, settings(server, max_retries=3)).sections
    first, second = (request["at"] for request in server.requests[:2])
    assert second - first >= 0.3
    assert len(server.requests) == 4
    server.requests.clear()
    server.script(Fault(401), Fault(401))
    with pytest.raises(EndpointError):
        parse(pdf, settings(server, max_retries=3))
    assert len(server.requests) == 1


def test_a_silent_service_ends_in_time(server, pdf):
    server.script(Fault(mode="hang"))
    with pytest.raises(EndpointError, match="no answer within"):
        parse(pdf, settings(server, timeout_s=0.3))
    server.queue.clear()
    server.script(*[Fault(500)] * 9)
    with pytest.raises(EndpointError):
        parse(pdf, settings(server, deadline_s=0.8, max_retries=9))
    assert len(server.requests) <= 3


# ---------------------------------------------------------------- pictures


def stored(path, chosen):
    """Parts of the sections artefact, and the document."""
    from kb_pipeline.deepdoc.files.pdf import PdfFile
    from kb_pipeline.records import PageRender, Verdict
    from kb_pipeline.remote_parser.read import read_remotely

    data = Path(path).read_bytes()
    with PdfFile(data, "report.pdf") as file:
        renders = [
            PageRender(n, *file.size(n), 0, 3.0, "", 0, Verdict("clean", {})) for n in range(1, file.page_count + 1)
        ]
    return read_remotely(data, "pdf", "report.pdf", renders, chosen)


def test_pictures_are_kept_as_jpeg_parts_that_sections_name(server, pdf):
    document, pictures, missing = stored(pdf, settings(server))
    assert missing == {}
    names = [s.picture for s in document.sections if s.picture]
    assert sorted(pictures) == sorted(names) and len(names) == 2
    sizes = [Image.open(io.BytesIO(data)) for data in pictures.values()]
    assert [(image.format, image.size) for image in sizes] == [("JPEG", (40, 30))] * 2


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("http://192.0.2.7/secret.png", "not the service's own host"),
        ("http://localhost:1/x.png", "not the service's own host"),
        ("file:///etc/hostname", "not the service's own host"),
        ("/imgs/none.png", "status 404"),
        ("/imgs/broken.png", "no picture"),
        ("not base64!", "neither an address nor base64"),
        ("", "does not hold it"),
    ],
)
def test_a_picture_that_cannot_be_had_is_noted_at_its_place(server, pdf, value, said):
    server.images["broken.png"] = b"GIF89a?"
    server.pages["Page one"]["markdown"]["images"] = {"imgs/img_in_image_box_60_270_260_380.jpg": value}
    document, pictures, missing = stored(pdf, settings(server))
    assert len(pictures) == 1 and said in next(iter(missing.values()))
    note = next(d for d in document.dropped if d.reason == "picture could not be fetched")
    assert note.locators[0].box == (30, 135, 130, 190)
    figure = next(s for s in document.sections if s.role == "figure")
    assert figure.picture == "" and figure.text == "Figure 1 Map"
    assert document.characters.balanced


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(server, pdf):
    data = bytearray(picture())
    data[16:24] = (200_000).to_bytes(4, "big") * 2
    import zlib

    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    server.images["map.png"] = bytes(data)
    _, _, missing = stored(pdf, settings(server))
    assert any("pixels" in reason for reason in missing.values())


# ---------------------------------------------------------------- the whole pipeline


def test_ingest_ask_and_trace_with_the_remote_parser(server, pdf, no_models, kb_home, monkeypatch, capsys, tmp_path):
    from kb_pipeline import cli
    from kb_pipeline.stages.pipeline import open_context

    def kb(*arguments):
        monkeypatch.setattr(sys, "argv", ["kb", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            cli.main()
        return end.value.code, capsys.readouterr().out

    assert kb("create", "remote", "--set", "parser.engine=remote", "--set", f"parser.base_url={server.base_url}",
              "--set", "parser.max_retries=0")[0] == 0  # fmt: skip
    server.script(Fault(500))
    code, out = kb("ingest", pdf, "--kb", "remote", "--json")
    assert code == 1
    assert json.loads(out)["failures"][0]["reason"].startswith("EndpointError")

    assert kb("ingest", pdf, "--kb", "remote")[0] == 0
    assert len(server.requests) == 2
    answer = json.loads(kb("ask", "In which rock did hole ZK305 end?", "--kb", "remote", "--json")[1])
    assert "limestone" in answer["answer"]
    places = [place for citation in answer["citations"] for place in citation["locators"]]
    assert (1, [30, 40, 200, 60]) in [(place["page"], place["box"]) for place in places]
    assert kb("trace", "--citation", "1", "--out", str(tmp_path / "page.png"))[0] == 0
    assert Image.open(tmp_path / "page.png").width > 300

    with open_context() as context:
        entry = context.catalogue.knowledge_base("remote")
        document = context.catalogue.find(entry.id, "report.pdf")
        states = context.artefacts.state(document.id).stages
    assert states["layout_boxes"].metadata == {"not applicable": "remote parser"}
    assert states["table_grids"].metadata == {"not applicable": "remote parser"}
    assert states["page_renders"].metadata["pages"] == 2

    assert "up to date" in kb("ingest", "--kb", "remote")[1]
    assert len(server.requests) == 2
    stale = json.loads(kb("plan", "--kb", "remote", "--json")[1])
    assert stale["documents"] == []
    assert kb("set", "remote", "parser.chart_recognition=true")[0] == 0
    plan = json.loads(kb("plan", "--kb", "remote", "--json")[1])["documents"]
    assert plan[0]["stages"][0]["stage"] == "sections"

    server.images.clear()
    assert kb("ingest", "--kb", "remote")[0] == 0
    (status,) = json.loads(kb("status", "--kb", "remote", "--json")[1])["documents"]
    assert status["state"] == "indexed" and "without 1 of its pictures" in status["reason"]


def test_doctor_misses_vision_models_only_where_pages_are_read_here(server, no_models, kb_home):
    from kb_pipeline.operations.doctor import examine
    from kb_pipeline.stages.pipeline import open_context

    def problems():
        with open_context() as context:
            return [f.problem for f in examine(context) if f.check == "models"]

    with open_context() as context:
        entry = context.catalogue.create("remote", {"parser.engine": "remote"})
    assert problems() == ["remote: parser.engine is remote and parser.base_url is empty"]
    with open_context() as context:
        context.catalogue.save(
            msgspec.structs.replace(entry, settings={**entry.settings, "parser.base_url": "http://h"})
        )
    assert problems() == []
    with open_context() as context:
        context.catalogue.create("local", {})
    assert any("layout_cdla.onnx" in problem for problem in problems())
