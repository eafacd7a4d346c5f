"""Imports networks of torchvision, exported without any optimisation, gives them a new head and
trains them in Percale and in PyTorch.

    python tests/peers/imported_networks.py build/bindings/cli/percale
        [--exporter torchscript|dynamo] [NETWORK...]

Needs torch, torchvision, onnx, onnxscript and numpy; not part of tests/run. Each network has random
weights and takes images of 64x64. PyTorch exports it in training form with a free batch:
`torchscript` without constant folding, `dynamo` with `optimize=False`. Percale imports the file,
replaces the last Linear by a Dense layer of 5 classes (or appends it to a network that ends
otherwise), and takes 20 steps of SGD. PyTorch does the same from the same weights.

All is f64 and the learning rate is small, because fresh networks that normalise batches of few
pixels are chaotic. Each loss must agree within 1e-6, plus ten times the change of PyTorch's own
losses up to that step when its images are changed by 1e-12. Dropout has the rate 0.
"""
import argparse
import copy
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import torch
import torch.nn.functional as F
import torchvision.models as zoo
from torchvision.ops import StochasticDepth

from safetensors_writer import save_safetensors

CLASSES, BATCH, STEPS, SIZE, RATE, WITHIN = 5, 4, 20, 64, 2**-13, 1e-6
NETWORKS = {
    "resnet18": zoo.resnet18,
    "mobilenet_v2": zoo.mobilenet_v2,
    "mobilenet_v3_small": zoo.mobilenet_v3_small,
    "shufflenet_v2": zoo.shufflenet_v2_x0_5,
    "squeezenet1_1": zoo.squeezenet1_1,
    "densenet121": zoo.densenet121,
    "efficientnet_b0": zoo.efficientnet_b0,
    "regnet_y_400mf": zoo.regnet_y_400mf,
    "mnasnet0_5": zoo.mnasnet0_5,
    "convnext_small_depth": lambda: zoo.ConvNeXt([zoo.convnext.CNBlockConfig(24, 48, 2), zoo.convnext.CNBlockConfig(48, None, 2)]),
    "vision_transformer": lambda: zoo.VisionTransformer(SIZE, 16, 3, 4, 64, 128),
    "swin_transformer": lambda: zoo.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4]),
}


def build(name):
    torch.manual_seed(1)
    network = NETWORKS[name]().double().train()
    for module in network.modules():
        if isinstance(module, (torch.nn.Dropout, StochasticDepth)):
            module.p = 0.0
        if isinstance(module, torch.nn.MultiheadAttention):
            module.dropout = 0.0
        if hasattr(module, "eps"):
            module.eps = float(np.float32(module.eps))  # attributes of ONNX are f32
    return network


def export(network, path, exporter):
    # Tracing runs the network. It must not change the running statistics that PyTorch will train
    # with.
    network, x = copy.deepcopy(network), torch.zeros(BATCH, 3, SIZE, SIZE, dtype=torch.float64)
    if exporter == "torchscript":
        torch.onnx.export(network, (x,), path, dynamo=False, do_constant_folding=False, training=torch.onnx.TrainingMode.TRAINING,
                          keep_initializers_as_inputs=False, input_names=["image"], output_names=["scores"],
                          dynamic_axes={"image": {0: "n"}, "scores": {0: "n"}}, opset_version=18)
    else:
        torch.onnx.export(network, (x,), path, dynamo=True, optimize=False, external_data=False, input_names=["image"],
                          output_names=["scores"], dynamic_shapes=({0: torch.export.Dim.AUTO},))


def before_last_linear(path, linear):
    """Returns the name of the input of the Linear of that name in the file; None if there is no
    such Linear."""
    nodes = onnx.load(path).graph.node
    weights = {f"{linear}.weight"}
    for node in nodes:
        if node.op_type in ("Transpose", "Identity") and node.input[0] in weights:
            weights.add(node.output[0])
        if node.op_type in ("Gemm", "MatMul") and node.input[1] in weights:
            return node.input[0]
    return None


def with_new_head(network):
    """Returns the network with its last Linear replaced by one of CLASSES, the name of the old one,
    and the new one."""
    linears = [name for name, module in network.named_modules() if isinstance(module, torch.nn.Linear)]
    if not linears:
        head = torch.nn.Linear(1000, CLASSES).double()
        return torch.nn.Sequential(network, head), None, head
    last = network.get_submodule(linears[-1])
    head = torch.nn.Linear(last.in_features, CLASSES).double()
    network.set_submodule(linears[-1], head)
    return network, linears[-1], head


def percale_losses(program, folder, spec):
    with open(os.path.join(folder, "spec.json"), "w") as file:
        json.dump(spec, file)
    history = os.path.join(folder, "history.csv")
    result = subprocess.run([program, "train", os.path.join(folder, "spec.json"), "--history", history], capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stderr.strip())
    with open(history) as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def torch_losses(network, x, y):
    network = copy.deepcopy(network)
    optimizer, losses = torch.optim.SGD(network.parameters(), lr=RATE), []
    for begin in range(0, len(x), BATCH):
        optimizer.zero_grad()
        loss = F.cross_entropy(network(torch.tensor(x[begin:begin + BATCH])), torch.tensor(y[begin:begin + BATCH]))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def compare(program, name, exporter, folder):
    random = np.random.default_rng(1)
    x = random.standard_normal((BATCH * STEPS, 3, SIZE, SIZE))
    y = random.integers(0, CLASSES, BATCH * STEPS)
    np.save(os.path.join(folder, "x.npy"), x)
    np.save(os.path.join(folder, "y.npy"), y)
    network = build(name)
    path = os.path.join(folder, "network.onnx")
    export(network, path, exporter)
    network, linear, head = with_new_head(network)
    save_safetensors(os.path.join(folder, "head.safetensors"),
                     {"head/kernel": head.weight.detach().numpy().T, "head/bias": head.bias.detach().numpy()}, "F64")
    spec = {"model": "network.onnx", "head": [{"layer": "Dense", "units": CLASSES, "name": "head"}],
            "weights": {"file": "head.safetensors", "strict": False}, "loss": "sparse_categorical_crossentropy", "from_logits": True,
            "optimizer": {"name": "sgd", "learning_rate": RATE}, "data": {"train": {"x": "x.npy", "y": "y.npy"}},
            "batch_size": BATCH, "shards": 1, "shuffle": False, "epochs": 1, "seed": 1}
    if linear:
        spec["outputs"] = before_last_linear(path, linear)
    ours = percale_losses(program, folder, spec)
    theirs, changed = torch_losses(network, x, y), torch_losses(network, x * (1 + 1e-12), y)
    if len(ours) != len(theirs):
        raise RuntimeError(f"{len(ours)} steps, wanted {len(theirs)}")
    off, own = (np.abs(np.array(losses) / theirs - 1) for losses in (ours, changed))
    good = bool(np.all(off <= WITHIN + 10 * np.maximum.accumulate(own)))
    return good, f"losses {theirs[0]:.3f} to {theirs[-1]:.3f}, off by {max(off):.1e} (PyTorch's own: {max(own):.1e})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--exporter", choices=["torchscript", "dynamo"], default="torchscript")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="all of " + ", ".join(NETWORKS))
    given = parser.parse_intermixed_args()
    torch.set_num_threads(1)
    failed = 0
    for name in given.networks or NETWORKS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                good, told = compare(given.program, name, given.exporter, folder)
            except RuntimeError as error:
                good, told = False, str(error)
        failed += not good
        print(f"{'ok ' if good else 'BAD'} {name:22} {told}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
