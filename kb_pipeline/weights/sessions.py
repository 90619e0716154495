"""onnxruntime sessions, one per weight file and process."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, cast

from kb_pipeline.errors import ModelMissing
from kb_pipeline.weights.manifest import model_path

if TYPE_CHECKING:
    import numpy as np
    from onnxruntime import InferenceSession

_loading = threading.Lock()


def session(role: str, variant: str = "") -> InferenceSession:
    """The session on the weight file of that role, loaded once; `run` may be called from many threads.

    A file that was replaced while the process runs is loaded anew.

    Raises:
        ModelMissing: the file is not there or is no ONNX model.
    """
    path = model_path(role, variant)
    stat = path.stat()
    with _loading:
        return _load(str(path), stat.st_size, stat.st_mtime_ns)


@cache
def _load(path: str, size: int, mtime_ns: int) -> InferenceSession:
    return load_session(path)


def load_session(model: str | bytes) -> InferenceSession:
    """A new single-threaded session: pages run in parallel, so that a model need not.

    The memory arena is off (it keeps 1.3 GB resident for 14 % speed), spinning is off (no busy wait on shared cores).
    """
    import onnxruntime

    onnxruntime.set_default_logger_severity(3)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.enable_cpu_mem_arena = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own error classes share no base below Exception
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        name = model if isinstance(model, str) else "model"
        raise ModelMissing(
            f"{name} is no ONNX model that can be loaded: {error}", remedy="run `kb models verify`"
        ) from error


def outputs(net: InferenceSession, given: np.ndarray | Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """What the net makes of its one input, or of its inputs by name."""
    inputs = given if isinstance(given, Mapping) else {net.get_inputs()[0].name: given}
    # onnxruntime's result may be sparse tensors, lists or maps, too; the nets of this package give arrays alone
    return cast("list[np.ndarray]", net.run(None, inputs))


def metadata_lines(session: InferenceSession, key: str = "character") -> list[str] | None:
    """A list kept in the model file's metadata, one entry per line; None where there is none."""
    found = session.get_modelmeta().custom_metadata_map
    return found[key].splitlines() if key in found else None
