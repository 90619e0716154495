"""A wheel is all that an installation needs: it lists its models and runs the demonstration far from any checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from kb_pipeline.settings import models_dir

ROOT = Path(__file__).parent.parent
SOURCES = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "NOTICE", "dagster.yaml", "workspace.yaml",
           "constraints.txt", "deepdoc_models/manifest.toml", "examples/documents", "kb_pipeline",
           "kb_pipeline_tests/__init__.py", "benchmarks")  # fmt: skip


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> Path:
    """What a fresh clone holds, as far as a build looks at it."""
    folder = tmp_path_factory.mktemp("clone")
    for name in SOURCES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            skipped = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=skipped)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(sources, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(out), str(sources))
    return next(out.glob("*.whl"))


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_wheel_holds_the_package_with_its_data_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"kb_pipeline"}
    data = {name for name in names if name.startswith("kb_pipeline/") and not name.endswith(".py")}
    examples = {f"kb_pipeline/operations/example_documents/{f.name}" for f in (ROOT / "examples/documents").iterdir()}
    assert data >= examples | {"kb_pipeline/weights/manifest.toml", "kb_pipeline/orchestration/dagster.yaml"}
    modules = {str(f.relative_to(ROOT)) for f in (ROOT / "kb_pipeline").rglob("*.py")}
    assert modules <= set(names)


def test_a_source_archive_makes_the_same_wheel(sources, wheel, tmp_path):
    made = "from setuptools.build_meta import build_sdist; print(build_sdist('.'))"
    subprocess.run([sys.executable, "-c", made], cwd=sources, check=True, capture_output=True)
    archive = next(sources.glob("kb_pipeline-*.tar.gz"))
    pip("wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(tmp_path), str(archive))
    again = next(tmp_path.glob("*.whl"))
    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


def test_from_a_wheel_the_models_are_listed_and_the_demonstration_runs(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    # the dependencies are those that run this test; a .pth file of theirs, such as an editable install's, does nothing
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path / "venv")}))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    data = tmp_path / "data" / "kb_pipeline" / "models"
    data.mkdir(parents=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KB_") and k != "PYTHONPATH"}
    environment |= {"XDG_DATA_HOME": str(tmp_path / "data"), "DAGSTER_HOME": ""}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def kb(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [tmp_path / "venv" / "bin" / "kb", *arguments]
        return subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True)

    states = {model["state"] for model in json.loads(kb("models", "list", "--json").stdout)["models"]}
    assert states == {"missing"}
    refused = kb("demo")
    assert refused.returncode == 3 and "kb models fetch" in refused.stderr
    for file in models_dir().iterdir():
        if file.is_file():
            (data / file.name).symlink_to(file)
    assert json.loads(kb("models", "list", "--json").stdout)["folder"] == str(data)
    assert kb("models", "fetch", "--json").stdout.strip() == '{"written":[]}'
    shown = kb("demo", "--json")
    assert shown.returncode == 0, shown.stderr
    asked = json.loads(shown.stdout)["asked"]
    assert all(Path(one["picture"]).read_bytes().startswith(b"\x89PNG") for one in asked)
    assert {path.name for path in elsewhere.iterdir()} == {".kb"}
    subprocess.run([python, "-c", STOP, str(elsewhere / ".kb" / "index")], env=environment, check=True)


STOP = "import sys, pathlib; from kb_pipeline.index.lite_server import stop; stop(pathlib.Path(sys.argv[1]))"
