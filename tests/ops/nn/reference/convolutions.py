"""Conv and ConvTranspose."""
import torch.nn.functional as F

from reference.case import case, cases, draw
from reference.pads import same_pads, torch_pads


def add():
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
