"""LSTM, GRU, RNN and their gradients: ONNX's formulas row by row in PyTorch, f64, gradients by its
autograd. Cases that ONNX Runtime accepts are compared with it if it is installed, and the plain
forms with torch.nn."""
from families.rows import *  # noqa: F403 the vocabulary of all families

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FNS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


def activations(op, attrs, directions):
    """Returns the functions per direction. Alphas and betas are assigned in order to those that
    have one."""
    import torch
    names = [n.lower() for n in attrs.get("activations", FNS[op] * directions)]
    alphas, betas = list(attrs.get("activation_alpha", [])), list(attrs.get("activation_beta", []))
    default_alpha = {"affine": 1.0, "leakyrelu": 0.01, "thresholdedrelu": 1.0, "scaledtanh": 1.0, "hardsigmoid": 0.2, "elu": 1.0}
    default_beta = {"affine": 0.0, "scaledtanh": 1.0, "hardsigmoid": 0.5}

    def one(name):
        a = alphas.pop(0) if name in default_alpha and alphas else default_alpha.get(name)
        b = betas.pop(0) if name in default_beta and betas else default_beta.get(name)
        return {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu,
                "affine": lambda x: a * x + b, "leakyrelu": lambda x: torch.where(x < 0, a * x, x),
                "thresholdedrelu": lambda x: torch.where(x > a, x, 0 * x), "scaledtanh": lambda x: a * torch.tanh(b * x),
                "hardsigmoid": lambda x: torch.clamp(a * x + b, 0, 1), "elu": lambda x: torch.where(x < 0, a * torch.expm1(x), x),
                "softsign": lambda x: x / (1 + x.abs()), "softplus": torch.nn.functional.softplus}[name]

    fns = [one(name) for name in names]
    per = len(FNS[op])
    return [fns[i * per:(i + 1) * per] for i in range(directions)]


def run(op, inputs, attrs):
    """Returns outputs as tensors, from tensors (None if absent)."""
    import torch
    x, w, r, b, lens, h0, *rest = list(inputs) + [None] * (8 - len(inputs))
    c0, p = rest[:2]
    first = attrs.get("layout", 0) == 1
    if first:
        x = x.transpose(0, 1)
        h0, c0 = (s if s is None else s.transpose(0, 1) for s in (h0, c0))
    time, batch, _ = x.shape
    directions, hidden, gates = w.shape[0], r.shape[2], GATES[op]
    limit = attrs.get("clip", 0)
    held = (lambda v: v.clamp(-limit, limit)) if limit else (lambda v: v)
    fns = activations(op, attrs, directions)
    ys, hs, cs = [], [], []
    for d in range(directions):
        fn = fns[d]
        backwards = attrs.get("direction") == "reverse" or d == 1
        bw, br = (b[d][:gates * hidden], b[d][gates * hidden:]) if b is not None else (0 * w[d][:, 0],) * 2
        rows_y, rows_h, rows_c = [], [], []
        for n in range(batch):
            length = time if lens is None else int(lens[n])
            h = x.new_zeros(hidden) if h0 is None else h0[d, n]
            c = x.new_zeros(hidden) if c0 is None else c0[d, n]
            y = [x.new_zeros(hidden)] * time
            for t in reversed(range(length)) if backwards else range(length):
                of_x, of_h = (w[d] @ x[t, n] + bw).split(hidden), (r[d] @ h + br).split(hidden)
                if op == "RNN":
                    h = fn[0](held(of_x[0] + of_h[0]))
                elif op == "GRU":
                    z, reset = fn[0](held(of_x[0] + of_h[0])), fn[0](held(of_x[1] + of_h[1]))
                    if attrs.get("linear_before_reset", 0):
                        new = fn[1](held(of_x[2] + reset * of_h[2]))
                    else:
                        new = fn[1](held(of_x[2] + r[d][2 * hidden:] @ (reset * h) + br[2 * hidden:]))
                    h = (1 - z) * new + z * h
                else:
                    pi, po, pf = p[d].split(hidden) if p is not None else (0, 0, 0)
                    i = fn[0](held(of_x[0] + of_h[0] + pi * c))
                    f = 1 - i if attrs.get("input_forget", 0) else fn[0](held(of_x[2] + of_h[2] + pf * c))
                    c = f * c + i * fn[1](held(of_x[3] + of_h[3]))
                    h = fn[0](held(of_x[1] + of_h[1] + po * c)) * fn[2](c)
                y[t] = h
            rows_y.append(torch.stack(y) if y else x.new_zeros(0, hidden))
            rows_h.append(h)
            rows_c.append(c)
        ys.append(torch.stack(rows_y, 1))
        hs.append(torch.stack(rows_h))
        cs.append(torch.stack(rows_c))
    y, h, c = torch.stack(ys, 1), torch.stack(hs), torch.stack(cs)
    if first:
        y, h, c = y.permute(2, 0, 1, 3), h.transpose(0, 1), c.transpose(0, 1)
    return [y, h, c][:3 if op == "LSTM" else 2]


