"""A network that is drawn layer by layer."""
import numpy as np
import torch

from torch_layers import ACTIVATIONS, activate


class Network:
    """The layers of a SPEC, their weights, and the same network as functions of PyTorch."""

    def __init__(self, rng):
        self.np = np.random.default_rng(rng.randrange(2**32))
        self.rng = rng
        self.weights, self.steps = {}, []  # steps: functions (parameters, x) -> x
        self.fixed = set()  # moving statistics
        self.layers, self.counts, self.normalised = [], {}, False
        self.input_shape = None
        self.tokens = self.time = None  # size of a vocabulary; length of labels that are sequences
        self.channel_axis = 1  # of values between the steps
        self.last = None  # the name of the last layer

    def name(self, base):
        count = self.counts.get(base, 0)
        self.counts[base] = count + 1
        return base if count == 0 else f"{base}_{count}"

    def weight(self, name, shape, fan_in):
        self.weights[name] = (self.np.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32)

    def dense(self, inputs, units, activation):
        self.last = name = self.name("dense")
        bias = self.rng.random() < 0.8
        self.layers.append({"layer": "Dense", "units": units, "use_bias": bias} |
                           ({"activation": activation} if activation else {}))
        self.weight(name + "/kernel", (inputs, units), inputs)
        if bias:
            self.weight(name + "/bias", (units,), 10)

        def step(p, x):
            y = x @ p[name + "/kernel"]
            y = y + p[name + "/bias"] if bias else y
            return activate(activation, y) if activation else y

        self.steps.append(step)
        return units

    def branch(self, width, layer):
        """Adds `layer` (units -> width) after the last layer; adds its output to the last one's, or
        concatenates both."""
        before = self.last
        added = self.rng.random() < 0.5
        units = width if added else self.rng.randint(2, 20)
        at = len(self.steps)
        layer(units)
        inner = self.steps.pop()
        assert len(self.steps) == at
        self.layers.append({"layer": "Add" if added else "Concatenate", "inputs": [before, self.last]})
        self.last = self.name("add" if added else "concatenate")
        self.steps.append(lambda p, x: x + inner(p, x) if added else torch.cat([x, inner(p, x)], self.channel_axis))
        return width if added else width + units

    def rest(self, channels, image):
        """Adds a layer that keeps the shape."""
        kind = self.rng.choice(["BatchNormalization", "LayerNormalization", "Dropout", "Activation"])
        view = (1, -1, 1, 1) if image else (-1,)
        if kind == "Dropout":
            self.layers.append({"layer": "Dropout", "rate": 0})
            self.name("dropout")
        elif kind == "Activation":
            activation = self.rng.choice(list(ACTIVATIONS))
            self.layers.append({"layer": "Activation", "activation": activation})
            self.steps.append(lambda p, x: activate(activation, x))
        else:
            batch = kind == "BatchNormalization"
            name = self.name("batch_normalization" if batch else "layer_normalization")
            self.layers.append({"layer": kind})
            self.weights[name + "/gamma"] = (1 + 0.2 * self.np.standard_normal(channels)).astype(np.float32)
            self.weight(name + "/beta", (channels,), 10)
            if batch:
                self.normalised = True
                self.weights[name + "/moving_mean"] = np.zeros(channels, np.float32)
                self.weights[name + "/moving_variance"] = np.ones(channels, np.float32)
                self.fixed |= {name + "/moving_mean", name + "/moving_variance"}

            def step(p, x):
                own = self.channel_axis % x.dim()
                axes = [a for a in range(x.dim()) if a != own] if batch else [own]
                mean = x.mean(axes, keepdim=True)
                variance = ((x - mean) ** 2).mean(axes, keepdim=True)
                y = (x - mean) / torch.sqrt(variance + 1e-3)
                return y * p[name + "/gamma"].reshape(view) + p[name + "/beta"].reshape(view)

            self.steps.append(step)
