"""For which Pythons and systems the package index has wheels of what this project needs at run time.

    python docs/wheels.py

Prints the table of the README. Looks at the dependencies that are installed here, with theirs, in the very versions of
constraints.txt; those of Python alone fit everywhere, the others are asked for through pip, which downloads no wheel
whose metadata the index gives by itself.
"""

from __future__ import annotations

import importlib.metadata as metadata
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
GLIBC = (17, 24, 26, 27, 28, 31, 34, 35, 36)  # minor versions that wheels are built for; Debian 12 has 2.36
SYSTEMS = {
    "Linux x86-64": [*(f"manylinux_2_{minor}_x86_64" for minor in GLIBC), "manylinux2014_x86_64"],
    "Linux aarch64": [*(f"manylinux_2_{minor}_aarch64" for minor in GLIBC), "manylinux2014_aarch64"],
    "macOS 14 arm64": ["macosx_14_0_arm64"],
}


def main() -> None:
    """Print one row per system and one column per Python: `all`, or the packages without a wheel."""
    compiled = [name for name in sorted(runtime_packages()) if is_compiled(name)]
    pins = [f"{name}=={metadata.version(name)}" for name in compiled]
    print(f"{len(pins)} compiled packages: {', '.join(pins)}\n", file=sys.stderr)
    print(f"| | {' | '.join(PYTHONS)} |\n|{' --- |' * (len(PYTHONS) + 1)}")
    for system, platforms in SYSTEMS.items():
        cells = [", ".join(missing(pins, python, platforms)) or "all" for python in PYTHONS]
        print(f"| {system} | {' | '.join(cells)} |", flush=True)


def runtime_packages() -> set[str]:
    """Names of the project's dependencies and of theirs, as they are installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: set[tuple[str, str]] = set()  # name and extra
    waiting = [Requirement(text) for text in project["dependencies"]]
    while waiting:
        requirement = waiting.pop()
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        for extra in {"", *requirement.extras} - {extra for known, extra in found if known == name}:
            found.add((name, extra))
            below = [Requirement(text) for text in metadata.requires(name) or []]
            waiting += [r for r in below if not r.marker or r.marker.evaluate({"extra": extra})]
    return {name for name, _ in found}


def is_compiled(name: str) -> bool:
    """Whether the installed wheel is for some systems alone."""
    return "-none-any" not in (metadata.distribution(name).read_text("WHEEL") or "")


def missing(pins: list[str], python: str, platforms: list[str]) -> list[str]:
    """Those of the pinned packages that have no wheel for that Python and those platforms."""
    if has_wheels(pins, python, platforms):
        return []
    return [pin for pin in pins if not has_wheels([pin], python, platforms)]


def has_wheels(pins: list[str], python: str, platforms: list[str]) -> bool:
    """Whether pip finds a wheel of each."""
    tags = [word for platform in platforms for word in ("--platform", platform)]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps", "--ignore-installed",
                   "--only-binary=:all:", "--python-version", python, "--target", folder, *tags, *pins]  # fmt: skip
        return subprocess.run(command, capture_output=True).returncode == 0


if __name__ == "__main__":
    main()
