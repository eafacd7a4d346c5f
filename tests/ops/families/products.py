"""Products of integers, which wrap around as numpy's do."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def draw(dtype, dims, seed):
    info = np.iinfo(dtype)
    low, high = max(int(info.min), -2**40), min(int(info.max), 2**40)
    return np.random.default_rng(seed).integers(low, high, dims, dtype=dtype, endpoint=True)


def product(t):
    """MatMul and BatchMatMul of 32-bit and 64-bit integers."""
    shapes = [((3, 4), (4, 5)), ((4,), (4, 2)), ((2, 4), (4,)), ((3,), (3,)), ((2, 3, 4), (4, 3)), ((2, 1, 3, 4), (1, 3, 4, 2)),
              ((3, 0), (0, 2)), ((17, 9), (9, 21))]
    for seed, dtype in enumerate([np.int32, np.int64, np.uint32, np.uint64]):
        for a, b in shapes:
            x, y = draw(dtype, a, seed), draw(dtype, b, 10 + seed)
            t.row("MatMul", x, y, out=np.matmul(x, y))
        for trans_a in (0, 1):
            for trans_b in (0, 1):
                x = draw(dtype, (2, 4, 3) if trans_a else (2, 3, 4), seed)
                y = draw(dtype, (1, 5, 4) if trans_b else (1, 4, 5), 10 + seed)
                out = np.matmul(x.swapaxes(1, 2) if trans_a else x, y.swapaxes(1, 2) if trans_b else y)
                t.row("percale:BatchMatMul", x, y, transA=trans_a, transB=trans_b, out=out)
