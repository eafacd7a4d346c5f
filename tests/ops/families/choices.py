"""Ops that select, move or scatter elements: TopK, Unique, Compress, images, sequences, windows."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def topk(t):
    def best(x, k, axis, largest):
        order = np.argsort(-x.astype(F64) if largest else x.astype(F64), axis=axis, kind="stable")
        places = np.take(order, np.arange(k), axis=axis)
        return [np.take_along_axis(x, places, axis), places.astype(np.int64)]

    for dtype in NUMERIC:
        x = whole((3, 5, 4), dtype, 4, -4, 4)
        for largest in (0, 1):
            for axis in (0, 1, -1):
                t.row("TopK", x, i64(2), axis=axis, largest=largest, out=best(x, 2, axis, largest))
    x = floats((3, 7), 5)
    t.row("TopK", x, i64(3), out=best(x, 3, -1, 1), note="defaults")
    t.row("TopK", x, i64(7), sorted=0, out=best(x, 7, -1, 1))
    t.row("TopK", x, i64(0), out=[empty(3, 0), np.zeros((3, 0), np.int64)])
    t.row("TopK", np.uint64([2**64 - 1, 0, 2**63]), i64(2), out=[np.uint64([2**64 - 1, 2**63]), i64(0, 2)])
    t.row("TopK", np.int64([-2**63, 2**63 - 1, -1]), i64(2), out=[np.int64([2**63 - 1, -1]), i64(1, 2)])
    odd = F32([0.0, np.nan, -np.inf, np.inf, -0.0])
    t.row("TopK", odd, i64(4), out=[F32([np.nan, np.inf, 0.0, -0.0]), i64(1, 3, 0, 4)], note="NaN is greatest, 0 is -0")
    t.row("TopK", odd, i64(2), largest=0, out=[F32([-np.inf, 0.0]), i64(2, 0)])
    for largest, axis in [(1, 0), (0, 1)]:
        t.row("TopK", floats((3, 4), 6), i64(2), axis=axis, largest=largest, out=False, outputs=2, grad=[0], grad2=True)
    t.row("TopK", x, i64(8), error="K is 8", outputs=2)
    t.row("TopK", x, i64(-1), error="K is -1", outputs=2)
    t.row("TopK", x, i64(1, 2), error="K must hold one number", outputs=2)
    t.row("TopK", x, i64(1), axis=2, error="out of range", outputs=2)


def padded(numbers, size):
    return np.pad(np.asarray(numbers, np.int64), (0, size - len(numbers)))


def select(t):
    for dtype in NUMERIC + [np.bool_]:
        x = (whole((3, 4), np.int32, 3) % 3).astype(dtype)
        for mask, axis in [([True, False, True], 0), ([False, True, True, True], 1), ([False, True], -1), ([False] * 3, 0)]:
            t.row("Compress", x, np.array(mask), axis=axis, out=np.compress(mask, x, axis=axis))
        mask = np.arange(12) % 3 == 1
        t.row("Compress", x, mask, out=np.compress(mask, x))
        t.row("NonZero", x, out=np.stack(np.nonzero(x)))
        t.row("percale:NonZeroPlaces", x, out=[padded(np.flatnonzero(x), 12), i64(np.count_nonzero(x))])
        y, first, inverse, counts = np.unique(x.astype(np.int64), True, True, True)
        t.row("Unique", x, out=[y.astype(dtype), first, inverse.reshape(-1), counts])
        order = np.argsort(first)
        renamed = np.argsort(order)[inverse.reshape(-1)]
        t.row("Unique", x, sorted=0, out=[y[order].astype(dtype), first[order], renamed, counts[order]])
        t.row("percale:DistinctSlices", x, out=[padded(first, 12), inverse.reshape(-1), padded(counts, 12), i64(len(y))])
        t.row("percale:DistinctSlices", x, sorted=0,
              out=[padded(first[order], 12), renamed, padded(counts[order], 12), i64(len(y))])
    x = floats((2, 3, 2), 3)
    t.row("Compress", x, np.array([True, False, True]), axis=1, out=False, grad=[0], grad2=True)
    t.row("Compress", x, np.array([True, False, True]), axis=-2, out=False, grad=[0])
    t.row("Compress", x, np.arange(9) % 2 == 0, out=False, grad=[0])
    t.row("Compress", x, np.array([False, False, False, True]), axis=1, error="index 3")
    t.row("Compress", x, np.array([True]), axis=3, error="out of range")
    t.row("Compress", x, np.array([[True]]), axis=0, error="rank 1")
    t.row("Compress", empty(0, 3), np.array([False, True]), axis=1, out=empty(0, 1))
    t.row("NonZero", F32([[0, np.nan, -0.0], [np.inf, 1e-45, 0]]), out=i64([0, 1, 1], [1, 0, 1]), note="NaN is not zero")
    t.row("NonZero", F32(4), out=np.zeros((0, 1), np.int64), note="rank 0: no coordinates")
    t.row("NonZero", F32(0), out=np.zeros((0, 0), np.int64))
    t.row("NonZero", empty(0, 3), out=np.zeros((2, 0), np.int64))
    t.row("percale:NonZeroPlaces", empty(0, 3), out=[i64(), i64(0)])
    x = np.int32([[[1, 2], [3, 4]], [[1, 2], [3, 3]], [[0, 9], [9, 9]], [[1, 2], [3, 4]]])
    for axis in (0, 1, 2, -1):
        y, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
        t.row("Unique", x, axis=axis, out=[y, first, inverse.reshape(-1), counts])
        size = x.shape[axis]
        t.row("percale:DistinctSlices", x, axis=axis,
              out=[padded(first, size), inverse.reshape(-1), padded(counts, size), i64(len(first))])
    t.row("Unique", F32([2, np.nan, -0.0, np.nan, 0, 2]), out=[F32([0, 2, np.nan]), i64(2, 0, 1), i64(1, 2, 0, 2, 0, 1),
                                                             i64(2, 2, 2)])
    t.row("Unique", F32([3, 1]), out=F32([1, 3]), note="the elements alone")
    t.row("Unique", F32(4), out=[F32([4]), i64(0), i64(0), i64(1)], note="rank 0")
    t.row("Unique", empty(0), out=[empty(0), i64(), i64(), i64()])
    t.row("Unique", x, axis=3, error="out of range")
    t.row("percale:DistinctSlices", x, axis=3, error="out of range")
    t.row("percale:DistinctSlices", empty(0), out=[i64(), i64(), i64(), i64(0)])


def blocks(t):
    for dtype in NUMERIC + [np.bool_]:
        x = (whole((2, 8, 2, 3), np.int32, 3) % 5).astype(dtype)
        for mode, order in [("DCR", (0, 3, 4, 1, 5, 2)), ("CRD", (0, 1, 4, 2, 5, 3))]:
            split = x.reshape((2, 2, 2, 2, 2, 3))
            t.row("DepthToSpace", x, blocksize=2, mode=mode, out=split.transpose(order).reshape(2, 2, 4, 6))
        x = (whole((2, 3, 4, 6), np.int32, 3) % 5).astype(dtype)
        y = np.concatenate([x[:, :, i::2, j::2] for i in range(2) for j in range(2)], axis=1)
        t.row("SpaceToDepth", x, blocksize=2, out=y)
        t.row("CenterCropPad", x, i64(1, 4, 7, 6), out=crop(x, (1, 4, 7, 6), range(4)))
    x = floats((1, 4, 2, 2), 1)
    t.row("DepthToSpace", x, blocksize=2, out=False, grad=[0], grad2=True)
    t.row("DepthToSpace", x, blocksize=2, mode="CRD", out=False, grad=[0])
    t.row("SpaceToDepth", x, blocksize=2, out=False, grad=[0], grad2=True)
    t.row("DepthToSpace", x, blocksize=3, error="do not divide")
    t.row("DepthToSpace", x, blocksize=0, error="blocksize")
    t.row("DepthToSpace", x, blocksize=2, mode="DRC", error="wanted DCR or CRD")
    t.row("DepthToSpace", x[0], blocksize=2, error="wanted an input [N,C,H,W]")
    t.row("SpaceToDepth", x, blocksize=3, error="do not divide")
    t.row("SpaceToDepth", empty(0, 1, 2, 2), blocksize=2, out=empty(0, 4, 1, 1))
    x = floats((5, 4, 3), 2)
    for dims, axes in [((2, 4, 4), None), ((8, 3), (0, 2)), ((2,), (-1,)), ((7, 1), (-2, 0)), ((0, 5), (0, 1))]:
        attrs = {} if axes is None else {"axes": list(axes)}
        t.row("CenterCropPad", x, i64(*dims), out=crop(x, dims, axes or range(3)), **attrs)
    t.row("CenterCropPad", x, np.int32([3, 5]), axes=[0, 1], out=False, grad=[0], grad2=True)
    t.row("CenterCropPad", x, i64(3, 5), error="2 dims, but there are 3 axes")
    t.row("CenterCropPad", x, i64(3, 5), axes=[0, 3], error="out of range")
    t.row("CenterCropPad", x, i64(-3), axes=[0], error="must be in [0, 2^40]")


def crop(x, dims, axes):
    for want, axis in zip(dims, axes):
        have, axis = x.shape[axis], axis % x.ndim
        if want <= have:
            first = (have - want) // 2
            x = np.take(x, np.arange(first, first + want), axis=axis)
        else:
            pads = [(0, 0)] * x.ndim
            pads[axis] = ((want - have) // 2, want - have - (want - have) // 2)
            x = np.pad(x, pads)
    return x


def sequence_rows(t):
    for dtype in NUMERIC + [np.bool_]:
        x = (whole((3, 4, 2), np.int32, 3) % 5).astype(dtype)
        for time, batch, lengths in [(0, 1, (3, 0, 1, 2)), (1, 0, (4, 1, 3))]:
            y = x.copy()
            for b, n in enumerate(lengths):
                at = (slice(0, n), b) if time == 0 else (b, slice(0, n))
                y[at] = x[at][::-1]
            t.row("ReverseSequence", x, i64(*lengths), time_axis=time, batch_axis=batch, out=y)
    x = floats((3, 2, 2), 1)
    t.row("ReverseSequence", x, i64(3, 2), out=False, grad=[0], grad2=True)
    t.row("ReverseSequence", x, i64(4, 2), error="out of range")
    t.row("ReverseSequence", x, i64(-1, 2), error="out of range")
    t.row("ReverseSequence", x, i64(1, 2, 3), error="wanted [2]")
    t.row("ReverseSequence", x, i64(1, 2), time_axis=1, error="must differ, both are 1")
    t.row("ReverseSequence", floats((3,)), i64(1), error="rank 2 or more")

    small = [k for k in SMALL if SMALL[k] not in ("i2", "u2")]
    for dtype in NUMERIC + [np.bool_] + small:
        numbers = lambda dims, seed: (whole(dims, np.int32, seed) % 2).astype(dtype)
        cache, update = numbers((2, 3, 5, 2), 1), numbers((2, 3, 2, 2), 2)
        for mode, places in [("linear", (3, 1)), ("circular", (4, 0)), ("linear", None), ("circular", (7, 12))]:
            y = cache.copy()
            for b in range(2):
                for i in range(2):
                    y[b, :, ((places[b] if places else 0) + i) % 5] = update[b, :, i]
            t.row("TensorScatter", cache, update, *([i64(*places)] if places else []), mode=mode, out=y)
    cache, update = floats((2, 3, 4), 1), floats((2, 3, 2), 2)
    y = cache.copy()
    y[0, :, 1:3], y[1, :, 2:4] = update
    t.row("TensorScatter", cache, update, i64(1, 2), axis=-1, out=y)
    t.row("TensorScatter", cache, update, i64(1, 3), axis=2, error="out of range")
    t.row("TensorScatter", cache, update, i64(1, -1), axis=2, error="out of range")
    t.row("TensorScatter", cache, update, i64(1, -1), axis=2, mode="circular", error="out of range")
    t.row("TensorScatter", cache, update, i64(1), axis=2, error="wanted [2]")
    t.row("TensorScatter", cache, update, i64(1, 1), axis=0, error="axis 0 is the batch")
    t.row("TensorScatter", cache, update, i64(1, 1), axis=1, error="does not fit past_cache")
    t.row("TensorScatter", update, cache, i64(1, 1), axis=2, error="longer than past_cache")
    t.row("TensorScatter", cache, update, i64(1, 1), axis=2, mode="ring", error="wanted linear or circular")


def cumulate(t):
    for dtype in FLOATS + [np.int32, np.int64, np.uint32, np.uint64]:
        x = whole((3, 4, 2), dtype, 3, -2, 3) if np.dtype(dtype).kind in "iu" else floats((3, 4, 2), 3, 0.5, 2, dtype)
        for op, f, start in [("CumProd", np.cumprod, 1), ("CumSum", np.cumsum, 0)]:
            for axis, exclusive, reverse in [(0, 0, 0), (1, 1, 0), (-1, 0, 1), (1, 1, 1)]:
                wide = np.flip(x, axis) if reverse else x
                wide = f(wide.astype(F64), axis=axis)
                if exclusive:
                    wide = np.concatenate([np.full_like(np.take(wide, [0], axis), start),
                                           np.delete(wide, -1, axis)], axis)
                y = np.flip(wide, axis) if reverse else wide
                t.row(op, x, np.int32(axis), exclusive=exclusive, reverse=reverse, out=y.astype(np.int64).astype(dtype)
                      if np.dtype(dtype).kind in "iu" else y.astype(dtype), tol=4 * TOLERANCE.get(np.dtype(dtype).name, 0))
    x = np.array([[1.5, 0, 2, -1, 0.5], [0.5, 3, -2, 1.25, 2], [1, 0, 2, 0, 3]])
    for exclusive in (0, 1):
        for reverse in (0, 1):
            t.row("CumProd", x, np.int32(1), exclusive=exclusive, reverse=reverse, out=False, grad=[0])
            for dtype in FLOATS:
                slope, y = floats(x.shape, 4, dtype=dtype), np.zeros(x.shape)
                for i in range(5):
                    for j in range(5):
                        behind = (j <= i if reverse else j >= i) and not (exclusive and i == j)
                        factors = [k for k in range(5) if k != i and (
                            (k > j if exclusive else k >= j) if reverse else (k < j if exclusive else k <= j))]
                        if behind:
                            y[:, i] += slope[:, j].astype(F64) * x[:, factors].prod(axis=1)
                t.row("percale:CumProdGrad", slope, x.astype(dtype), np.int32(1), exclusive=exclusive, reverse=reverse,
                      out=y.astype(dtype), tol=4 * TOLERANCE[np.dtype(dtype).name])
    t.row("CumProd", floats((2, 3, 2), 3), np.int64(0), out=False, grad=[0])
    t.row("percale:CumProdGrad", floats((2, 3)), floats((3, 2)), np.int32(1), error="differ")
    t.row("percale:CumProdGrad", floats((2, 3)), floats((2, 3)), np.int32(2), error="out of range")
    t.row("CumProd", empty(0, 3), np.int64(0), out=empty(0, 3))
    t.row("CumProd", F32([0, 2]), np.int64(1), error="out of range")


def unpool(t):
    for dtype in FLOATS:
        x = floats((2, 2, 6, 6), 3, dtype=dtype)
        blocks_of = x.reshape(2, 2, 3, 2, 3, 2).transpose(0, 1, 2, 4, 3, 5).reshape(2, 2, 3, 3, 4)
        best = blocks_of.argmax(-1)
        n, c, i, j = np.indices(best.shape)
        places = ((n * 2 + c) * 6 + i * 2 + best // 2) * 6 + j * 2 + best % 2
        values = blocks_of.max(-1)
        y = np.where(x == np.repeat(np.repeat(values, 2, 2), 2, 3), x, 0).astype(dtype)
        t.row("MaxUnpool", values, places, kernel_shape=[2, 2], strides=[2, 2], out=y)
        t.row("MaxUnpool", values, places, i64(2, 2, 7, 8), kernel_shape=[2, 2], strides=[2, 2],
              out=np.pad(y, ((0, 0), (0, 0), (0, 1), (0, 2))))
    x, places = floats((1, 2, 3), 1), i64([[[0, 2, 5], [6, 9, 11]]])
    t.row("MaxUnpool", x, places, kernel_shape=[2], strides=[2], out=False, grad=[0], grad2=True)
    t.row("MaxUnpool", x, places, i64(1, 2, 8), kernel_shape=[2], strides=[2], out=False, grad=[0])
    t.row("MaxUnpool", x, places + 1, kernel_shape=[2], strides=[2], error="out of range")
    t.row("MaxUnpool", x, places - 1, kernel_shape=[2], strides=[2], error="out of range")
    t.row("MaxUnpool", x, places[:, :, 1:], kernel_shape=[2], error="differ")
    t.row("MaxUnpool", x, places, i64(1, 2, 5), kernel_shape=[2], strides=[2], error="is too small for")
    t.row("MaxUnpool", x, places, i64(1, 2), kernel_shape=[2], strides=[2], error="has 2 dims")
    t.row("MaxUnpool", x, places, kernel_shape=[2], pads=[5, 5], error="pooled from")

    for dtype in NUMERIC:
        for image, block, strides, dilations, pads in [((5,), (2,), (1,), (1,), (0, 0)), ((4, 5), (2, 3), (1, 1), (1, 1), (0,) * 4),
                                                       ((4, 5), (2, 2), (2, 1), (1, 2), (1, 0, 1, 2)),
                                                       ((2, 3, 4), (1, 2, 3), (1, 1, 1), (1, 1, 1), (0,) * 6)]:
            rank = len(image)
            room = [i + pads[d] + pads[rank + d] - (b - 1) * e - 1
                    for d, (i, b, e) in enumerate(zip(image, block, dilations))]
            counts = [r // s + 1 for r, s in zip(room, strides)]
            x = some((2, 3 * int(np.prod(block)), int(np.prod(counts))), dtype, 4)
            y = np.zeros((2, 3) + image)
            columns = x.astype(F64).reshape((2, 3) + tuple(block) + tuple(counts))
            for k in np.ndindex(*block):
                for at in np.ndindex(*counts):
                    q = tuple(a * s + j * e - b for a, s, j, e, b in zip(at, strides, k, dilations, pads))
                    if all(0 <= i < n for i, n in zip(q, image)):
                        y[(slice(None), slice(None)) + q] += columns[(slice(None), slice(None)) + k + at]
            out = y.astype(np.int64).astype(dtype) if np.dtype(dtype).kind in "iu" else y.astype(dtype)
            t.row("Col2Im", x, i64(*image), i64(*block), strides=list(strides), dilations=list(dilations), pads=list(pads),
                  out=out, tol=4 * TOLERANCE.get(np.dtype(dtype).name, 0))
    t.row("Col2Im", np.array([[[True, False, False], [True, False, False]]]), i64(4), i64(2),
          out=np.array([[[True, True, False, False]]]))
    t.row("Col2Im", floats((1, 4, 3)), i64(4), i64(3), error="do not divide")
    t.row("Col2Im", floats((1, 4, 4)), i64(4), i64(2), error="but the image has positions for 3")
    t.row("Col2Im", floats((1, 4, 4)), i64(4), i64(5), error="does not fit")
    t.row("Col2Im", floats((1, 4, 4)), i64(4, 4), i64(5), error="must have the same length")
    t.row("Col2Im", floats((1, 4, 4)), i64(4), i64(0), error="block_shape")
