"""The gradient ops themselves. They are linear in dY, so their values are gradients of sums."""
import torch
import torch.nn.functional as F

from reference.case import cases, draw, tensor


def gradient_case(op, forward, f, dy, inputs, attributes):
    """`inputs` has "dY" and the forward op's inputs by number; the outputs are the gradients of
    those in `forward`."""
    leaves = [x.clone().requires_grad_(i in forward) for i, x in enumerate(inputs)]
    y = f(*leaves)
    grads = torch.autograd.grad(y, [leaves[i] for i in forward], dy)
    cases.append({"op": op, "attributes": attributes, "inputs": [], "outputs": [tensor(g) for g in grads], "seeds": [],
                  "grads": []})
    return cases[-1]


def add():
    x, w, dy = draw(2, 2, 4, 4), draw(3, 2, 2, 2), draw(2, 3, 3, 3)
    c = gradient_case("percale:ConvGradInput", [0], F.conv2d, dy, [x, w], {"spatial_shape": [4, 4]})
    c.update(inputs=[tensor(dy), tensor(w)])
    c = gradient_case("percale:ConvGradWeight", [1, 2], F.conv2d, dy, [x, w, draw(3)], {"kernel_shape": [2, 2]})
    c.update(inputs=[tensor(x), tensor(dy)])
    dy = draw(1, 2, 2, 2)
    c = gradient_case("percale:MaxPoolGrad", [0], lambda x: F.max_pool2d(x, 2, 2), dy, [x[:1]],
                      {"kernel_shape": [2, 2], "strides": [2, 2]})
    c.update(inputs=[tensor(dy), tensor(x[:1])])
    c = gradient_case("percale:AveragePoolGrad", [0], lambda x: F.avg_pool2d(x, 2, 2), dy, [x[:1]],
                      {"kernel_shape": [2, 2], "strides": [2, 2], "spatial_shape": [4, 4]})
    c.update(inputs=[tensor(dy)])
    x, s, dy = draw(3, 2, 2), draw(2), draw(3, 2, 2)
    c = gradient_case("percale:BatchNormalizationGrad", [0, 1, 2],
                      lambda x, s, b: F.batch_norm(x, None, None, s, b, True, 0.0, 1e-5), dy, [x, s, draw(2)],
                      {"training_mode": 1})
    c.update(inputs=[tensor(dy), tensor(x), tensor(s)])
    c = gradient_case("percale:LayerNormalizationGrad", [0, 1, 2], lambda x, s, b: F.layer_norm(x, [2], s, b, 1e-5), dy,
                      [x, s, draw(2)], {})
    c.update(inputs=[tensor(dy), tensor(x), tensor(s)])
    x, t, d = draw(4, 3), torch.tensor([0, 2, 1, 1]), draw()
    c = gradient_case("percale:SoftmaxCrossEntropyGrad", [0], lambda x: F.cross_entropy(x, t), d, [x], {})
    c.update(inputs=[tensor(d), tensor(x), tensor(t)])
    c = gradient_case("percale:NegativeLogLikelihoodGrad", [0], lambda x: F.nll_loss(x, t), d, [x], {})
    c.update(inputs=[tensor(d), tensor(x), tensor(t)])
