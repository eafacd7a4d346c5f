"""Pools."""
import math

import torch
import torch.nn.functional as F

from reference.case import case, draw
from reference.pads import same_pads


def pool(x, attributes, average):
    """A pool, window by window."""
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


def add():
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
