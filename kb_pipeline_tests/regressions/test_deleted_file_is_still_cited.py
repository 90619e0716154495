"""A file that was deleted or renamed was answered from as before, and nobody was told."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from kb_pipeline import cli_lines
from kb_pipeline.cli import kb
from kb_pipeline.operations.doctor import examine
from kb_pipeline.operations.ingest import ingest, register
from kb_pipeline.query import KnowledgeBase
from kb_pipeline.records import encode
from kb_pipeline.stages.pipeline import open_context

TEXTS = {"a.md": "# Drilling\n\nHole ZK305 ended in limestone.\n", "b.md": "# Water\n\nSpring Q3 yields 0.52.\n"}


@pytest.fixture
def folder(kb_home, tmp_path):
    folder = tmp_path / "docs"
    (folder / "deep").mkdir(parents=True)
    for name, text in {**TEXTS, "deep/c.md": "# Roads\n\nThe road to the quarry is closed.\n"}.items():
        (folder / name).write_text(text)
    with open_context() as context:
        context.catalogue.create("docs", {})
    take(folder)
    return folder


def take(folder, prune=False):
    with open_context() as context:
        entry = context.catalogue.knowledge_base("docs")
        documents = register(context.catalogue, entry, [str(folder)])
        return ingest(entry, documents, context, lambda step: None, [str(folder)], prune)


def paths() -> list[str]:
    with open_context() as context:
        return [one.path for one in context.catalogue.documents(context.catalogue.knowledge_base("docs").id)]


def found(base) -> dict[str, bool]:
    return {hit.document: hit.source_gone for hit in base.search("limestone spring road")}


def test_hits_answers_and_citations_say_that_the_source_is_gone(folder):
    base = KnowledgeBase.open("docs")
    assert base.ask("Where did hole ZK305 end?").notes == ()
    (folder / "a.md").unlink()
    result = base.find("Where did hole ZK305 end?")
    assert result.hits[0].source_gone and not [hit for hit in result.hits[1:] if hit.source_gone]
    assert any("a.md is gone" in note for note in result.notes)
    answer = base.ask("Where did hole ZK305 end?")
    assert answer.citations[0].source_gone and any("a.md is gone" in note for note in answer.notes)
    assert b'"source_gone":true' in encode(answer)
    assert "gone" in "\n".join(cli_lines.answer_lines(answer))


def test_ingest_of_the_folder_tells_and_removes_when_asked(folder):
    (folder / "a.md").unlink()
    (folder / "deep" / "c.md").unlink()
    (folder / "deep").rmdir()
    report = take(folder)
    assert {one.document for one in report.warnings} == {"a.md", "deep/c.md"}
    assert all("gone" in one.reason and "--prune" in one.reason for one in report.warnings)
    assert paths() == ["a.md", "b.md", "deep/c.md"]
    # its folder is gone, too, so that only the catalogue can tell
    assert found(KnowledgeBase.open("docs")) == {"a.md": True, "b.md": False, "deep/c.md": True}
    report = take(folder, prune=True)
    assert (sorted(report.pruned), report.warnings) == (["a.md", "deep/c.md"], ())
    assert paths() == ["b.md"] and found(KnowledgeBase.open("docs")) == {"b.md": False}


def test_a_renamed_file_is_told_by_its_new_name_and_hands_its_boost_on(folder):
    with open_context() as context:
        context.catalogue.boost(context.catalogue.find("kbn_docs", "a.md"), 1.5)
    (folder / "a.md").rename(folder / "z.md")
    (warning,) = take(folder).warnings
    assert warning.document == "a.md" and "z.md has the same content" in warning.reason
    assert take(folder, prune=True).pruned == ("a.md",)
    with open_context() as context:
        document = context.catalogue.find("kbn_docs", "z.md")
        assert context.catalogue.pointer("kbn_docs", document.id).boost == 1.5
    assert paths() == ["b.md", "deep/c.md", "z.md"]


def test_a_file_that_comes_back_is_no_longer_gone(folder):
    (folder / "a.md").rename(folder.parent / "kept.md")
    assert take(folder).warnings
    (folder.parent / "kept.md").rename(folder / "a.md")
    assert take(folder).warnings == ()
    assert found(KnowledgeBase.open("docs"))["a.md"] is False


def test_doctor_tells_and_names_a_command_that_does_it(folder):
    (folder / "a.md").unlink()
    with open_context() as context:
        (finding,) = [one for one in examine(context, fix=True) if one.check == "gone sources"]
    assert "a.md" in finding.problem and not finding.fixed
    assert "kb ingest --kb docs --prune" in finding.fix
    result = CliRunner().invoke(kb, ["ingest", "--kb", "docs", "--prune"], catch_exceptions=False)
    assert result.exit_code == 0 and "a.md: removed" in result.output
    with open_context() as context:
        assert not [one for one in examine(context) if one.check == "gone sources"]


def test_what_is_not_of_the_folder_is_left_alone(folder, tmp_path):
    other = tmp_path / "docs2" / "d.md"
    other.parent.mkdir()
    other.write_text("# Other\n")
    with open_context() as context:
        entry = context.catalogue.knowledge_base("docs")
        ingest(entry, register(context.catalogue, entry, [str(other)]), context, lambda step: None)
    other.unlink()
    report = take(folder, prune=True)
    assert (report.warnings, report.pruned) == ((), ())
    assert "d.md" in paths()


def test_a_folder_without_rights_is_not_taken_for_empty(folder, monkeypatch):
    import os

    from kb_pipeline.storage import sources

    real = os.stat

    def forbidden(path, *args, **kwargs):
        if "deep" in os.fspath(path):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(sources.os, "stat", forbidden)
    assert not sources.is_gone(str(folder / "deep" / "c.md"))
