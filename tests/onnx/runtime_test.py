"""Tests exported models with ONNX Runtime. The real models of the shared folder and all official
cases must give the results of the original models, onnx.checker must accept them, and their opset
must be the oldest that has all their nodes. A model that cannot be exported is a failure, unless it
has an op that is not implemented.

    python runtime_test.py PERCALE FOLDER_TO_UNPACK_INTO PROJECT_ROOT

Needs a Python with onnx and onnxruntime: this one, or one in the cache. Skipped otherwise.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

import export_test
import official as given

MUST_AGREE = 1050


NEEDS = "import numpy, onnx, onnxruntime"


def other_python():
    """Returns a Python of the cache that has the packages, or None."""
    cache = os.environ.get("PERCALE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "percale")
    for folder in ("python-packages", "bench"):
        python = os.path.join(cache, folder, "bin", "python")
        if os.path.exists(python) and subprocess.run([python, "-c", NEEDS], capture_output=True).returncode == 0:
            return python
    return None


try:
    import numpy
    import onnx
    import onnxruntime
except ImportError as missing:
    python = other_python()
    if python is not None:
        os.execv(python, [python] + sys.argv)
    print(f"{missing}, and no Python of the cache has it; `sh subprojects/setup --tests` brings ONNX Runtime")
    sys.exit(77)

import opsets  # imports onnx


def load(path):
    if path.endswith(".npy"):
        return numpy.load(path)
    proto = onnx.TensorProto()
    with open(path, "rb") as file:
        proto.ParseFromString(file.read())
    return onnx.numpy_helper.to_array(proto)


def run(model, feeds):
    """Returns the outputs, or nothing if the runtime does not accept the model."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        wanted = {i.name: i.shape for i in session.get_inputs()}
        if not isinstance(feeds, dict):
            feeds = dict(zip(wanted, feeds))
        feeds = {k: v.reshape(()) if wanted[k] == [] and v.size == 1 else v for k, v in feeds.items()}
        return session.run(None, feeds)
    except Exception as error:  # the runtime throws various types
        return str(error)


def near(got, wanted, absolute):
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    if got.dtype.kind not in "fc":
        return bool((got == wanted).all())
    return numpy.allclose(got.astype(numpy.float64), wanted.astype(numpy.float64), rtol=1e-3, atol=absolute, equal_nan=True)


def cases(official, root):
    """Yields model, feeds and the absolute tolerance of each case. The feeds are None if one is no
    tensor."""
    shared = os.path.join(os.environ.get("PERCALE_SHARED") or os.path.join(root, "..", "shared"), "models")
    for name in sorted(os.listdir(shared)) if os.path.isdir(shared) else []:
        folder = os.path.join(shared, name)
        if not os.path.exists(os.path.join(folder, "meta.json")):
            continue
        with open(os.path.join(folder, "meta.json")) as file:
            for case in json.load(file)["sets"]:
                feeds = {i["name"]: load(os.path.join(folder, i["file"])) for i in case["inputs"]}
                yield os.path.join(folder, "model.onnx"), feeds, max(o.get("atol", 1e-5) for o in case["outputs"])
    found = sorted(os.path.join(folder, "model.onnx") for folder, _, files in os.walk(official) if "model.onnx" in files)
    for model in found:
        data = os.path.join(os.path.dirname(model), "test_data_set_0")
        feeds = []
        while os.path.exists(os.path.join(data, f"input_{len(feeds)}.pb")):
            try:
                feeds.append(load(os.path.join(data, f"input_{len(feeds)}.pb")))
            except Exception:  # not a tensor: a sequence, an optional
                feeds = None
                break
        yield model, feeds, 1e-5


def drawn(model):
    return any(n.op_type in ("Bernoulli", "Multinomial", "Dropout") or "Random" in n.op_type for n in onnx.load(model).graph.node)


