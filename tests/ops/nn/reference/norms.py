"""Normalisations."""
import torch
import torch.nn.functional as F

from reference.case import case, draw


def add():
    for shape in ([3, 4], [2, 3, 4], [2, 3, 2, 3], [4, 5, 3, 2]):
        channels = shape[1]
        wide = [1, channels] + [1] * (len(shape) - 2)
        dims = [d for d in range(len(shape)) if d != 1]
        inputs = [draw(*shape), draw(channels), draw(channels), draw(channels), draw(channels).abs() + 0.5]

        def train(x, scale, b, mean, var, momentum=0.8, eps=1e-3):
            y = F.batch_norm(x, None, None, scale, b, True, 0.0, eps)
            batch_mean, batch_var = x.mean(dims), x.var(dims, unbiased=False)
            return (y, (mean * momentum + batch_mean * (1 - momentum)).detach(),
                    (var * momentum + batch_var * (1 - momentum)).detach())
        case("BatchNormalization", inputs, train, {"training_mode": 1, "momentum": 0.8, "epsilon": 1e-3})
        case("BatchNormalization", inputs, lambda *v: train(*v)[0], {"training_mode": 1, "momentum": 0.8, "epsilon": 1e-3})
        case("BatchNormalization", inputs, lambda x, s, b, m, v: (x - m.reshape(wide)) / torch.sqrt(v.reshape(wide) + 1e-5)
             * s.reshape(wide) + b.reshape(wide))
    for shape, axis in (([3, 7], -1), ([2, 3, 4], 1), ([2, 3, 4], -1), ([2, 2, 5], 2), ([0, 4], -1), ([5, 33], 1)):
        dims = shape[axis:]

        def layer(x, scale, b=None, eps=1e-4, stats=True):
            over = list(range(axis % len(shape), len(shape)))
            mean = x.mean(over, keepdim=True)
            inverse = 1 / torch.sqrt(x.var(over, unbiased=False, keepdim=True) + eps)
            return F.layer_norm(x, dims, scale, b, eps), mean.detach(), inverse.detach()
        a = {"axis": axis, "epsilon": 1e-4}
        case("LayerNormalization", [draw(*shape), draw(*dims), draw(*dims)], layer, a)
        case("LayerNormalization", [draw(*shape), draw(*dims)], lambda *v: layer(*v)[0], a)
