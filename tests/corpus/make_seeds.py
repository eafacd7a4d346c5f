"""make_seeds.py FOLDER: writes the small files that the fuzzers of data files, weights, SPECs and
clusters start from, one folder for each format.

The files are kept, so that a fuzzer's results with a seed are reproducible. This program documents
how they were made."""
import gzip
import io
import json
import os
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from npy import npy_bytes  # noqa: E402

ROWS, COLUMNS = 5, 3
NUMBERS = [i / 4 - 1 for i in range(ROWS * COLUMNS)]


def npz(members, compression):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name), data, compression)
    return out.getvalue()


def idx(kind, shape, data):
    return bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + data


def safetensors(tensors, metadata=None):
    header, data = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, shape, elements) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(elements)]}
        data += elements
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def spec(**changes):
    layers = [{"layer": "Flatten"}, {"layer": "Dense", "units": 4, "activation": "relu"}, {"layer": "Dense", "units": 2}]
    return json.dumps({"model": layers, "input_shape": [3, 3, 1], "loss": "sparse_categorical_crossentropy", "from_logits": True,
                       "optimizer": "adam", "batch_size": 4, **changes}).encode()


def crc32c(data):
    out = 0xFFFFFFFF
    for byte in data:
        out ^= byte
        for _ in range(8):
            out = out >> 1 ^ 0x82F63B78 * (out & 1)
    return out ^ 0xFFFFFFFF


# The checkpoint of ../fuzz/fuzz_manifest.cc: its tensors, all zeros except the name of the metric.
STATE = {"name": "state.safetensors", "bytes": 476, "crc32c": 267973918}
TENSORS = {"dense/bias": ("f32", [1], bytes(4)), "dense/bias/sgd/momentum": ("f32", [1], bytes(4)),
           "dense/kernel": ("f32", [2, 1], bytes(8)), "dense/kernel/sgd/momentum": ("f32", [2, 1], bytes(8)),
           "percale/history": ("f64", [0, 6], b""), "percale/history/names": ("u8", [4], b"mae\0")}


def manifest(**changes):
    """Returns a manifest without its checksum and the closing brace."""
    tensors = [{"name": name, "dtype": dtype, "shape": shape, "bytes": len(data), "crc32c": crc32c(data)}
               for name, (dtype, shape, data) in TENSORS.items()]
    fields = {"format": "percale checkpoint", "version": 1, "order": 1, "run": "0f", "step": 0, "seed": 0, "epoch": 0, "batch": 0,
              "shards": 8, "seconds": 0, "fingerprint": "x", "sums": [], "numbers": {}, **changes, "files": [STATE], "tensors": tensors}
    return json.dumps(fields, separators=(",", ":"))[:-1].encode()


