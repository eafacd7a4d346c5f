"""Convolutions, pools, normalisations, attention and losses in f32, f16 and bf16, compared with
PyTorch in f64 (needs torch). Sizes exceed a tile, a warp or a piece of a kernel. Operands are small
multiples of a power of two, exact in every type."""
import numpy as np

from .rows import BF16, F16, F32, TOLERANCE


def steps(shape, seed, span=3, step=1.0, dtype=F32):
    """Returns multiples of `step`, from -span to span times it."""
    return (np.random.default_rng(seed).integers(-span, span + 1, shape) * step).astype(dtype)


def tolerance(dtype, scale=1):
    return scale * TOLERANCE[np.dtype(dtype).name]


def network(t):
    import torch
    import torch.nn.functional as F

    def wide(x):
        return torch.tensor(np.asarray(x, dtype=np.float64), requires_grad=True)

    def back(x, dtype):
        return x.detach().numpy().astype(dtype)

    conv_of = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
    transposed_of = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}

    def conv(x_shape, w_shape, dtype, stride=1, pad=0, dilation=1, group=1, ops="yxw", bias=True, note=None, seed=1):
        rank = len(x_shape) - 2
        x, w, b = steps(x_shape, seed, dtype=dtype), steps(w_shape, seed + 1, 2, dtype=dtype), steps(w_shape[:1], seed + 2, dtype=dtype)
        wx, ww, wb = wide(x), wide(w), wide(b)
        y = conv_of[rank](wx, ww, wb if bias else None, stride, pad, dilation, group)
        dy = steps(y.shape, seed + 3, 2, dtype=dtype)
        dx, dw, *db = torch.autograd.grad(y, [wx, ww] + ([wb] if bias else []), wide(dy))
        attrs = {"strides": [stride] * rank, "pads": [pad] * 2 * rank, "dilations": [dilation] * rank, "group": group}
        tol = tolerance(dtype)
        if "y" in ops:
            t.row("Conv", x, w, *([b] if bias else []), out=back(y, dtype), tol=tol, note=note, **attrs)
        if "x" in ops:
            t.row("percale:ConvGradInput", dy, w, out=back(dx, dtype), tol=tol, note=note,
                  spatial_shape=list(x_shape[2:]), **attrs)
        if "w" in ops:
            t.row("percale:ConvGradWeight", x, dy, out=[back(g, dtype) for g in [dw] + db], tol=tol, note=note,
                  kernel_shape=list(w_shape[2:]), **attrs)

    conv((2, 4, 9, 9), (20, 4, 3, 3), F32, pad=1, ops="yw", note="more results than a tile holds")
    conv((2, 20, 5, 5), (4, 20, 3, 3), F32, stride=2, pad=1, ops="x", note="more input channels than a tile wants")
    conv((1, 2, 4, 4), (66, 2, 1, 1), F32, ops="y", note="more output channels than a tile holds")
    conv((1, 34, 7), (34, 17, 2), F32, group=2, ops="yx", dilation=3, pad=2, note="tiles of two groups")
    conv((1, 1, 34, 34), (2, 1, 3, 3), F32, ops="w", note="sums in pieces")
    conv((1, 1, 47, 47), (2, 1, 16, 16), F32, ops="w", bias=False, note="tiles of sums in pieces")
    for dtype in (F32, F16, BF16):
        conv((2, 6, 5, 6), (6, 1, 3, 2), dtype, group=6, pad=1, dilation=2, note="depthwise", seed=5)
        conv((1, 2, 3, 4, 5), (4, 1, 2, 2, 2), dtype, group=2, stride=2, pad=1, note="three dims", seed=6)
    for dtype in (F16, BF16):
        conv((1, 17, 6), (18, 17, 3), dtype, pad=1, note="tiles", seed=7)
    for dtype in (F32, BF16):
        x, w, b = steps((2, 3, 4, 5), 8, dtype=dtype), steps((3, 17, 3, 2), 9, 2, dtype=dtype), steps((17,), 10, dtype=dtype)
        y = transposed_of[2](wide(x), wide(w), wide(b), (2, 1), (1, 0), (1, 0))
        t.row("ConvTranspose", x, w, b, out=back(y, dtype), tol=tolerance(dtype), strides=[2, 1], pads=[1, 0, 1, 0],
              output_padding=[1, 0])

    for dtype in (F32, F16, BF16):
        x = steps((2, 3, 7, 6), 11, 40, 0.25, dtype)
        window = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 1, 1, 1]}
        wx = wide(x)
        y, _ = F.max_pool2d(wx, (3, 2), (2, 1), (1, 1), return_indices=True)
        dy = steps(y.shape, 12, dtype=dtype)
        t.row("MaxPool", x, out=back(y, dtype), **window)
        t.row("percale:MaxPoolGrad", dy, x, out=back(torch.autograd.grad(y, wx, wide(dy))[0], dtype), **window)
        wx = wide(x)
        y = F.avg_pool2d(wx, (3, 2), (2, 1), (1, 1), count_include_pad=False)
        t.row("AveragePool", x, out=back(y, dtype), tol=tolerance(dtype), **window)
        t.row("percale:AveragePoolGrad", dy, out=back(torch.autograd.grad(y, wx, wide(dy))[0], dtype),
              tol=tolerance(dtype, 2), spatial_shape=[7, 6], **window)
        x = np.random.default_rng(13).permutation(300).reshape(2, 3, 50).astype(dtype)
        for maximum, op in ((True, "GlobalMaxPool"), (False, "GlobalAveragePool")):
            wx = wide(x)
            y = wx.amax(2, keepdim=True) if maximum else wx.mean(2, keepdim=True)
            t.row(op, x, out=back(y, dtype), tol=tolerance(dtype))
        first = np.argmax(np.asarray(x, np.float64), 2)  # bf16 has ties
        dy, dx = steps((2, 3, 1), 14, dtype=dtype), np.zeros((2, 3, 50), dtype)
        np.put_along_axis(dx, first[:, :, None], dy, 2)
        t.row("percale:MaxPoolGrad", dy, x, out=dx, **{"global": 1})

    def rows_norm(shape, dtype, seed, grad=True):
        size = shape[-1:]
        x, scale, bias = steps(shape, seed, 8, 0.25, dtype), steps(size, seed + 1, dtype=dtype), steps(size, seed + 2, dtype=dtype)
        wx, ws, wb = wide(x), wide(scale), wide(bias)
        y = F.layer_norm(wx, size, ws, wb, 1e-5)
        tol = tolerance(dtype, 2)
        t.row("LayerNormalization", x, scale, bias, out=back(y, dtype), tol=tol)
        if grad:
            dy = steps(shape, seed + 3, dtype=dtype)
            t.row("percale:LayerNormalizationGrad", dy, x, scale, tol=4 * tol,
                  out=[back(g, dtype) for g in torch.autograd.grad(y, [wx, ws, wb], wide(dy))])
        root = wx / torch.sqrt((wx * wx).mean(-1, keepdim=True) + 1e-5)
        t.row("RMSNormalization", x, scale, out=back(root * ws, dtype), tol=tol)

    for dtype in (F32, F16, BF16):
        rows_norm((3, 40), dtype, 20)
        rows_norm((4, 7), dtype, 21)
    rows_norm((1, 1028), F32, 22)
    rows_norm((1, 1025), F32, 23, grad=False)
    rows_norm((130, 5), F32, 24)

    def batch_norm(shape, dtype, seed, whole=True):
        c = shape[1]
        x, dy = steps(shape, seed, 8, 0.25, dtype), steps(shape, seed + 1, dtype=dtype)
        scale, bias, mean = (steps((c,), seed + i, dtype=F32) for i in (2, 3, 4))
        var = np.abs(steps((c,), seed + 5, dtype=F32)) + F32(0.5)
        wx, ws, wb = wide(x), wide(scale), wide(bias)
        tol = tolerance(dtype, 4)
        y = F.batch_norm(wx, wide(mean).detach(), wide(var).detach(), ws, wb, False, 0, 1e-5)
        if whole:
            t.row("BatchNormalization", x, scale, bias, mean, var, out=back(y, dtype), tol=tol)
            grads = torch.autograd.grad(y, [wx, ws, wb], wide(dy))
            t.row("percale:BatchNormalizationGrad", dy, x, scale, mean, var, tol=4 * tol,
                  out=[back(g, d) for g, d in zip(grads, (dtype, F32, F32))])
        y = F.batch_norm(wx, None, None, ws, wb, True, 0, 1e-5)
        dims = [0] + list(range(2, len(shape)))
        m, v = wx.mean(dims), wx.var(dims, unbiased=False)
        running = [back(0.9 * torch.tensor(a) + 0.1 * b, F32) for a, b in ((mean, m), (var, v))]
        t.row("BatchNormalization", x, scale, bias, mean, var, training_mode=1, tol=tol,
              out=[back(y, dtype) if whole else None] + running)
        grads = torch.autograd.grad(y, [wx, ws, wb], wide(dy))
        outs = [back(g, d) for g, d in zip(grads, (dtype, F32, F32))]
        t.row("percale:BatchNormalizationGrad", dy, x, scale, training_mode=1, tol=4 * tol,
              out=outs if whole else [None] + outs[1:])

    for dtype in (F32, F16, BF16):
        batch_norm((3, 5, 2, 4), dtype, 30)
        batch_norm((6, 3), dtype, 31)
    batch_norm((2, 1, 32, 32), F32, 32, whole=False)

    def attention(batch, heads, kv_heads, queries, keys, size, value_size, dtype, seed):
        q = steps((batch, heads, queries, size), seed, 4, 0.25, dtype)
        k = steps((batch, kv_heads, keys, size), seed + 1, 4, 0.25, dtype)
        v = steps((batch, kv_heads, keys, value_size), seed + 2, 4, 0.25, dtype)
        mask = steps((queries, keys), seed + 3, 2, 0.5, dtype)
        mask[:, :min(35, keys // 2)] = -np.inf  # a whole tile of keys that are masked
        share = heads // kv_heads
        ks, vs = (np.repeat(np.asarray(a, np.float64), share, 1) for a in (k, v))
        scores = np.asarray(q, np.float64) @ ks.transpose(0, 1, 3, 2) * 0.5 + np.asarray(mask, np.float64)
        p = np.exp(scores - scores.max(-1, keepdims=True))
        y = p / p.sum(-1, keepdims=True) @ vs
        t.row("percale:FusedAttention", q, k, v, mask, out=y.astype(dtype), tol=tolerance(dtype, 4), scale=0.5)

    attention(1, 2, 1, 37, 75, 6, 10, F32, 40)
    attention(2, 1, 1, 3, 5, 4, 4, F16, 41)
    attention(2, 1, 1, 3, 5, 4, 4, BF16, 42)

    for dtype, count in ((F32, 2050), (F32, 20), (F16, 20), (BF16, 20)):
        x, y = steps((count,), 50, 6, 0.5, dtype), steps((count,), 51, 1, dtype=dtype)
        for reduction in ("mean",) if count > 100 else ("none", "sum", "mean"):
            with torch.no_grad():
                a, b = wide(x), wide(np.abs(y))
                t.row("percale:BinaryCrossEntropyWithLogits", x, np.abs(y), reduction=reduction, tol=tolerance(dtype),
                      out=back(F.binary_cross_entropy_with_logits(a, b, reduction=reduction), dtype))
                t.row("percale:Huber", x, y, reduction=reduction, delta=1.5, tol=tolerance(dtype),
                      out=back(F.huber_loss(a, wide(y), reduction=reduction, delta=1.5), dtype))
