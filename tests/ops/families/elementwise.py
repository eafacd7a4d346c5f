"""Elementwise arithmetic, comparisons, logic."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def elementwise(t):
    plain = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}
    for op, f in plain.items():
        for dtype in NUMERIC:
            a, b = some((2, 3), dtype, 1), some((3,), dtype, 2)
            t.row(op, a, b, out=f(a, b).astype(dtype))
        for dtype in SIGNED + UNSIGNED:
            ends = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).max], dtype)
            other = np.array([2, 2, np.iinfo(dtype).max], dtype)
            with np.errstate(over="ignore"):
                t.row(op, ends, other, out=f(ends, other), note="wraps")
        t.row(op, F32(2.5), F32(-1.5), note="rank 0")
        t.row(op, empty(0, 3), floats((3,)), note="zero dim")
        t.row(op, floats((4, 1, 3), 1), floats((2, 1), 2), grad=[0, 1], grad2=True, note="both repeated")
        t.row(op, floats((2, 1), 1), floats((4, 1, 3), 2), note="left repeated")
        t.row(op, floats((5, 4, 3, 2), 1), floats((4, 1, 2), 2), note="no dims merge")
        t.row(op, F32(0.5), floats((3,)), grad=[0, 1], note="scalar with vector")
        t.row(op, floats((2, 3)), floats((4,)), error="do not broadcast")
    for dtype in FLOATS:
        a, b = floats((2, 3), 1, dtype=dtype), floats((2, 1), 2, dtype=dtype)
        t.row("Div", a, b, out=(a.astype(F64) / b.astype(F64)).astype(dtype))
    for dtype in SIGNED + UNSIGNED:
        a, b = whole((3, 4), dtype, 3), np.array([1, 2, 4, 7], dtype)
        t.row("Div", a, b, out=np.trunc(a / b).astype(dtype))
        t.row("Div", a, np.array([1, 0, 4, 7], dtype), error="division by zero")
        low = np.array([np.iinfo(dtype).min], dtype)
        t.row("Div", low, np.array([np.iinfo(dtype).max], dtype), out=(-1 if dtype in SIGNED else 0) * np.ones(1, dtype))
    for dtype in SIGNED:
        low = np.array([np.iinfo(dtype).min, 5], dtype)
        t.row("Div", low, np.array([-1], dtype), out=np.array([low[0], -5], dtype), note="lowest over -1 wraps")
        t.row("Mod", low, np.array([-1], dtype), out=np.zeros(2, dtype))
        t.row("Mod", np.array([-7, 7, -7, 7], dtype), np.array([3, -3, -3, 3], dtype))
        t.row("Mod", np.array([-7, 7, -7, 7], dtype), np.array([3, -3, -3, 3], dtype), fmod=1)
    t.row("Div", F32([1, -1, 0]), F32(0), out=F32([np.inf, -np.inf, np.nan]))
    t.row("Div", floats((2, 3), 1), floats((4, 2, 1), 2, 0.5), grad=[0, 1], grad2=True, tol=1e-6)
    for dtype in UNSIGNED:
        t.row("Mod", np.array([7, 200], dtype), np.array([3, 7], dtype))
    t.row("Mod", np.array([7], np.int32), np.array([0], np.int32), error="division by zero")
    t.row("Mod", F32([5.5]), F32([2]), error="fmod")
    for dtype in FLOATS:
        t.row("Mod", np.array([-4.5, 5.5, 5.25], dtype), np.array([2, -2, 2], dtype), fmod=1)
    t.row("Mod", floats((2, 3), 1, -5, 5), floats((3,), 2, 0.6, 2), fmod=1, grad=[0, 1], tol=1e-6)
    for dtype in FLOATS:
        a, b = floats((2, 3), 1, 0.1, 2, dtype), floats((3,), 2, dtype=dtype)
        t.row("Pow", a, b, out=(a.astype(F64) ** b.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
    t.row("Pow", np.int32([2, -3, 5]), np.int64([10, 3, 0]), out=np.int32([1024, -27, 1]))
    t.row("Pow", np.int32([2, 1, -1, -1]), np.int8([-1, -5, -3, -2]), out=np.int32([0, 1, -1, 1]))
    t.row("Pow", np.int64([0]), np.int64([-1]), error="division by zero")
    t.row("Pow", np.int64([3]), np.uint64([40]), out=np.int64([(3**40 + 2**63) % 2**64 - 2**63]), note="wraps")
    t.row("Pow", np.int32([2, 9]), F32([0.5]), out=np.int32([1, 3]))
    t.row("Pow", np.int32([10]), F64([300]), out=np.int32([2**31 - 1]), note="held at the end of the range")
    for e in [np.int8, np.int64, np.uint16, F64, F16]:
        t.row("Pow", F32([2, 1.5, -3]), np.array([3], e), out=F32([8, 3.375, -27]))
    t.row("Pow", floats((2, 3), 1, 0.2, 2), floats((4, 1, 1), 2), grad=[0, 1], grad2=True, tol=1e-5)
    t.row("Pow", floats((3,), 1), F32(2), grad=[0], grad2=True, tol=1e-6, note="negative base")
    t.row("Pow", floats((3,), 1), F32(0), grad=[0], note="exponent 0")
    for op, f in {"Max": np.maximum, "Min": np.minimum}.items():
        for dtype in NUMERIC:
            a, b, c = some((2, 3), dtype, 1), some((3,), dtype, 2), some((2, 1), dtype, 3)
            t.row(op, a, b, c, out=f(f(a, b), c))
        t.row(op, F32([1, np.nan, 2]), F32([np.nan, 0, 3]))
        t.row(op, floats((2, 3)), note="one operand", grad=[0])
        t.row(op, F32(2), F32(3), note="rank 0")
        t.row(op, empty(0), F32(3))
        t.row(op, floats((2, 3), 1), floats((3,), 2), floats((2, 1), 3), grad=[0, 1, 2])
    for op in ["Sum", "Mean"]:
        for dtype in FLOATS:
            a, b, c = floats((2, 3), 1, dtype=dtype), floats((3,), 2, dtype=dtype), floats((2, 1), 3, dtype=dtype)
            total = a.astype(F64) + b.astype(F64) + c.astype(F64)
            t.row(op, a, b, c, out=(total / (3 if op == "Mean" else 1)).astype(dtype),
                  tol=2 * TOLERANCE[np.dtype(dtype).name])
        t.row(op, floats((2, 3), 1), floats((3,), 2), F32(0.25), grad=[0, 1, 2], tol=1e-6)
        t.row(op, F32(2))
        t.row(op, empty(2, 0), F32([[1], [2]]))
    for dtype in FLOATS + SIGNED:
        t.row("Neg", some((2, 3), dtype, 5), out=-some((2, 3), dtype, 5))
    for dtype in NUMERIC:
        t.row("Abs", some((5,), dtype, 5), out=np.abs(some((5,), dtype, 5)))
        t.row("Sign", np.append(some((5,), dtype, 5), np.zeros(1, dtype)),
              out=np.sign(np.append(some((5,), dtype, 5), np.zeros(1, dtype)).astype(F64)).astype(dtype))
    for dtype in SIGNED:
        low = np.array([np.iinfo(dtype).min], dtype)
        t.row("Neg", low, out=low, note="wraps")
        t.row("Abs", low, out=low, note="wraps")
    t.row("Sign", F32([np.nan, np.inf, -np.inf]), out=F32([np.nan, 1, -1]))
    positive = {"Sqrt": np.sqrt, "Log": np.log, "Reciprocal": np.reciprocal}
    smooth = {"Exp": np.exp, "Sin": np.sin, "Cos": np.cos, **positive}
    for op, f in smooth.items():
        for dtype in FLOATS:
            x = floats((3, 2), 4, 0.1, 3, dtype) if op in positive else floats((3, 2), 4, -3, 3, dtype)
            t.row(op, x, out=f(x.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
        t.row(op, F32(0.7), tol=1e-6, note="rank 0")
        t.row(op, empty(0, 2))
        low = 0.2 if op in positive else -2
        t.row(op, floats((2, 3), 6, low), tol=1e-6, grad=[0], grad2=True)
    t.row("Exp", F32([-200, 200, np.nan, -np.inf, np.inf, 88.5, -87.2]), tol=2e-6)
    t.row("Log", F32([0, -1, np.inf, np.nan]), out=F32([-np.inf, np.nan, np.inf, np.nan]))
    t.row("Sqrt", F32([0, -1, np.inf]), out=F32([0, np.nan, np.inf]))
    for op, f in {"Floor": np.floor, "Ceil": np.ceil, "Round": np.round}.items():
        for dtype in FLOATS:
            x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49, -1.01, 3], dtype)
            t.row(op, x, out=f(x.astype(F64)).astype(dtype))
        t.row(op, F32([np.nan, np.inf]))
    for op in ["Neg", "Abs"]:
        t.row(op, floats((2, 3), 6), grad=[0])
        t.row(op, F32(-1.25))
        t.row(op, empty(2, 0))
    # Long enough for every piece and vector width, with an odd remainder.
    long = np.linspace(-3, 3, 65537 + 13).astype(F32)
    for op in ["Add"]:
        t.row(op, long[:4099], F32(0.5), out=long[:4099] + F32(0.5))


def logic(t):
    forms = {"Equal": np.equal, "Greater": np.greater, "Less": np.less, "GreaterOrEqual": np.greater_equal,
             "LessOrEqual": np.less_equal}
    for op, f in forms.items():
        for dtype in NUMERIC:
            a, b = whole((3, 4), dtype, 1, -2, 2), whole((4,), dtype, 2, -2, 2)
            t.row(op, a, b, out=f(a, b))
        t.row(op, F32([np.nan, 1, np.inf]), F32([np.nan, np.nan, np.inf]))
        t.row(op, F32(1), F32(1), note="rank 0")
        t.row(op, empty(0, 2), floats((2,)), out=np.zeros((0, 2), bool))
    truth = np.array([[False, False], [True, True]]), np.array([False, True])
    t.row("Equal", *truth)
    t.row("Equal", np.int64([2**62 + 1]), np.int64([2**62]), out=np.array([False]), note="beyond f64's digits")
    for op in ["And", "Or", "Xor"]:
        t.row(op, *truth)
        t.row(op, np.bool_(True), np.bool_(False))
    t.row("Not", truth[0])
    for dtype in FLOATS:
        x = np.array([np.nan, np.inf, -np.inf, 0, 1], dtype)
        t.row("IsNaN", x, out=np.isnan(x))
        t.row("IsInf", x, out=np.isinf(x))
        t.row("IsInf", x, out=x == np.inf, detect_negative=0)
        t.row("IsInf", x, out=x == -np.inf, detect_positive=0)
    for dtype in NUMERIC:
        a, b = some((2, 3), dtype, 1), some((2, 1), dtype, 2)
        t.row("Where", np.array([True, False, True]), a, b, out=np.where([True, False, True], a, b))
    choice = np.array([[True], [False]])
    t.row("Where", choice, np.array([True, False]), np.array([False, False]))
    t.row("Where", np.bool_(False), F32(1), F32(2))
    t.row("Where", np.zeros((0, 3), bool), F32(1), F32(2), out=empty(0, 3))
    t.row("Where", choice, floats((2, 3), 1), floats((3,), 2), grad=[1, 2], grad2=True)
    t.row("Where", choice, floats((2, 3), 1), F32(0), grad=[1, 2])