def seeds():
    f32, f64 = struct.pack("<15f", *NUMBERS), struct.pack("<15d", *NUMBERS)
    images = idx(8, [ROWS, 3], bytes(range(15)))
    yield "csv", {"plain": b"x,y\n1,2.5\n3,-4e-3\n", "quoted": b'"x","a ""b"""\r\n1,"text, more"\r\n2,\r\n',
                  "no_header": b"1;2\n3;4\n", "missing": b"x,y\n,1\nNA,2\n3,nan\n", "extreme": b"x\n1e39\n1e-50\n-0\n+7\n0x10\n",
                  "words": b'kind;size\nloft;1\n"a;""b""";NA\n\n"two\nlines"; 3.5e0\n',
                  "categories": b"x,y\r\nred,1\r\nblue,2\r\n"}
    yield "rules", {"learnt": b"{}\nx,y\nred,1\n,2\n",
                    "columns": b'{"missing": "mean", "columns": {"x": {"words": ["a", "b"], "missing": 1}, "y": {"type": "integer"}}}\nx,y\nb,1\n,2\n',
                    "separator": b'{"separator": ";", "header": false, "missing": "nan"}\n1;NA\n2;3\n',
                    "inputs": b'{"inputs": {"x": [{"column": "a", "type": "category"}, {"column": "b", "missing": 0}]}}\na,b\nred,1\nblue,\n'}
    yield "npy", {"f32": npy_bytes("<f4", [ROWS, COLUMNS], f32), "big": npy_bytes(">f4", [ROWS, COLUMNS], f32),
                  "fortran": npy_bytes("<f8", [ROWS, COLUMNS], f64, fortran_order=True), "bool": npy_bytes("|b1", [3], b"\1\0\1"),
                  "version2": npy_bytes("<i8", [2], struct.pack("<2q", 1, -1), version=2)}
    members = {"x.npy": npy_bytes("<f4", [ROWS, COLUMNS], f32), "y.npy": npy_bytes("|u1", [ROWS], bytes(5))}
    yield "npz", {"stored": npz(members, zipfile.ZIP_STORED), "deflated": npz(members, zipfile.ZIP_DEFLATED)}
    yield "idx", {"u8": images, "i32": idx(12, [2, 2], struct.pack(">4i", 1, -1, 2, 3)),
                  "f64": idx(14, [2], struct.pack(">2d", 1, 2))}
    yield "gz", {"idx": gzip.compress(images, mtime=0), "two_members": gzip.compress(images[:10], mtime=0) + gzip.compress(images[10:], mtime=0),
                 "text": gzip.compress(b"x,y\n1,2\n", mtime=0)}
    layer = {"kernel": ("F32", [2, 3], f32[:24]), "bias": ("F32", [3], f32[:12])}
    other = {"enc.kernel": ("F16", [2, 3], bytes(12)), "x": ("I64", [2], bytes(16))}
    yield "safetensors", {"x": safetensors({"x": ("F32", [ROWS, COLUMNS], f32)}), "told": safetensors(other, {"format": "pt"})}
    yield "weights", {"layer": safetensors(layer), "other": safetensors(other), "empty": safetensors({})}
    recurrent = [{"layer": "Embedding", "input_dim": 8, "output_dim": 4}, {"layer": "LSTM", "units": 3}, {"layer": "Dense", "units": 1}]
    convolution = [{"layer": "Conv2D", "filters": 2, "kernel_size": 2}, {"layer": "BatchNormalization"}, {"layer": "MaxPooling2D"},
                   {"layer": "Flatten"}, {"layer": "Dropout", "rate": 0.5}, {"layer": "Dense", "units": 2}]
    yield "spec", {"dense": spec(),
                   "options": spec(optimizer={"name": "sgd", "momentum": 0.9, "nesterov": True}, metrics=["accuracy", {"name": "top", "metric": "top_k", "k": 2}],
                                   schedule={"name": "cosine", "decay_steps": 10}, clip={"global_norm": 1}, ema=0.9, shards=2,
                                   early_stopping={"patience": 2}, checkpoints={"keep_last": 1}, groups=[{"pattern": "*", "weight_decay": 0}]),
                   "convolution": spec(model=convolution, input_shape=[4, 4, 1]),
                   "recurrent": spec(model=recurrent, input_shape=[3], loss="mse", parallel={"stages": 2, "splits": 2}),
                   "data": spec(data={"train": {"x": "a.npy", "y": ["b.csv#y"], "scale": 0.5}})}
    task = {"type": "worker", "index": 1}
    yield "cluster", {"workers": json.dumps({"cluster": {"worker": ["a:1", "b:2"], "chief": ["c:3"], "ps": ["d:4"]}, "task": task}).encode(),
                      "sparse": json.dumps({"cluster": {"worker": {"3": "a:1"}}, "task": {"type": "worker", "index": "3"}, "environment": "cloud"}).encode()}
    yield "manifest", {"whole": manifest(), "job": manifest(job_digest="sha256:0", job=[["seed", "0"], ["model.inputs", "[]"]]),
                       "going_on": manifest(step=3, epoch=1, batch=1, seconds=0.5, sums=[2, 1, None, 1], score=0.25,
                                            numbers={"plateau.best": 0.5, "early_stopping.waits": 1, "learning_rate.by_hand": 0.1})}


def main(folder):
    for name, files in seeds():
        os.makedirs(os.path.join(folder, name), exist_ok=True)
        for file, data in files.items():
            with open(os.path.join(folder, name, file), "wb") as out:
                out.write(data)


if __name__ == "__main__":
    main(*sys.argv[1:])
