"""Makes the example documents, their truth and the questions: `python examples/make_examples.py`.

Runs anywhere with reportlab, pypdfium2, OpenCV, numpy and the Chinese font; the same versions give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import zlib
from importlib.metadata import version
from pathlib import Path

import hydrology
import letter
import notes
import report
from drawing import register_font
from questions import resolve
from truth import save

HERE = Path(__file__).parent
FONT = Path("/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf")  # Debian: fonts-droid-fallback, Apache-2.0


def made_with(font: Path) -> dict[str, str]:
    """What the bytes depend on beside this code."""
    packages = {name: version(name) for name in ("reportlab", "pypdfium2", "opencv-python-headless", "numpy", "pillow")}
    digest = hashlib.sha256(font.read_bytes()).hexdigest()
    return packages | {"zlib": zlib.ZLIB_RUNTIME_VERSION, "machine": platform.machine(), "font sha256": digest}


def make(out: Path, font: Path) -> None:
    """Writes `documents/`, `truth/`, `questions.jsonl` and `made_with.json` into `out`."""
    (out / "documents").mkdir(parents=True, exist_ok=True)
    (out / "truth").mkdir(exist_ok=True)
    register_font(font)
    records = {}
    for build in (report.make_report, hydrology.make_survey, letter.make_letter, notes.make_notes, notes.make_glossary):
        data, document = build()
        (out / "documents" / document.name).write_bytes(data)
        save(out / "truth" / f"{document.name}.json", document.record())
        records[document.name] = document
    (out / "questions.jsonl").write_text(resolve(records), encoding="utf-8")
    save(out / "made_with.json", made_with(font))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--font", type=Path, default=FONT, help="TrueType font of the Chinese text")
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write into")
    args = parser.parse_args()
    if not args.font.is_file():
        parser.error(f"{args.font} is not there: install Debian's fonts-droid-fallback, or name a font with --font")
    make(args.out, args.font)


if __name__ == "__main__":
    main()
