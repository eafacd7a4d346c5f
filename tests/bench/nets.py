"""The nets of the model benchmarks as torch modules with random weights, and as the ONNX files that
torch exports of them.

    python tests/bench/nets.py FOLDER [NAME...]     writes FOLDER/NAME.onnx
"""
import itertools
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode


def conv_bn(inputs, outputs, kernel, stride=1, groups=1, act=nn.ReLU):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([act()] if act else []))


class Residual(nn.Module):
    """A block of ResNet: the basic one of two 3x3, or the bottleneck of 1x1, 3x3, 1x1."""

    def __init__(self, inputs, width, stride, bottleneck):
        super().__init__()
        outputs = 4 * width if bottleneck else width
        if bottleneck:
            self.body = nn.Sequential(conv_bn(inputs, width, 1), conv_bn(width, width, 3, stride),
                                      conv_bn(width, outputs, 1, act=None))
        else:
            self.body = nn.Sequential(conv_bn(inputs, width, 3, stride), conv_bn(width, width, 3, act=None))
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else conv_bn(inputs, outputs, 1, stride, act=None)

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


class ResNet(nn.Module):
    """He et al., Deep Residual Learning for Image Recognition, 2015."""

    def __init__(self, blocks, bottleneck, width=64):
        super().__init__()
        layers, inputs = [conv_bn(3, width, 7, 2), nn.MaxPool2d(3, 2, 1)], width
        for stage, count in enumerate(blocks):
            for i in range(count):
                layers.append(Residual(inputs, width << stage, 2 if stage > 0 and i == 0 else 1, bottleneck))
                inputs = (width << stage) * (4 if bottleneck else 1)
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(inputs, 1000)

    def forward(self, x):
        return self.head(torch.flatten(F.adaptive_avg_pool2d(self.features(x), 1), 1))


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expand):
        super().__init__()
        hidden = inputs * expand
        self.same = stride == 1 and inputs == outputs
        first = [conv_bn(inputs, hidden, 1, act=nn.ReLU6)] if expand > 1 else []
        self.body = nn.Sequential(*first, conv_bn(hidden, hidden, 3, stride, hidden, nn.ReLU6),
                                  conv_bn(hidden, outputs, 1, act=None))

    def forward(self, x):
        return x + self.body(x) if self.same else self.body(x)


class MobileNetV2(nn.Module):
    """Sandler et al., MobileNetV2, 2018."""

    def __init__(self):
        super().__init__()
        layers, inputs = [conv_bn(3, 32, 3, 2, act=nn.ReLU6)], 32
        for expand, outputs, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                               (6, 160, 3, 2), (6, 320, 1, 1)]:
            for i in range(count):
                layers.append(InvertedResidual(inputs, outputs, stride if i == 0 else 1, expand))
                inputs = outputs
        self.features = nn.Sequential(*layers, conv_bn(inputs, 1280, 1, act=nn.ReLU6))
        self.head = nn.Linear(1280, 1000)

    def forward(self, x):
        return self.head(self.features(x).mean([2, 3]))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x, mask):
        def split(y):
            return y.view(y.shape[0], y.shape[1], self.heads, self.size).transpose(1, 2)

        scores = split(self.query(x)) @ split(self.key(x)).transpose(-1, -2) / self.size ** 0.5 + mask
        y = (scores.softmax(-1) @ split(self.value(x))).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.out(y))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """Devlin et al., BERT, 2018, without the pooler; MiniLM is the same with other sizes."""

    def __init__(self, layers, width, heads, hidden, words=30522):
        super().__init__()
        self.words, self.places, self.kinds = (nn.Embedding(n, width) for n in (words, 512, 2))
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(EncoderLayer(width, heads, hidden) for _ in range(layers))

    def forward(self, tokens, mask, kinds):
        places = torch.arange(tokens.shape[1])[None]
        x = self.norm(self.words(tokens) + self.kinds(kinds) + self.places(places))
        mask = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, mask)
        return x


