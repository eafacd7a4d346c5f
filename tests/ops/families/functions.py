"""Further functions of single elements: trigonometry, bits, piecewise functions; and windows of
signals."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def trigonometric(t):
    forms = {"Acos": (np.arccos, -0.95, 0.95), "Acosh": (np.arccosh, 1.05, 6), "Asin": (np.arcsin, -0.95, 0.95),
             "Asinh": (np.arcsinh, -6, 6), "Atan": (np.arctan, -6, 6), "Atanh": (np.arctanh, -0.95, 0.95),
             "Cosh": (np.cosh, -3, 3), "Sinh": (np.sinh, -3, 3), "Tan": (np.tan, -1.4, 1.4)}
    for op, (f, low, high) in forms.items():
        for dtype in FLOATS:
            x = floats((3, 7), 3, low, high, dtype)
            t.row(op, x, out=f(x.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
        t.row(op, floats((2, 5), 4, low, high), out=False, grad=[0], grad2=True)
        t.row(op, empty(0, 3), out=empty(0, 3))
        with np.errstate(all="ignore"):
            edge = np.array([np.nan, np.inf, -np.inf, -1.5, 0.5, 1])
            if op == "Tan":
                edge = edge[[0, 3, 4, 5]]
            t.row(op, edge, out=f(edge), tol=1e-13, note="outside the domain")


def bitwise(t):
    for dtype in SIGNED + UNSIGNED:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        rng = np.random.default_rng(5)
        a = rng.integers(low, high, (2, 3, 4), dtype, endpoint=True)
        b = rng.integers(low, high, (3, 4), dtype, endpoint=True)
        t.row("BitwiseAnd", a, b, out=a & b)
        t.row("BitwiseOr", a, b, out=a | b)
        t.row("BitwiseXor", b, a, out=a ^ b)
        t.row("BitwiseNot", a, out=~a)
    for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        t.row(op, np.zeros((2, 3), np.int32), np.zeros((2,), np.int32), error="broadcast")
        t.row(op, np.zeros((0, 3), np.int32), np.zeros((3,), np.int32), out=np.zeros((0, 3), np.int32))
    for dtype in UNSIGNED:
        bits = np.iinfo(dtype).bits
        x = dtype([1, 3, np.iinfo(dtype).max, 5])
        by = dtype([0, 1, bits - 1, 2])
        t.row("BitShift", x, by, direction="LEFT", out=np.left_shift(x, by))
        t.row("BitShift", x, by, direction="RIGHT", out=np.right_shift(x, by))
        t.row("BitShift", x, dtype(1), direction="RIGHT", out=x >> dtype(1))
        t.row("BitShift", x, dtype(bits), direction="LEFT", out=np.zeros_like(x), note="nothing is left")
        t.row("BitShift", x, dtype(bits), direction="RIGHT", out=np.zeros_like(x), note="nothing is left")
    t.row("BitShift", np.uint8([1]), np.uint8([1]), direction="UP", error="wanted LEFT or RIGHT")
    x = F32([1, -2.5, np.inf, -0.0])
    t.row("BitCast", x, to=6, out=x.view(np.int32))
    t.row("BitCast", x, to=12, out=x.view(np.uint32))
    t.row("BitCast", x.view(np.int32), to=1, out=x)
    t.row("BitCast", np.float64([[1.5, -3]]), to=7, out=np.float64([[1.5, -3]]).view(np.int64))
    t.row("BitCast", np.float16([1.5, -3]), to=16, out=np.float16([1.5, -3]).view(BF16))
    t.row("BitCast", np.int8([0, 1, -1]), to=2, out=np.uint8([0, 1, 255]))
    t.row("BitCast", np.array([True, False]), to=2, out=np.uint8([1, 0]))
    t.row("BitCast", np.uint8([1, 0, 7]), to=9, out=np.array([True, False, True]), note="a bool is 0 or 1")
    t.row("BitCast", np.uint8([0x38, 0xB8]), to=17, out=np.uint8([0x38, 0xB8]).view(ml_dtypes.float8_e4m3fn))
    t.row("BitCast", np.arange(-2, 3).astype(ml_dtypes.int4), to=21, out=(np.arange(-2, 3) % 16).astype(ml_dtypes.uint4))
    t.row("BitCast", empty(0, 2), to=6, out=np.zeros((0, 2), np.int32))
    t.row("BitCast", x, to=7, error="differ in size")
    t.row("BitCast", x, to=8, error="not an element type")
    t.row("BitCast", x, to=99, error="not an element type")


def piecewise(t):
    for dtype in FLOATS + [np.int32, np.int64, np.uint32, np.uint64]:
        x, slope = some((2, 3, 4), dtype, 3), some((3, 1), dtype, 5)
        wide = x.astype(F64), slope.astype(F64)
        y = np.where(wide[0] < 0, wide[0] * wide[1], wide[0]).astype(dtype)
        t.row("PRelu", x, slope, out=y, tol=TOLERANCE.get(np.dtype(dtype).name))
    x = floats((2, 3, 4), 3)
    t.row("PRelu", x, floats((3, 1), 5), out=False, grad=[0, 1], grad2=True)
    t.row("PRelu", x, floats((1,), 5), out=False, grad=[0, 1])
    t.row("PRelu", F32([np.nan, -1]), F32(2), out=F32([np.nan, -2]))
    t.row("PRelu", floats((3,), 1), floats((2, 3), 1), error="does not broadcast to X")
    t.row("PRelu", floats((2, 3), 1), floats((2,), 1), error="broadcast")
    for dtype in NUMERIC:
        x = some((3, 5), dtype, 2)
        wide = x.astype(F64)
        for lambd, bias in [(0.5, 0.0), (1.0, 0.5), (1.5, 1.5)]:
            y = np.where(wide < -lambd, wide + bias, np.where(wide > lambd, wide - bias, 0))
            t.row("Shrink", x, out=y.astype(dtype), lambd=lambd, bias=bias, tol=TOLERANCE.get(np.dtype(dtype).name))
    t.row("Shrink", F32([-1, -0.5, 0.5, 1, np.nan]), out=F32([-1, 0, 0, 1, 0]), note="defaults")
    t.row("Shrink", floats((3, 5), 2), out=False, grad=[0], lambd=0.8, bias=0.3)
    for dtype in FLOATS:
        x = some((3, 4, 5), dtype, 2)
        for axis in (0, 1, -1):
            y = np.zeros(x.shape)
            np.put_along_axis(y, np.expand_dims(np.argmax(x.astype(F64), axis), axis), 1, axis)
            t.row("Hardmax", x, axis=axis, out=y.astype(dtype))
    t.row("Hardmax", F32([[1, 3, 3], [2, 2, 2]]), out=F32([[0, 1, 0], [1, 0, 0]]), note="the first of equals")
    t.row("Hardmax", floats((2, 3), 1), axis=2, error="out of range")


def taper(t):
    forms = {"BlackmanWindow": (0.42, 0.5, 0.08), "HammingWindow": (25 / 46, 21 / 46, 0), "HannWindow": (0.5, 0.5, 0)}
    types = {F32: 1, F64: 11, F16: 10, BF16: 16, np.int32: 6, np.uint8: 2}
    for op, (a0, a1, a2) in forms.items():
        for periodic in (0, 1):
            for dtype, number in types.items():
                n = 10
                at = 2 * np.pi * np.arange(n) / (n if periodic else n - 1)
                y = a0 - a1 * np.cos(at) + a2 * np.cos(2 * at)
                t.row(op, np.int64(n), out=np.maximum(y, 0).astype(dtype), periodic=periodic, output_datatype=number,
                      tol=TOLERANCE.get(np.dtype(dtype).name))
        t.row(op, np.int32(1), out=F32([a0 - a1 + a2]), periodic=0, tol=1e-7)
        t.row(op, np.int32(0), out=empty(0))
        t.row(op, np.int64(-1), error="wanted 0 to 2^40")
        t.row(op, i64(3, 4), error="must be a scalar")
        t.row(op, np.int64(3), output_datatype=9, error="not a number type")
