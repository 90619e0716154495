"""What Dagster costs: one-page documents through the assets, against the same stage functions called directly.

    python benchmarks/orchestration.py --documents 30 --rounds 3

Each round makes two fresh homes and takes the same new documents through both, models loaded before the clock starts;
prints wall and CPU seconds of both ways and the overhead of the assets over the direct calls, as a Markdown table.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path


def one_page_documents(folder: Path, count: int, seed: int) -> None:
    """Digital one-page PDFs of about 2000 characters, all different."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    folder.mkdir(parents=True)
    for number in range(count):
        canvas = Canvas(str(folder / f"page-{number:03d}.pdf"), pagesize=A4, invariant=1)
        for line in range(40):
            canvas.drawString(
                72, 770 - 17 * line, f"Report {seed}-{number}, line {line}: depth {line * 7 + number} metres."
            )
        canvas.save()


def direct(home: Path, documents: Path) -> tuple[float, float]:
    """Wall and CPU seconds of the stage functions alone."""
    from kb_pipeline.engine.run import run_batch
    from kb_pipeline.operations.ingest import register
    from kb_pipeline.stages.pipeline import PIPELINE, open_context

    os.environ["KB_HOME"] = str(home)
    context = open_context()
    entry = context.catalogue.create("bench", {})
    found = register(context.catalogue, entry, [str(documents)])
    start, cpu = time.perf_counter(), time.process_time()
    for outcomes in run_batch(found, PIPELINE, context):
        assert outcomes[-1].artefact, outcomes[-1].reason
    taken = time.perf_counter() - start, time.process_time() - cpu
    context.close()
    return taken


def through_assets(home: Path, documents: Path) -> tuple[float, float]:
    """Wall and CPU seconds of `kb ingest`'s way: registering, planning, one Dagster run over the assets."""
    from kb_pipeline.operations.ingest import ingest, register
    from kb_pipeline.stages.pipeline import open_context

    os.environ["KB_HOME"] = str(home)
    context = open_context()
    entry = context.catalogue.create("bench", {})
    found = register(context.catalogue, entry, [str(documents)])
    start, cpu = time.perf_counter(), time.process_time()
    report = ingest(entry, found, context, lambda step: None)
    assert not report.failures, report.failures
    taken = time.perf_counter() - start, time.process_time() - cpu
    context.close()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    import kb_pipeline.definitions  # noqa: F401  (its import is paid once per process, not once per batch)
    from kb_pipeline.index.lite_server import stop

    walls: dict[str, list[float]] = {"direct": [], "assets": []}
    cpus: dict[str, list[float]] = {"direct": [], "assets": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(-1, options.rounds):  # round -1 warms the models up
            documents = Path(folder, f"documents-{number}")
            one_page_documents(documents, 3 if number < 0 else options.documents, number)
            ways = [("direct", direct), ("assets", through_assets)]
            for name, way in ways if number % 2 else ways[::-1]:
                home = Path(folder, f"{name}-{number}")
                wall, cpu = way(home, documents)
                stop(home / "index")
                if number >= 0:
                    walls[name].append(wall)
                    cpus[name].append(cpu)
                    print(f"round {number} {name}: {wall:.2f} s wall, {cpu:.2f} s CPU", file=sys.stderr)
    print("| way | wall s (median) | CPU s (median) | wall s a document |\n| --- | --- | --- | --- |")
    for name in ("direct", "assets"):
        wall = statistics.median(walls[name])
        print(f"| {name} | {wall:.2f} | {statistics.median(cpus[name]):.2f} | {wall / options.documents:.3f} |")
    ratios = [a / d - 1 for a, d in zip(walls["assets"], walls["direct"], strict=True)]
    cpu_ratios = [a / d - 1 for a, d in zip(cpus["assets"], cpus["direct"], strict=True)]
    print(
        f"\noverhead of the assets, {options.documents} one-page documents, {options.rounds} paired rounds: "
        f"wall {statistics.median(ratios):+.1%}, CPU {statistics.median(cpu_ratios):+.1%}"
    )


if __name__ == "__main__":
    main()
