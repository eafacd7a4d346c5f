"""Images read between their elements: GridSample, AffineGrid, regions of interest."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def grid_sample(t):
    x2, x1, x3 = floats((2, 1, 4, 5), 1), floats((1, 2, 6), 2), floats((1, 1, 3, 4, 2), 3)
    g2, g1, g3 = floats((2, 3, 2, 2), 4, -1.3, 1.3), floats((1, 5, 1), 5, -1.3, 1.3), floats((1, 2, 2, 2, 3), 6, -1.3, 1.3)
    for mode in ["nearest", "linear", "cubic"]:
        for padding in ["zeros", "border", "reflection"]:
            for align in [0, 1]:
                attrs = {"mode": mode, "padding_mode": padding, "align_corners": align}
                for x, grid in [(x2, g2), (x1, g1), (x3, g3)]:
                    t.row("GridSample", x, grid, tol=1e-5, **attrs)
                t.row("GridSample", x2, F32(g2 * 4), tol=1e-5, note="far outside", **attrs)
                wanted = [0] if mode == "nearest" else [0, 1]
                t.row("GridSample", floats((1, 2, 3, 4), 7), floats((1, 2, 2, 2), 8, -1.2, 1.2), grad=wanted, out=False, **attrs)
    t.row("GridSample", floats((1, 1, 3, 2, 4), 9), floats((1, 2, 1, 2, 3), 10, -1.1, 1.1), grad=[0, 1], out=False)
    for dtype in NUMERIC + [np.bool_]:
        x = whole((1, 2, 3, 3), np.int8, 11) > 0 if dtype is np.bool_ else some((1, 2, 3, 3), dtype, 11)
        grid = floats((1, 2, 2, 2), 12, -1, 1)
        t.row("GridSample", x, grid, mode="nearest", out=by_onnx("GridSample", [x.astype(F64), grid], {"mode": "nearest"}, 1)[0].astype(dtype))
        if dtype is not np.bool_:
            real = by_onnx("GridSample", [x.astype(F64), grid], {}, 1)[0]
            t.row("GridSample", x, grid, out=real.astype(dtype), tol=max(TOLERANCE.get(np.dtype(dtype).name, 0), 1e-6))
    for dtype in FLOATS:
        grid = (floats((1, 2, 2, 2), 12, -4, 4) // 0.25 * 0.25).astype(dtype)
        t.row("GridSample", x1[None, :, :, :3], grid, tol=1e-5)
    t.row("GridSample", x2[:1], F32([[[["nan", 0], [0, "inf"], ["-inf", 1e30]]]]), out=np.zeros((1, 1, 1, 3), F32), align_corners=1, mode="nearest")
    t.row("GridSample", x2[:1], F32([[[[1e30, 0], [-1e30, 1e30]]]]), padding_mode="border", align_corners=1,
          out=np.stack([(x2[0, :, 1, 4] + x2[0, :, 2, 4]) / 2, x2[0, :, 3, 0]], -1)[None, :, None].astype(F32), tol=1e-6)
    t.row("GridSample", x2, np.zeros((2, 0, 3, 2), F32), out=empty(2, 1, 0, 3))
    t.row("GridSample", x2[:1, :, :1, :1], g2[:1], padding_mode="reflection", align_corners=1, note="one element reflects itself",
          out=np.broadcast_to(x2[:1, :, :1, :1], (1, 1, 3, 2)))
    t.row("GridSample", x2, g2[:1], error="the grid has shape")
    t.row("GridSample", x2, g3, error="the grid has shape")
    t.row("GridSample", empty(2, 1, 0, 3), g2, error="no element")
    t.row("GridSample", x2, g2, mode="lanczos", error="mode is 'lanczos'")
    t.row("GridSample", x2, g2, padding_mode="wrap", error="padding_mode is 'wrap'")
    t.row("GridSample", x2 > 0, g2, error="interpolates")
    # Y is linear in X: an element's gradient is the result for an image with only this element.
    x, grid, dy = x2[:1, :1], g2[:1], floats((1, 1, 3, 2), 13)
    alone = np.eye(20, dtype=F64).reshape(20, 1, 4, 5)
    dx = np.array([np.sum(by_onnx("GridSample", [one[None], grid], {}, 1)[0] * dy) for one in alone]).reshape(x.shape)
    t.row("percale:GridSampleGrad", dy, x, grid, out=[dx.astype(F32), None], tol=1e-5)
    t.row("percale:GridSampleGrad", dy[..., :1], x, grid, error="grad is", outputs=2)


def affine_grid(t):
    for align in [0, 1]:
        t.row("AffineGrid", floats((2, 2, 3), 1), i64(2, 3, 4, 5), align_corners=align, tol=2e-6)
        t.row("AffineGrid", floats((2, 3, 4), 2), i64(2, 3, 2, 4, 3), align_corners=align, tol=4e-6)
        t.row("AffineGrid", floats((2, 2, 3), 1), i64(2, 3, 4, 5), align_corners=align, grad=[0], out=False)
    for dtype in FLOATS:
        theta = floats((1, 2, 3), 3, dtype=dtype)
        t.row("AffineGrid", theta, i64(1, 1, 2, 4), out=by_onnx("AffineGrid", [theta.astype(F32), i64(1, 1, 2, 4)], {}, 1)[0].astype(dtype),
              tol=TOLERANCE[np.dtype(dtype).name] * 4 if dtype is not F64 else 1e-6)
    t.row("AffineGrid", floats((1, 2, 3), 3), i64(1, 1, 0, 4), out=empty(1, 0, 4, 2))
    t.row("AffineGrid", floats((1, 2, 3), 3), i64(2, 1, 3, 4), error="but size is")
    t.row("AffineGrid", floats((1, 2, 3), 3), i64(1, 1, 3, 4, 5), error="theta has shape")
    t.row("AffineGrid", floats((1, 4, 5), 3), i64(1, 1, 3, 4, 5, 6), error="wanted 2 or 3 spatial dims")
    t.row("AffineGrid", floats((1, 2, 3), 3), i64(1, 1, -3, 4), error="dim 2 is -3")


def max_pool(x, rois, rows, columns, scale):
    """Girshick 2015: corners are rounded (halves away from zero), and both ends belong to the
    region."""
    away = lambda v: np.sign(v) * np.floor(np.abs(v) + 0.5)
    y = np.zeros((len(rois), x.shape[1], rows, columns), x.dtype)
    for r, (image, *corners) in enumerate(rois.astype(F64)):
        x1, y1, x2, y2 = away(np.array(corners) * scale)
        height, width = max(y2 - y1 + 1, 1) / rows, max(x2 - x1 + 1, 1) / columns
        for i in range(rows):
            for j in range(columns):
                top, bottom = (int(np.clip(v + y1, 0, x.shape[2])) for v in (np.floor(i * height), np.ceil((i + 1) * height)))
                left, right = (int(np.clip(v + x1, 0, x.shape[3])) for v in (np.floor(j * width), np.ceil((j + 1) * width)))
                if top < bottom and left < right:
                    y[r, :, i, j] = x[int(image), :, top:bottom, left:right].max((1, 2))
    return y


def regions(t):
    x = floats((2, 2, 6, 7), 1)
    rois, images = F32([[0, 0, 5, 4], [1.3, 2.2, 3.9, 5.8], [-2, -1, 9, 9], [4, 4, 4, 4], [5, 5, 2, 2]]), i64(0, 1, 1, 0, 1)
    for mode in ["avg", "max"]:
        for how in ["half_pixel", "output_half_pixel"]:
            for ratio in [0, 2]:
                t.row("RoiAlign", x, rois, images, mode=mode, coordinate_transformation_mode=how, sampling_ratio=ratio,
                      output_height=3, output_width=2, tol=1e-5)
    t.row("RoiAlign", x, F32(rois * 4), images, spatial_scale=0.25, output_height=2, output_width=2, tol=1e-5)
    for dtype in FLOATS:
        wide = by_onnx("RoiAlign", [x[:, :1].astype(F64), rois[:2].astype(dtype).astype(F64), images[:2]], {"output_height": 2}, 1)[0]
        t.row("RoiAlign", x[:, :1].astype(dtype), rois[:2].astype(dtype), images[:2], output_height=2, out=wide.astype(dtype),
              tol=TOLERANCE[np.dtype(dtype).name] * 8)
    t.row("RoiAlign", floats((1, 10, 3, 4), 4), F32([[0, 0.5, 3, 2]]), i64(0), output_width=2, tol=1e-5, note="many channels")
    small, some_rois, which = floats((2, 1, 4, 5), 2), F32([[0.2, 0.3, 3.1, 2.9], [-1, 0.5, 2, 5]]), i64(1, 0)
    t.row("RoiAlign", small, some_rois, which, output_height=2, output_width=2, grad=[0], out=False)
    alone = np.eye(40, dtype=F64).reshape(40, 2, 1, 4, 5)
    dy = floats((2, 1, 2, 2), 3)
    dx = np.array([np.sum(by_onnx("RoiAlign", [one, some_rois.astype(F64), which], {"output_height": 2, "output_width": 2}, 1)[0] * dy)
                   for one in alone]).reshape(small.shape)
    t.row("percale:RoiAlignGrad", dy, some_rois, which, i64(2, 1, 4, 5), output_height=2, output_width=2, out=dx.astype(F32), tol=1e-5)
    t.row("RoiAlign", x, empty(0, 4), i64(), out=empty(0, 2, 1, 1))
    t.row("RoiAlign", x, rois[:1], i64(2), error="index 2")
    t.row("RoiAlign", x, rois[:1], i64(-1), error="index -1")
    t.row("RoiAlign", x, F32([[0, 0, 1e30, 1]]), i64(0), error="out of range")
    t.row("RoiAlign", x, F32([["nan", 0, 1, 1]]), i64(0), error="out of range")
    t.row("RoiAlign", x, rois, images[:2], error="batch_indices is [2]")
    t.row("RoiAlign", x[0], rois, images, error="wanted X [N,C,H,W]")
    t.row("RoiAlign", x, rois[:, :3], images, error="wanted rois [R,4]")
    t.row("RoiAlign", x, rois, images, mode="min", error="mode is 'min'")
    t.row("RoiAlign", x, rois, images, coordinate_transformation_mode="corner", error="is 'corner'")
    boxes = F32([[0, 0, 0, 5, 4], [1, 1.5, 2.5, 3.9, 5.8], [1, -2, -1, 9, 9], [0, 4, 4, 4, 4], [1, 5, 5, 2, 2], [0, 20, 20, 30, 30]])
    for scale in [1.0, 0.5]:
        t.row("MaxRoiPool", x, boxes, pooled_shape=[3, 2], spatial_scale=scale, out=max_pool(x, boxes, 3, 2, scale))
    for dtype in FLOATS:
        v = x[:, :2].astype(dtype)
        t.row("MaxRoiPool", v, boxes[:2].astype(dtype), pooled_shape=[2, 2], out=max_pool(v, boxes[:2].astype(dtype), 2, 2, 1))
    t.row("MaxRoiPool", x, F32([[2, 0, 0, 1, 1]]), pooled_shape=[1, 1], error="index 2")
    t.row("MaxRoiPool", x, F32([["nan", 0, 0, 1, 1]]), pooled_shape=[1, 1], error="index 0")
    t.row("MaxRoiPool", x, F32([[0, 0, "nan", 1, 1]]), pooled_shape=[1, 1], error="out of range")
    t.row("MaxRoiPool", x, boxes, pooled_shape=[2], error="pooled_shape has 1 numbers")


def sampling(t):
    grid_sample(t)
    affine_grid(t)
    regions(t)
