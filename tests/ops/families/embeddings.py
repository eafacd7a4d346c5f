"""Bags of table rows, and optimizer steps of single rows, compared with PyTorch (needs torch)."""
from families.rows import *  # noqa: F403 the vocabulary of all families


def embedding(t):
    import torch
    import torch.nn.functional as F

    table = floats((6, 5))
    fixed = i64([[1, 4, 1], [0, 5, 2], [3, 3, 3], [2, 0, 4]])
    flat, offsets = i64(1, 4, 1, 0, 5, 3, 2), i64(0, 3, 3, 5)
    weights = floats((4, 3), 1)

    def bags(x, at, begins=None, by=None, padding=None, **keys):
        as_torch = lambda a: None if a is None else torch.tensor(np.asarray(a))
        return F.embedding_bag(as_torch(at).long(), as_torch(x), None if begins is None else as_torch(begins).long(),
                               per_sample_weights=as_torch(by), padding_idx=padding, **keys).numpy()

    def both(x, at, begins=None, by=None, padding=None, grad=(0,), **keys):
        attrs = {"padding_idx": padding} if padding is not None else {}
        if keys.get("include_last_offset"):
            attrs["include_last_offset"] = 1
        t.row("percale:EmbeddingBag", x, at, begins, by, mode=keys["mode"],
              out=bags(x, at, begins, by, padding, **keys), tol=4e-6 if x.dtype == F32 else 1e-12,
              grad=list(grad) + ([3] if by is not None else []), grad2=keys["mode"] != "max", **attrs)
        # The gradients of the rows: a table with one row per index.
        own = torch.tensor(x[np.asarray(at).reshape(-1)]).requires_grad_(True)
        spots = torch.arange(np.asarray(at).size)
        skipped = torch.tensor(np.asarray(at).reshape(-1)) == (-1 if padding is None else padding)
        begin = torch.tensor(np.asarray(begins)).long() if begins is not None else spots[::at.shape[1]]
        keep, ends = ~skipped, keys.get("include_last_offset", False)
        moved = torch.cat([torch.zeros(1, dtype=torch.long), torch.cumsum(keep.long(), 0)])[begin]
        y = F.embedding_bag(spots[keep], own, moved, mode=keys["mode"], include_last_offset=ends,
                            per_sample_weights=None if by is None else torch.tensor(by).reshape(-1)[keep])
        g = floats(tuple(y.shape), 7, dtype=x.dtype.type)
        (y * torch.tensor(g)).sum().backward()
        t.row("percale:EmbeddingBagRows", g, x, at, begins, by, mode=keys["mode"], out=own.grad.numpy(),
              tol=4e-6 if x.dtype == F32 else 1e-12, **attrs,
              grad=None if keys["mode"] == "max" else [0] if by is None else [0, 4])

    for x in (table, table.astype(F64)):
        for mode in ("sum", "mean", "max"):
            both(x, fixed, mode=mode)
            both(x, fixed.astype(np.int32), padding=3, mode=mode)
            both(x, flat, offsets, mode=mode)
            both(x, flat, i64(0, 3, 3, 5, 7), mode=mode, include_last_offset=True, padding=1)
        both(x, fixed, by=weights.astype(x.dtype), mode="sum")
        both(x, flat, offsets.astype(np.int32), by=weights.reshape(-1)[:7].astype(x.dtype), mode="sum", padding=0)
    wide = floats((3, 150), 2)
    for mode in ("sum", "mean", "max"):
        both(wide, i64([[2, 0], [1, 1]]), mode=mode)
    half = whole((4, 3), np.float16)
    t.row("percale:EmbeddingBag", half, i64([[0, 3], [1, 1]]), mode="sum", out=half[[0, 1]] + half[[3, 1]])
    t.row("percale:EmbeddingBagRows", half[:2], half, i64([[0, 3], [1, 1]]), mode="sum", out=half[[0, 0, 1, 1]])
    t.row("percale:EmbeddingBag", table, i64([[0, 6]]), error="index 6 is out of range")
    t.row("percale:EmbeddingBag", table, i64([[-1, 0]]), error="index -1 is out of range")
    t.row("percale:EmbeddingBag", table, flat, i64(0, 4, 3), error="index 3 is out of range", note="falling offsets")
    t.row("percale:EmbeddingBag", table, flat, i64(0, 8), error="index 8 is out of range", note="an offset behind the end")
    t.row("percale:EmbeddingBag", table, flat, error="wanted [bags, length] without offsets")
    t.row("percale:EmbeddingBag", table, fixed, offsets, error="wanted [count] with offsets")
    t.row("percale:EmbeddingBag", table, fixed, None, weights, mode="mean", error="weights require mode sum")
    t.row("percale:EmbeddingBag", table, fixed, None, weights[:2], mode="sum", error="differ")
    t.row("percale:EmbeddingBag", table, fixed, mode="median", error="wanted sum, mean or max")
    t.row("percale:EmbeddingBag", floats((2, 3, 4)), fixed, error="wanted [rows, width]")
    t.row("percale:EmbeddingBagRows", floats((4, 4)), table, fixed, error="does not match the result of EmbeddingBag")


