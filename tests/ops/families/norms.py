"""Norms and normalizations, by formulas in numpy in f64."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def reduce_body(t):
    def log_sum_exp(x, **k):
        most = np.max(x, keepdims=True, initial=-1e300, **{n: v for n, v in k.items() if n == "axis"})
        with np.errstate(all="ignore"):
            shifted = np.log(np.sum(np.exp(x - most), **k))
        return shifted + np.sum(most, **k) if most.size else shifted

    forms = {"ReduceL1": lambda x, **k: np.sum(np.abs(x), **k), "ReduceL2": lambda x, **k: np.sqrt(np.sum(x * x, **k)),
             "ReduceSumSquare": lambda x, **k: np.sum(x * x, **k), "ReduceLogSum": lambda x, **k: np.log(np.sum(x, **k)),
             "ReduceLogSumExp": log_sum_exp}
    for op, f in forms.items():
        low, high = (0.2, 3) if op == "ReduceLogSum" else (-2, 2)
        for dtype in FLOATS + [np.int32, np.int64, np.uint32, np.uint64]:
            integer = np.dtype(dtype).kind in "iu"
            x = whole((3, 4, 5), dtype, 7, 1, 9) if integer else floats((3, 4, 5), 7, low, high, dtype)
            if op in ("ReduceL1", "ReduceSumSquare") and np.dtype(dtype).kind == "i":
                x = whole((3, 4, 5), dtype, 7)
            for axes in [(1,), (0, 2), (-1,)]:
                t.row(op, x, i64(*axes), keepdims=0, out=f(x.astype(F64), axis=axes).astype(dtype),
                      tol=4 * TOLERANCE.get(np.dtype(dtype).name, 0))
        x = floats((3, 4, 5), 8, low, high)
        wide = x.astype(F64)
        t.row(op, x, out=f(wide, keepdims=True).astype(F32), tol=4e-6, note="no axes: all")
        t.row(op, x, out=f(wide).astype(F32), tol=4e-6, keepdims=0)
        t.row(op, x, i64(), keepdims=0, out=f(wide).astype(F32), tol=4e-6, note="empty axes: all")
        t.row(op, x, i64(0), out=f(wide, axis=0, keepdims=True).astype(F32), tol=4e-6)
        each = f(wide[..., None], axis=-1).astype(F32)
        t.row(op, x, noop_with_empty_axes=1, out=each, tol=4e-6, note="no reduction, the rest of the formula")
        t.row(op, x, i64(), noop_with_empty_axes=1, keepdims=0, out=each, tol=4e-6)
        nothing = -np.inf if "Log" in op else 0
        t.row(op, empty(2, 0, 3), i64(1), out=np.full((2, 1, 3), nothing, F32), note="of nothing")
        t.row(op, x, i64(3), error="out of range")
        for axes, keep in [((1,), 0), ((0, 2), 1), ((-1, 0), 0)]:
            t.row(op, floats((2, 3, 2), 3, low, high), i64(*axes), keepdims=keep, out=False, grad=[0], grad2=True)
        t.row(op, floats((2, 3), 3, low, high), keepdims=0, out=False, grad=[0])
        t.row(op, floats((2, 3), 3, low, high), i64(), keepdims=0, out=False, grad=[0])
        t.row(op, floats((2, 3), 3, low, high), noop_with_empty_axes=1, out=False, grad=[0])
    t.row("ReduceL2", np.zeros((2, 3)), i64(1), out=np.zeros((2, 1)), grad=[0], note="flat at 0")
    t.row("ReduceLogSumExp", F32([1000, 1000]), keepdims=0, out=F32(1000 + np.log(2)), tol=1e-6, note="no overflow")
    t.row("ReduceLogSumExp", F32([[-np.inf, -np.inf], [np.inf, 0]]), i64(1), keepdims=0, out=F32([-np.inf, np.inf]))
    t.row("ReduceSumSquare", np.int32([2**16, 1]), keepdims=0, out=np.int32(1), note="wraps")


def norm_body(t):
    def per_channel(v, rank):
        return v.astype(F64).reshape((1, -1) + (1,) * (rank - 2))

    def standard(x, axes, epsilon):
        return (x - x.mean(axis=axes, keepdims=True)) / np.sqrt(x.var(axis=axes, keepdims=True) + epsilon)

    for dtype in FLOATS:
        tol = 4 * TOLERANCE[np.dtype(dtype).name]
        for dims in [(2, 4, 3), (2, 4, 2, 3), (1, 4, 2, 1, 2)] if dtype == F32 else [(2, 4, 3)]:
            x, scale, bias = (some(s, dtype, i) for i, s in enumerate([dims, dims[1:2], dims[1:2]]))
            wide, rank = x.astype(F64), len(dims)
            y = standard(wide, tuple(range(2, rank)), 0.01) * per_channel(scale, rank) + per_channel(bias, rank)
            t.row("InstanceNormalization", x, scale, bias, epsilon=0.01, out=y.astype(dtype), tol=tol)
            for groups in (1, 2, dims[1]) if dtype == F32 else (2,):
                y = standard(wide.reshape(dims[0], groups, -1), 2, 1e-5).reshape(dims)
                y = y * per_channel(scale, rank) + per_channel(bias, rank)
                t.row("GroupNormalization", x, scale, bias, num_groups=groups, out=y.astype(dtype), tol=2 * tol)
            y = (wide - wide.mean(axis=(0, 2), keepdims=True)) / (wide.std(axis=(0, 2), keepdims=True) + 1e-9)
            t.row("MeanVarianceNormalization", x, axes=[0, 2], out=y.astype(dtype), tol=2 * tol)
            for size in (1, 2, 3, 9) if dtype == F32 else (3,):
                squares = np.zeros(dims)
                for c in range(dims[1]):
                    first, last = max(0, c - (size - 1) // 2), min(dims[1], c + size // 2 + 1)
                    squares[:, c] = (wide[:, first:last] ** 2).sum(axis=1)
                y = wide / (2 + 0.3 / size * squares) ** 0.6
                t.row("LRN", x, size=size, alpha=0.3, beta=0.6, bias=2.0, out=y.astype(dtype), tol=tol)
            for axis in (0, 1, -1):
                for p in (1, 2):
                    norm = (np.abs(wide) ** p).sum(axis=axis, keepdims=True) ** (1 / p)
                    t.row("LpNormalization", x, axis=axis, p=p, out=(wide / norm).astype(dtype), tol=tol)
    x, scale, bias = floats((2, 4, 3), 1, dtype=F64), floats((4,), 2, dtype=F64), floats((4,), 3, dtype=F64)
    t.row("InstanceNormalization", x, scale, bias, out=False, grad=[0, 1, 2], grad2=True, epsilon=0.25)
    t.row("GroupNormalization", x, scale, bias, num_groups=2, out=False, grad=[0, 1, 2], grad2=True, epsilon=0.25)
    t.row("InstanceNormalization", x[:, :, 0], scale, bias, out=np.broadcast_to(bias, (2, 4)), tol=1e-12, note="rank 2")
    t.row("InstanceNormalization", x, bias[:3], bias, error="wanted [4]")
    t.row("InstanceNormalization", floats((3,)), floats((3,)), floats((3,)), error="wanted [N,C,...]")
    t.row("GroupNormalization", x, scale, bias, num_groups=3, error="does not divide the 4 channels")
    t.row("GroupNormalization", x, scale, bias, num_groups=2, stash_type=6, error="stash_type")
    t.row("GroupNormalization", np.zeros((0, 4, 3)), scale, bias, num_groups=2, out=np.zeros((0, 4, 3)))
    x4 = floats((2, 3, 2, 2), 4, dtype=F64)
    t.row("MeanVarianceNormalization", x4, out=standard(x4, (0, 2, 3), 0), tol=1e-8, note="default axes")
    t.row("MeanVarianceNormalization", x4, out=False, grad=[0])
    t.row("MeanVarianceNormalization", x, axes=[0, 3], error="out of range")
    t.row("LRN", x4, size=3, alpha=0.5, out=False, grad=[0], grad2=True)
    t.row("LRN", x, size=2, out=(x / (1 + 1e-4 / 2 * (x**2 + np.pad(x, ((0, 0), (0, 1), (0, 0)))[:, 1:] ** 2)) ** 0.75),
          tol=1e-12, note="defaults; the longer half lies behind")
    t.row("LpNormalization", x4, out=False, grad=[0], grad2=True)
    t.row("LpNormalization", x4, p=1, axis=1, out=False, grad=[0])
    t.row("LpNormalization", F32([[0, 0], [3, 4]]), out=F32([[0, 0], [0.6, 0.8]]), tol=1e-7, note="the norm 0")
    t.row("LpNormalization", x4, p=3, error="p")
    t.row("LpNormalization", x4, axis=4, error="out of range")


def shard_batch(t):
    """A run without other shards: the mean is X itself, and the statistics are those of X."""
    x, scale, bias, mean, var = (floats(s, i, 0.2, 2, F64) for i, s in enumerate([(4, 3, 5)] + 4 * [(3,)]))
    for transposed in (0, 1):
        t.row("percale:ShardMean", x, transposed=transposed, out=x, grad=[0])
    t.row("percale:ShardMean", empty(0, 3), out=empty(0, 3))
    for dtype in (F32, F64):
        for dims in [(4, 3), (4, 3, 5), (2, 3, 4, 2)]:
            v = floats(dims, 7, -2, 2, dtype)
            inputs = [a.astype(dtype) for a in (scale, bias, mean, var)]
            axes, wide, across = tuple(d for d in range(len(dims)) if d != 1), v.astype(F64), (1, -1) + (1,) * (len(dims) - 2)
            m, s2 = wide.mean(axis=axes), wide.var(axis=axes)
            y = (wide - m.reshape(across)) / np.sqrt(s2.reshape(across) + 0.01) * scale.reshape(across) + bias.reshape(across)
            outs = [y, 0.75 * mean + 0.25 * m, 0.75 * var + 0.25 * s2]
            t.row("percale:SynchronizedBatchNormalization", v, *inputs, epsilon=0.01, momentum=0.75,
                  out=[o.astype(dtype) for o in outs], tol=1e-5 if dtype == F32 else 1e-12)
    t.row("percale:SynchronizedBatchNormalization", x, scale, bias, mean, var, out=False, grad=[0, 1, 2])
    t.row("percale:SynchronizedBatchNormalization", x, scale, bias[:2], mean, var, error="B has shape")
    t.row("percale:SynchronizedBatchNormalization", x[0, 0], scale, bias, mean, var, error="wanted X [N,C,...]")


def lp_pool(t):
    def pool(x, kernel, strides, pads, dilations, p, ceil):
        rank = len(kernel)
        wide = np.abs(x.astype(F64)) ** p
        out = []
        for d in range(rank):
            room = x.shape[d + 2] + pads[d] + pads[rank + d] - (kernel[d] - 1) * dilations[d] - 1
            n = (-(-room // strides[d]) if ceil else room // strides[d]) + 1
            if ceil and (n - 1) * strides[d] >= x.shape[d + 2] + pads[d]:
                n -= 1
            out.append(n)
        y = np.zeros(x.shape[:2] + tuple(out))
        for at in np.ndindex(*out):
            for k in np.ndindex(*kernel):
                q = [a * s + j * d - b for a, s, j, d, b in zip(at, strides, k, dilations, pads)]
                if all(0 <= i < n for i, n in zip(q, x.shape[2:])):
                    y[(slice(None), slice(None)) + at] += wide[(slice(None), slice(None)) + tuple(q)]
        return y ** (1 / p)

    for dtype in FLOATS:
        tol = 4 * TOLERANCE[np.dtype(dtype).name]
        x = floats((2, 2, 7, 6), 3, dtype=dtype)
        for p in (1, 2, 3) if dtype == F32 else (3,):
            for strides, pads, dilations, ceil in [((1, 1), (0, 0, 0, 0), (1, 1), 0), ((2, 3), (1, 0, 1, 1), (1, 1), 0),
                                                   ((2, 2), (0, 1, 0, 0), (2, 1), 0), ((3, 2), (0, 0, 0, 0), (1, 1), 1),
                                                   ((2, 2), (1, 1, 1, 1), (1, 1), 1)]:
                y = pool(x, (2, 3), strides, pads, dilations, p, ceil)
                t.row("LpPool", x, kernel_shape=[2, 3], strides=list(strides), pads=list(pads), dilations=list(dilations),
                      p=p, ceil_mode=ceil, out=y.astype(dtype), tol=tol)
            y = (np.abs(x.astype(F64)) ** p).sum(axis=(2, 3), keepdims=True) ** (1 / p)
            t.row("GlobalLpPool", x, p=p, out=y.astype(dtype), tol=tol)
    x = floats((1, 2, 5), 3)
    t.row("LpPool", x, kernel_shape=[3], out=pool(x, (3,), (1,), (0, 0), (1,), 2, 0).astype(F32), tol=4e-6)
    same = pool(x, (3,), (2,), (1, 1), (1,), 2, 0)
    t.row("LpPool", x, kernel_shape=[3], strides=[2], auto_pad="SAME_UPPER", out=same.astype(F32), tol=4e-6)
    t.row("LpPool", x, kernel_shape=[3], strides=[2], pads=[1, 1], out=False, grad=[0], grad2=True)
    t.row("LpPool", x, kernel_shape=[2], p=3, out=False, grad=[0])
    t.row("LpPool", x, kernel_shape=[2, 2], error="kernel_shape")
    t.row("LpPool", x, kernel_shape=[9], error="window")
    t.row("GlobalLpPool", x, out=False, grad=[0], grad2=True)
    t.row("GlobalLpPool", x, p=3, out=False, grad=[0])
    for p in (1, 2, 3):
        nothing = np.zeros((1, 2, 3), F64)
        t.row("GlobalLpPool", nothing, p=p, out=np.zeros((1, 2, 1)), grad=[0], note="flat at 0")
        t.row("LpPool", nothing, p=p, kernel_shape=[2], out=np.zeros((1, 2, 2)), grad=[0], note="flat at 0")
    t.row("GlobalLpPool", floats((3,)), error="wanted [N,C,...]")
