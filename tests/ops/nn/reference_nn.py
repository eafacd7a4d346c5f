#!/usr/bin/env python3
"""Writes reference_nn.json: values and gradients of the neural-network ops, computed by PyTorch on
a CPU in f64.

    python3 reference_nn.py > reference_nn.json        (needs torch; the tests need only the output)
    python3 reference_nn.py rows > ../data/nn.jsonl

A case is {op, attributes, inputs, outputs, seeds, grads}. The loss is the sum of all outputs, each
multiplied by its entry of `seeds`. `grads` has the gradient of the loss per input (null: not
requested). Tensors are [dtype, shape, elements].
"""
import json
import math
import sys

import torch
import torch.nn.functional as F

torch.manual_seed(20240607)
torch.set_default_dtype(torch.float64)
cases, optimizers = [], []


def draw(*shape, scale=1.0):
    """Returns random numbers with four decimals, so that the file stays small."""
    return torch.round(torch.randn(list(shape)) * scale * 1e4) / 1e4


def tensor(t):
    if t is None:
        return None
    names = {torch.float64: "f64", torch.int64: "i64", torch.int32: "i32", torch.int8: "i8", torch.uint8: "u8"}
    flat = t.detach().reshape(-1).tolist()
    if t.dtype == torch.float64:
        flat = [("nan" if math.isnan(v) else "inf" if v > 0 else "-inf") if not math.isfinite(v) else float(f"{v:.10g}")
                for v in flat]
        flat = [int(v) if isinstance(v, float) and v == int(v) and abs(v) < 1e9 else v for v in flat]
    return [names[t.dtype], list(t.shape), flat]


def case(op, inputs, f, attributes=None, grads=True, fixed=()):
    """Adds a case. `f` maps the inputs to a tensor or a tuple. The inputs numbered in `fixed` get
    no gradient."""
    leaves = [x.clone().requires_grad_(grads and x.dtype == torch.float64 and i not in fixed)
              for i, x in enumerate(inputs)]
    outputs = f(*leaves)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    seeds, loss = [], 0
    for y in outputs:
        differentiable = y is not None and y.dtype == torch.float64 and y.requires_grad and grads
        seeds.append(draw(*y.shape) if differentiable else None)
        if differentiable:
            loss = loss + (y * seeds[-1]).sum()
    wanted = [x for x in leaves if x.requires_grad]
    found = iter(torch.autograd.grad(loss, wanted, allow_unused=True)) if grads and wanted else iter(())
    result = []
    for x in leaves:
        g = next(found) if grads and x.requires_grad else None
        result.append(tensor(torch.zeros_like(x) if g is None and x.requires_grad else g))
    cases.append({"op": op, "attributes": attributes or {}, "inputs": [tensor(x) for x in inputs],
                  "outputs": [tensor(y) for y in outputs], "seeds": [tensor(s) for s in seeds], "grads": result})


def torch_pads(pads):
    """Converts ONNX's [begins..., ends...] to the order of F.pad: last dim first."""
    n = len(pads) // 2
    return [v for i in reversed(range(n)) for v in (pads[i], pads[i + n])]


