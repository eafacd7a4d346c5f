"""The peers' side of the benchmarks. Usage: peers.py PEER THREADS with a PEER of torch (its default
layout of images), torch-channels-last (images only), jax, onnxruntime. The work is the same as in
worker_graphs.c: the same shapes, layers, optimizer, f32, data that is never zero."""
import atexit
import os
import shutil
import sys
import tempfile

PEER, THREADS = sys.argv[1], int(sys.argv[2])
os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(THREADS)
if PEER == "jax":
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = (f"--xla_cpu_multi_thread_eigen={'true' if THREADS > 1 else 'false'} "
                               f"intra_op_parallelism_threads={THREADS}")
    # XLA respects nothing else for all of its pools
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:THREADS]))

import numpy as np  # noqa: E402

from serve import serve  # noqa: E402

rng = np.random.default_rng(1)


def array(*shape, scale=1.0):
    return ((rng.random(shape, dtype=np.float32) * 2 - 1) * scale).astype(np.float32)


def scratch(name):
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    return os.path.join(folder, name)


IMAGE, KERNEL = (16, 64, 56, 56), (64, 64, 3, 3)
LABELS = np.arange(64) * 7 % 10


def torch_workloads():
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(THREADS)
    channels_last = PEER == "torch-channels-last"
    layout = torch.channels_last if channels_last else torch.contiguous_format
    tensor = torch.from_numpy

    def without_gradients(function):
        def run():
            with torch.inference_mode():
                function()
        return run

    def empty():
        x = tensor(array(1))
        return without_gradients(x.clone)

    def chain():
        a, b = tensor(array(16)), tensor(array(16))

        def run():
            x = a
            for _ in range(500):
                x = torch.relu(x + b)
        return without_gradients(run)

    def mlp():
        linear, relu = torch.nn.Linear, torch.nn.ReLU
        return torch.nn.Sequential(linear(784, 512), relu(), linear(512, 512), relu(), linear(512, 10))

    def inference(batch):
        model, x = mlp(), tensor(array(batch, 784))
        return without_gradients(lambda: model(x))

    def training(model, x):
        y = tensor(LABELS[:len(x)])
        optimizer = torch.optim.Adam(model.parameters(), lr=0.001, eps=1e-7)

        def run():
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss.item()
        return run

    def lenet():
        nn = torch.nn
        model = nn.Sequential(nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5, padding=2),
                              nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, 10))
        return training(model.to(memory_format=layout), tensor(array(64, 1, 28, 28)).to(memory_format=layout))

    def matmul():
        a, b = tensor(array(1024, 1024)), tensor(array(1024, 1024))
        return without_gradients(lambda: a @ b)

    def convolution(which):
        x, w, dy = (tensor(array(*dims, scale=scale)).to(memory_format=layout)
                    for dims, scale in ((IMAGE, 1), (KERNEL, 0.05), (IMAGE, 1)))
        if which == "forward":
            return without_gradients(lambda: F.conv2d(x, w, padding=1))
        mask = [which == "input", which == "weight", False]
        return without_gradients(lambda: torch.ops.aten.convolution_backward(
            dy, x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, mask))

    def load():
        path = scratch("mlp.pt")
        torch.save(mlp().state_dict(), path)
        x = tensor(array(1, 784))

        def run():
            model = mlp()
            model.load_state_dict(torch.load(path, weights_only=True))
            model(x)
        return without_gradients(run)

    images = {"lenet_adam_64": lenet, "conv": lambda: convolution("forward"), "conv_dx": lambda: convolution("input"),
              "conv_dw": lambda: convolution("weight")}
    if channels_last:
        return images
    return images | {
        "empty": empty, "chain": chain, "chain_fused": chain, "load": load,
        "mlp_1": lambda: inference(1), "mlp_64": lambda: inference(64),
        "mlp_adam_1": lambda: training(mlp(), tensor(array(1, 784))),
        "mlp_adam_64": lambda: training(mlp(), tensor(array(64, 784))),
        "matmul": matmul,
    }


