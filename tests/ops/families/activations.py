"""Activations, including composite ones, and the first steps of optimizers."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def activation(t):
    sigmoid = lambda x: 1 / (1 + np.exp(-x))
    hard = lambda x: np.clip(x / 6 + 0.5, 0, 1)
    forms = {
        "Relu": (lambda x: np.maximum(x, 0), {}),
        "LeakyRelu": (lambda x: np.where(x < 0, x * 0.125, x), {"alpha": 0.125}),
        "Sigmoid": (sigmoid, {}),
        "Tanh": (np.tanh, {}),
        "HardSigmoid": (lambda x: np.clip(0.25 * x + 0.5, 0, 1), {"alpha": 0.25, "beta": 0.5}),
        "HardSwish": (lambda x: x * hard(x), {}),
    }
    for op, (f, attrs) in forms.items():
        for dtype in FLOATS:
            x = floats((3, 7), 3, -5, 5, dtype)
            t.row(op, x, out=f(x.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name], **attrs)
        t.row(op, floats((2, 5), 4, -5, 5), out=False, grad=[0], grad2=op in ("Sigmoid", "Tanh", "HardSwish"), **attrs)
        t.row(op, F32(-0.75), tol=1e-6, **attrs)
        t.row(op, empty(0, 3), **attrs)
        t.row(op, F32([np.nan, 60, -60]), out=f(F64([np.nan, 60, -60])).astype(F32), tol=1e-6, **attrs)
    for dtype in SIGNED:
        t.row("Relu", whole((7,), dtype, 2), out=np.maximum(whole((7,), dtype, 2), 0).astype(dtype))
    t.row("LeakyRelu", F32([-1, 2]), out=F32([-0.01, 2]), tol=1e-7, note="default alpha")
    t.row("HardSigmoid", F32([-3, -1, 0, 9]), out=F32([0, 0.3, 0.5, 1]), tol=1e-6, note="defaults")
    erf = np.vectorize(__import__("math").erf)
    for dtype in FLOATS:
        x = floats((3, 3), 3, -3, 3, dtype)
        t.row("Erf", x, out=erf(x.astype(F64)).astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
    t.row("Erf", floats((2, 3), 1), out=False, grad=[0], grad2=True)
    for dtype in NUMERIC:
        x, low, high = some((2, 5), dtype, 3), dtype(1), dtype(2)
        t.row("Clip", x, low, high, out=np.minimum(np.maximum(x, low), high))
        t.row("Clip", x, None, high, out=np.minimum(x, high))
        t.row("Clip", x, low, out=np.maximum(x, low))
    t.row("Clip", F32([np.nan, np.inf, -np.inf, 0]), F32(-1), F32(1), out=F32([np.nan, 1, -1, 0]))
    t.row("Clip", F32([np.inf, -np.inf]), out=F32([np.inf, -np.inf]), note="no limits")
    t.row("Clip", F32([0, 5, 10]), F32(7), F32(3), out=F32([3, 3, 3]), note="min above max")
    t.row("Clip", floats((2, 5), 3), F32(-0.5), F32(0.75), out=False, grad=[0, 1, 2])
    t.row("Clip", floats((2, 5), 3), None, F32(0.75), out=False, grad=[0, 2])
    t.row("Clip", floats((3,)), F32([1, 2]), error="must be a scalar")
    for dtype in FLOATS + SIGNED:
        g, y = some((2, 5), dtype, 1), np.maximum(some((2, 5), dtype, 2), 0).astype(dtype)
        t.row("percale:ReluGrad", g, y, out=np.where(y > 0, g, 0).astype(dtype))
    t.row("percale:ReluGrad", floats((2, 5), 1), floats((2, 5), 2), out=False, grad=[0])
    t.row("percale:ReluGrad", floats((2, 5), 1), floats((2, 4), 2), error="shapes differ")


def composite(t):
    forms = {"Celu": {"alpha": 1.5}, "Elu": {"alpha": 0.75}, "Gelu": {}, "Mish": {}, "Selu": {}, "Softplus": {},
             "Softsign": {}, "Swish": {"alpha": 1.25}, "ThresholdedRelu": {"alpha": 0.5}}
    for op, attrs in list(forms.items()) + [("Gelu", {"approximate": "tanh"}), ("Selu", {"alpha": 2.0, "gamma": 3.0})]:
        for dtype in FLOATS:
            x = floats((3, 7), 3, -5, 5, dtype)
            wide = x.astype(F64)
            # The evaluator's own Gelu uses f32 constants.
            if op != "Gelu":
                exact = by_onnx(op, [wide], attrs, 1)[0]
            elif attrs:
                exact = wide / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
            else:
                exact = wide / 2 * (1 + np.vectorize(math.erf)(wide / np.sqrt(2)))
            t.row(op, x, out=exact.astype(dtype), tol=TOLERANCE[np.dtype(dtype).name], **attrs)
        t.row(op, floats((2, 5), 4, -5, 5), out=False, grad=[0], grad2=op not in ("Celu", "Elu", "Selu"), **attrs)
        t.row(op, empty(0, 3), **attrs)
    # Large inputs do not overflow, and NaN stays NaN.
    far = F32([-1000, 1000, np.nan])
    t.row("Softplus", far, out=F32([0, 1000, np.nan]))
    t.row("Elu", far, out=F32([-1, 1000, np.nan]))
    t.row("Mish", far, out=F32([0, 1000, np.nan]))
    t.row("Softplus", np.array([-800.0, 800.0]), out=False, grad=[0])
    t.row("Elu", np.array([-800.0, 800.0]), out=False, grad=[0])


def transformer(t):
    def rms(x, scale, axis=-1, epsilon=1e-5):
        x = x.astype(F64)
        axes = tuple(range(axis % x.ndim, x.ndim))
        return x / np.sqrt(np.mean(x * x, axis=axes, keepdims=True) + epsilon) * scale.astype(F64)

    for dtype in FLOATS:
        x, scale = floats((3, 4, 5), 1, -2, 2, dtype), floats((5,), 2, dtype=dtype)
        tol = 2 * TOLERANCE[np.dtype(dtype).name]
        t.row("RMSNormalization", x, scale, out=rms(x, scale).astype(dtype), tol=tol)
        if dtype != F32:
            t.row("RMSNormalization", x, scale.astype(F32), out=rms(x, scale).astype(F32), tol=max(tol, 2e-6),
                  note="scale of its own type")
    x = floats((2, 3, 4), 3, dtype=F64)
    for axis, dims in [(0, (2, 3, 4)), (1, (3, 4)), (-2, (4,)), (2, (1,)), (-3, ())]:
        scale = floats(dims, 4, dtype=F64)
        t.row("RMSNormalization", x, scale, out=rms(x, scale, axis, 0.25), grad=[0, 1], grad2=True, tol=1e-11, axis=axis,
              epsilon=0.25)
    t.row("RMSNormalization", empty(0, 3), F32([1, 2, 3]), out=empty(0, 3))
    t.row("RMSNormalization", empty(2, 3), F32([1, 2, 3]), out=np.zeros((2, 3), F32), note="of zeros")
    t.row("RMSNormalization", empty(2, 3), F32([1, 2]), error="shapes [2,3] and [2] do not broadcast")
    t.row("RMSNormalization", empty(2, 1), F32([1, 2]), error="does not broadcast to X")
    t.row("RMSNormalization", empty(2, 3), F32([1, 2, 3]), axis=2, error="axis")
    t.row("RMSNormalization", empty(2, 3), F32([1, 2, 3]), stash_type=10, error="wanted 1 (f32) or 16 (bf16)")

    def rotary(x, turn, interleaved, size):
        """Rotates pairs, as complex numbers, by `turn` [batch, sequence, size / 2]. x is [batch,
        heads, sequence, head]."""
        turn = turn[:, None]
        out = x.astype(F64).copy()
        first, second = (np.s_[..., 0:size:2], np.s_[..., 1:size:2]) if interleaved else (
            np.s_[..., :size // 2], np.s_[..., size // 2:size])
        z = (x[first].astype(F64) + 1j * x[second].astype(F64)) * turn
        out[first], out[second] = z.real, z.imag
        return out

    for interleaved in (0, 1):
        for size in (0, 4):
            for flat in (False, True):
                x = floats((2, 3, 4, 6), 5, dtype=F64)  # batch, heads, sequence, head
                table = floats((9, (size or 6) // 2), 6, -3, 3, F64)
                where = np.array([[0, 1, 2, 3], [8, 5, 5, -9]])
                y = rotary(x, np.exp(1j * table[where]), interleaved, size or 6)
                given = np.swapaxes(x, 1, 2).reshape(2, 4, 18).copy() if flat else x
                want = np.swapaxes(y, 1, 2).reshape(2, 4, 18).copy() if flat else y
                attrs = {"interleaved": interleaved, "rotary_embedding_dim": size, "num_heads": 3 if flat else 0}
                t.row("RotaryEmbedding", given, np.cos(table), np.sin(table), where, out=want, tol=1e-11, grad=[0, 1, 2],
                      grad2=True, **attrs)
                t.row("RotaryEmbedding", given, np.cos(table[where]), np.sin(table[where]), out=want, tol=1e-11, grad=[0],
                      **attrs)
    for dtype in FLOATS:
        x, angles = floats((1, 2, 3, 4), 7, dtype=dtype), floats((1, 3, 2), 8, -3, 3, F64)
        c, s = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
        turned = rotary(x, c.astype(F64) + 1j * s.astype(F64), 0, 4)
        t.row("RotaryEmbedding", x, c, s, out=turned.astype(dtype), tol=TOLERANCE[np.dtype(dtype).name])
    x, cache = empty(1, 2, 3, 4), empty(5, 2)
    t.row("RotaryEmbedding", x, cache, cache, i64([[0, 4, 5]]), error="index")
    t.row("RotaryEmbedding", x, cache, cache, error="wanted cos_cache of rank 3, got [5,2]")
    t.row("RotaryEmbedding", x, empty(5, 3), cache, i64([[0, 1, 2]]), error="does not hold half of the 4 elements to rotate")
    t.row("RotaryEmbedding", x, cache, cache, i64([[0, 1, 2]]), rotary_embedding_dim=6, error="exceeds the head size 4")
    t.row("RotaryEmbedding", x, cache, cache, i64([[0, 1, 2]]), rotary_embedding_dim=3, error="must be even")
    t.row("RotaryEmbedding", empty(1, 3, 8), cache, cache, i64([[0, 1, 2]]), error="requires the attribute 'num_heads'")
    t.row("RotaryEmbedding", empty(1, 3, 8), cache, cache, i64([[0, 1, 2]]), num_heads=3, error="does not divide")
    t.row("RotaryEmbedding", empty(3, 8), cache, cache, i64([[0, 1, 2]]), error="wanted X of rank 3 or 4")
    t.row("RotaryEmbedding", x, cache, cache, i64(0, 1, 2), error="wanted position_ids of rank 2, got [3]")


def optimizer(t):
    """First steps from zero slots, where the formulas are short. The gradient is given as a sum and
    its scale."""
    lr, eps = 0.25, 1e-3
    # Slots, uses the step number, attributes, function from the scaled gradient to (change of the
    # parameter, slots)
    forms = {
        "ApplySGD": (0, False, {}, lambda g: (lr * g,)),
        "ApplyMomentum": (1, False, {"momentum": 0.5}, lambda g: (lr * g, g)),
        "ApplyAdam": (2, True, {"epsilon": eps}, lambda g: (lr * g / (abs(g) + eps), 0.1 * g, 0.001 * g * g)),
        "ApplyAdamW": (2, True, {"epsilon": eps, "weight_decay": 0.0},
                       lambda g: (lr * g / (abs(g) + eps), 0.1 * g, 0.001 * g * g)),
        "ApplyRMSProp": (1, False, {"alpha": 0.75, "epsilon": eps}, lambda g: (lr * g / (abs(g) / 2 + eps), 0.25 * g * g)),
        "ApplyAdagrad": (1, False, {"epsilon": eps}, lambda g: (lr * g / (abs(g) + eps), g * g)),
        "ApplyLion": (1, False, {}, lambda g: (lr * np.sign(g), 0.01 * g)),
        "ApplyLAMB": (2, True, {"epsilon": eps},
                      lambda g: (lr * norm_ratio(g / (abs(g) + eps)) * g / (abs(g) + eps), 0.1 * g, 0.001 * g * g)),
    }
    param, total = np.array([1.5, -2, 0.5, 3, -1]), np.array([64, -32, 16, 8, -96.0])
    norm_ratio = lambda u: np.sqrt((param**2).sum() / (u**2).sum())
    for op, (slots, counts, attrs, form) in forms.items():
        for dtype in (F32, F64):
            zeros = np.zeros(5, dtype)
            extra = [None] if op == "ApplyRMSProp" else []
            change, *state = form(total / 64)
            t.row("percale:" + op, param.astype(dtype), total.astype(dtype), *[zeros] * slots, *extra, F64(lr),
                  *([np.int64(1)] if counts else []), F64(1 / 64),
                  out=[(param - change).astype(dtype)] + [s.astype(dtype) for s in state], tol=2e-6, **attrs)
