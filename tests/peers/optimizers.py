"""Optimizers that PyTorch lacks, implemented from their papers, and clipping as in Keras."""
import torch


class Lion:
    """Chen et al. 2023, algorithm 2."""

    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        self.params, self.betas, self.decay = params, betas, weight_decay
        self.m = [torch.zeros_like(p) for p in params]
        self.param_groups = [{"lr": lr}]

    @torch.no_grad()
    def step(self):
        lr = self.param_groups[0]["lr"]
        for p, m in zip(self.params, self.m):
            c = self.betas[0] * m + (1 - self.betas[0]) * p.grad
            p.copy_(p * (1 - lr * self.decay) - lr * torch.sign(c))
            m.copy_(self.betas[1] * m + (1 - self.betas[1]) * p.grad)


class Lamb:
    """You et al. 2020, algorithm 2, with ratio 1 if a norm is 0."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-7, weight_decay=0.0):
        self.params, self.betas, self.eps, self.decay = params, betas, eps, weight_decay
        self.param_groups = [{"lr": lr}]
        self.m = [torch.zeros_like(p) for p in params]
        self.v = [torch.zeros_like(p) for p in params]
        self.t = 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, m, v in zip(self.params, self.m, self.v):
            m.copy_(self.betas[0] * m + (1 - self.betas[0]) * p.grad)
            v.copy_(self.betas[1] * v + (1 - self.betas[1]) * p.grad ** 2)
            u = m / (1 - self.betas[0] ** self.t) / (torch.sqrt(v / (1 - self.betas[1] ** self.t)) + self.eps)
            u = u + self.decay * p
            ratio = p.norm() / u.norm() if p.norm() > 0 and u.norm() > 0 else 1.0
            p.sub_(self.param_groups[0]["lr"] * ratio * u)


class Ftrl:
    """McMahan et al. 2013 with TensorFlow's l2 shrinkage and beta. Weight decay is added to the
    gradient."""

    def __init__(self, params, lr, power=-0.5, initial=0.1, l1=0.0, l2=0.0, shrinkage=0.0, beta=0.0, weight_decay=0.0):
        self.params, self.power, self.l1, self.l2 = params, power, l1, l2
        self.param_groups = [{"lr": lr}]
        self.shrinkage, self.beta, self.decay = shrinkage, beta, weight_decay
        self.n = [torch.full_like(p, initial) for p in params]
        self.z = [torch.zeros_like(p) for p in params]

    @torch.no_grad()
    def step(self):
        lr = self.param_groups[0]["lr"]
        for p, n, z in zip(self.params, self.n, self.z):
            g = p.grad + self.decay * p
            new = n + g ** 2
            sigma = (new ** -self.power - n ** -self.power) / lr
            z.add_(g + 2 * self.shrinkage * p - sigma * p)
            n.copy_(new)
            bottom = (self.beta + new ** -self.power) / lr + 2 * self.l2
            p.copy_(torch.where(z.abs() <= self.l1, torch.zeros_like(p), (torch.sign(z) * self.l1 - z) / bottom))


def each_norm(limit):
    def clip(params):
        for w in params:
            w.grad.mul_(limit / max(w.grad.norm().item(), limit))
    return clip


def scale_all(params, limit):
    factor = limit / max(torch.sqrt(sum((w.grad ** 2).sum() for w in params)).item(), limit)
    for w in params:
        w.grad.mul_(factor)