def trained_nets_differ(program):
    """Trains nets and compares the runtime's results for their models with their own."""
    export_test.PERCALE = program
    wrong = []
    for name, layers, side in (("LeNet", export_test.LENET, 28), ("many layers", export_test.MIXED, 8)):
        test = export_test.Exports()
        test.setUp()
        net = test.trained(layers, side)
        export_test.run("export", net, test.path("model.onnx"))
        wanted = [numpy.array(values, numpy.float32).reshape(shape) for shape, values in test.outputs(net)[1]]
        files = {i.name: "y.npy" if i.type == "tensor(int64)" else "x.npy"
                 for i in onnxruntime.InferenceSession(test.path("model.onnx"), providers=["CPUExecutionProvider"]).get_inputs()}
        got = run(test.path("model.onnx"), {name: numpy.load(test.path(file)) for name, file in files.items()})
        if isinstance(got, str) or not all(near(a, b, 1e-5) for a, b in zip(got, wanted)):
            wrong.append(f"FAIL trained {name}: {got if isinstance(got, str) else 'other numbers'}")
        test.tearDown()
    return wrong


def wrong_versions(model):
    """Returns None, or how the model's opset and IR version differ from the oldest ones that fit.
    """
    model = onnx.load(model)
    stamped = next(o.version for o in model.opset_import if o.domain == "")
    oldest, why = opsets.oldest(model)
    if stamped != oldest:
        return f"opset {stamped}, wanted {oldest}: {why}"
    ir = onnx.helper.find_min_ir_version_for([onnx.helper.make_opsetid("", stamped)])
    return None if model.ir_version == ir else f"IR version {model.ir_version}, wanted {ir}"


def not_compared(model, feeds, unsupported):
    """Returns why the runtime cannot judge the exported model, or None, and the results of the
    original."""
    if unsupported:
        return "have an op that is not implemented", None
    if feeds is None:
        return "take inputs that are no tensors", None
    if drawn(model):
        return "draw numbers", None
    wanted = run(model, feeds)
    return ("are refused by the runtime in their original form" if isinstance(wanted, str) else None), wanted


def main(program, official, root):
    onnxruntime.set_default_logger_severity(4)
    wrong = trained_nets_differ(program)
    for line in wrong:
        print(line)
    agree, differ, silent = 0, len(wrong), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        exported = os.path.join(folder, "exported.onnx")
        for model, feeds, absolute in cases(official, root):
            wrote = subprocess.run([program, "export", model, exported], capture_output=True, text=True)
            if wrote.returncode and "UNIMPLEMENTED: " not in wrote.stderr:
                differ += 1
                print("FAIL", model, "is not exported:", wrote.stderr.strip()[:300])
                continue
            why, wanted = not_compared(model, feeds, wrote.returncode)
            if why is not None:
                silent[why] += 1
                continue
            got, reason = run(exported, feeds), None
            if isinstance(got, str):
                reason = got
            elif not all(near(a, b, absolute) for a, b in zip(got, wanted)):
                reason = "other numbers"
            try:
                onnx.checker.check_model(exported)
            except onnx.checker.ValidationError as error:
                # The checker rejects every form of an unknown rank.
                reason = reason or (None if "Field 'shape'" in str(error) else str(error))
            reason = reason or wrong_versions(exported)
            agree += reason is None
            differ += reason is not None
            if reason:
                print("FAIL", model, reason[:300])
    print(f"{agree} agree, {differ} do not; at least {MUST_AGREE} must agree")
    for why, count in silent.most_common():
        print(f"{count} {why}")
    return 0 if differ == 0 and agree >= MUST_AGREE else 1


if __name__ == "__main__":
    archive = given.find_archive(sys.argv[3])
    if archive is None:
        print("the official ONNX cases are not there; name their folder by PERCALE_SHARED")
        sys.exit(77)
    os.makedirs(sys.argv[2], exist_ok=True)
    given.unpack(archive, sys.argv[2])
    sys.exit(main(*sys.argv[1:]))
