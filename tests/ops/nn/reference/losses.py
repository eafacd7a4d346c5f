"""Softmax, and losses over classes."""
import torch
import torch.nn.functional as F

from reference.case import case, draw


def add():
    # Softmax
    for shape, axis in (([3, 5], -1), ([3, 5], 0), ([2, 3, 4], 1), ([2, 3, 4], -2), ([7], 0), ([0, 3], 1), ([2, 40], 1)):
        case("Softmax", [draw(*shape, scale=3)], lambda x: torch.softmax(x, axis), {"axis": axis})
        case("LogSoftmax", [draw(*shape, scale=3)], lambda x: torch.log_softmax(x, axis), {"axis": axis})
    case("Softmax", [torch.tensor([[1024.0, 1016.0, -1024.0], [-1000.0, -1000.0, -1000.0]])], lambda x: torch.softmax(x, 1))
    case("LogSoftmax", [torch.tensor([[1024.0, 1016.0, -1024.0]])], lambda x: torch.log_softmax(x, 1))

    # Losses over classes
    for shape in ([4, 5], [3, 4, 2], [2, 3, 2, 3], [6, 10]):
        labels = torch.randint(0, shape[1], [shape[0]] + shape[2:])
        ignored = labels.clone()
        ignored.reshape(-1)[::3] = -1
        weights = draw(shape[1]).abs() + 0.1
        for reduction in ("none", "sum", "mean"):
            for target, a in ((labels, {}), (ignored, {"ignore_index": -1}), (labels, {"ignore_index": 1})):
                for w in (None, weights):
                    inputs = [draw(*shape), target.to(torch.int32) if reduction == "sum" else target] + ([w] if w is not None
                                                                                                        else [])
                    options = dict(reduction=reduction, ignore_index=a.get("ignore_index", -100))
                    attributes = {**a, "reduction": reduction}
                    loss = lambda f, x, t, w=None: f(x, t.long(), w, **options)
                    case("NegativeLogLikelihoodLoss", inputs, lambda *v: loss(F.nll_loss, *v), attributes, fixed=(2,))
                    case("SoftmaxCrossEntropyLoss", inputs, lambda *v: loss(F.cross_entropy, *v), attributes, fixed=(2,))
                    if reduction == "mean":
                        case("SoftmaxCrossEntropyLoss", inputs,
                             lambda *v: (loss(F.cross_entropy, *v), F.log_softmax(v[0], 1)), attributes, fixed=(2,))

    for reduction in ("none", "sum", "mean"):
        case("percale:BinaryCrossEntropyWithLogits", [draw(3, 4, scale=4), torch.rand(3, 4).round(decimals=3)],
             lambda x, t: F.binary_cross_entropy_with_logits(x, t, reduction=reduction), {"reduction": reduction})
        case("percale:Huber", [draw(3, 4, scale=2), draw(3, 4)],
             lambda x, t: F.huber_loss(x, t, reduction=reduction, delta=0.75), {"reduction": reduction, "delta": 0.75})
