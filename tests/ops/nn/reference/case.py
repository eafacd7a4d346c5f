"""Collects the cases: draws their tensors, computes their gradients, and writes them as lists."""
import math

import torch

torch.manual_seed(20240607)
torch.set_default_dtype(torch.float64)
cases, optimizers = [], []


def draw(*shape, scale=1.0):
    """Returns random numbers with four decimals, so that the file stays small."""
    return torch.round(torch.randn(list(shape)) * scale * 1e4) / 1e4


def tensor(t):
    if t is None:
        return None
    names = {torch.float64: "f64", torch.int64: "i64", torch.int32: "i32", torch.int8: "i8", torch.uint8: "u8"}
    flat = t.detach().reshape(-1).tolist()
    if t.dtype == torch.float64:
        flat = [("nan" if math.isnan(v) else "inf" if v > 0 else "-inf") if not math.isfinite(v) else float(f"{v:.10g}")
                for v in flat]
        flat = [int(v) if isinstance(v, float) and v == int(v) and abs(v) < 1e9 else v for v in flat]
    return [names[t.dtype], list(t.shape), flat]


def case(op, inputs, f, attributes=None, grads=True, fixed=()):
    """Adds a case. `f` maps the inputs to a tensor or a tuple. The inputs numbered in `fixed` get
    no gradient."""
    leaves = [x.clone().requires_grad_(grads and x.dtype == torch.float64 and i not in fixed)
              for i, x in enumerate(inputs)]
    outputs = f(*leaves)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    seeds, loss = [], 0
    for y in outputs:
        differentiable = y is not None and y.dtype == torch.float64 and y.requires_grad and grads
        seeds.append(draw(*y.shape) if differentiable else None)
        if differentiable:
            loss = loss + (y * seeds[-1]).sum()
    wanted = [x for x in leaves if x.requires_grad]
    found = iter(torch.autograd.grad(loss, wanted, allow_unused=True)) if grads and wanted else iter(())
    result = []
    for x in leaves:
        g = next(found) if grads and x.requires_grad else None
        result.append(tensor(torch.zeros_like(x) if g is None and x.requires_grad else g))
    cases.append({"op": op, "attributes": attributes or {}, "inputs": [tensor(x) for x in inputs],
                  "outputs": [tensor(y) for y in outputs], "seeds": [tensor(s) for s in seeds], "grads": result})
