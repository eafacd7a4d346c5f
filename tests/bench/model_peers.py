"""The peers' side of the model benchmarks. Usage: model_peers.py PEER THREADS with a PEER of
onnxruntime, openvino-f32, openvino (its default precision), torch (eager; images channels-last).
Workloads as in worker.h: run:PATH, first:PATH, load:PATH and train:PATH. The facts of a case are
beside its model, in case.json."""
import json
import os
import sys

PEER, THREADS = sys.argv[1], int(sys.argv[2])
os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(THREADS)

import numpy as np  # noqa: E402

from serve import serve  # noqa: E402

if PEER == "onnxruntime":
    import onnxruntime
elif PEER.startswith("openvino"):
    import openvino
else:
    import torch
    from torch.nn import functional as F

    import nets


def beside(path, name):
    return os.path.join(os.path.dirname(path), name)


def case_of(path):
    """Returns facts of the case, and its feeds by name."""
    with open(beside(path, "case.json")) as file:
        case = json.load(file)
    return case, {name: np.load(beside(path, f"in{i}.npy")) for i, name in enumerate(case["inputs"])}


def keep(results):
    for i, result in enumerate(results):
        np.save(f"out{i}.npy", np.asarray(result))


def onnxruntime_session(path, case):
    """Configured as recommended by its authors: all optimisations (the default), one thread pool,
    unknown dims fixed beforehand."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    for name, size in case["free_dims"].items():
        options.add_free_dimension_override_by_name(name, size)
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def onnxruntime_run(path):
    """Feeds and results are bound once."""
    case, feeds = case_of(path)
    session = onnxruntime_session(path, case)
    binding = session.io_binding()
    for name, value in feeds.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(value))
    results = session.run(None, feeds)
    keep(results)
    for output, result in zip(session.get_outputs(), results):
        binding.bind_ortvalue_output(output.name, onnxruntime.OrtValue.ortvalue_from_numpy(result.copy()))
    return lambda: session.run_with_iobinding(binding)


def onnxruntime_load(path):
    case, feeds = case_of(path)
    return lambda: onnxruntime_session(path, case).run(None, feeds)


def openvino_request(path, feeds):
    """Configured as recommended by its authors: the latency hint, shapes fixed before compilation,
    tensors set once."""
    core = openvino.Core()
    model = core.read_model(path)
    model.reshape({name: list(value.shape) for name, value in feeds.items()})
    config = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": THREADS}
    if PEER == "openvino-f32":
        config["INFERENCE_PRECISION_HINT"] = "f32"
    compiled = core.compile_model(model, "CPU", config)
    request = compiled.create_infer_request()
    for name, value in feeds.items():
        request.set_tensor(name, openvino.Tensor(value))
    request.infer()
    return request, compiled


def openvino_run(path):
    _, feeds = case_of(path)
    request, compiled = openvino_request(path, feeds)
    keep([request.get_output_tensor(i).data for i in range(len(compiled.outputs))])
    return request.infer


def openvino_load(path):
    _, feeds = case_of(path)
    return lambda: openvino_request(path, feeds)


def torch_layout(tensor):
    return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == 4 else tensor


def torch_net(name):
    net, _, _ = nets.make(name)
    return net.to(memory_format=torch.channels_last)


def torch_run(path):
    case, feeds = case_of(path)
    if case["net"] is None:
        raise LookupError("no workload: an ONNX file alone")
    net = torch_net(case["net"])
    inputs = [torch_layout(torch.from_numpy(value)) for value in feeds.values()]

    def run():
        with torch.inference_mode():
            return net(*inputs)
    keep([run()])
    return run


def torch_training(path):
    with open(path) as file:
        spec = json.load(file)
    net = torch_net(os.path.splitext(spec["model"])[0])
    x = torch_layout(torch.from_numpy(np.load(beside(path, "x.npy"))))
    y = torch.from_numpy(np.load(beside(path, "y.npy")))
    optimizer = torch.optim.SGD(net.parameters(), lr=spec["optimizer"]["learning_rate"], momentum=spec["optimizer"]["momentum"])

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()
    np.save("losses.npy", [step() for _ in range(3)])
    return step


def main():
    if PEER == "torch":
        torch.set_num_threads(THREADS)
    families = {"onnxruntime": {"run": onnxruntime_run, "load": onnxruntime_load, "first": onnxruntime_load},
                "torch": {"run": torch_run, "train": torch_training}}
    workloads = families.get(PEER, {"run": openvino_run, "load": openvino_load, "first": openvino_load})

    def find(name):
        kind, _, path = name.partition(":")
        if kind not in workloads:
            raise LookupError("no workload")
        return workloads[kind](path)
    serve(find)


if __name__ == "__main__":
    main()
