"""Optimizers: five steps in f64."""
import torch

from reference.case import draw, optimizers, tensor


def optimizer(op, make, attributes, rate, slots):
    p = draw(3, 2).requires_grad_(True)
    start, grads, params = p.detach().clone(), [], []
    o = make([p], rate)
    for _ in range(5):
        grads.append(draw(3, 2))
        p.grad = grads[-1].clone()
        o.step()
        params.append(p.detach().clone())
    optimizers.append({"op": op, "attributes": attributes, "learning_rate": rate, "slots": slots, "param": tensor(start),
                       "grads": [tensor(g) for g in grads], "params": [tensor(q) for q in params]})


# PyTorch has none of these: their published formulas (Keras 3's Ftrl, Lion and Lamb give the same).
class Written:
    def __init__(self, params, rate, update):
        self.p, self.rate, self.update, self.state, self.t = params[0], rate, update, {}, 0

    def step(self):
        self.t += 1
        with torch.no_grad():
            self.update(self.p, self.p.grad, self.state, self.rate, self.t)


def ftrl(power=-0.5, l1=0.0, l2=0.0, l2_shrinkage=0.0, beta=0.0):
    def update(p, g, s, lr, t):
        n, z = s.get("n", torch.zeros_like(p)), s.get("z", torch.zeros_like(p))
        new = n + g * g
        z = z + g + 2 * l2_shrinkage * p - (new ** -power - n ** -power) / lr * p
        p.copy_((z.clamp(-l1, l1) - z) / (new ** -power / lr + 2 * (l2 + beta / (2 * lr))))
        s.update(n=new, z=z)
    return update


def lion(beta1, beta2, decay):
    def update(p, g, s, lr, t):
        m = s.get("m", torch.zeros_like(p))
        p.sub_(lr * (torch.sign(beta1 * m + (1 - beta1) * g) + decay * p))
        s["m"] = beta2 * m + (1 - beta2) * g
    return update


def lamb(beta1, beta2, epsilon, decay):
    def update(p, g, s, lr, t):
        m = s["m"] = beta1 * s.get("m", torch.zeros_like(p)) + (1 - beta1) * g
        v = s["v"] = beta2 * s.get("v", torch.zeros_like(p)) + (1 - beta2) * g * g
        u = m / (1 - beta1 ** t) / (torch.sqrt(v / (1 - beta2 ** t)) + epsilon) + decay * p
        p.sub_(lr * torch.linalg.norm(p) / torch.linalg.norm(u) * u)
    return update


def add():
    for decay in (0.0, 0.03):
        d = {"weight_decay": decay}
        optimizer("percale:ApplySGD", lambda p, lr: torch.optim.SGD(p, lr, weight_decay=decay), d, 0.1, 0)
        for nesterov in (0, 1):
            optimizer("percale:ApplyMomentum",
                      lambda p, lr: torch.optim.SGD(p, lr, 0.8, weight_decay=decay, nesterov=bool(nesterov)),
                      {**d, "momentum": 0.8, "nesterov": nesterov}, 0.05, 1)
        optimizer("percale:ApplyAdam", lambda p, lr: torch.optim.Adam(p, lr, (0.8, 0.95), 1e-6, decay),
                  {**d, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-6}, 0.02, 2)
        optimizer("percale:ApplyAdamW", lambda p, lr: torch.optim.AdamW(p, lr, (0.8, 0.95), 1e-6, decay),
                  {**d, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-6}, 0.02, 2)
        optimizer("percale:ApplyRMSProp", lambda p, lr: torch.optim.RMSprop(p, lr, 0.9, 1e-6, decay),
                  {**d, "alpha": 0.9, "epsilon": 1e-6}, 0.01, 1)
        optimizer("percale:ApplyRMSProp", lambda p, lr: torch.optim.RMSprop(p, lr, 0.9, 1e-6, decay, 0.7),
                  {**d, "alpha": 0.9, "epsilon": 1e-6, "momentum": 0.7}, 0.01, 2)
        optimizer("percale:ApplyAdagrad", lambda p, lr: torch.optim.Adagrad(p, lr, weight_decay=decay), d, 0.1, 1)
    for a in ({}, {"l1": 0.3, "l2": 0.2, "l2_shrinkage": 0.1, "beta": 0.5}, {"learning_rate_power": -0.7, "l1": 0.1}):
        rest = {("power" if k == "learning_rate_power" else k): v for k, v in a.items()}
        optimizer("percale:ApplyFtrl", lambda p, lr: Written(p, lr, ftrl(**rest)), a, 0.1, 2)
    for decay in (0.0, 0.03):
        d = {"weight_decay": decay}
        optimizer("percale:ApplyLion", lambda p, lr: Written(p, lr, lion(0.8, 0.95, decay)), {**d, "beta1": 0.8, "beta2": 0.95},
                  0.02, 1)
        optimizer("percale:ApplyLAMB", lambda p, lr: Written(p, lr, lamb(0.8, 0.95, 1e-6, decay)),
                  {**d, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-6}, 0.02, 2)
