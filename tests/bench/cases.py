"""The cases of the model benchmarks. A case is a folder with a model (model.onnx, model.percale),
its feeds in0.npy, in1.npy, ... and facts for the peers (case.json). A training case has spec.json
and the batch x.npy, y.npy. They are made once and kept.

    cases.py CACHE [WORD]

Prints the cases with WORD in their names, as JSON: [{"name", "kind", "folder", ...}]
"""
import hashlib
import json
import os
import shutil
import sys

import numpy as np
import onnx
import torch

import nets
from turns import HERE, ROOT


def given_models():
    """Returns the folder of the fifteen models, or None."""
    shared = os.environ.get("PERCALE_SHARED") or os.path.join(os.path.dirname(ROOT), "shared")
    folder = os.path.join(shared, "models")
    return folder if os.path.isdir(folder) else None


def write_case(folder, feeds, net, flops):
    """Returns the contents of case.json for `folder`/model.onnx. `feeds`: arrays by the names of
    its inputs."""
    model = onnx.load(os.path.join(folder, "model.onnx"), load_external_data=False)
    weights = {w.name for w in model.graph.initializer}
    inputs, free_dims = [i for i in model.graph.input if i.name not in weights], {}
    for i, value in enumerate(inputs):
        dims = value.type.tensor_type.shape.dim
        array = feeds[value.name]
        if not dims:
            array = array.reshape(())  # a scalar may be stored as [1]
        np.save(os.path.join(folder, f"in{i}.npy"), array)
        for dim, size in zip(dims, array.shape):
            if dim.dim_param:
                free_dims.setdefault(dim.dim_param, set()).add(size)
    facts = {"inputs": [i.name for i in inputs], "net": net, "flops": flops,
             "free_dims": {name: min(sizes) for name, sizes in free_dims.items() if len(sizes) == 1}}
    with open(os.path.join(folder, "case.json"), "w") as file:
        json.dump(facts, file)


def make_inference(name, folder):
    nets.export(name, folder, "model.onnx")
    _, example, inputs = nets.make(name)
    write_case(folder, {i: e.numpy() for i, e in zip(inputs, example)}, name, nets.flops(name))


def make_training(name, folder):
    nets.export(name, folder)
    _, (x,), _ = nets.make(name)
    np.save(os.path.join(folder, "x.npy"), x.numpy())
    np.save(os.path.join(folder, "y.npy"), np.arange(len(x)) * 7 % 1000)
    spec = {"model": f"{name}.onnx", "batch_size": len(x), "data": {"train": {"x": "x.npy", "y": "y.npy"}},
            "loss": "sparse_categorical_crossentropy", "from_logits": True,
            "optimizer": {"name": "sgd", "learning_rate": 0.01, "momentum": 0.9}}
    with open(os.path.join(folder, "spec.json"), "w") as file:
        json.dump(spec, file)
    with open(os.path.join(folder, "case.json"), "w") as file:
        json.dump({"flops": nets.flops(name), "batch": len(x)}, file)


def make_given(name, folder):
    """Copies the model and the last of its sets of inputs."""
    given = os.path.join(given_models(), name)
    shutil.copy(os.path.join(given, "model.onnx"), folder)
    with open(os.path.join(given, "meta.json")) as file:
        inputs = json.load(file)["sets"][-1]["inputs"]
    write_case(folder, {i["name"]: np.load(os.path.join(given, i["file"])) for i in inputs}, None, 0)


def given_names():
    return sorted(d for d in os.listdir(given_models()) if os.path.isdir(os.path.join(given_models(), d))) if given_models() else []


def case(name, cache):
    """Returns the folder of a case; makes it if it does not exist."""
    with open(os.path.join(HERE, "nets.py"), "rb") as nets_file, open(__file__, "rb") as own_file:
        key = hashlib.sha256(nets_file.read() + own_file.read() + torch.__version__.encode()).hexdigest()[:12]
    folder = os.path.join(cache, f"cases-{key}", name)
    if not os.path.exists(folder):
        shutil.rmtree(folder + ".new", ignore_errors=True)
        os.makedirs(folder + ".new")
        make = make_training if name in nets.TRAINED else make_inference if name in nets.NETS else make_given
        make(name, folder + ".new")
        os.rename(folder + ".new", folder)
    return folder


def main():
    cache, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    kinds = {"net": nets.NETS, "given": given_names(), "training": nets.TRAINED}
    out = []
    for kind, name in ((kind, name) for kind, names in kinds.items() for name in names if word in name):
        folder = case(name, cache)
        with open(os.path.join(folder, "case.json")) as file:
            out.append({"name": name, "kind": kind, "folder": folder} | json.load(file))
    print(json.dumps(out))


if __name__ == "__main__":
    main()