def same_pads(size, kernel, strides, dilations, upper):
    begins, ends = [], []
    for s, k, st, d in zip(size, kernel, strides, dilations):
        total = max((math.ceil(s / st) - 1) * st + (k - 1) * d + 1 - s, 0)
        begins.append(total // 2 if upper else total - total // 2)
        ends.append(total - begins[-1])
    return begins + ends


# MatMul, Gemm
for a, b in [([3, 4], [4, 5]), ([4], [4]), ([4], [4, 3]), ([3, 4], [4]), ([2, 3, 4], [4, 5]), ([2, 3, 4], [2, 4, 5]),
             ([2, 1, 3, 4], [3, 4, 2]), ([3, 4], [2, 4, 2]), ([2, 3, 4], [4]), ([4], [2, 4, 3]), ([0, 4], [4, 3]),
             ([3, 0], [0, 2]), ([1, 7], [7, 1]), ([17, 9], [9, 33]), ([5, 1, 2, 3], [1, 4, 3, 2])]:
    case("MatMul", [draw(*a), draw(*b)], torch.matmul)
for dtype in (torch.int32, torch.int64):
    case("MatMul", [torch.randint(-9, 9, (3, 4), dtype=dtype), torch.randint(-9, 9, (4, 2), dtype=dtype)], torch.matmul)
case("percale:BatchMatMul", [draw(2, 3, 4), draw(4, 5)], torch.matmul)
for ta in (0, 1):
    for tb in (0, 1):
        a, b = draw(*([2, 4, 3] if ta else [2, 3, 4])), draw(*([1, 5, 4] if tb else [1, 4, 5]))
        case("percale:BatchMatMul", [a, b], lambda a, b, ta=ta, tb=tb: torch.matmul(a.mT if ta else a, b.mT if tb else b),
             {"transA": ta, "transB": tb})
        for alpha, beta, c in [(1.0, 1.0, [5]), (0.5, 2.0, [3, 5]), (1.0, 1.0, None), (1.5, 0.5, [3, 1]), (1.0, 1.0, []),
                               (2.0, 1.0, [1, 5])]:
            inputs = [draw(*([4, 3] if ta else [3, 4])), draw(*([5, 4] if tb else [4, 5]))]
            if c is not None:
                inputs.append(draw(*c))
            case("Gemm", inputs,
                 lambda a, b, c=None, ta=ta, tb=tb, al=alpha, be=beta:
                 al * ((a.T if ta else a) @ (b.T if tb else b)) + (0 if c is None else be * c),
                 {"transA": ta, "transB": tb, "alpha": alpha, "beta": beta})
case("Gemm", [torch.randint(-9, 9, (3, 4)), torch.randint(-9, 9, (4, 2)), torch.randint(-9, 9, (2,))],
     lambda a, b, c: a @ b + c)

# Conv
CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
for x, w, attributes in [
        ([2, 1, 8, 8], [3, 1, 5, 5], {}),
        ([2, 3, 6, 5], [4, 3, 3, 3], {"pads": [1, 1, 1, 1]}),
        ([1, 2, 7, 6], [3, 2, 3, 2], {"strides": [2, 3], "pads": [1, 0, 2, 1]}),
        ([1, 2, 9, 9], [2, 2, 3, 3], {"dilations": [2, 3], "pads": [2, 3, 2, 3]}),
        ([2, 4, 5, 5], [6, 2, 3, 3], {"group": 2, "pads": [1, 1, 1, 1], "strides": [2, 2]}),
        ([1, 3, 6, 6], [6, 1, 3, 3], {"group": 3}),
        ([2, 3, 9], [4, 3, 4], {"strides": [2], "pads": [1, 2], "dilations": [2]}),
        ([1, 2, 4, 5, 4], [3, 2, 2, 3, 2], {"strides": [1, 2, 2], "pads": [0, 1, 0, 1, 0, 1]}),
        ([1, 2, 6, 7], [2, 2, 3, 2], {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ([1, 2, 6, 7], [2, 2, 2, 4], {"auto_pad": "SAME_LOWER", "strides": [1, 2]}),
        ([1, 1, 6, 6], [1, 1, 3, 3], {"auto_pad": "VALID", "kernel_shape": [3, 3]}),
        ([1, 1, 3, 3], [2, 1, 1, 1], {"strides": [2, 2]}),
        ([0, 2, 5, 5], [3, 2, 3, 3], {}),
        ([2, 4, 6, 6], [8, 4, 5, 5], {}),
        ([1, 2, 2, 2], [1, 2, 3, 3], {"pads": [3, 3, 3, 3]})]:
    kernel, n = w[2:], len(w) - 2
    strides, dilations = attributes.get("strides", [1] * n), attributes.get("dilations", [1] * n)
    pads = attributes.get("pads", [0] * 2 * n)
    if attributes.get("auto_pad", "").startswith("SAME"):
        pads = same_pads(x[2:], kernel, strides, dilations, attributes["auto_pad"] == "SAME_UPPER")
    f = lambda x, w, b=None: CONV[n](F.pad(x, torch_pads(pads)), w, b, strides, 0, dilations, attributes.get("group", 1))
    case("Conv", [draw(*x), draw(*w), draw(w[0])], f, attributes)
    if len(cases) % 3 == 0:
        case("Conv", [draw(*x), draw(*w)], f, attributes)

# ConvTranspose: the full result, cropped by the pads
TRANSPOSE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
for x, w, attributes in [
        ([2, 2, 3, 4], [2, 3, 3, 3], {}),
        ([1, 2, 3, 3], [2, 2, 3, 3], {"strides": [2, 2], "pads": [1, 0, 1, 1], "output_padding": [1, 0]}),
        ([1, 4, 3, 3], [4, 2, 2, 3], {"group": 2, "dilations": [2, 1], "strides": [1, 3]}),
        ([2, 3, 5], [3, 2, 4], {"strides": [3], "pads": [1, 2]}),
        ([1, 2, 2, 3, 2], [2, 1, 2, 2, 3], {"strides": [2, 1, 2]}),
        ([1, 1, 3, 3], [1, 2, 3, 3], {"strides": [3, 2], "output_shape": [10, 8]}),
        ([1, 1, 3, 3], [1, 2, 3, 3], {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
        ([1, 1, 3, 3], [1, 2, 3, 3], {"strides": [2, 2], "auto_pad": "SAME_LOWER"})]:
    n, group = len(w) - 2, attributes.get("group", 1)
    strides, dilations = attributes.get("strides", [1] * n), attributes.get("dilations", [1] * n)
    extra = attributes.get("output_padding", [0] * n)
    full = [s * (i - 1) + e + (k - 1) * d + 1 for s, i, e, k, d in zip(strides, x[2:], extra, w[2:], dilations)]
    pads = attributes.get("pads", [0] * 2 * n)
    upper = attributes.get("auto_pad", "") == "SAME_UPPER"
    more = [0] * n  # output beyond the full result
    if "output_shape" in attributes or "auto_pad" in attributes:
        want = attributes.get("output_shape") or [i * s for i, s in zip(x[2:], strides)]
        total = [max(a - b, 0) for a, b in zip(full, want)]
        more = [max(b - a, 0) for a, b in zip(full, want)]
        begins = [t // 2 if upper else t - t // 2 for t in total]
        pads = begins + [t - b for t, b in zip(total, begins)]

    def f(x, w, b=None):
        y = TRANSPOSE[n](x, w, None, strides, 0, extra, group, dilations)
        y = F.pad(y, torch_pads([-p for p in pads[:n]] + [m - p for m, p in zip(more, pads[n:])]))
        return y if b is None else y + b.reshape([-1] + [1] * n)
    case("ConvTranspose", [draw(*x), draw(*w), draw(w[1] * group)], f, attributes)
    case("ConvTranspose", [draw(*x), draw(*w)], f, attributes)


# Pools, window by window
def pool(x, attributes, average):
    n = x.dim() - 2
    kernel = attributes["kernel_shape"]
    strides, dilations = attributes.get("strides", [1] * n), attributes.get("dilations", [1] * n)
    size, pads = list(x.shape[2:]), attributes.get("pads", [0] * 2 * n)
    auto, ceil = attributes.get("auto_pad", "NOTSET"), attributes.get("ceil_mode", 0)
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    if auto.startswith("SAME"):
        pads = same_pads(size, kernel, strides, dilations, auto == "SAME_UPPER")
    out = []
    for i in range(n):
        room = size[i] + pads[i] + pads[i + n] - extent[i]
        o = (math.ceil(room / strides[i]) if ceil and auto == "NOTSET" else room // strides[i]) + 1
        out.append(o - 1 if (o - 1) * strides[i] >= size[i] + pads[i] else o)
    grid = torch.cartesian_prod(*[torch.arange(o) for o in out]).reshape(-1, n).tolist()
    values, indices = [], []
    flat = x.reshape(x.shape[0], x.shape[1], -1)
    steps = [math.prod(size[i + 1:]) for i in range(n)]
    for position in grid:
        inside, padded = [0], 1
        for i in range(n):
            taps = [position[i] * strides[i] - pads[i] + k * dilations[i] for k in range(kernel[i])]
            padded *= sum(t < size[i] + pads[i + n] for t in taps)
            inside = [a + t * steps[i] for a in inside for t in taps if 0 <= t < size[i]]
        window = flat[:, :, inside]
        if average:
            values.append(window.sum(-1) / (padded if attributes.get("count_include_pad", 0) else len(inside)))
        else:
            best = window.max(-1)
            values.append(best.values)
            indices.append(torch.tensor(inside)[best.indices])
    y = torch.stack(values, -1).reshape(list(x.shape[:2]) + out)
    if average:
        return y
    image = torch.arange(x.shape[0] * x.shape[1]).reshape(x.shape[0], x.shape[1], 1)
    within = torch.stack(indices, -1)
    if attributes.get("storage_order", 0):
        moved, step = torch.zeros_like(within), 1
        for i in range(n):
            moved, step = moved + within // steps[i] % size[i] * step, step * size[i]
        within = moved
    return y, (within + image * math.prod(size)).reshape(y.shape)


POOLS = [
    ([2, 3, 6, 6], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ([1, 2, 7, 5], {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 0, 1]}),
    ([1, 1, 6, 6], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    ([1, 1, 5, 6], {"kernel_shape": [2, 2], "strides": [3, 3], "pads": [1, 1, 1, 1], "ceil_mode": 1}),
    ([1, 2, 7, 7], {"kernel_shape": [2, 3], "dilations": [3, 2], "pads": [1, 1, 1, 1]}),
    ([2, 1, 9], {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
    ([1, 1, 4, 5, 4], {"kernel_shape": [2, 2, 3], "strides": [2, 1, 1], "pads": [0, 1, 1, 0, 0, 1]}),
    ([1, 1, 5, 7], {"kernel_shape": [3, 2], "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ([1, 1, 5, 7], {"kernel_shape": [2, 4], "strides": [2, 2], "auto_pad": "SAME_LOWER"}),
    ([1, 1, 5, 7], {"kernel_shape": [3, 3], "strides": [3, 3], "auto_pad": "VALID", "ceil_mode": 1}),
    ([0, 2, 4, 4], {"kernel_shape": [2, 2]}),
    ([1, 2, 10, 20], {"kernel_shape": [2, 2], "strides": [2, 2]}),
]
for shape, attributes in POOLS:
    x = draw(*shape)
    if shape[0] > 0:
        if len(shape) == 4 and "auto_pad" not in attributes and attributes.get("pads", [0] * 4)[:2] == attributes.get(
                "pads", [0] * 4)[2:]:
            theirs = F.max_pool2d(x, attributes["kernel_shape"], attributes.get("strides", 1),
                                  attributes.get("pads", [0, 0])[:2], attributes.get("dilations", 1),
                                  bool(attributes.get("ceil_mode", 0)))
            assert torch.equal(theirs, pool(x, attributes, False)[0])
            if "dilations" not in attributes:
                for include in (0, 1):
                    theirs = F.avg_pool2d(x, attributes["kernel_shape"], attributes.get("strides", 1),
                                          attributes.get("pads", [0, 0])[:2], bool(attributes.get("ceil_mode", 0)),
                                          bool(include))
                    assert torch.allclose(theirs, pool(x, {**attributes, "count_include_pad": include}, True))
    empty = shape[0] == 0
    f = (lambda x: (x.new_zeros(0, 2, 3, 3), torch.zeros(0, 2, 3, 3, dtype=torch.int64))) if empty else (
        lambda x: pool(x, attributes, False))
    case("MaxPool", [x], f, attributes, grads=not empty)
    case("MaxPool", [x], lambda x: f(x)[0], attributes, grads=not empty)
    for include in (0, 1):
        a = {**attributes, "count_include_pad": include}
        g = (lambda x: x.new_zeros(0, 2, 3, 3)) if empty else (lambda x: pool(x, a, True))
        case("AveragePool", [x], g, a, grads=not empty)
a = {"kernel_shape": [2, 3], "strides": [1, 2], "storage_order": 1}
case("MaxPool", [draw(2, 2, 4, 5)], lambda x: pool(x, a, False), a)
for dtype, low, high in ((torch.int8, -128, 128), (torch.uint8, 0, 256)):
    a = {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1]}
    case("MaxPool", [torch.randint(low, high, (1, 2, 3, 3), dtype=dtype)], lambda x: pool(x, a, False), a)
for shape in ([2, 3, 4, 5], [1, 2, 7], [2, 1, 2, 3, 2]):
    dims = list(range(2, len(shape)))
    case("GlobalAveragePool", [draw(*shape)], lambda x: x.mean(dims, keepdim=True))
    case("GlobalMaxPool", [draw(*shape)], lambda x: x.amax(dims, keepdim=True))

# Normalisation
for shape in ([3, 4], [2, 3, 4], [2, 3, 2, 3], [4, 5, 3, 2]):
    channels = shape[1]
    wide = [1, channels] + [1] * (len(shape) - 2)
    dims = [d for d in range(len(shape)) if d != 1]
    inputs = [draw(*shape), draw(channels), draw(channels), draw(channels), draw(channels).abs() + 0.5]

    def train(x, scale, b, mean, var, momentum=0.8, eps=1e-3):
        y = F.batch_norm(x, None, None, scale, b, True, 0.0, eps)
        batch_mean, batch_var = x.mean(dims), x.var(dims, unbiased=False)
        return (y, (mean * momentum + batch_mean * (1 - momentum)).detach(),
                (var * momentum + batch_var * (1 - momentum)).detach())
    case("BatchNormalization", inputs, train, {"training_mode": 1, "momentum": 0.8, "epsilon": 1e-3})
    case("BatchNormalization", inputs, lambda *v: train(*v)[0], {"training_mode": 1, "momentum": 0.8, "epsilon": 1e-3})
    case("BatchNormalization", inputs, lambda x, s, b, m, v: (x - m.reshape(wide)) / torch.sqrt(v.reshape(wide) + 1e-5)
         * s.reshape(wide) + b.reshape(wide))
for shape, axis in (([3, 7], -1), ([2, 3, 4], 1), ([2, 3, 4], -1), ([2, 2, 5], 2), ([0, 4], -1), ([5, 33], 1)):
    dims = shape[axis:]

    def layer(x, scale, b=None, eps=1e-4, stats=True):
        over = list(range(axis % len(shape), len(shape)))
        mean = x.mean(over, keepdim=True)
        inverse = 1 / torch.sqrt(x.var(over, unbiased=False, keepdim=True) + eps)
        return F.layer_norm(x, dims, scale, b, eps), mean.detach(), inverse.detach()
    a = {"axis": axis, "epsilon": 1e-4}
    case("LayerNormalization", [draw(*shape), draw(*dims), draw(*dims)], layer, a)
    case("LayerNormalization", [draw(*shape), draw(*dims)], lambda *v: layer(*v)[0], a)

# Softmax
for shape, axis in (([3, 5], -1), ([3, 5], 0), ([2, 3, 4], 1), ([2, 3, 4], -2), ([7], 0), ([0, 3], 1), ([2, 40], 1)):
    case("Softmax", [draw(*shape, scale=3)], lambda x: torch.softmax(x, axis), {"axis": axis})
    case("LogSoftmax", [draw(*shape, scale=3)], lambda x: torch.log_softmax(x, axis), {"axis": axis})
case("Softmax", [torch.tensor([[1024.0, 1016.0, -1024.0], [-1000.0, -1000.0, -1000.0]])], lambda x: torch.softmax(x, 1))
case("LogSoftmax", [torch.tensor([[1024.0, 1016.0, -1024.0]])], lambda x: torch.log_softmax(x, 1))

# Losses over classes
for shape in ([4, 5], [3, 4, 2], [2, 3, 2, 3], [6, 10]):
    labels = torch.randint(0, shape[1], [shape[0]] + shape[2:])
    ignored = labels.clone()
    ignored.reshape(-1)[::3] = -1
    weights = draw(shape[1]).abs() + 0.1
    for reduction in ("none", "sum", "mean"):
        for target, a in ((labels, {}), (ignored, {"ignore_index": -1}), (labels, {"ignore_index": 1})):
            for w in (None, weights):
                inputs = [draw(*shape), target.to(torch.int32) if reduction == "sum" else target] + ([w] if w is not None
                                                                                                    else [])
                options = dict(reduction=reduction, ignore_index=a.get("ignore_index", -100))
                attributes = {**a, "reduction": reduction}
                loss = lambda f, x, t, w=None: f(x, t.long(), w, **options)
                case("NegativeLogLikelihoodLoss", inputs, lambda *v: loss(F.nll_loss, *v), attributes, fixed=(2,))
                case("SoftmaxCrossEntropyLoss", inputs, lambda *v: loss(F.cross_entropy, *v), attributes, fixed=(2,))
                if reduction == "mean":
                    case("SoftmaxCrossEntropyLoss", inputs,
                         lambda *v: (loss(F.cross_entropy, *v), F.log_softmax(v[0], 1)), attributes, fixed=(2,))

for reduction in ("none", "sum", "mean"):
    case("percale:BinaryCrossEntropyWithLogits", [draw(3, 4, scale=4), torch.rand(3, 4).round(decimals=3)],
         lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction=reduction), {"reduction": reduction})
    case("percale:Huber", [draw(3, 4, scale=2), draw(3, 4)],
         lambda x, t: F.huber_loss(x, t, reduction=reduction, delta=0.75), {"reduction": reduction, "delta": 0.75})


# The gradient ops themselves. They are linear in dY, so their values are gradients of sums.
def gradient_case(op, forward, f, dy, inputs, attributes):
    """`inputs` has "dY" and the forward op's inputs by number; the outputs are the gradients of
    those in `forward`."""
    leaves = [x.clone().requires_grad_(i in forward) for i, x in enumerate(inputs)]
    y = f(*leaves)
    grads = torch.autograd.grad(y, [leaves[i] for i in forward], dy)
    cases.append({"op": op, "attributes": attributes, "inputs": [], "outputs": [tensor(g) for g in grads], "seeds": [],
                  "grads": []})
    return cases[-1]


x, w, dy = draw(2, 2, 4, 4), draw(3, 2, 2, 2), draw(2, 3, 3, 3)
c = gradient_case("percale:ConvGradInput", [0], F.conv2d, dy, [x, w], {"spatial_shape": [4, 4]})
c.update(inputs=[tensor(dy), tensor(w)])
c = gradient_case("percale:ConvGradWeight", [1, 2], F.conv2d, dy, [x, w, draw(3)], {"kernel_shape": [2, 2]})
c.update(inputs=[tensor(x), tensor(dy)])
dy = draw(1, 2, 2, 2)
c = gradient_case("percale:MaxPoolGrad", [0], lambda x: F.max_pool2d(x, 2, 2), dy, [x[:1]],
                  {"kernel_shape": [2, 2], "strides": [2, 2]})
c.update(inputs=[tensor(dy), tensor(x[:1])])
c = gradient_case("percale:AveragePoolGrad", [0], lambda x: F.avg_pool2d(x, 2, 2), dy, [x[:1]],
                  {"kernel_shape": [2, 2], "strides": [2, 2], "spatial_shape": [4, 4]})
c.update(inputs=[tensor(dy)])
x, s, dy = draw(3, 2, 2), draw(2), draw(3, 2, 2)
c = gradient_case("percale:BatchNormalizationGrad", [0, 1, 2],
                  lambda x, s, b: F.batch_norm(x, None, None, s, b, True, 0.0, 1e-5), dy, [x, s, draw(2)],
                  {"training_mode": 1})
c.update(inputs=[tensor(dy), tensor(x), tensor(s)])
c = gradient_case("percale:LayerNormalizationGrad", [0, 1, 2], lambda x, s, b: F.layer_norm(x, [2], s, b, 1e-5), dy,
                  [x, s, draw(2)], {})
c.update(inputs=[tensor(dy), tensor(x), tensor(s)])
x, t, d = draw(4, 3), torch.tensor([0, 2, 1, 1]), draw()
c = gradient_case("percale:SoftmaxCrossEntropyGrad", [0], lambda x: F.cross_entropy(x, t), d, [x], {})
c.update(inputs=[tensor(d), tensor(x), tensor(t)])
c = gradient_case("percale:NegativeLogLikelihoodGrad", [0], lambda x: F.nll_loss(x, t), d, [x], {})
c.update(inputs=[tensor(d), tensor(x), tensor(t)])


# Optimizers: five steps in f64
def optimizer(op, make, attributes, rate, slots):
    p = draw(3, 2).requires_grad_(True)
    start, grads, params = p.detach().clone(), [], []
    o = make([p], rate)
    for _ in range(5):
        grads.append(draw(3, 2))
        p.grad = grads[-1].clone()
        o.step()
        params.append(p.detach().clone())
    optimizers.append({"op": op, "attributes": attributes, "learning_rate": rate, "slots": slots, "param": tensor(start),
                       "grads": [tensor(g) for g in grads], "params": [tensor(q) for q in params]})


for decay in (0.0, 0.03):
    d = {"weight_decay": decay}
    optimizer("percale:ApplySGD", lambda p, lr: torch.optim.SGD(p, lr, weight_decay=decay), d, 0.1, 0)
    for nesterov in (0, 1):
        optimizer("percale:ApplyMomentum",
                  lambda p, lr: torch.optim.SGD(p, lr, 0.8, weight_decay=decay, nesterov=bool(nesterov)),
                  {**d, "momentum": 0.8, "nesterov": nesterov}, 0.05, 1)
    optimizer("percale:ApplyAdam", lambda p, lr: torch.optim.Adam(p, lr, (0.8, 0.95), 1e-6, decay),
              {**d, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-6}, 0.02, 2)
    optimizer("percale:ApplyAdamW", lambda p, lr: torch.optim.AdamW(p, lr, (0.8, 0.95), 1e-6, decay),
              {**d, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-6}, 0.02, 2)
    optimizer("percale:ApplyRMSProp", lambda p, lr: torch.optim.RMSprop(p, lr, 0.9, 1e-6, decay),
              {**d, "alpha": 0.9, "epsilon": 1e-6}, 0.01, 1)
    optimizer("percale:ApplyRMSProp", lambda p, lr: torch.optim.RMSprop(p, lr, 0.9, 1e-6, decay, 0.7),
              {**d, "alpha": 0.9, "epsilon": 1e-6, "momentum": 0.7}, 0.01, 2)
    optimizer("percale:ApplyAdagrad", lambda p, lr: torch.optim.Adagrad(p, lr, weight_decay=decay), d, 0.1, 1)



# PyTorch has none of these: their published formulas (Keras 3's Ftrl, Lion and Lamb give the same).
class Written:
    def __init__(self, params, rate, update):
        self.p, self.rate, self.update, self.state, self.t = params[0], rate, update, {}, 0

    def step(self):
        self.t += 1
        with torch.no_grad():
            self.update(self.p, self.p.grad, self.state, self.rate, self.t)


def ftrl(power=-0.5, l1=0.0, l2=0.0, l2_shrinkage=0.0, beta=0.0):
    def update(p, g, s, lr, t):
        n, z = s.get("n", torch.zeros_like(p)), s.get("z", torch.zeros_like(p))
        new = n + g * g
        z = z + g + 2 * l2_shrinkage * p - (new ** -power - n ** -power) / lr * p
        p.copy_((z.clamp(-l1, l1) - z) / (new ** -power / lr + 2 * (l2 + beta / (2 * lr))))
        s.update(n=new, z=z)
    return update


def lion(beta1, beta2, decay):
    def update(p, g, s, lr, t):
        m = s.get("m", torch.zeros_like(p))
        p.sub_(lr * (torch.sign(beta1 * m + (1 - beta1) * g) + decay * p))
        s["m"] = beta2 * m + (1 - beta2) * g
    return update


def lamb(beta1, beta2, epsilon, decay):
    def update(p, g, s, lr, t):
        m = s["m"] = beta1 * s.get("m", torch.zeros_like(p)) + (1 - beta1) * g
        v = s["v"] = beta2 * s.get("v", torch.zeros_like(p)) + (1 - beta2) * g * g
        u = m / (1 - beta1 ** t) / (torch.sqrt(v / (1 - beta2 ** t)) + epsilon) + decay * p
        p.sub_(lr * torch.linalg.norm(p) / torch.linalg.norm(u) * u)
    return update


for a in ({}, {"l1": 0.3, "l2": 0.2, "l2_shrinkage": 0.1, "beta": 0.5}, {"learning_rate_power": -0.7, "l1": 0.1}):
    rest = {("power" if k == "learning_rate_power" else k): v for k, v in a.items()}
    optimizer("percale:ApplyFtrl", lambda p, lr: Written(p, lr, ftrl(**rest)), a, 0.1, 2)
for decay in (0.0, 0.03):
    d = {"weight_decay": decay}
    optimizer("percale:ApplyLion", lambda p, lr: Written(p, lr, lion(0.8, 0.95, decay)), {**d, "beta1": 0.8, "beta2": 0.95},
              0.02, 1)
    optimizer("percale:ApplyLAMB", lambda p, lr: Written(p, lr, lamb(0.8, 0.95, 1e-6, decay)),
              {**d, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-6}, 0.02, 2)

# With "rows": prints a few small cases of each op for the op tables, whose own test checks their
# gradients against differences, also with only the ranks known.
if len(sys.argv) > 1 and sys.argv[1] == "rows":
    count = {}
    LINEAR = {"percale:ConvGradInput": [0, 1], "percale:ConvGradWeight": [0, 1], "percale:MaxPoolGrad": [0],
              "percale:AveragePoolGrad": [0]}
    for c in cases:
        size = sum(math.prod(t[1]) for t in c["inputs"] + c["outputs"])
        explicit = "output_shape" not in c["attributes"] and size > 0
        if size > 250 or not explicit or count.get(c["op"], 0) >= 5:
            continue
        count[c["op"]] = count.get(c["op"], 0) + 1
        form = lambda t: {"d": t[0], "s": t[1], "v": t[2]}
        grad = [i for i, g in enumerate(c["grads"]) if g is not None] or LINEAR.get(c["op"], [])
        if any(s is None and y is not None and y[0] == "f64" for s, y in zip(c["seeds"], c["outputs"])):
            grad = []  # an output has no gradient
        row = {"op": c["op"], "attrs": c["attributes"], "in": [form(t) for t in c["inputs"]],
               "out": [form(t) for t in c["outputs"]], "tol": 1e-8}
        if grad:
            row["grad"] = grad
            row["grad2"] = c["op"] in ("MatMul", "Gemm", "percale:BatchMatMul", "Conv", "ConvTranspose", "AveragePool",
                                       "MaxPool", "GlobalAveragePool", "Softmax", "LogSoftmax")
        print(json.dumps(row, separators=(",", ":")))
    for o in optimizers:
        if o["op"] in count:
            continue
        count[o["op"]] = 1
        zeros = {"d": "f64", "s": o["param"][1], "v": [0] * len(o["param"][2])}
        inputs = [form(o["param"]), form(o["grads"][0])] + [zeros] * o["slots"]
        if o["op"] == "percale:ApplyRMSProp":
            inputs.append(None)
        inputs.append({"d": "f64", "s": [], "v": [o["learning_rate"]]})
        if "Adam" in o["op"] or "LAMB" in o["op"]:
            inputs.append({"d": "i64", "s": [], "v": [1]})
        print(json.dumps({"op": o["op"], "attrs": o["attributes"], "in": inputs,
                          "out": [form(o["params"][0])] + [None] * o["slots"], "tol": 1e-8}, separators=(",", ":")))
    sys.exit()

lines = [json.dumps(c, separators=(",", ":")) for c in cases]
steps = [json.dumps(o, separators=(",", ":")) for o in optimizers]
sys.stdout.write('{"cases":[\n' + ",\n".join(lines) + '\n],"optimizers":[\n' + ",\n".join(steps) + "\n]}\n")
