"""Attention, Einsum and the selection of boxes."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def attention(t):
    def qkv(heads=2, kv=2, s=3, k=4, d=4, dv=4, dtype=F32, batch=2):
        return [floats((batch, h, n, w), i + 1, -1, 1, dtype) for i, (h, n, w) in
                enumerate([(heads, s, d), (kv, k, d), (kv, k, dv)])]

    def flat(x):
        return np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(x.shape[0], x.shape[2], -1)

    x = qkv()
    t.row("Attention", *x, tol=2e-6)
    for dtype in FLOATS:
        wide = by_onnx("Attention", qkv(dtype=F64), {}, 1)[0]
        t.row("Attention", *qkv(dtype=dtype), out=wide.astype(dtype), tol={F16: 4e-3, BF16: 3e-2}.get(dtype, 4e-6))
    t.row("Attention", *x, scale=0.3, tol=2e-6)
    t.row("Attention", *x, softcap=0.5, tol=2e-6)
    t.row("Attention", *x, is_causal=1, tol=2e-6)
    t.row("Attention", *qkv(4, 2, 3, 5, 4, 6), tol=2e-6, note="heads of Q share those of K and V")
    t.row("Attention", *qkv(4, 1, 3, 5, 4, 6), is_causal=1, tol=2e-6)
    t.row("Attention", *map(flat, x), q_num_heads=2, kv_num_heads=2, tol=2e-6, note="rank 3")
    t.row("Attention", *map(flat, qkv(4, 2, 3, 5, 4, 6)), q_num_heads=4, kv_num_heads=2, tol=2e-6)
    masks = [floats((3, 4), 7), floats((2, 3, 4), 8), floats((2, 2, 3, 4), 9), floats((2, 1, 3, 4), 10)]
    for mask in masks:
        t.row("Attention", *x, mask, tol=2e-6)
        t.row("Attention", *x, mask > 0, is_causal=1, tol=2e-6)
    t.row("Attention", *x, floats((3, 2), 7), tol=2e-6, note="a mask that ends before the keys")
    t.row("Attention", *x, np.array([[True, False], [False, False], [True, True]]), tol=2e-6, note="a row without a key")
    dead = np.where(masks[0] > 0, F32(0), F32("-inf"))
    dead[1] = F32("-inf")
    for mode in range(4):
        out = by_onnx("Attention", [*x, dead], {"softcap": 0.7, "qk_matmul_output_mode": mode}, 4)
        # ONNX's evaluator returns the capped scores here; its specification says those before the
        # cap
        if mode == 0:
            out[3] = by_onnx("Attention", x, {}, 4)[3]
        t.row("Attention", *x, dead, None, None, out=out, softcap=0.7, qk_matmul_output_mode=mode, tol=2e-6)
        t.row("Attention", *x, masks[3], None, None, outputs=4, is_causal=1, qk_matmul_output_mode=mode, tol=2e-6)
    past = [floats((2, 2, 3, 4), 11), floats((2, 2, 3, 4), 12)]
    t.row("Attention", *x, None, *past, outputs=3, is_causal=1, tol=2e-6, note="a cache")
    t.row("Attention", *map(flat, x), floats((3, 7), 13), *past, outputs=4, q_num_heads=2, kv_num_heads=2, tol=2e-6)
    lengths = i64(2, 4)
    t.row("Attention", *x, None, None, None, lengths, tol=2e-6, note="keys that are padding")
    t.row("Attention", *x, None, None, None, lengths, is_causal=1, tol=2e-6)
    t.row("Attention", *x, None, None, None, i64(0, 1), is_causal=1, tol=2e-6)
    for left, right in [(1, 0), (0, 1), (1, -1), (-1, 0), (0, 0)]:
        t.row("Attention", *qkv(s=4, k=5), left_window_size=left, right_window_size=right, tol=2e-6, note="windows")
    t.row("Attention", *x, None, *past, left_window_size=2, is_causal=1, tol=2e-6)
    t.row("Attention", *x, None, None, None, lengths, left_window_size=1, right_window_size=1, tol=2e-6)
    for precision in [1, 11]:
        t.row("Attention", *qkv(dtype=F16), softmax_precision=precision, tol=4e-3)
    q, k, v = qkv()
    t.row("Attention", q, k, v.astype(F16), tol=2e-3, out=by_onnx("Attention", [q, k, v.astype(F16).astype(F32)], {}, 1)[0],
          note="values of another type")
    small = qkv(2, 1, 2, 3, 2, 2, batch=1)
    t.row("Attention", *small, grad=[0, 1, 2], grad2=True, out=False)
    t.row("Attention", *small, floats((2, 3), 14), grad=[0, 1, 2], out=False, is_causal=1, softcap=1.5, scale=0.5)
    t.row("Attention", *small, np.array([[True, False, True], [False, False, False]]), grad=[0, 1, 2], out=False)
    t.row("Attention", *map(flat, small), None, floats((1, 1, 2, 2), 15), floats((1, 1, 2, 2), 16), grad=[0, 1, 2, 4, 5],
          out=False, q_num_heads=2, kv_num_heads=1, is_causal=1)
    t.row("Attention", *small, None, None, None, i64(2), grad=[0, 1, 2], out=False, is_causal=1)
    t.row("Attention", q, k[..., :3], v, error="head sizes of Q and K differ: 4 and 3")
    t.row("Attention", q, k[:, :, :3], v, error="sequence lengths of K and V differ: 3 and 4")
    t.row("Attention", q, k[:1], v, error="batch sizes of Q and K differ")
    t.row("Attention", *qkv(3, 2), error="3 heads of Q are not a multiple of the 2 heads of K")
    t.row("Attention", *map(flat, x), error="needs the attribute 'q_num_heads'")
    t.row("Attention", *map(flat, x), q_num_heads=3, kv_num_heads=2, error="does not divide the last dim")
    t.row("Attention", q, k, v, floats((2, 4), 3), error="does not broadcast to the scores")
    t.row("Attention", q, k, v, None, past[0], error="must be given together")
    t.row("Attention", q, k, v, None, *past, lengths, error="past_key and nonpad_kv_seqlen")
    t.row("Attention", q, k, v, None, None, None, i64(1, 2, 3), error="nonpad_kv_seqlen is [3]")
    t.row("Attention", q, k, v, softmax_precision=7, error="'softmax_precision' is 7")


def einsum(t):
    a, b, c = floats((2, 3, 4), 1), floats((2, 4, 5), 2), floats((3, 4), 3)
    one = [("ijk->kij", a), ("ijk->j", a), ("ijk", a), ("...k->...", a), ("i...->...", a), ("...", a), ("ii->i", floats((3, 3), 4)),
           ("ii", floats((3, 3), 4)), ("iij->ji", floats((3, 3, 2), 5)), ("iji->j", floats((3, 2, 3), 6)),
           ("iii->i", floats((2, 2, 2), 7)), (" i j -> j i ", c), ("jiB->Bij", a), ("->", F32(3))]
    for equation, x in one:
        t.row("Einsum", x, equation=equation, out=np.einsum(equation, x).astype(F32), tol=2e-6)
    two = [("bij,bjk->bik", a, b), ("bij,bjk", a, b), ("...ij,...jk->...ik", a, b), ("ij,jk->ik", c, c.T), ("ij,ij->ij", c, c),
           ("ij,ij->i", c, c), ("ij,ij->", c, c), ("ij,kl->iljk", c, c), ("i,j->ij", c[0], c[1]), ("i,i", c[0], c[1]),
           ("bij,ij->b", a, c), ("bij,kj->bik", a, c), ("bij,bkl->bk", a, b), ("ij,bij->jb", c, a), ("...j,j->...", a, c[0]),
           ("i...,i...->...", a, b[:, :1, :4]), (",ij->ji", F32(2), c), ("bij,cji->bc", a, floats((5, 4, 3), 8)),
           ("...ij,jk->...ik", a, c.T), ("ab...,bc...->ac...", floats((2, 3, 1, 4), 9), floats((3, 2, 5, 1), 10)),
           ("ii,ij->j", floats((3, 3), 4), c)]
    for equation, x, y in two:
        t.row("Einsum", x, y, equation=equation, out=np.einsum(equation, x, y).astype(F32), tol=4e-6)
    for equation in ["bij,bjk,kl->bil", "bij,bjk,kl->", "bij,bjk,kl->lb", "bij,bjk,kl"]:
        operands = [a, b, floats((5, 2), 11)]
        t.row("Einsum", *operands, equation=equation, out=np.einsum(equation, *operands).astype(F32), tol=2e-5)
    for dtype in NUMERIC:
        x, y = some((2, 3), dtype, 12), some((3, 2), dtype, 13)
        wide = np.einsum("ij,jk->ik", x.astype(F64), y.astype(F64))
        t.row("Einsum", x, y, equation="ij,jk->ik", out=wide.astype(np.int64).astype(dtype) if np.dtype(dtype).kind in "iu" else wide.astype(dtype),
              tol=TOLERANCE.get(np.dtype(dtype).name, 0))
    t.row("Einsum", np.int8([[100, 100]]), np.int8([[2], [3]]), equation="ij,jk->ik", out=np.int8([[-12]]), note="wraps")
    t.row("Einsum", empty(0, 3), empty(3, 2), equation="ij,jk->ik", out=empty(0, 2))
    t.row("Einsum", empty(2, 0), empty(0, 2), equation="ij,jk->ik", out=np.zeros((2, 2), F32))
    t.row("Einsum", F32([["inf", 1], ["nan", 2]]), equation="ii->i", out=F32(["inf", 2]), note="what is off the diagonal does not matter")
    t.row("Einsum", a, b, equation="bij,bjk->bik", grad=[0, 1], grad2=True, out=False)
    t.row("Einsum", c, c, equation="ij,kj->ki", grad=[0, 1], out=False)
    t.row("Einsum", a, c, equation="bij,ij->b", grad=[0, 1], out=False)
    t.row("Einsum", floats((3, 3), 4), equation="ii->i", grad=[0], out=False)
    t.row("Einsum", a, c[0], equation="...j,j->...", grad=[0, 1], out=False)
    t.row("Einsum", a, equation="ij->i", error="does not match an operand of rank 3")
    t.row("Einsum", a, equation="ijkl...", error="does not match an operand of rank 3")
    t.row("Einsum", a, c, equation="ijk->i", error="names 1 operands, got 2")
    t.row("Einsum", c, c, equation="ij,jk->ik", error="one label has different dims: 4 and 3")
    t.row("Einsum", c, equation="ij->ik", error="the output label 'k' does not occur in any term")
    t.row("Einsum", c, equation="ij->ii", error="'i' twice")
    t.row("Einsum", c, equation="...->", error="lacks the ellipsis")
    t.row("Einsum", c, equation="i1->i", error="wanted letters")
    t.row("Einsum", c, equation="......", error="wanted letters")


def fused_attention(t):
    """softmax(scale Q K^T + mask) V in numpy, f64, for each layout."""
    def expected(q, k, v, mask=None, scale=1.0, nan_is_zero=0, **by_row):
        q, k, v = [np.asarray(x, F64).transpose(0, 2, 1, 3) if by_row.get(n + "_by_row") else np.asarray(x, F64)
                   for n, x in zip("qkv", (q, k, v))]
        with np.errstate(invalid="ignore"):
            scores = scale * q @ k.swapaxes(-1, -2) + (0 if mask is None else np.asarray(mask, F64))
            e = np.exp(scores - scores.max(-1, keepdims=True))
            p = e / e.sum(-1, keepdims=True)
        y = (np.nan_to_num(p, nan=0.0) if nan_is_zero else p) @ v
        return y.transpose(0, 2, 1, 3) if by_row.get("y_by_row") else y

    def row(q, k, v, *mask, tol=2e-6, note=None, sharing=1, **attrs):
        axes = [2 if attrs.get(n + "_by_row") else 1 for n in "kv"]
        out = expected(q, np.repeat(k, sharing, axes[0]), np.repeat(v, sharing, axes[1]), *mask, **attrs).astype(q.dtype)
        t.row("percale:FusedAttention", q, k, v, *mask, out=out, tol=tol, note=note, **attrs)

    def qkv(dtype=F32, layout="000", batch=2, heads=3, s=4, keys=5, d=2, dv=6):
        shapes = [(batch, heads, s, d), (batch, heads, keys, d), (batch, heads, keys, dv)]
        shapes = [(b, n, h, w) if by == "1" else (b, h, n, w) for by, (b, h, n, w) in zip(layout, shapes)]
        return [floats(shape, i + 1, -2, 2, dtype) for i, shape in enumerate(shapes)]

    for dtype in FLOATS:
        row(*qkv(dtype), tol={F16: 4e-3, BF16: 3e-2, F64: 1e-13}.get(dtype, 2e-6))
    for layout in ["100", "010", "001", "111"]:
        for y in (0, 1):
            attrs = {n + "_by_row": int(by) for n, by in zip("qkv", layout)}
            row(*qkv(layout=layout), y_by_row=y, scale=0.5, **attrs)
    for shape in [(5,), (4, 5), (3, 1, 5), (2, 1, 1, 5), (1, 3, 4, 5), (2, 3, 4, 5), (4, 1), (1, 3, 1, 1)]:
        row(*qkv(), floats(shape, 9, -3, 3), scale=1.25, note="masks")
    none = floats((4, 5), 9, -3, 3)
    none[1], none[2, 3] = -np.inf, -np.inf
    row(*qkv(), none, nan_is_zero=1, note="a query without a key")
    row(*qkv(), none, nan_is_zero=0)
    row(*qkv(s=1, keys=1), floats((1, 1), 9))
    for layout in ["000", "011"]:
        q, _, _ = qkv(heads=6)
        _, k, v = qkv(heads=2, layout=layout)
        row(q, k, v, floats((6, 4, 5), 9), sharing=3, k_by_row=int(layout[1]), v_by_row=int(layout[2]), note="shared heads")
    for dtype, tol in [(F16, 4e-3), (BF16, 3e-2)]:
        row(*qkv(dtype, batch=1, heads=1, s=66, keys=35, d=24, dv=12), floats((66, 1), 9, -2, 2, dtype), scale=0.2,
            tol=tol, note="16 bits, several blocks")
        row(*qkv(dtype, "111", batch=2, heads=1, s=18, keys=33, d=7, dv=9), floats((2, 1, 1, 33), 9, -2, 2), scale=0.4,
            tol=tol, q_by_row=1, k_by_row=1, v_by_row=1, y_by_row=1, note="16 bits, odd sizes, a wide mask")
        q, _, _ = qkv(dtype, batch=1, heads=2, s=3, d=128)
        _, k, v = qkv(dtype, batch=1, heads=1, keys=9, d=128, dv=120)
        row(q, k, v, scale=0.1, sharing=2, tol=tol, note="16 bits, long rows, shared heads")
    q, k, v = qkv()
    t.row("percale:FusedAttention", q, k[:, :2], v[:, :2], error="3 heads of Q are not a multiple of the 2 heads of K")
    row(*qkv(s=0))
    row(*qkv(batch=0))
    for dtype in FLOATS:
        q, k, v = qkv(dtype)
        scores = 0.5 * np.asarray(q, F64) @ np.asarray(k, F64).swapaxes(-1, -2)
        sums = np.log(np.exp(scores).sum(-1)).astype(F64 if dtype == F64 else F32)
        t.row("percale:FusedAttention", q, k, v, out=[expected(q, k, v, scale=0.5).astype(dtype), sums], scale=0.5,
              tol={F16: 4e-3, BF16: 3e-2, F64: 1e-13}.get(dtype, 2e-6), note="statistics")
    small = qkv(batch=1, heads=2, s=2, keys=3, d=2, dv=1, layout="010")
    t.row("percale:FusedAttention", *small, floats((2, 3), 9), out=False, grad=[0, 1, 2, 3], grad2=True, k_by_row=1,
          y_by_row=1, scale=0.7)
    q, k, v = qkv()
    t.row("percale:FusedAttention", q, k[:, :, :, :1], v, error="head sizes of Q and K")
    t.row("percale:FusedAttention", q, k, v[:, :2], error="head counts of K and V")
    t.row("percale:FusedAttention", q[0], k, v, error="rank 4")
    t.row("percale:FusedAttention", q, k, v, floats((2, 4, 5), 9), error="does not broadcast")


def fused_rotary(t):
    def expected(x, cos, sin):
        x, cos, sin = (np.asarray(a, F64) for a in (x, cos, sin))
        h = x.shape[-1] // 2
        return x * cos + np.concatenate([-x[..., h:], x[..., :h]], -1) * sin

    for dtype in FLOATS:
        x, cos, sin = floats((2, 3, 4, 6), 1, -2, 2, dtype), floats((4, 6), 2, -1, 1, dtype), floats((4, 6), 3, -1, 1, dtype)
        t.row("percale:FusedRotary", x, cos, sin, out=expected(x, cos, sin).astype(dtype),
              tol={F16: 4e-3, BF16: 4e-2, F64: 1e-14}.get(dtype, 1e-6))
    x = floats((2, 3, 4, 6), 1, -2, 2)
    for shape in [(6,), (1, 1, 4, 6), (2, 1, 4, 6), (2, 3, 1, 6), (4, 1), ()]:
        cos, sin = floats(shape, 2), floats(shape, 3)
        t.row("percale:FusedRotary", x, cos, sin, out=expected(x, cos, sin).astype(F32), tol=1e-6)
    t.row("percale:FusedRotary", x, floats((6,), 2), floats((2, 3, 4, 6), 3),
          out=expected(x, floats((6,), 2), floats((2, 3, 4, 6), 3)).astype(F32), tol=1e-6, grad=[0, 1, 2], grad2=True)
    t.row("percale:FusedRotary", floats((0, 6), 1), floats((6,), 2), floats((6,), 3), out=floats((0, 6), 1))
    t.row("percale:FusedRotary", floats((2, 5), 1), floats((5,), 2), floats((5,), 3), error="even last dim")
    t.row("percale:FusedRotary", x, floats((5, 6), 2), floats((6,), 3), error="does not broadcast")


def fused_attention_grad(t):
    """The gradients of sum(dY * softmax(scale Q K^T + mask) V) in numpy, f64, by the softmax's
    Jacobian."""
    def turn(x, by_row):
        return np.asarray(x, F64).transpose(0, 2, 1, 3) if by_row else np.asarray(x, F64)

    def row(layout="00000", dtype=F32, mask=None, scale=0.5, tol=4e-6, batch=2, heads=3, s=4, keys=5, d=2, dv=6, note=None):
        names = ["dy_by_row", "q_by_row", "k_by_row", "v_by_row", "y_by_row"]
        sizes = [(s, dv), (s, d), (keys, d), (keys, dv)]
        by = [int(c) for c in layout]
        given = [floats((batch, n, heads, w) if b else (batch, heads, n, w), i + 1, -2, 2, dtype) for i, ((n, w), b) in enumerate(zip(sizes, by))]
        dy, q, k, v = [turn(x, b) for x, b in zip(given, by)]
        scores = scale * q @ k.swapaxes(-1, -2) + (0 if mask is None else np.asarray(mask, F64))
        e = np.exp(scores - scores.max(-1, keepdims=True))
        p = e / e.sum(-1, keepdims=True)
        statistics = np.log(e.sum(-1)) + scores.max(-1)
        dp = dy @ v.swapaxes(-1, -2)
        # The Jacobian of a row's weights with respect to its scores
        jacobian = p[..., :, None] * (np.eye(keys) - p[..., None, :])
        ds = scale * np.einsum("bhsij,bhsi->bhsj", jacobian, dp)
        out = [ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ dy]
        out = [turn(x, b).astype(dtype) for x, b in zip(out, by[1:4])]
        y = turn(p @ v, by[4]).astype(dtype)
        wide = F64 if dtype == F64 else F32
        t.row("percale:FusedAttentionGrad", *given, y, statistics.astype(wide), *([] if mask is None else [mask]), out=out, tol=tol,
              note=note, scale=scale, **dict(zip(names, by)))

    for dtype in FLOATS:
        row(dtype=dtype, tol={F16: 1e-2, BF16: 8e-2, F64: 1e-13}.get(dtype, 4e-6))
    for layout in ["11111", "10000", "01000", "00100", "00010", "00001"]:
        row(layout)
    for shape in [(5,), (4, 5), (3, 1, 5), (2, 1, 1, 5), (2, 3, 4, 5)]:
        row(mask=floats(shape, 9, -3, 3), note="masks")
    far = floats((4, 5), 9, -3, 3)
    far[2, 3] = -np.inf
    row(mask=far, scale=1.5, note="a key that a query does not see")
    row(s=40, keys=70, d=8, dv=16, tol=1e-5, note="several blocks")
    row("11111", dtype=BF16, s=37, keys=33, d=16, dv=8, mask=floats((37, 33), 3, -1, 1), tol=0.2, note="several blocks, a wide mask")
    for dtype, tol in [(F16, 1e-2), (BF16, 8e-2)]:
        row(dtype=dtype, batch=1, heads=1, s=66, keys=35, d=24, dv=12, scale=0.2, tol=tol, note="16 bits, several blocks")
        row(dtype=dtype, batch=1, heads=1, s=35, keys=66, d=4, dv=4, tol=tol, note="16 bits, several blocks of keys")
        row("11010", dtype=dtype, batch=1, heads=1, s=18, keys=33, d=7, dv=9, tol=tol, note="16 bits, odd sizes")
        row(dtype=dtype, batch=1, heads=1, s=3, keys=5, d=128, dv=120, scale=0.1, tol=tol, note="16 bits, long rows")
    x = [floats((2, 3, 4, 2), i) for i in range(4)]
    stats = floats((2, 3, 4), 7)
    t.row("percale:FusedAttentionGrad", *x, x[0], stats[:, :2], outputs=3, error="wanted statistics of shape")
    t.row("percale:FusedAttentionGrad", x[0][:1], *x[1:], x[0], stats, outputs=3, error="wanted dY of shape")
    t.row("percale:FusedAttentionGrad", x[0], x[1], x[2][:, :1], x[3][:, :1], x[0], stats, outputs=3, error="the gradient requires as many")


def detect(t):
    def boxes(count, seed, batch=1):
        rng = np.random.default_rng(seed)
        low = rng.uniform(0, 5, (batch, count, 2))
        return np.concatenate([low, low + rng.uniform(0.5, 3, (batch, count, 2))], 2).astype(F32)

    op = "NonMaxSuppression"
    for seed in range(3):
        x, scores = boxes(12, seed, 2), floats((2, 3, 12), seed, 0, 1)
        t.row(op, x, scores, i64(3), F32([0.3]), F32([0.2]))
        t.row(op, x, scores, np.array(20), F32(0.5), out=by_onnx(op, [x, scores, i64(20), F32([0.5])], {}, 1))
        t.row(op, x[:, :, [2, 1, 0, 3]], scores, i64(4), F32([0.3]), F32([0.4]), note="any two corners")
        center = np.concatenate([(x[..., :2] + x[..., 2:]) / 2, x[..., 2:] - x[..., :2]], 2)
        t.row(op, center.astype(F32), scores, i64(5), F32([0.3]), F32([0.1]), center_point_box=1)
    x = boxes(3, 9)
    none = np.zeros((0, 3), np.int64)
    t.row(op, x, floats((1, 1, 3), 1, 0, 1), out=none, note="without a number of boxes none is wanted")
    t.row(op, x, floats((1, 1, 3), 1, 0, 1), i64(0), out=none)
    t.row(op, x, floats((1, 1, 3), 1, 0, 1), i64(9), F32(0.5), F32(2), out=none)
    t.row(op, np.zeros((1, 0, 4), F32), np.zeros((1, 2, 0), F32), i64(5), out=none)
    t.row(op, np.repeat(x[:, :1], 3, 1), F32([[[0.5, 0.5, 0.5]]]), i64(5), F32(0.5), out=i64([[0, 0, 0]]),
          note="of equals the first")
    t.row(op, x, F32([[["nan", 0.5, "-inf"]]]), i64(5), F32(1), out=i64([[0, 0, 1], [0, 0, 2]]), note="NaN is no score")
    t.row(op, x, floats((1, 1, 3), 1), i64(5), F32(1.5), error="iou_threshold is 1.5")
    t.row(op, x, floats((1, 1, 3), 1), i64(5), F32("nan"), error="iou_threshold is nan")
    t.row(op, x, floats((1, 1, 4), 1), i64(5), error="do not match boxes")
    t.row(op, x[..., :3], floats((1, 1, 3), 1), i64(5), error="wanted boxes [B,N,4]")
    t.row(op, x, floats((1, 1, 3), 1), i64(5, 6), error="must be one element")
