"""Pads of convolutions and pools."""
import math


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
