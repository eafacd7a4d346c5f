"""Writes .safetensors files."""
import json
import struct

import numpy as np


def save_safetensors(path, tensors, dtype="F32"):
    header, blob = {}, b""
    for name, value in tensors.items():
        value = np.ascontiguousarray(value, dtype={"F32": "<f4", "F64": "<f8"}[dtype])
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": [len(blob), len(blob) + value.nbytes]}
        blob += value.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + blob)
