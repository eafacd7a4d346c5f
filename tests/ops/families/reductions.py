"""Reductions, linear algebra, and ops that contain a graph."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def reduce(t):
    forms = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min,
             "ReduceProd": np.prod}
    wide = [np.int32, np.int64, np.uint32, np.uint64]
    for op, f in forms.items():
        extreme = op in ("ReduceMax", "ReduceMin")
        for dtype in FLOATS + wide + ([np.int8, np.uint8] if extreme else []):
            x = some((3, 4, 5), dtype, 7)
            if op == "ReduceProd" and np.dtype(dtype).kind in "iu":
                x = whole((3, 4, 5), dtype, 7, -2, 3)
            tol = None if extreme else 4 * TOLERANCE.get(np.dtype(dtype).name, 0)
            for axes in [(1,), (0, 2), (-1,)]:
                with np.errstate(over="ignore"):
                    y = f(x.astype(F64), axis=axes) if np.dtype(dtype).kind == "f" or dtype == BF16 else \
                        f(x, axis=axes) if op != "ReduceMean" else np.trunc(np.mean(x, axis=axes))
                t.row(op, x, i64(*axes), keepdims=0, out=y.astype(dtype), tol=tol)
        x = floats((3, 4, 5), 8)
        tol = None if extreme else 4e-6
        t.row(op, x, out=f(x.astype(F64), keepdims=True).astype(F32), tol=tol, note="no axes: all")
        t.row(op, x, out=f(x.astype(F64)).astype(F32), tol=tol, keepdims=0)
        t.row(op, x, i64(), keepdims=0, out=f(x.astype(F64)).astype(F32), tol=tol, note="empty axes: all")
        t.row(op, x, noop_with_empty_axes=1, out=x)
        t.row(op, x, i64(), noop_with_empty_axes=1, out=x)
        t.row(op, x, i64(0), out=f(x.astype(F64), axis=0, keepdims=True).astype(F32), tol=tol)
        t.row(op, x, i64(0, 1), keepdims=0, out=f(x.astype(F64), axis=(0, 1)).astype(F32), tol=tol)
        t.row(op, floats((2, 1, 3, 1), 1), i64(1), keepdims=0, out=floats((2, 1, 3, 1), 1)[:, 0])
        t.row(op, F32(1.5), out=F32(1.5), note="rank 0")
        t.row(op, F32(1.5), i64(), keepdims=0, out=F32(1.5))
        t.row(op, x, i64(3), error="out of range")
        t.row(op, x, i64(0, -3), error="listed twice")
        wide_rows = floats((3, 300), 9, 0.9, 1.1)
        t.row(op, wide_rows, i64(0), keepdims=0, out=f(wide_rows.astype(F64), axis=0).astype(F32), tol=4e-6,
              note="more lanes than a block")
        t.row(op, wide_rows, i64(1), keepdims=0, out=f(wide_rows.astype(F64), axis=1).astype(F32), tol=4e-6)
        start = {"ReduceSum": 0, "ReduceMean": np.nan, "ReduceMax": -np.inf, "ReduceMin": np.inf, "ReduceProd": 1}[op]
        t.row(op, empty(2, 0, 3), i64(1), keepdims=0, out=np.full((2, 3), start, F32), note="of nothing")
        t.row(op, empty(2, 0, 3), i64(0), keepdims=0, out=empty(0, 3))
        if op == "ReduceMean":
            t.row(op, np.zeros((0,), np.int32), i64(0), error="no elements")
        else:
            first = {"ReduceSum": 0, "ReduceMax": -2**31, "ReduceMin": 2**31 - 1, "ReduceProd": 1}[op]
            t.row(op, np.zeros((0,), np.int32), i64(0), keepdims=0, out=np.int32(first))
        for axes, keep in [((1,), 0), ((0, 2), 1), ((-1, 0), 0)]:
            t.row(op, floats((2, 3, 2), 3), i64(*axes), keepdims=keep, out=False, grad=[0], grad2=not extreme)
        t.row(op, floats((2, 3), 3), out=False, grad=[0])
        t.row(op, floats((2, 3), 3), keepdims=0, out=False, grad=[0])
        t.row(op, floats((2, 3), 3), noop_with_empty_axes=1, out=False, grad=[0])
    for op in ["ReduceMax", "ReduceMin"]:
        t.row(op, np.array([[True, False], [False, False]]), i64(1), keepdims=0,
              out=np.array([op == "ReduceMax", False]))
        t.row(op, F32([[1, np.nan, 3]]), i64(1), keepdims=0, out=F32([np.nan]))
        t.row(op, F32([[np.nan, 1], [2, np.nan]]), i64(0), keepdims=0, out=F32([np.nan, np.nan]))
    t.row("ReduceProd", F32([[0, 2, 3], [0, 0, 3], [1, 2, 3]]), i64(1), keepdims=0, out=F32([0, 0, 6]), grad=[0])
    t.row("ReduceSum", np.int32([2**31 - 1, 1]), i64(0), keepdims=0, out=np.int32(-2**31), note="wraps")
    t.row("ReduceSum", np.full((4096,), 0.1, F32), keepdims=0, out=F32(4096 * np.float64(F32(0.1))), tol=1e-5, note="long")
    for dtype in NUMERIC:
        x = some((2, 3, 4), dtype, 5)
        t.row("percale:SumToShape", x, i64(3, 1), out=x.sum(axis=(0, 2)).reshape(3, 1).astype(dtype)
              if np.dtype(dtype).kind in "iu" else x.astype(F64).sum(axis=(0, 2)).reshape(3, 1).astype(dtype),
              tol=4 * TOLERANCE.get(np.dtype(dtype).name, 0))
    x = floats((2, 3, 4), 6)
    t.row("percale:SumToShape", x, i64(2, 3, 4), out=x, note="nothing to sum")
    t.row("percale:SumToShape", x, i64(), out=x.astype(F64).sum().astype(F32), tol=1e-5)
    t.row("percale:SumToShape", x, i64(4), out=x.astype(F64).sum(axis=(0, 1)).astype(F32), tol=1e-5)
    t.row("percale:SumToShape", x, i64(2, 1, 1), out=x.astype(F64).sum(axis=(1, 2), keepdims=True).astype(F32), tol=1e-5)
    t.row("percale:SumToShape", empty(0, 3), i64(1, 3), out=empty(1, 3))
    t.row("percale:SumToShape", x, i64(5), error="not a broadcast")
    t.row("percale:SumToShape", x, i64(2, 3, 4, 1), error="not a broadcast")
    t.row("percale:SumToShape", x, i64(-1), error="negative dim")
    t.row("percale:SumToShape", x, i64(3, 1), out=False, grad=[0], grad2=True)


def argextreme(t):
    x = F32([[2, 7, 7, 1], [5, 5, 0, 3], [9, 1, 9, 2]])
    for op, f in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
        for dtype in NUMERIC:
            v = whole((3, 5, 2), dtype, 4, -3, 3)
            t.row(op, v, axis=1, out=f(v, axis=1).reshape(3, 1, 2))
        for axis in [0, 1, -1]:
            t.row(op, x, axis=axis, keepdims=0)
            t.row(op, x, axis=axis, select_last_index=1)
        t.row(op, F32([1, np.nan, 9, np.nan, -9]), keepdims=0, out=np.int64(1))
        t.row(op, F32([1, np.nan, 9, np.nan, -9]), keepdims=0, select_last_index=1, out=np.int64(3))
        t.row(op, empty(0, 3), axis=1, out=np.zeros((0, 1), np.int64))
        t.row(op, empty(2, 0), axis=1, error="must not be empty")
        t.row(op, x, axis=2, error="out of range")
        t.row(op, floats((5, 1003)), axis=1)
    for dtype in NUMERIC:
        hot = np.array([[1, 5, 5], [5, 5, 1], [5, 1, 5], [5, 5, 5]], dtype)
        t.row("OneHot", i64(0, 2, -2, 3), np.int64(3), np.array([5, 1], dtype), out=hot)
        t.row("OneHot", np.array([0, 2], dtype), np.array(3).astype(dtype), F32([0, 1]), out=F32([[1, 0, 0], [0, 0, 1]]))
    t.row("OneHot", i64(0, 2), np.int64(3), F32([0, 1]), axis=0, out=F32([[1, 0], [0, 0], [0, 1]]))
    t.row("OneHot", i64([[0, 2]]), i64(3), F32([0, 1]), axis=1, out=F32([[[1, 0], [0, 0], [0, 1]]]))
    t.row("OneHot", np.int64(1), np.int64(2), np.array([False, True]), out=np.array([False, True]))
    t.row("OneHot", i64(2**63 - 1, -2**63, -4), np.int64(3), F32([0, 1]), out=empty(3, 3), note="out of range: off")
    t.row("OneHot", np.zeros((0,), np.int64), np.int64(2), F32([0, 1]), out=empty(0, 2))
    t.row("OneHot", i64(0), np.int64(0), F32([0, 1]), error="depth is 0")
    t.row("OneHot", i64(0), np.int64(-3), F32([0, 1]), error="depth is -3")
    t.row("OneHot", i64(0), i64(3, 3), F32([0, 1]), error="depth must be a scalar")
    t.row("OneHot", i64(0), i64(3), F32([0, 1, 2]), error="values must be")


def minors(x):
    """Returns the cofactors of matrices [..., n, n], each from the determinant without its row and
    column."""
    x = np.asarray(x, F64)
    n = x.shape[-1]
    out = np.zeros(x.shape)
    for i in range(n):
        for j in range(n):
            rest = np.delete(np.delete(x, i, axis=-2), j, axis=-1)
            out[..., i, j] = (-1) ** (i + j) * np.linalg.det(rest)
    return out


def linalg(t):
    def symmetric(dims, seed):
        x = floats(dims, seed, dtype=F64)
        return x @ np.swapaxes(x, -1, -2) + 0.5 * np.eye(dims[-1])
    for dims in [(1, 1), (2, 2), (3, 3), (2, 4, 4), (2, 1, 3, 3), (17, 17), (0, 2, 2), (2, 0, 0)]:
        x, s = floats(dims, 3, dtype=F64), symmetric(dims, 4)
        inverse = np.linalg.inv(x)
        t.row("Det", x, out=np.linalg.det(x), tol=1e-11)
        t.row("percale:Cofactors", x, out=minors(x), tol=1e-11)
        t.row("percale:MatrixInverse", x, out=inverse, tol=1e-11)
        t.row("percale:MatrixInverse", x, out=np.swapaxes(inverse, -1, -2).copy(), tol=1e-11, adjoint=1)
        t.row("percale:Cholesky", s, out=np.linalg.cholesky(s), tol=1e-11)
    t.row("percale:Cholesky", np.triu(np.full((2, 2), np.nan), 1) + F64([[4, 0], [2, 5]]), out=F64([[2, 0], [1, 2]]),
          note="the lower triangle alone is read")
    for dtype, tol in [(F32, 1e-5), (F16, 1e-3), (BF16, 1e-2)]:
        x = F64([[2, -1, 0], [-1, 2, -1], [0, -1, 2]]).astype(dtype)
        t.row("Det", x, out=np.asarray(4).astype(dtype), tol=tol)
        t.row("percale:Cofactors", x, out=minors(x).astype(dtype), tol=tol)
        t.row("percale:MatrixInverse", x, out=np.linalg.inv(x.astype(F64)).astype(dtype), tol=tol)
        t.row("percale:Cholesky", x, out=np.linalg.cholesky(x.astype(F64)).astype(dtype), tol=tol)
    x, s = np.stack([floats((3, 3), 5), np.eye(3) + 0.1 * floats((3, 3), 6)]).astype(F64), symmetric((2, 3, 3), 7)
    t.row("Det", x, grad=[0], grad2=True, out=np.linalg.det(x), tol=1e-11)
    t.row("percale:Cofactors", x, grad=[0], grad2=True, out=minors(x), tol=1e-11)
    a, b = floats((5, 5), 8, dtype=F64), floats((5, 5), 9, dtype=F64)
    for rank in range(5):
        lacking = a[:, :rank] @ b[:rank]
        t.row("percale:Cofactors", lacking, out=minors(lacking), tol=1e-11, note=f"rank {rank} of 5")
        t.row("Det", lacking, grad=[0], out=np.zeros(()), tol=1e-11, note=f"the gradient at rank {rank} of 5")
    exact = F64([[[1, 2], [2, 4]], [[0, 0], [0, 3]], [[0, 0], [0, 0]], [[0, 1], [0, 0]]])
    t.row("Det", exact, grad=[0], out=np.zeros(4), note="singular to the last bit")
    t.row("percale:Cofactors", exact, out=F64([[[4, -2], [-2, 1]], [[3, 0], [0, 0]], [[0, 0], [0, 0]], [[0, 0], [-1, 0]]]))
    t.row("Det", np.stack([np.diag([1e-200, 1e200, 1.0]), np.diag([0.0, 2, 3])]), out=F64([1, 0]), tol=1e-11)
    t.row("percale:Cofactors", np.diag([1e-200, 1e200, 1.0]), out=np.diag([1e200, 1e-200, 1.0]), tol=1e-11)
    t.row("percale:MatrixInverse", x[1], grad=[0], grad2=True, out=np.linalg.inv(x[1]), tol=1e-11)
    t.row("percale:MatrixInverse", x[1:], grad=[0], out=np.swapaxes(np.linalg.inv(x[1:]), -1, -2).copy(), tol=1e-11, adjoint=1)
    t.row("percale:Cholesky", s, grad=[0], out=np.linalg.cholesky(s), tol=1e-11)
    t.row("percale:Cholesky", s[0] + 2 * np.eye(3), grad=[0], grad2=True, out=np.linalg.cholesky(s[0] + 2 * np.eye(3)), tol=1e-11)
    singular = F64([[[1, 0], [0, 1]], [[1, 2], [2, 4]]])
    t.row("Det", singular, out=F64([1, 0]))
    t.row("Det", F64([[0, 2], [3, 0]]), out=F64(-6), note="rows exchanged")
    t.row("percale:MatrixInverse", F64([[0, 2], [4, 0]]), out=F64([[0, 0.25], [0.5, 0]]), note="rows exchanged")
    t.row("percale:MatrixInverse", singular, error="matrix 1 is singular")
    t.row("percale:MatrixInverse", empty(2, 2), error="matrix 0 is singular")
    t.row("percale:Cholesky", F64([[1, 2], [2, 1]]), error="matrix 0 is not positive definite")
    t.row("percale:Cholesky", F64([[np.nan]]), error="matrix 0 is not positive definite")
    for op in ["Det", "percale:Cofactors", "percale:MatrixInverse", "percale:Cholesky"]:
        t.row(op, empty(2, 3), error="wanted square matrices, got [2,3]")
        t.row(op, empty(3), error="wanted square matrices, got [3]")


def debug(t):
    for dtype in FLOATS:
        x = floats((2, 3), dtype=dtype)
        t.row("percale:CheckNumerics", x, out=x)
        bad = x.copy()
        bad[1, 1:] = [np.inf, np.nan]
        t.row("percale:CheckNumerics", bad, message="weights", error="weights: element 4 is infinite or NaN")
    t.row("percale:CheckNumerics", F64([-np.inf]), error="element 0 is infinite or NaN")
    t.row("percale:CheckNumerics", empty(0, 2), out=empty(0, 2))
    t.row("percale:CheckNumerics", floats((2, 3)), out=False, grad=[0], grad2=True)
    t.row("percale:Print", floats((2, 3)), out=floats((2, 3)), message="x = ", grad=[0])
    t.row("percale:Print", i64(1, 2), out=i64(1, 2), summarize=-1)
    holds = np.array([True, True])
    t.row("percale:Assert", holds, floats((2, 3)), out=floats((2, 3)), grad=[1])
    t.row("percale:Assert", np.zeros((0,), np.bool_), i64(7), out=i64(7), note="of nothing all hold")
    t.row("percale:Assert", ~holds, i64(7), message="no", error="no: element 0 of the condition is false")
    t.row("percale:Assert", holds, error="output 'Y' needs input 'X'")