def like_onnxruntime(op, inputs, attrs, outs):
    """Fails if ONNX Runtime is installed, accepts the node, and gives another result."""
    try:
        import onnxruntime
    except ImportError:
        return
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    node = onnx.helper.make_node(op, names, [f"y{i}" for i in range(len(outs))], **attrs)
    info = [onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
            for n, x in zip(names, inputs) if x is not None]
    result = [onnx.helper.make_tensor_value_info(f"y{i}", onnx.TensorProto.FLOAT, None) for i in range(len(outs))]
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", info, result),
                                   opset_imports=[onnx.helper.make_opsetid("", 22)], ir_version=10)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception as error:  # layout 1
        print(f"  {op} {attrs}: not taken by ONNX Runtime: {str(error)[:80]}")
        return
    got = session.run(None, {n: x for n, x in zip(names, inputs) if x is not None})
    for g, want in zip(got, outs):
        if not np.allclose(g, want.numpy(), atol=2e-4):
            print(f"  {op} {attrs}: ONNX Runtime differs by {np.abs(g - want.numpy()).max():.3g}")


def like_torch(op, inputs, attrs, outs):
    """The plain form is torch.nn's, with another order of the gates."""
    import torch
    x, w, r, b = (torch.tensor(v, dtype=torch.float64) for v in inputs[:4])
    order = {"RNN": [0], "GRU": [1, 0, 2], "LSTM": [0, 2, 3, 1]}[op]
    hidden = r.shape[2]
    both = w.shape[0] == 2
    module = getattr(torch.nn, op)(x.shape[2], hidden, bidirectional=both).double()
    for d, end in enumerate(["", "_reverse"][:w.shape[0]]):
        for name, value in [("weight_ih_l0", w[d]), ("weight_hh_l0", r[d]), ("bias_ih_l0", b[d][:len(order) * hidden]),
                            ("bias_hh_l0", b[d][len(order) * hidden:])]:
            parts = value.split(hidden)
            getattr(module, name + end).data = torch.cat([parts[i] for i in order])
    y = module(x)[0].detach()
    mine = outs[0].permute(0, 2, 1, 3).flatten(2)
    assert torch.allclose(y, mine, atol=1e-12), op


