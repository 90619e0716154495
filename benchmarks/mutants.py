"""Damaged files through `kb parse`: no crash, no hang, bounded memory, a typed error or a result.

    nice python benchmarks/mutants.py --count 2000 --seed 7 --out mutants.json

Seeded mutants of the small files in examples/ and of one file of each further type. They go through one process; should
it crash or hang, the mutant at fault is told and kept, and another process goes on behind it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import logging
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

LIMIT = 120  # seconds a file may take
MAX_MEMORY = 1.5 * 2**30  # bytes of the process at its largest


def worker(first: int, count: int, seed: int, folder: Path) -> None:
    """Read mutants, and print a line of JSON for each before and after."""
    from kb_pipeline.errors import KbError
    from kb_pipeline.operations.parse import parse
    from kb_pipeline.settings import load_settings
    from kb_pipeline_tests.mutants import mutant, sources

    logging.disable(logging.CRITICAL)
    settings, documents = load_settings(), sources()
    names = sorted(documents)
    for number in range(first, count):
        name = names[number % len(names)]
        data = mutant(documents[name], random.Random(f"{seed} {number}"))
        path = folder / f"{number:05d}-{name}"
        path.write_bytes(data)
        print(json.dumps({"number": number, "file": str(path)}), flush=True)
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        start = time.perf_counter()
        try:
            document = parse(str(path), settings)
            failed = any(page.error for page in document.pages)
            result = "unbalanced" if not document.characters.balanced else "page failed" if failed else "read"
        except KbError as error:
            result = type(error).__name__
        except Exception as error:  # what is looked for here: an error without a type
            result = f"UNTYPED {type(error).__name__}: {error}"
        faulthandler.cancel_dump_traceback_later()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        told = {"number": number, "result": result, "seconds": time.perf_counter() - start, "peak": peak}
        print(json.dumps(told), flush=True)
        if result in ("read", "page failed") or not result.startswith(("UNTYPED", "unbalanced")):
            path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--worker", type=int, default=-1, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="where mutants at fault are kept")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="mutants-"))
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.worker >= 0:
        worker(arguments.worker, arguments.count, arguments.seed, folder)
        return
    results: dict[int, dict[str, object]] = {}
    first = 0
    while first < arguments.count:
        command = [sys.executable, __file__, "--worker", str(first), "--folder", str(folder)]
        command += ["--count", str(arguments.count), "--seed", str(arguments.seed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            begun = first
            for line in process.stdout or ():
                told = json.loads(line)
                begun = told["number"]
                results[begun] = results.get(begun, {}) | told
        if process.returncode and "result" not in results.get(begun, {}):
            results[begun] = results.get(begun, {}) | {"result": f"CRASHED or hung, exit {process.returncode}"}
        first = begun + 1
    report(results, folder)
    if arguments.out:
        arguments.out.write_text(json.dumps(results, indent=1), "utf-8")


def report(results: dict[int, dict[str, object]], folder: Path) -> None:
    """Print outcomes by kind, the slowest file, the largest memory, and what went wrong."""
    outcomes = Counter(str(one["result"]).split(":")[0] for one in results.values())
    slowest = max(results.values(), key=lambda one: one.get("seconds", 0))
    peak = max(one.get("peak", 0) for one in results.values())
    print("| outcome | mutants |\n| --- | ---: |")
    for outcome, count in outcomes.most_common():
        print(f"| {outcome} | {count} |")
    print(f"\nslowest: {slowest.get('seconds', 0):.1f} s, {slowest.get('file')}")
    print(f"memory at its largest: {peak / 2**20:.0f} MiB" + (" (TOO MUCH)" if peak > MAX_MEMORY else ""))
    for one in results.values():
        if str(one["result"]).startswith(("UNTYPED", "CRASHED", "unbalanced")):
            print(f"{one['file']}: {one['result']}")
    print(f"kept in {folder}")


if __name__ == "__main__":
    main()
