"""The encoder of the 4-bit weight file as an ONNX graph, kept beside it and rebuilt when file or builder change.

One text per run: input `words` [1, T, hidden] (sum of word, position and type embeddings), output `mean` [1, hidden]
(mean of the last layer over all tokens, not normalised). Batching would gain nothing (the work is compute bound) and
padding would make a vector depend on its neighbours.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from kb_pipeline.embedding.e5_weights import BLOCK_WEIGHTS, E5Weights, nibbles
from kb_pipeline.errors import ModelMissing
from kb_pipeline.settings import models_dir
from kb_pipeline.weights.sessions import load_session

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

BUILDER_VERSION = "1"  # raise it with every change of the graph
CACHE_NAME = "e5-small-q4.onnx"
OPSET = 17
IR_VERSION = 9  # read by every onnxruntime since 1.15
INT8_ACTIVATIONS = 4  # `accuracy_level` of MatMulNBits: activations as int8; same nDCG as float, 2.5 x faster
RUNTIME_OPERATORS = "com.microsoft"


def encoder_session(weights: E5Weights, sha256: str) -> InferenceSession:
    """A session on the cached graph, built and written first where it is missing or stale.

    Args:
        sha256: hash of the weight file, kept in the graph's metadata together with the builder's version.

    Raises:
        ModelMissing: the weight file lacks a tensor.
    """
    wanted = {"weights": sha256, "builder": BUILDER_VERSION}
    path = models_dir() / CACHE_NAME
    if path.is_file():
        session = _load_cached(str(path))
        if session is not None and session.get_modelmeta().custom_metadata_map == wanted:
            return session
    graph = build_graph(weights, wanted)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(graph)
        os.replace(partial, path)
    except OSError:  # a models folder that is read-only only costs the building at every start
        partial.unlink(missing_ok=True)
    return load_session(graph)


def _load_cached(path: str) -> InferenceSession | None:
    try:
        return load_session(path)
    except ModelMissing:  # cut short or of another origin: it is only a cache, so it is rebuilt
        return None


def build_graph(weights: E5Weights, metadata: dict[str, str]) -> bytes:
    """The serialised ONNX model; the same weights and metadata always give the same bytes.

    Raises:
        ModelMissing: a tensor is missing or of another shape.
    """
    from onnx import TensorProto, helper

    graph = _Graph(weights)
    state = graph.normalised("words", "emb.ln")
    for layer in range(weights.layers):
        state = graph.layer(state, f"l{layer}")
    graph.node("ReduceMean", [state], "mean", axes=[1], keepdims=0)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info("words", TensorProto.FLOAT, [1, "tokens", weights.hidden])],
            [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, weights.hidden])],
            graph.tensors,
        ),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(RUNTIME_OPERATORS, 1)],
        ir_version=IR_VERSION,
        producer_name="kb_pipeline",
    )
    helper.set_model_props(model, dict(sorted(metadata.items())))
    return model.SerializeToString(deterministic=True)


class _Graph:
    """Nodes and tensors while they are put together; every method returns the name of its output."""

    def __init__(self, weights: E5Weights):
        self.weights, self.nodes, self.tensors = weights, [], []

    def node(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output

    def tensor(self, name: str, values: np.ndarray) -> str:
        from onnx import numpy_helper

        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def normalised(self, source: str, name: str) -> str:
        gain = self.tensor(f"{name}.w", self.weights.floats(f"{name}.w", self.weights.hidden))
        shift = self.tensor(f"{name}.b", self.weights.floats(f"{name}.b", self.weights.hidden))
        epsilon = float(self.weights.epsilon)
        return self.node("LayerNormalization", [source, gain, shift], name, axis=-1, epsilon=epsilon)

    def linear(self, source: str, name: str, width: int, inputs: int) -> str:
        """`width` outputs of `inputs` values; the file's low/high nibbles become the operator's even/odd ones."""
        blocks = self.weights.blocks(f"{name}.w", width, inputs)
        numbers = nibbles(blocks)
        packed = (numbers[..., 0::2] | (numbers[..., 1::2] << 4)).astype(np.uint8)
        matrix = self.tensor(f"{name}.w", packed)
        scales = self.tensor(f"{name}.s", blocks["scale"].astype(np.float32).reshape(-1))
        shift = self.tensor(f"{name}.b", self.weights.floats(f"{name}.b", width))
        return self.node(
            "MatMulNBits", [source, matrix, scales, "", "", shift], name, RUNTIME_OPERATORS,
            K=inputs, N=width, bits=4, block_size=BLOCK_WEIGHTS, accuracy_level=INT8_ACTIVATIONS,
        )  # fmt: skip

    def layer(self, state: str, name: str) -> str:
        """One layer of the post-norm transformer: attention, then the inner layer, each with its residual."""
        hidden, inner = self.weights.hidden, self.weights.inner
        parts = [self.linear(state, f"{name}.{part}", hidden, hidden) for part in "qkv"]
        heads = self.weights.heads
        mixed = self.node("MultiHeadAttention", parts, f"{name}.attention", RUNTIME_OPERATORS, num_heads=heads)
        mixed = self.linear(mixed, f"{name}.ao", hidden, hidden)
        state = self.normalised(self.node("Add", [state, mixed], f"{name}.a"), f"{name}.aln")
        wide = self.linear(state, f"{name}.fi", inner, hidden)
        wide = self.node("Gelu", [wide], f"{name}.gelu", RUNTIME_OPERATORS)
        narrow = self.linear(wide, f"{name}.fo", hidden, inner)
        return self.normalised(self.node("Add", [state, narrow], f"{name}.o"), f"{name}.oln")