def recurrent(t):
    import torch

    def case(op, attrs=None, time=4, batch=2, inputs=3, hidden=3, bias=True, lens=None, h0=False, c0=False, p=False, dtype=F32,
             tol=None, seed=1, gradient=False, plain=False, note=None, spread=1.0):
        attrs = dict(attrs or {})
        directions, gates = 2 if attrs.get("direction") == "bidirectional" else 1, GATES[op]
        first = attrs.get("layout", 0) == 1
        rng = np.random.default_rng(seed)

        def draw(*shape):
            return np.round(spread * rng.uniform(-1, 1, shape), 3).astype(dtype)

        state = (batch, directions, hidden) if first else (directions, batch, hidden)
        ins = [draw(*((batch, time, inputs) if first else (time, batch, inputs))), draw(directions, gates * hidden, inputs),
               draw(directions, gates * hidden, hidden), draw(directions, 2 * gates * hidden) if bias else None,
               None if lens is None else np.array(lens, np.int32), draw(*state) if h0 else None]
        if op == "LSTM":
            ins += [draw(*state) if c0 else None, draw(directions, 3 * hidden) if p else None]
        while ins[-1] is None:
            ins.pop()
        whole = {"hidden_size": hidden} | attrs
        wide = [None if v is None else torch.tensor(v.astype(F64), requires_grad=v.dtype != np.int32) if v.dtype != np.int32 else
                torch.tensor(v) for v in ins]
        outs = run(op, wide, attrs)
        plain_outs = [y.detach() for y in outs]
        if dtype == F32 and time > 0:
            like_onnxruntime(op, ins, whole, plain_outs)
        if plain:
            like_torch(op, ins, attrs, plain_outs)
        tol = tol or {F32: 4e-6, F64: 1e-12, F16: 4e-3, BF16: 3e-2}[dtype]
        t.row(op, *ins, out=[y.numpy().astype(dtype) for y in plain_outs], outputs=len(outs), tol=tol, note=note, **whole)
        if not gradient:
            return
        own = [np.round(rng.uniform(-1, 1, y.shape), 3).astype(dtype) for y in outs]
        total = sum((y * torch.tensor(g.astype(F64))).sum() for y, g in zip(outs, own))
        wanted = [v for v in wide if v is not None and v.requires_grad]
        grads = dict(zip(map(id, wanted), torch.autograd.grad(total, wanted)))
        room = 8 if op == "LSTM" else 6
        full = (ins + [None] * room)[:room]
        wide = (wide + [None] * room)[:room]
        expected = [grads[id(v)].numpy().astype(dtype) if v is not None and id(v) in grads else None
                    for i, v in enumerate(wide) if i != 4]
        while expected[-1] is None:
            expected.pop()
        t.row(f"percale:{op}Grad", *full, *own, out=expected, outputs=len(expected), tol=max(tol, 2e-5 if dtype == F32 else tol),
              note=note, **whole)
        t.row(op, *[None if v is None else v.astype(F32) if v.dtype != np.int32 else v for v in ins], out=False,
              grad=[i for i, v in enumerate(ins) if v is not None and i != 4], note=note, **whole)

    both = {"direction": "bidirectional"}
    for op in GATES:
        lstm = op == "LSTM"
        for dtype in FLOATS:
            case(op, both, dtype=dtype, plain=dtype == F32 and op != "GRU", gradient=dtype in (F32, F64), note="plain")
        case(op, bias=False, time=1, batch=1, note="one step, one row, no bias")
        case(op, {"direction": "reverse"}, h0=True, c0=lstm, gradient=True, hidden=2)
        case(op, both | {"layout": 1}, h0=True, c0=lstm, lens=[1, 4, 0], batch=3, gradient=True, hidden=2,
             note="batch first, lengths that differ, one of them 0")
        case(op, {"direction": "reverse"}, lens=[4, 2, 3], batch=3, gradient=True, hidden=2, inputs=2)
        case(op, lens=[3, 1], gradient=True, hidden=2, dtype=F64)
        case(op, {"clip": 0.4}, h0=True, gradient=True, hidden=2, spread=1.3, note="clipped")
        case(op, both, time=5, batch=4, inputs=18, hidden=17, note="more than a vector", tol=1e-5, spread=0.4)
        case(op, time=6, batch=1, inputs=2, hidden=33, tol=1e-5, note="one row, packed weights", spread=0.2)
        case(op, time=0, note="no steps at all", h0=True)
        for name in ["Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Softplus", "Softsign", "ThresholdedRelu"]:
            more = {"activation_alpha": [0.3]} if name in ("Affine", "LeakyRelu", "Elu", "ThresholdedRelu") else \
                {"activation_alpha": [0.4], "activation_beta": [0.6]} if name in ("HardSigmoid", "ScaledTanh") else {}
            case(op, {"activations": FNS[op][:-1] + [name]} | more, hidden=2, inputs=2, time=3, gradient=True, seed=3, note=name)
        case(op, {"activations": ["hardsigmoid", "ScaledTanh", "TANH"][:len(FNS[op])]}, hidden=2, note="names in any case, defaults")
        names = {"RNN": ["Affine", "Elu"], "GRU": ["HardSigmoid", "Tanh", "LeakyRelu", "ScaledTanh"],
                 "LSTM": ["HardSigmoid", "Tanh", "Elu", "Sigmoid", "LeakyRelu", "ScaledTanh"]}[op]
        case(op, both | {"activations": names, "activation_alpha": [0.5, 0.25, 0.75], "activation_beta": [0.125, 0.875]},
             hidden=2, note="numbers go in order to the functions that have one")
        good = [np.ones((2, 1, 3), F32), np.ones((1, GATES[op] * 2, 3), F32), np.ones((1, GATES[op] * 2, 2), F32)]
        count = 3 if lstm else 2
        t.row(op, *good, direction="backward", error="'backward'", outputs=count)
        t.row(op, *good, activations=["Tanh"] * 7, error="has 7 names", outputs=count)
        t.row(op, *good, activations=["Tanhh"] * len(FNS[op]), error="no activation 'Tanhh'", outputs=count)
        t.row(op, *good, hidden_size=3, error="hidden_size is 3", outputs=count)
        t.row(op, *good[:2], np.ones((1, GATES[op] * 2, 3), F32), error="'W' has shape", outputs=count)
        t.row(op, good[0][0], *good[1:], error="rank 3", outputs=count)
        t.row(op, *good, np.ones((1, 5), F32), error="'B' has shape", outputs=count)
        t.row(op, *good, None, np.int32([3]), error="3 is out of range", outputs=count)
        t.row(op, *good, None, np.int32([-1]), error="-1 is out of range", outputs=count)
        t.row(op, *good, None, None, np.ones((1, 2, 2), F32), error="'initial_h' has shape", outputs=count)
    case("GRU", {"linear_before_reset": 1} | both, plain=True, gradient=True, hidden=3)
    case("GRU", {"linear_before_reset": 1, "clip": 0.4, "layout": 1}, lens=[2, 4], gradient=True, hidden=2)
    case("GRU", {"linear_before_reset": 1}, time=5, batch=3, inputs=5, hidden=19, tol=1e-5, spread=0.4)
    case("LSTM", both, p=True, h0=True, c0=True, gradient=True, hidden=2, note="peepholes")
    case("LSTM", {"clip": 0.5, "layout": 1}, p=True, gradient=True, hidden=2, lens=[4, 2], spread=1.3, note="peepholes, clipped")
    case("LSTM", {"input_forget": 1}, c0=True, gradient=True, hidden=2)
    case("LSTM", {"input_forget": 1}, p=True, c0=True, gradient=True, hidden=2, note="coupled gates and peepholes")
    case("LSTM", {}, p=True, time=5, batch=3, inputs=5, hidden=19, tol=1e-5, spread=0.4)
    for op, dtype in [(op, dtype) for op in GATES for dtype in (F16, BF16)]:
        case(op, {"direction": "reverse"}, dtype=dtype, lens=[3, 4], h0=True, seed=5)
