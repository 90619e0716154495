"""Weight files: the manifest, fetching them out of wheels, and onnxruntime sessions on them."""
