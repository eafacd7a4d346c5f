"""Quantised numbers and their products."""
from families.rows import *  # noqa: F403 the vocabulary of all families

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]
FLOATS8 = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz]
CODES = {"int8": 3, "uint8": 2, "int16": 5, "uint16": 4, "int4": 22, "uint4": 21, "int2": 26, "uint2": 25, "float16": 10,
         "bfloat16": 16, "float32": 1, "float64": 11}


def ends(dtype):
    info = ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def rounded(real, zero, dtype):
    """Rounds to nearest, ties to even, adds the zero point, then clips to the range."""
    return np.clip(np.rint(np.asarray(real, F64)) + np.asarray(zero).astype(F64), *ends(dtype)).astype(dtype)


def code(dtype):
    return CODES[np.dtype(dtype).name]


def linear(t):
    ties = F32([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0, 1e9, -1e9, 300, -300])
    for dtype in INTEGERS:
        low, high = ends(dtype)
        zero = np.array((low + high + 1) // 2, dtype)
        t.row("QuantizeLinear", ties, F32(1), zero, out=rounded(ties, zero, dtype), note="ties go to even, ends hold")
        t.row("QuantizeLinear", ties, F32(0.5), output_dtype=code(dtype), out=rounded(ties / 0.5, 0, dtype))
        x = np.array([low, low + 1, high - 1, high, 0 if low < 0 else 1], dtype)
        t.row("DequantizeLinear", x, F32(0.25), zero, out=((x.astype(F64) - zero.astype(F64)) * 0.25).astype(F32))
        t.row("DequantizeLinear", x, F32(0.25), out=(x.astype(F64) * 0.25).astype(F32))
    x = np.array([2**31 - 1, -2**31, 16777217, 5], np.int32)
    t.row("DequantizeLinear", x, F32(2), out=(x.astype(F64) * 2).astype(F32), note="i32")
    t.row("QuantizeLinear", np.int32([7, -9, 5, 10**9]), F32(2), np.int8(1), out=np.int8([5, -3, 3, 127]))
    t.row("QuantizeLinear", np.int32([7, -9]), np.int32(2), np.int8(0), out=np.int8([4, -4]), note="a scale of i32")
    t.row("QuantizeLinear", F32(["inf", "-inf"]), F32(1), np.uint8(9), out=np.uint8([255, 0]))
    t.row("QuantizeLinear", F32([1, -1, 0.4]), F32(1), out=np.uint8([1, 0, 0]), note="u8 where nothing is said")
    real = floats((3, 4), 1, -9, 9)
    for dtype in [F16, BF16, F64]:
        x = real.astype(dtype)
        quotient = (x.astype(F64) / np.asarray(0.5)).astype(dtype)
        t.row("QuantizeLinear", x, np.array(0.5, dtype), np.int8(2), out=rounded(quotient, 2, np.int8))
        y = np.int8([-128, 127, 5])
        t.row("DequantizeLinear", y, np.array(0.3, dtype), np.int8(2), out=((y.astype(F64) - 2) *
              np.array(0.3, dtype).astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
    x = F32([1.0005, 2.499, 1000.4])
    halves = (x.astype(F16).astype(F64) / F16(0.1).astype(F64)).astype(F16)
    t.row("QuantizeLinear", x, F32(0.1), np.int16(0), precision=10, out=rounded(halves, 0, np.int16))
    power = np.array([0.5], ml_dtypes.float8_e8m0fnu)
    t.row("QuantizeLinear", real, power, np.int8([0]), out=rounded(real / 0.5, 0, np.int8), note="a power of two")
    t.row("DequantizeLinear", np.int8([3, 5]), power, output_dtype=1, out=F32([1.5, 2.5]))
    t.row("DequantizeLinear", np.int8([3, 5]), power, error="requires the attribute 'output_dtype'")
    t.row("DequantizeLinear", np.int8([3, 5]), F32(0.5), output_dtype=10, out=F16([1.5, 2.5]))
    for dtype in FLOATS8 + [ml_dtypes.float4_e2m1fn]:
        limit = 6 if dtype is ml_dtypes.float4_e2m1fn else float(ml_dtypes.finfo(dtype).max)
        x = F32([0.1, -1.3, 2.7, 1e9, -1e9, 0])
        out = np.clip(x.astype(F64) / 0.5, -limit, limit).astype(F32).astype(dtype)
        t.row("QuantizeLinear", x, F32(0.5), np.array(0, dtype), out=out)
        t.row("DequantizeLinear", out, F32(0.5), out=(out.astype(F32) * 0.5).astype(F32))
    x = floats((2, 3, 4), 2, -99, 99)
    scale, zero = F32([0.5, 1, 3]), np.uint8([100, 0, 128])
    lines = lambda v: v.reshape(1, 3, 1)
    t.row("QuantizeLinear", x, scale, zero, out=rounded(x / lines(scale), lines(zero), np.uint8), note="per axis")
    t.row("QuantizeLinear", x.transpose(0, 2, 1), scale, zero, axis=-1,
          out=rounded(x.transpose(0, 2, 1) / scale, zero, np.uint8))
    q = whole((2, 3, 4), np.uint8, 3, 0, 255)
    y = ((q.astype(F64) - lines(zero)) * lines(scale)).astype(F32)
    t.row("DequantizeLinear", q, scale, zero, out=y)
    t.row("DequantizeLinear", q.transpose(1, 0, 2), scale, zero, axis=0, out=y.transpose(1, 0, 2))
    t.row("DequantizeLinear", q, scale, zero, grad=[1], out=y)
    t.row("DequantizeLinear", q, F32(0.7), np.uint8(9), grad=[1], out=False, tol=1e-6)
    x, q = floats((2, 5), 4, -9, 9), whole((2, 5), np.int8, 5, -99, 99)
    scale, zero = floats((2, 3), 6, 0.5, 2), whole((2, 3), np.int8, 7)
    wide = lambda v: np.repeat(v, 2, 1)[:, :5]
    t.row("QuantizeLinear", x, scale, zero, block_size=2, out=rounded(x / wide(scale), wide(zero), np.int8), note="blocks")
    y = ((q.astype(F32) - wide(zero)) * wide(scale)).astype(F32)
    t.row("DequantizeLinear", q, scale, zero, block_size=2, out=y)
    t.row("DequantizeLinear", q, scale, zero, block_size=2, grad=[1], out=y)
    t.row("DequantizeLinear", q.T, scale.T, zero.T, block_size=2, axis=0, out=y.T)
    t.row("QuantizeLinear", empty(0, 3), F32(1), np.int8(0), out=np.zeros((0, 3), np.int8))
    t.row("QuantizeLinear", F32(2.5), F32([1]), np.int8([1]), out=np.int8(3), note="rank 0")
    t.row("QuantizeLinear", x, F32([1, 2]), error="wanted one number or 5 along axis 1")
    t.row("QuantizeLinear", x, F32([1, 2]), axis=2, error="out of range")
    t.row("QuantizeLinear", x, F32([[1, 2], [1, 2]]), block_size=2, error="for blocks of 2")
    t.row("QuantizeLinear", x, F32(1), np.int8(0), output_dtype=2, error="output_dtype is u8, but the zero point is i8")
    t.row("QuantizeLinear", x, F32(1), output_dtype=1, error="'output_dtype' is 1")
    t.row("QuantizeLinear", x, F32(1), precision=3, error="'precision' is 3")
    t.row("QuantizeLinear", x, F32(1), np.int8([0, 1]), error="the zero point has shape")
    for x in [floats((3, 4), 8, -3, 9), floats((5,), 9, 1, 9), floats((5,), 10, -9, -1), np.zeros(3, F32)]:
        t.row("DynamicQuantizeLinear", x, outputs=3, tol=1e-7)


def integer_product(t):
    for left in [np.int8, np.uint8]:
        for right in [np.int8, np.uint8]:
            a, b = whole((3, 5), left, 1, *ends(left)), whole((5, 4), right, 2, *ends(right))
            za, zb = np.array(7, left), np.array(100, right)
            wide = lambda v, z: v.astype(np.int64) - z.astype(np.int64)
            t.row("MatMulInteger", a, b, out=(wide(a, left(0)) @ wide(b, right(0))).astype(np.int32))
            t.row("MatMulInteger", a, b, za, zb, out=(wide(a, za) @ wide(b, zb)).astype(np.int32))
            rows, columns = whole((3,), left, 3), whole((4,), right, 4)
            t.row("MatMulInteger", a, b, rows, columns,
                  out=(wide(a, rows[:, None]) @ wide(b, columns)).astype(np.int32), note="per row and column")
            x, w = whole((1, 2, 5, 5), left, 5, *ends(left)), whole((4, 1, 3, 3), right, 6, *ends(right))
            t.row("ConvInteger", x, w, za, zb, group=2, pads=[1, 0, 1, 2], strides=[2, 1], tol=0)
            per = whole((4,), right, 7)
            each = np.concatenate([by_onnx("ConvInteger", [x[:, i // 2:i // 2 + 1], w[i:i + 1], za, per[i]], {}, 1)[0]
                                   for i in range(4)], 1)
            t.row("ConvInteger", x, w, za, per, group=2, out=each, note="a zero point per filter")
    a, b = whole((2, 3, 2, 70), np.uint8, 8, 0, 255), whole((3, 70, 2), np.int8, 9, -128, 127)
    t.row("MatMulInteger", a, b, out=(a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32), note="batches")
    rows = whole((2, 3, 2, 1), np.uint8, 10)
    t.row("MatMulInteger", a, b, rows, out=((a.astype(np.int64) - rows) @ b.astype(np.int64)).astype(np.int32))
    t.row("MatMulInteger", a[0, 0], b[0, :, 0], np.uint8([1]), out=((a[0, 0].astype(np.int64) - 1) @ b[0, :, 0]).astype(np.int32))
    t.row("MatMulInteger", a[0, 0, 0], b[0], out=(a[0, 0, 0].astype(np.int64) @ b[0]).astype(np.int32))
    t.row("MatMulInteger", np.zeros((2, 0), np.int8), np.zeros((0, 3), np.int8), out=np.zeros((2, 3), np.int32))
    t.row("MatMulInteger", a[0, 0], b[0, :5], error="inner sizes differ")
    t.row("MatMulInteger", a[0, 0], b[0], np.uint8([1, 2, 3]), error="'a_zero_point' is [3]")
    t.row("MatMulInteger", a[0, 0], b[0], None, np.int8([1, 2, 3]), error="'b_zero_point' is [3]")
    x, w = whole((2, 3, 6), np.uint8, 11, 0, 255), whole((4, 3, 2), np.int8, 12, -128, 127)
    t.row("ConvInteger", x, w, np.uint8(3), out=np.stack([np.stack([[
        np.sum((x[n, :, i:i + 3:2].astype(np.int64) - 3) * w[f]) for i in range(4)] for f in range(4)])
        for n in range(2)]).astype(np.int32), dilations=[2], note="one spatial dim")
    t.row("ConvInteger", x, w, np.uint8([1, 2]), error="'x_zero_point' is [2]")
    t.row("ConvInteger", x, w, None, np.int8([1, 2]), error="'w_zero_point' is [2]")


def qlinear(t):
    for left in [np.int8, np.uint8]:
        for right in [np.int8, np.uint8]:
            a, b = whole((3, 5), left, 1, *ends(left)), whole((5, 4), right, 2, *ends(right))
            za, zb, zy = np.array(7, left), np.array(100, right), np.array(40, left)
            real = (a.astype(F64) - za) @ (b.astype(F64) - zb)
            t.row("QLinearMatMul", a, F32(0.05), za, b, F32(0.02), zb, F32(0.3), zy,
                  out=rounded(real * (F32(0.05) * F32(0.02) / F32(0.3)), zy, left))
            x, w = whole((1, 2, 4, 4), left, 3, *ends(left)), whole((3, 2, 2, 2), right, 4, *ends(right))
            bias = np.int32([1000, -2000, 0])
            scales, zeros = F32([0.1, 0.05, 0.02]), whole((3,), right, 5)
            t.row("QLinearConv", x, F32(0.04), za, w, scales, zeros, F32(0.7), zy, bias, pads=[1, 1, 0, 0],
                  note="scales per filter")
            t.row("QLinearConv", x, F32(0.04), za, w, F32([0.1]), np.array([3], right), F32(0.7), zy)
    a, b = whole((2, 3, 5), np.uint8, 6, 0, 255), whole((2, 5, 4), np.int8, 7, -128, 127)
    sa, za, sb, zb = floats((3,), 8, 0.1, 1), whole((3,), np.uint8, 9), floats((4,), 10, 0.1, 1), whole((4,), np.int8, 11)
    real = (a.astype(F64) - za[:, None]) @ (b.astype(F64) - zb)
    t.row("QLinearMatMul", a, sa, za, b, sb, zb, F32(20), np.int8(1),
          out=rounded(real * (sa[:, None].astype(F64) * sb / 20), 1, np.int8), note="per row and column")
    for dtype in FLOATS8:
        a, b = floats((2, 3), 12).astype(dtype), floats((3, 2), 13).astype(dtype)
        zero = np.array(0, dtype)
        t.row("QLinearMatMul", a, F32(0.5), zero, b, F32(2), zero, F32(1), zero,
              out=(a.astype(F32) @ b.astype(F32)).astype(dtype))
    for dtype in [F16, BF16]:
        a, b = whole((2, 3), np.int8, 14), whole((3, 2), np.int8, 15)
        zero, scale = np.int8(0), np.array(0.5, dtype)
        t.row("QLinearMatMul", a, scale, zero, b, scale, zero, scale, zero,
              out=rounded((a.astype(F64) @ b) * 0.5, 0, np.int8))
    x, w = whole((1, 2, 4), np.uint8, 16), whole((3, 2, 2), np.uint8, 17)
    zero = np.uint8(0)
    t.row("QLinearConv", x, F32([1, 2]), zero, w, F32(1), zero, F32(1), zero, error="'x_scale' is [2]")
    t.row("QLinearConv", x, F32(1), zero, w, F32([1, 2]), zero, F32(1), zero, error="'w_scale' is [2]")
    t.row("QLinearConv", x, F32(1), zero, w, F32(1), zero, F32(1), zero, np.int32([1, 2]), error="the bias is [2]")
    t.row("QLinearMatMul", np.uint8([[1, 2]]), F32(1), zero, np.uint8([[1], [2], [3]]), F32(1), zero, F32(1), zero,
          error="inner sizes differ")


def quantize(t):
    linear(t)
    integer_product(t)
    qlinear(t)
