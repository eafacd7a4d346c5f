"""Conversions, and types with fewer than 16 bits."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def cast(t):
    codes = {F32: 1, np.uint8: 2, np.int8: 3, np.uint16: 4, np.int16: 5, np.int32: 6, np.int64: 7, np.bool_: 9,
             F16: 10, F64: 11, np.uint32: 12, np.uint64: 13, BF16: 16}
    for source in list(codes):
        for target, code in codes.items():
            x = np.array([0, 1, 2, 3, 100], F64).astype(source)
            t.row("Cast", x, out=x.astype(target), to=code)
            if (source, target) in [(F32, np.int32), (np.int64, F16), (np.bool_, F32)]:
                t.row("CastLike", x, np.zeros(2, target), out=x.astype(target))
    for source in FLOATS:
        x = np.array([-1.75, 1.75, -0.5, 2.5], source)
        for target in SIGNED:
            t.row("Cast", x, out=np.array([-1, 1, 0, 2], target), to=codes[target])
        wild = np.array([np.inf, -np.inf, np.nan], source)
        for target in SIGNED + UNSIGNED:
            ends = np.iinfo(target)
            t.row("Cast", wild, out=np.array([ends.max, ends.min, 0], target), to=codes[target], note="out of range")
        t.row("Cast", np.array([0, -0.0, 0.25, np.nan], source), out=np.array([False, False, True, True]), to=9)
    t.row("Cast", F32([300, -300, 1e10]), out=np.int8([127, -128, 127]), to=3)
    t.row("Cast", F64([2.0**63, -(2.0**63), 2.0**64]), out=np.int64([2**63 - 1, -2**63, 2**63 - 1]), to=7)
    t.row("Cast", np.int32([257, -1, 128]), out=np.uint8([1, 255, 128]), to=2, note="wraps")
    t.row("Cast", np.int64([-1]), out=np.uint64([2**64 - 1]), to=13)
    # Rounding to 16 bits: ties, subnormals, overflow, and an f64 that double rounding would get
    # wrong.
    halves = F64([65504, 65519.9, 65520, 6.1e-5, 5.96e-8, 2.98e-8, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, -1e-10])
    with np.errstate(over="ignore"):
        t.row("Cast", halves, out=halves.astype(F16), to=10)
        t.row("Cast", halves.astype(F32), out=halves.astype(F32).astype(F16), to=10)
    brains = F32([1 + 2.0**-8, 1 + 3 * 2.0**-8, 3.4e38, 1e-40, -0.1])
    t.row("Cast", brains, out=brains.astype(BF16), to=16)
    t.row("Cast", F64([1 + 2.0**-8 + 2.0**-40]), out=np.array([1 + 2.0**-7], BF16), to=16)
    t.row("Cast", F64([1e300, -1e300]), out=F32([np.inf, -np.inf]), to=1)
    t.row("Cast", F32(3), to=7)
    t.row("Cast", empty(0, 2), to=7)
    t.row("Cast", F32(3), to=8, error="'to' is 8")
    t.row("Cast", F32(3), to=99, error="'to' is 99")
    t.row("Cast", floats((2, 3)), out=False, to=11, grad=[0])
    t.row("CastLike", floats((2, 3)), F64(0), out=False, grad=[0])
    for dtype in NUMERIC:
        t.row("Identity", some((2, 3), dtype), out=some((2, 3), dtype))
    t.row("Identity", np.bool_(True))
    t.row("Identity", empty(0, 4))
    t.row("Identity", floats((2, 3)), grad=[0], grad2=True)
    for dtype in (F32, np.int64):
        t.row("percale:Reorder", some((2, 3), dtype), out=some((2, 3), dtype))
    t.row("percale:Reorder", floats((2, 3)), out=floats((2, 3)), grad=[0], grad2=True)


def every_code(dtype):
    """Returns one element of each bit pattern."""
    bits = {"2": 2, "4": 4}.get(SMALL[dtype].lstrip("iu"), 4 if dtype is ml_dtypes.float4_e2m1fn else 8)
    codes = np.arange(2**bits, dtype=np.uint8)
    if SMALL[dtype][0] == "i":
        return codes.astype(np.int64).astype(dtype)
    return codes.view(dtype)


def small(t):
    to = lambda dtype: int(onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    halves = [0.0, -0.0, 0.25, 0.3, 0.5, 0.75, -0.8, 1.0, 1.25, 1.5, -1.75, 2.5, 3.5, -5.0, 5.1, 6.0, 100.0, -239.0]
    for dtype, name in SMALL.items():
        codes = every_code(dtype)
        integer = name[0] in "iu"
        # To wider types: exact, except NaN.
        t.row("Cast", codes, to=1, out=codes.astype(F32))
        t.row("Cast", codes, to=to(F64), out=codes.astype(F64))
        t.row("Cast", codes, to=to(np.bool_), out=codes.astype(F32) != 0)
        finite = codes[np.abs(np.nan_to_num(codes.astype(F64), nan=1e9)) < 1e5]
        if dtype is not ml_dtypes.float8_e8m0fnu:
            t.row("Cast", finite, to=to(F16), out=finite.astype(F32).astype(F16))
            t.row("Cast", finite, to=to(np.int32), out=np.trunc(finite.astype(F64)).astype(np.int32))
            t.row("Cast", F32(halves), to=to(dtype), 
                  out=low_bits(np.trunc(halves), dtype) if integer else np.clip(halves, *limits(dtype)).astype(F32).astype(dtype))
            t.row("Cast", np.int64([0, 1, 2, 3] if integer else [0, -1, 2, 3, 6, -6]), to=to(dtype),
                  out=np.int64([0, 1, 2, 3] if integer else [0, -1, 2, 3, 6, -6]).astype(dtype))
        t.row("CastLike", F32([1, 2]), codes[:1], out=low_bits([1, 2], dtype) if integer else F32([1, 2]).astype(dtype))
        t.row("Cast", codes, to=to(dtype), out=codes)
        for op, attrs in [("Identity", {}), ("Flatten", {"axis": 0})]:
            t.row(op, codes, out=codes.reshape(1, -1) if op == "Flatten" else codes, **attrs)
        three = codes[:3]
        t.row("Reshape", three, i64(3, 1), out=three.reshape(3, 1))
        t.row("Unsqueeze", three, i64(0), out=three.reshape(1, 3))
        t.row("Squeeze", three.reshape(1, 3, 1), out=three)
        odd = np.resize(codes, (3, 5))
        t.row("Transpose", odd, out=odd.T.copy())
        t.row("Transpose", np.resize(codes, (2, 3, 3)), perm=[2, 0, 1], out=np.resize(codes, (2, 3, 3)).transpose(2, 0, 1).copy())
        t.row("Shape", odd, out=i64(3, 5))
        t.row("Size", odd, out=np.int64(15))
        t.row("Pad", odd, i64(1, 0, 0, 2), codes[3:4].reshape(()), out=np.block([[np.full((1, 7), codes[3])],
              [odd, np.full((3, 2), codes[3])]]))
        t.row("Pad", odd, i64(0, 1, 0, 2), mode="reflect", out=odd[:, [1, 0, 1, 2, 3, 4, 3, 2]])
        t.row("Constant", value=odd, out=odd)
        for dims in [(5,), (4,), (2, 0), ()]:
            t.row("ConstantOfShape", i64(*dims), value=codes[3:4], out=np.full(dims, codes[3]))
    for dtype in [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]:
        for source in [np.int8, np.int16, np.int32, np.int64, np.uint8]:
            v = np.arange(-40, 41).astype(source)
            t.row("Cast", v, to=to(dtype), out=low_bits(v, dtype), note="wraps")
        t.row("Cast", F32([np.nan, np.inf, -np.inf, 1e9, -1e9, 0.9, -0.9]), to=to(dtype),
              out=low_bits([0, 2**63 - 1, -2**63, 1e9, -1e9, 0, 0], dtype), note="the low bits, NaN gives 0")
        t.row("Cast", np.array([False, True, True]), to=to(dtype),
              out=np.array([0, 1, 1]).astype(dtype))
        t.row("Cast", every_code(dtype), to=to(np.uint8), out=every_code(dtype).astype(np.int64).astype(np.uint8))
    # float8: bfloat16 of small magnitude by ml_dtypes; larger ones by ONNX's tables.
    many = (np.arange(0, 65536, 331).astype(np.uint16)).view(BF16).astype(F32)
    for dtype in [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz]:
        v = many[np.isfinite(many)]
        t.row("Cast", v, to=to(dtype), saturate=0, out=v.astype(dtype))
        t.row("Cast", v, to=to(dtype), out=np.clip(v, *limits(dtype)).astype(dtype))
        t.row("Cast", F32([np.nan, np.inf, -np.inf]), to=to(dtype), saturate=0, out=F32([np.nan, np.inf, -np.inf]).astype(dtype))
        t.row("Cast", F32([np.inf, -np.inf]), to=to(dtype), out=F32(limits(dtype))[::-1].astype(dtype))
        t.row("Cast", F64([1.0624999, 1.0625, 1.0625001, 1.1875]), to=to(dtype), out=F64([1.0624999, 1.0625, 1.0625001, 1.1875])
              .astype(dtype), note="f64 is rounded once")
        every = every_code(dtype)
        t.row("IsNaN", every, out=np.isnan(every.astype(F32)))
        t.row("IsInf", every, out=np.isinf(every.astype(F32)))
        t.row("IsInf", every, out=np.isneginf(every.astype(F32)), detect_positive=0)
    powers = F32([2.0**-126, 2.0**-3, 0.75, 1, 1.25, 1.5, 1.75, 3, 2.0**127])
    code = lambda exponents: (np.array(exponents) + 127).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
    e8m0 = to(ml_dtypes.float8_e8m0fnu)
    t.row("Cast", powers, to=e8m0, round_mode="up", out=code([-126, -3, 0, 0, 1, 1, 1, 2, 127]))
    t.row("Cast", powers, to=e8m0, round_mode="down", out=code([-126, -3, -1, 0, 0, 0, 0, 1, 127]))
    t.row("Cast", powers, to=e8m0, round_mode="nearest", out=code([-126, -3, 0, 0, 0, 1, 1, 2, 127]))
    t.row("Cast", F64([0, np.inf, 1e300, 2.0**-140, np.nan]), to=e8m0, out=code([-127, 127, 127, -127, 128]))
    t.row("Cast", F64([0, np.inf, 1e300, 2.0**-140, np.nan]), to=e8m0, saturate=0, round_mode="nearest",
          out=code([128] * 5))
    t.row("Cast", F32([1]), to=e8m0, round_mode="odd", error="round_mode is 'odd'")
    t.row("Cast", F32([np.nan, np.inf, -np.inf, 7, -100]), to=to(ml_dtypes.float4_e2m1fn),
          out=F32([-0.0, 6, -6, 6, -6]).astype(ml_dtypes.float4_e2m1fn))


def low_bits(values, dtype):
    """Reduces whole numbers modulo the range of a 4-bit or 2-bit integer."""
    info = ml_dtypes.iinfo(dtype)
    low, span = int(info.min), int(info.max) - int(info.min) + 1
    return np.array([(int(v) - low) % span + low for v in values]).astype(dtype)


def limits(dtype):
    info = ml_dtypes.iinfo(dtype) if SMALL[dtype][0] in "iu" else ml_dtypes.finfo(dtype)
    return float(info.min), float(info.max)
