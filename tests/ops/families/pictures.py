"""Resize."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def resize(t):
    x = floats((1, 2, 4, 5))
    every = NUMERIC + [np.bool_]
    for dtype in every:
        v = whole((2, 3), np.int8, 1) > 0 if dtype is np.bool_ else some((2, 3), dtype, 1)
        t.row("Resize", v, None, F32([2, 1]), out=np.repeat(v, 2, 0), note="nearest takes every type")
        if dtype is not np.bool_:
            t.row("Resize", v, None, None, i64(3, 5), mode="linear", tol=TOLERANCE.get(np.dtype(dtype).name, 0))
    modes = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
    for mode in ["nearest", "linear", "cubic"]:
        for coordinates in modes:
            attrs = {"mode": mode, "coordinate_transformation_mode": coordinates}
            t.row("Resize", x, None, F32([1, 1, 0.6, 1.7]), tol=2e-6, **attrs)
            t.row("Resize", x, None, None, i64(1, 2, 7, 3), tol=2e-6, **attrs)
            t.row("Resize", floats((3, 4)), None, F32([1.7, 0.6]), out=False, grad=[0], grad2=True, **attrs)
            if mode != "nearest":
                t.row("Resize", x, None, F32([1, 1, 0.3, 0.45]), tol=2e-6, antialias=1, **attrs)
                t.row("Resize", x, None, F32([1, 1, 0.6, 1.7]), tol=2e-6, exclude_outside=1, **attrs)
        crop = {"mode": mode, "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}
        t.row("Resize", x, F32([0, 0, 0.2, 0.1, 1, 1, 0.9, 1.3]), None, i64(1, 2, 3, 4), tol=2e-6, **crop)
        t.row("Resize", floats((3, 4)), F32([0.2, 0.1, 0.9, 1.3]), None, i64(3, 4), out=False, grad=[0], grad2=True, **crop)
        t.row("Resize", floats((3, 4)), F64([0.2, 0.9]), None, i64(1), axes=[-1], tol=2e-6, out=
              crop_of_one(floats((3, 4)), 0.2, 0.9, mode), **crop)
    for nearest in ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]:
        for coordinates in modes:
            t.row("Resize", x, None, None, i64(1, 2, 8, 3), nearest_mode=nearest, coordinate_transformation_mode=coordinates)
    for policy in ["stretch", "not_larger", "not_smaller"]:
        for mode in ["nearest", "linear"]:
            t.row("Resize", x, None, None, i64(7, 8), axes=[2, 3], keep_aspect_ratio_policy=policy, mode=mode, tol=2e-6)
    t.row("Resize", x, None, F32([2.2, 0.5]), axes=[3, 1], mode="linear", tol=2e-6, note="axes in any order")
    t.row("Resize", x[0, 0], None, F32([0.6, 0.5]), mode="linear", tol=2e-6, out=False, grad=[0], antialias=1)
    t.row("Resize", x[0, 0], None, F32([0.6, 1.5]), mode="cubic", tol=2e-6, out=False, grad=[0], exclude_outside=1,
          cubic_coeff_a=-0.5)
    t.row("Resize", F32([[1, 2, 3, 4]]), None, F32([1, 0.5]), coordinate_transformation_mode="tf_half_pixel_for_nn",
          out=F32([[2, 4]]), note="opset 11: (x + 0.5) / scale")
    t.row("Resize", np.int8([0, 127, -128]), None, F32([2]), mode="cubic",
          note="rounded, held at the ends")
    t.row("Resize", x, empty(0), empty(0), i64(1, 2, 2, 2), note="empty: absent")
    t.row("Resize", F32(3), None, empty(0), i64(), error="neither")
    t.row("Resize", x, None, F32([1, 1, 1, 1]), out=x)
    t.row("Resize", x, None, F32([1, 1, 0.1, 1]), out=empty(1, 2, 0, 5), note="nothing left")
    t.row("Resize", empty(0, 4), None, F32([3, 2]), out=empty(0, 8))
    t.row("Resize", empty(0, 4), None, None, i64(1, 2), error="no elements to resize")
    t.row("Resize", x, None, F32([1, 1, 2, 2]), i64(1, 2, 3, 4), error="got both")
    t.row("Resize", x, error="got neither")
    t.row("Resize", x, None, F32([1, 1, 2]), error="'scales' is [3], wanted [4]")
    t.row("Resize", x, None, F32([1, 1, 0, 2]), error="scales has 0")
    t.row("Resize", x, None, F32([1, 1, np.nan, 2]), error="scales has nan")
    t.row("Resize", x, None, F32([1, 1, 1e30, 2]), error="wanted 0 to 2^40")
    t.row("Resize", x, None, None, i64(1, 1, -1, 2), error="wanted 0 to 2^40")
    t.row("Resize", x, None, F32([1, 1, 1, 2]), coordinate_transformation_mode="tf_crop_and_resize", error="needs roi")
    t.row("Resize", x, F32([0, 1]), F32([1, 1, 1, 2]), coordinate_transformation_mode="tf_crop_and_resize",
          error="'roi' is [2], wanted [8]")
    t.row("Resize", x, F32([np.nan] * 8), F32([1, 1, 1, 2]), coordinate_transformation_mode="tf_crop_and_resize",
          error="roi must be finite")
    t.row("Resize", x, None, F32([1, 1, 1, 2]), mode="area", error="mode is 'area'")
    t.row("Resize", x, None, F32([2]), axes=[4], error="out of range")
    t.row("Resize", x, None, F32([2, 2]), axes=[1, -3], error="listed twice")
    t.row("Resize", np.array([True]), None, F32([2]), mode="linear", error="interpolates")
    for dtype in NUMERIC:
        g = whole((4, 3), dtype, 2, 0, 9)
        t.row("percale:ResizeGrad", g, i64(2, 3), None, F32([2, 1]), out=(g[::2] + g[1::2]).astype(dtype))
    g = floats((2, 4))
    t.row("percale:ResizeGrad", g, i64(2, 2), None, F32([1, 2]), mode="linear", tol=2e-6,
          out=np.stack([g[:, 0] + 0.75 * g[:, 1] + 0.25 * g[:, 2], 0.25 * g[:, 1] + 0.75 * g[:, 2] + g[:, 3]], 1))
    t.row("percale:ResizeGrad", g, i64(2, 3), None, None, i64(2, 4), mode="cubic", out=False, grad=[0], grad2=True)
    t.row("percale:ResizeGrad", empty(2, 0), i64(2, 3), None, None, i64(2, 0), out=empty(2, 3))
    t.row("percale:ResizeGrad", g, i64(2, 3), None, F32([1, 2]), error="grad is")
    t.row("percale:ResizeGrad", g, i64(2, -1), None, F32([1, 2]), error="negative dim")


def crop_of_one(x, start, end, mode):
    """Takes one element per row, from the middle of the region of interest along the last axis."""
    n = x.shape[-1]
    at = 0.5 * (start + end) * (n - 1)
    if mode == "nearest":
        return x[:, [int(np.ceil(at - 0.5))]]
    k, r = int(np.floor(at)), at - np.floor(at)
    a = -0.75
    near, far = lambda d: (a + 2) * d**3 - (a + 3) * d**2 + 1, lambda d: a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    weights = {k: 1 - r, k + 1: r} if mode == "linear" else {k - 1: far(r + 1), k: near(r), k + 1: near(1 - r), k + 2: far(2 - r)}
    return sum(w * x[:, [min(max(i, 0), n - 1)]].astype(F64) for i, w in weights.items()).astype(F32)
