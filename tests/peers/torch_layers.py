"""Layers of a SPEC as functions of PyTorch."""
import torch
import torch.nn.functional as F

# Activations whose op the program has; the first ones are in every release.
ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid", "elu": "Elu", "softplus": "Softplus",
               "softsign": "Softsign", "leaky_relu": "LeakyRelu"}


def activate(name, x):
    if name == "leaky_relu":
        return F.leaky_relu(x, 0.2)
    return getattr(F, name)(x) if name in ("elu", "softplus", "softsign") else getattr(torch, name)(x)


def pad_same(x, size, stride):
    """Pads like ONNX's SAME_UPPER for [N, C, H, W] and a square window."""
    pads = []
    for dim in (x.shape[3], x.shape[2]):
        total = max((-(-dim // stride) - 1) * stride + size - dim, 0)
        pads += [total // 2, total - total // 2]
    return F.pad(x, pads)


def pad_1d(x, size, stride, dilation, padding):
    """For [N, C, T]."""
    reach = (size - 1) * dilation
    if padding == "causal":
        return F.pad(x, [reach, 0])
    if padding == "valid":
        return x
    total = max((-(-x.shape[2] // stride) - 1) * stride + reach + 1 - x.shape[2], 0)
    return F.pad(x, [total // 2, total - total // 2])


def recurrent(p, name, x, cell, words):
    """Keras' LSTM, GRU and SimpleRNN over [N, T, C], gates i, f, c, o and z, r, h."""
    kernel, state_kernel, bias = p[name + "/kernel"], p[name + "/recurrent_kernel"], p.get(name + "/bias", 0)
    act, gate = (lambda v: activate(words["activation"], v)), (lambda v: activate(words["recurrent_activation"], v))
    units = state_kernel.shape[0]
    h = c = x.new_zeros(x.shape[0], units)
    out = []
    for t in reversed(range(x.shape[1])) if words["go_backwards"] else range(x.shape[1]):
        if cell == "SimpleRNN":
            h = act(x[:, t] @ kernel + bias + h @ state_kernel)
        elif cell == "LSTM":
            i, f, new, o = (x[:, t] @ kernel + bias + h @ state_kernel).split(units, 1)
            c = gate(f) * c + gate(i) * act(new)
            h = gate(o) * act(c)
        else:
            after = words["reset_after"]
            of_x, of_h = (bias[0], bias[1]) if after and torch.is_tensor(bias) else (bias, 0)
            xz, xr, xh = (x[:, t] @ kernel + of_x).split(units, 1)
            hz, hr, hh = (h @ state_kernel + of_h).split(units, 1)
            z, r = gate(xz + hz), gate(xr + hr)
            new = act(xh + (r * hh if after else (r * h) @ state_kernel[:, 2 * units:]))
            h = z * h + (1 - z) * new
        out.append(h)
    return torch.stack(out, 1) if words["return_sequences"] else h