def jax_workloads():
    import jax
    from jax import numpy as jnp

    def compiled(function, *arguments):
        f = jax.jit(function)
        arguments = [jnp.asarray(a) for a in arguments]
        return lambda: f(*arguments).block_until_ready()

    def chain(x, b):
        for _ in range(500):
            x = jax.nn.relu(x + b)
        return x

    def dense(inputs, outputs):
        return {"w": jnp.asarray(array(inputs, outputs, scale=inputs**-0.5)), "b": jnp.asarray(array(outputs, scale=0.1))}

    def mlp(p, x):
        for layer in p[:-1]:
            x = jax.nn.relu(x @ layer["w"] + layer["b"])
        return x @ p[-1]["w"] + p[-1]["b"]

    def mlp_parameters():
        return [dense(784, 512), dense(512, 512), dense(512, 10)]

    def inference(batch):
        p, f, x = mlp_parameters(), jax.jit(mlp), jnp.asarray(array(batch, 784))
        return lambda: f(p, x).block_until_ready()

    def conv(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def pool(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def lenet(p, x):
        for layer in p[:2]:
            x = pool(jax.nn.relu(conv(x, layer["w"]) + layer["b"]))
        return mlp(p[2:], x.reshape(x.shape[0], -1))

    def conv_parameters(k, c, filters):
        return {"w": jnp.asarray(array(k, k, c, filters, scale=(k * k * c)**-0.5)), "b": jnp.asarray(array(filters))}

    def training(model, p, x):
        y = jnp.asarray(LABELS[:len(x)])

        def loss_of(p, x):
            return -jnp.take_along_axis(jax.nn.log_softmax(model(p, x)), y[:, None], 1).mean()

        def update(state, x):
            p, m, v, t = state
            loss, g = jax.value_and_grad(loss_of)(p, x)
            t = t + 1
            m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
            v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
            rate = 0.001 / (1 - 0.9**t)
            p = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-7), p, m, v)
            return (p, m, v, t), loss

        f = jax.jit(update, donate_argnums=0)
        zeros = lambda: jax.tree.map(jnp.zeros_like, p)  # noqa: E731
        state, x = [(p, zeros(), zeros(), jnp.zeros((), jnp.float32))], jnp.asarray(x)

        def run():
            state[0], loss = f(state[0], x)
            return loss.block_until_ready()
        return run

    def matmul():
        return compiled(jnp.matmul, array(1024, 1024), array(1024, 1024))

    def nchw(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))

    def convolution(which):
        x, w, dy = array(*IMAGE), array(*KERNEL, scale=0.05), array(*IMAGE)
        if which == "forward":
            return compiled(nchw, x, w)
        if which == "input":
            return compiled(lambda w, dy: jax.vjp(lambda x: nchw(x, w), jnp.ones(IMAGE, jnp.float32))[1](dy)[0], w, dy)
        return compiled(lambda x, dy: jax.vjp(lambda w: nchw(x, w), jnp.ones(KERNEL, jnp.float32))[1](dy)[0], x, dy)

    return {
        "empty": lambda: compiled(lambda x: x + 0, array(1)),
        "chain": lambda: compiled(chain, array(16), array(16)),
        "chain_fused": lambda: compiled(chain, array(16), array(16)),
        "mlp_1": lambda: inference(1), "mlp_64": lambda: inference(64),
        "mlp_adam_1": lambda: training(mlp, mlp_parameters(), array(1, 784)),
        "mlp_adam_64": lambda: training(mlp, mlp_parameters(), array(64, 784)),
        "lenet_adam_64": lambda: training(
            lenet, [conv_parameters(5, 1, 32), conv_parameters(5, 32, 64), dense(3136, 512), dense(512, 10)],
            array(64, 28, 28, 1)),
        "matmul": matmul, "conv": lambda: convolution("forward"),
        "conv_dx": lambda: convolution("input"), "conv_dw": lambda: convolution("weight"),
    }


def onnxruntime_workloads():
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    def options_of_session():
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.inter_op_num_threads = 1
        return options

    def session(nodes, feeds, weights=(), path=None):
        inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape) for name, value in feeds.items()]
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph(nodes, "bench", inputs, [output],
                                  [numpy_helper.from_array(value, name) for name, value in weights])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        def open_session(model):
            return onnxruntime.InferenceSession(model, options_of_session(), providers=["CPUExecutionProvider"])

        if path:
            with open(path, "wb") as file:
                file.write(model.SerializeToString())
            return lambda: open_session(path).run(None, feeds)
        session = open_session(model.SerializeToString())
        # Bound once and run many times, like a prepared call.
        binding = session.io_binding()
        for name, value in feeds.items():
            binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(value))
        binding.bind_output("y")
        return lambda: session.run_with_iobinding(binding)

    def chain():
        nodes, last = [], "a"
        for i in range(1000):
            name = "y" if i == 999 else f"v{i}"
            nodes.append(helper.make_node("Relu", [last], [name]) if i % 2 else helper.make_node("Add", [last, "b"], [name]))
            last = name
        return session(nodes, {"a": array(16), "b": array(16)})

    def mlp(batch, path=None):
        nodes, weights, last = [], [], "a"
        for i, (inputs, outputs) in enumerate([(784, 512), (512, 512), (512, 10)]):
            weights += [(f"w{i}", array(inputs, outputs, scale=inputs**-0.5)), (f"b{i}", array(outputs, scale=0.1))]
            nodes.append(helper.make_node("Gemm", [last, f"w{i}", f"b{i}"], ["y" if i == 2 else f"g{i}"]))
            last = f"r{i}"
            if i < 2:
                nodes.append(helper.make_node("Relu", [f"g{i}"], [last]))
        return session(nodes, {"a": array(batch, 784)}, weights, path)

    def matmul():
        return session([helper.make_node("MatMul", ["a", "b"], ["y"])], {"a": array(1024, 1024), "b": array(1024, 1024)})

    def conv():
        return session([helper.make_node("Conv", ["a", "b"], ["y"], pads=[1, 1, 1, 1])],
                       {"a": array(*IMAGE)}, [("b", array(*KERNEL, scale=0.05))])

    return {"empty": lambda: session([helper.make_node("Identity", ["a"], ["y"])], {"a": array(1)}),
            "chain": chain, "chain_fused": chain, "mlp_1": lambda: mlp(1), "mlp_64": lambda: mlp(64),
            "load": lambda: mlp(1, scratch("mlp.onnx")),
            "matmul": matmul, "conv": conv}


if __name__ == "__main__":
    workloads = {"torch": torch_workloads, "torch-channels-last": torch_workloads, "jax": jax_workloads,
                 "onnxruntime": onnxruntime_workloads}[PEER]()

    def find(name):
        if name not in workloads:
            raise LookupError("no workload")
        return workloads[name]()
    serve(find)