def row_sparse(t):
    import torch

    rows, values = i64(4, 1, -1, 4, 0, 1, 4), floats((7, 3))
    for dtype in (F32, F64):
        v = values.astype(dtype)
        keep = rows >= 0
        summed = torch.sparse_coo_tensor(torch.tensor(rows[keep][None]), torch.tensor(v[keep]), (6, 3)).coalesce()
        unique, sums = summed.indices()[0].numpy(), summed.values().numpy()
        left = len(rows) - len(unique)
        t.row("percale:SumRows", rows, v, outputs=2, tol=1e-6,
              out=[np.concatenate([unique, np.full(left, -1)]), np.concatenate([sums, np.zeros((left, 3), dtype)])])
    large = i64(2**40, 7, 2**62, 2**40, 5000)
    ones = whole((5,), F32)
    order = i64(1, 4, 0, 2)
    t.row("percale:SumRows", large, ones, outputs=2, note="several digits",
          out=[np.append(large[order], -1), np.append(ones[order] + F32([0, 0, ones[3], 0]), F32(0))])
    t.row("percale:SumRows", np.zeros((0,), np.int64), empty(0, 2), outputs=2, out=[np.zeros((0,), np.int64), empty(0, 2)])
    t.row("percale:SumRows", i64(1, 1), whole((2, 2), np.float16), outputs=2,
          out=[i64(1, -1), np.stack([whole((2, 2), np.float16).sum(0), np.zeros(2)]).astype(np.float16)])
    t.row("percale:SumRows", i64(0, 1), values, outputs=2, error="2 rows, but values")

    # One step of rows 0, 2 and 5 of 6. Expected: PyTorch's dense optimizers applied to a tensor of
    # just these rows.
    named, step, lr = i64(0, 2, 5, -1), np.int64(3), 0.1

    def one(op, make, slots, states, first, counts=False, dtype=F64, **attrs):
        param, grad = floats((6, 3), 1, dtype=dtype), floats((4, 3), 2, dtype=dtype)
        before = [np.abs(floats((6, 3), 3 + i, dtype=dtype)) for i in range(slots)]
        p = torch.tensor(param[named[:3]]).requires_grad_(True)
        p.grad = torch.tensor(grad[:3]) * 0.5
        optimizer = make([p])
        for name, b in zip(states, before):
            optimizer.state[p][name] = torch.tensor(b[named[:3]])
        optimizer.state[p].update(first)
        optimizer.step()
        want = [param.copy()] + [b.copy() for b in before]
        for w, new in zip(want, [p.detach()] + [optimizer.state[p][name] for name in states]):
            w[named[:3]] = new.numpy()
        t.row("percale:" + op, param, named, grad, *before, F64(lr), *([step] if counts else []), F64(0.5), out=want,
              outputs=1 + slots, tol=2e-6 if dtype == F32 else 1e-12, **attrs)

    for dtype in (F32, F64):
        one("SparseApplySGD", lambda p: torch.optim.SGD(p, lr), 0, [], {}, dtype=dtype)
        for nesterov in (0, 1):
            one("SparseApplyMomentum", lambda p: torch.optim.SGD(p, lr, 0.8, nesterov=bool(nesterov)), 1,
                ["momentum_buffer"], {}, dtype=dtype, momentum=0.8, nesterov=nesterov)
        one("SparseApplyAdam", lambda p: torch.optim.Adam(p, lr, (0.8, 0.95), 1e-6), 2, ["exp_avg", "exp_avg_sq"],
            {"step": torch.tensor(2.0)}, True, dtype, beta1=0.8, beta2=0.95, epsilon=1e-6)
        one("SparseApplyAdagrad", lambda p: torch.optim.Adagrad(p, lr, eps=1e-6), 1, ["sum"],
            {"step": torch.tensor(2.0)}, dtype=dtype, epsilon=1e-6)
        # TensorFlow's formula, which PyTorch does not have.
        param, grad = floats((6, 3), 1, dtype=dtype), floats((4, 3), 2, dtype=dtype)
        n, z = np.abs(floats((6, 3), 3, dtype=dtype)), floats((6, 3), 4, dtype=dtype)
        for power, l1 in ((-0.5, 0.3), (-0.7, 0.1)):
            at, g = named[:3], 0.5 * grad[:3]
            new = n[at] + g * g
            linear = z[at] + g + 2 * 0.1 * param[at] - (new**-power - n[at]**-power) / lr * param[at]
            moved = (np.clip(linear, -l1, l1) - linear) / ((new**-power + 0.5) / lr + 2 * 0.2)
            want = [param.copy(), n.copy(), z.copy()]
            for w, v in zip(want, (moved, new, linear)):
                w[at] = v
            t.row("percale:SparseApplyFtrl", param, named, grad, n, z, F64(lr), F64(0.5), out=want, outputs=3,
                  tol=4e-6 if dtype == F32 else 1e-12, learning_rate_power=power, l1=l1, l2=0.2, l2_shrinkage=0.1, beta=0.5)
    whole_param = whole((3, 2), np.float16)
    t.row("percale:SparseApplySGD", whole_param, i64(1), np.ones((1, 2), np.float16), F64(1),
          out=whole_param - np.array([[0, 0], [1, 1], [0, 0]], np.float16))
    x, g = floats((3, 2)), floats((2, 2), 1)
    for bad, what in (((0, 3), 3), ((1, 1), 1), ((2, 0), 0), ((-1, 2), 2)):
        t.row("percale:SparseApplySGD", x, i64(*bad), g, F64(1), error=f"index {what} is out of range")
    t.row("percale:SparseApplySGD", x, i64(0, 1), floats((2, 3)), F64(1), error="grad has shape [2,3]")
    t.row("percale:SparseApplyAdagrad", x, i64(0, 1), g, floats((2, 2)), F64(1), error="'square' has shape", outputs=2)
