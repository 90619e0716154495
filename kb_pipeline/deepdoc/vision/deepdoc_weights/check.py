"""Whether a dropped-in file is one that can be used, told before any document needs it."""

from __future__ import annotations

import numpy as np

from kb_pipeline.deepdoc.vision.deepdoc_weights.layout import OLDER_ROLES
from kb_pipeline.deepdoc.vision.deepdoc_weights.nets import COMPONENTS, kind
from kb_pipeline.deepdoc.vision.recognition import recognise
from kb_pipeline.errors import ModelMissing
from kb_pipeline.weights.manifest import DEEPDOC, model_for
from kb_pipeline.weights.sessions import session


def check_deepdoc_file(role: str) -> None:
    """Load the file of that role and look at its signature.

    Raises:
        ModelMissing: it is no ONNX model, no net that is known, or does not fit its dictionary.
    """
    if role == "layout":
        kind(role, len(OLDER_ROLES))
    elif role == "table":
        kind(role, len(COMPONENTS))
    elif role == "recognition":
        recognise([np.full((48, 48, 3), 255, np.uint8)])
    elif role == "detection":
        outputs = [output.shape for output in session(role, DEEPDOC).get_outputs()]
        if len(outputs[0]) != 4:
            raise ModelMissing(
                f"{model_for(role, DEEPDOC).name} gives no map of probabilities: outputs {outputs}",
                remedy="take it out of the models folder",
            )