class Recurrent(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.lstm = nn.LSTM(inputs, hidden)

    def forward(self, x):
        return self.lstm(x)[0]


class Chain(nn.Module):
    """A thousand elementwise ops."""

    def __init__(self, *shape):
        super().__init__()
        self.register_buffer("b", torch.randn(shape) / 8)

    def forward(self, x):
        for _ in range(500):
            x = F.relu(x + self.b)
        return x


def stack(inputs, *words):
    """Makes layers: ("pool", kernel, stride, padding) is a max pooling, (filters, kernel, stride,
    padding) a convolution with a ReLU."""
    layers = []
    for word in words:
        if word[0] == "pool":
            layers.append(nn.MaxPool2d(*word[1:]))
        else:
            layers += [nn.Conv2d(inputs, *word), nn.ReLU()]
            inputs = word[0]
    return layers


def classifier(*widths):
    layers = [nn.Flatten()]
    for inputs, outputs in itertools.pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return layers[:-1]


# The four nets of Table 1 in Abadi et al., TensorFlow, OSDI 2016, in the form of the
# convnet-benchmarks that it cites: without dropout, local normalisation and auxiliary classifiers.
def alexnet():
    """Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014."""
    pool = ("pool", 3, 2)
    return nn.Sequential(*stack(3, (64, 11, 4, 2), pool, (192, 5, 1, 2), pool, (384, 3, 1, 1), (256, 3, 1, 1), (256, 3, 1, 1),
                                pool), *classifier(256 * 6 * 6, 4096, 4096, 1000))


def overfeat():
    """Sermanet et al., OverFeat, 2013: the fast model, for images of 231x231."""
    pool = ("pool", 2, 2)
    return nn.Sequential(*stack(3, (96, 11, 4, 0), pool, (256, 5, 1, 0), pool, (512, 3, 1, 1), (1024, 3, 1, 1),
                                (1024, 3, 1, 1), pool), *classifier(1024 * 6 * 6, 3072, 4096, 1000))


def vgg_a():
    """Simonyan and Zisserman, Very Deep Convolutional Networks, 2014: configuration A."""
    words = [("pool", 2, 2) if f is None else (f, 3, 1, 1)
             for f in (64, None, 128, None, 256, 256, None, 512, 512, None, 512, 512, None)]
    return nn.Sequential(*stack(3, *words), *classifier(512 * 7 * 7, 4096, 4096, 1000))


class Inception(nn.Module):
    def __init__(self, inputs, one, reduce3, three, reduce5, five, pooled):
        super().__init__()
        self.branches = nn.ModuleList(nn.Sequential(*stack(inputs, *words)) for words in (
            [(one, 1, 1, 0)], [(reduce3, 1, 1, 0), (three, 3, 1, 1)], [(reduce5, 1, 1, 0), (five, 5, 1, 2)],
            [("pool", 3, 1, 1), (pooled, 1, 1, 0)]))

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


def googlenet():
    """Szegedy et al., Going deeper with convolutions, 2014."""
    pool = ("pool", 3, 2, 1)
    layers, inputs = stack(3, (64, 7, 2, 3), pool, (64, 1, 1, 0), (192, 3, 1, 1), pool), 192
    for widths in [(64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), None, (192, 96, 208, 16, 48, 64),
                   (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64), (112, 144, 288, 32, 64, 64),
                   (256, 160, 320, 32, 128, 128), None, (256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)]:
        if widths is None:
            layers.append(nn.MaxPool2d(*pool[1:]))
        else:
            layers.append(Inception(inputs, *widths))
            inputs = widths[0] + widths[2] + widths[4] + widths[5]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), *classifier(inputs, 1000))


def image(batch=1, size=224):
    return (torch.rand(batch, 3, size, size),)


def sentence(length=128, words=30522):
    return torch.randint(0, words, (1, length)), torch.ones(1, length, dtype=torch.int64), torch.zeros(1, length, dtype=torch.int64)


# Per name: the module, its example inputs and their names.
NETS = {
    "resnet18": (lambda: ResNet([2, 2, 2, 2], False), image, ["x"]),
    "resnet50": (lambda: ResNet([3, 4, 6, 3], True), image, ["x"]),
    "mobilenet_v2": (MobileNetV2, image, ["x"]),
    "minilm": (lambda: Bert(6, 384, 12, 1536), sentence, ["tokens", "mask", "kinds"]),
    "bert_base": (lambda: Bert(12, 768, 12, 3072), sentence, ["tokens", "mask", "kinds"]),
    "lstm": (lambda: Recurrent(128, 256), lambda: (torch.rand(50, 1, 128),), ["x"]),
    "chain_16": (lambda: Chain(16), lambda: (torch.rand(16),), ["x"]),
    "chain_64k": (lambda: Chain(256, 256), lambda: (torch.rand(256, 256),), ["x"]),
}
# Nets to train, with batches that two cores compute in seconds.
TRAINED = {
    "resnet18_train": (lambda: ResNet([2, 2, 2, 2], False), lambda: image(32), ["x"]),
    "alexnet_train": (alexnet, lambda: image(16), ["x"]),
    "overfeat_train": (overfeat, lambda: image(16, 231), ["x"]),
    "vgg_a_train": (vgg_a, lambda: image(16), ["x"]),
    "googlenet_train": (googlenet, lambda: image(16), ["x"]),
}


def make(name):
    """Returns the module, ready to infer, or to train if its name says so, and example inputs. The
    result is the same for every caller."""
    module, example, inputs = (NETS | TRAINED)[name]
    torch.manual_seed(1)
    net = module().train(name in TRAINED)
    for layer in net.modules():
        # As after training: channels and tensors all differ, because exports share equal tensors
        if isinstance(layer, nn.BatchNorm2d):
            nn.init.uniform_(layer.weight, 0.5, 1.5)
            nn.init.normal_(layer.bias, 0, 0.1)
            nn.init.normal_(layer.running_mean, 0, 0.1)
            nn.init.uniform_(layer.running_var, 0.5, 1.5)
    return net, example(), inputs


def export(name, folder, file=None):
    """Writes the net in inference form. For a net that is trained, nodes that the exporter would
    fold are kept."""
    net, example, inputs = make(name)
    path = os.path.join(folder, file or f"{name}.onnx")
    if name in TRAINED:
        training = {"training": torch.onnx.TrainingMode.PRESERVE, "do_constant_folding": False,
                    "dynamic_axes": {"x": {0: "batch"}, "y": {0: "batch"}}}
    else:
        training = {}
    torch.onnx.export(net.eval(), example, path, input_names=inputs, output_names=["y"], opset_version=17, dynamo=False, **training)
    return path


def flops(name):
    """Returns the floating-point operations of the matrix products and convolutions of a run or a
    training step; a multiply-add counts as two."""
    if name == "lstm":
        return 50 * 2 * 4 * 256 * (128 + 256)  # unknown to the counter below
    net, example, _ = make(name)
    with FlopCounterMode(display=False) as counter:
        y = net(*example)
        if name in TRAINED:
            y.sum().backward()
    return counter.get_total_flops()


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for chosen in sys.argv[2:] or NETS:
        print(export(chosen, sys.argv[1]))
