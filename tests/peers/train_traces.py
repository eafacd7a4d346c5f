"""Runs random training jobs through `percale train` and through PyTorch, step by step.

    python tests/peers/train_traces.py build/bindings/cli/percale [jobs] [seed]

Needs torch and numpy; not part of tests/run. Each job draws a model (linear, MLP, CNN over images
or sequences, recurrent or attention layers over sequences of numbers or tokens, with branches) from
the existing layers, its sizes, weights and data, a loss with its options, an optimizer (tables by
rows where that changes nothing), a schedule, clipping, weight decay, accumulation and
recomputation. It trains without shuffling on one shard, and compares the loss of every step: for 20
steps within 1e-3 of PyTorch in f64; later within ten times the deviation of PyTorch's own f32, plus
1e-3.
"""
import csv
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

from optimizers import Ftrl, Lamb, Lion, each_norm, scale_all

STRICT_STEPS, WITHIN = 20, 1e-3
# Activations whose op the program has; the first ones are in every release.
ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid", "elu": "Elu", "softplus": "Softplus",
               "softsign": "Softsign", "leaky_relu": "LeakyRelu"}


def save_safetensors(path, tensors, dtype="F32"):
    header, blob = {}, b""
    for name, value in tensors.items():
        value = np.ascontiguousarray(value, dtype={"F32": "<f4", "F64": "<f8"}[dtype])
        header[name] = {"dtype": dtype, "shape": list(value.shape), "data_offsets": [len(blob), len(blob) + value.nbytes]}
        blob += value.tobytes()
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + blob)


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


class Job:
    """A SPEC, its files, and the same job as functions of PyTorch. Images are [N, C, H, W] between
    the steps."""

    def __init__(self, rng, folder):
        self.np = np.random.default_rng(rng.randrange(2**32))
        self.rng = rng
        self.weights, self.steps = {}, []  # steps: functions (parameters, x) -> x
        self.fixed = set()  # moving statistics
        self.layers, self.counts, self.normalised = [], {}, False
        self.kind = kind = rng.choice(["linear", "mlp", "cnn", "cnn", "series", "sequence", "sequence"])
        self.classes = rng.randint(2, 11)
        self.tokens = self.time = None  # size of a vocabulary; length of labels that are sequences
        self.loss = rng.choice(["mean_squared_error", "mean_absolute_error", "huber"]) if kind == "linear" and rng.random() < 0.6 \
            else rng.choice(["sparse_categorical_crossentropy"] * 3 + ["binary_crossentropy", "categorical_crossentropy"])
        self.batch = rng.randint(5, 64)
        if kind == "cnn":
            width = self.convolutions()
        elif kind == "series":
            width = self.series()
        elif kind == "sequence":
            width = self.sequence()
        else:
            width = rng.randint(1, 40)
            self.input_shape = [width]
        for _ in range(rng.randint(1, 3) if kind == "mlp" else rng.randint(0, 1) if kind != "linear" else 0):
            width = self.dense(width, rng.randint(3, 70), rng.choice(list(ACTIVATIONS) + [None]))
            if rng.random() < 0.4:
                width = self.branch(width, lambda units: self.dense(width, units, rng.choice(list(ACTIVATIONS))))
            if rng.random() < 0.4:
                self.rest(width, image=False)
        self.outputs = self.classes if "categorical" in self.loss else rng.randint(1, 5)
        self.dense(width, self.outputs, None)
        self.rows = rng.randint(70, 300)
        if self.normalised:  # the statistics of a last batch with a row or two would be useless
            self.batch = max(self.batch, 12)
            self.rows = self.batch * max(2, self.rows // self.batch)
        self.write(folder)

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
        self.steps.append(lambda p, x: x + inner(p, x) if added else torch.cat([x, inner(p, x)], self.channels()))
        return width if added else width + units

    def channels(self):
        return -1 if self.kind == "sequence" else 1

    def series(self):
        """[N, T, C] through Conv1D; [N, C, T] between the steps."""
        rng = self.rng
        t, c = rng.randint(12, 30), rng.randint(1, 4)
        self.input_shape = [t, c]
        self.steps.append(lambda p, x: x.permute(0, 2, 1))

        def conv(channels, filters, k, stride, dilation, padding):
            name, activation = self.name("conv1d"), rng.choice(list(ACTIVATIONS))
            self.layers.append({"layer": "Conv1D", "filters": filters, "kernel_size": k, "strides": stride, "padding": padding,
                                "dilation_rate": dilation, "activation": activation})
            self.last = name
            self.weight(name + "/kernel", (k, channels, filters), k * channels)
            self.weight(name + "/bias", (filters,), 10)
            self.steps.append(lambda p, x: activate(activation, F.conv1d(
                pad_1d(x, k, stride, dilation, padding), p[name + "/kernel"].permute(2, 1, 0).contiguous(), p[name + "/bias"],
                stride=stride, dilation=dilation)))

        for _ in range(rng.randint(1, 3)):
            k, padding = rng.choice([1, 2, 3, 5]), rng.choice(["valid", "same", "causal"])
            stride, dilation = rng.choice([(1, 1), (1, 1), (2, 1), (1, 2)])
            reach = (k - 1) * dilation
            if t <= reach + 2:
                break
            filters = rng.randint(2, 16)
            conv(c, filters, k, stride, dilation, padding)
            t = -(-(t - reach) // stride) if padding == "valid" else -(-t // stride)
            c = filters
            if rng.random() < 0.4:
                c = self.branch(c, lambda units: conv(c, units, 3, 1, 1, "same"))
        self.layers.append({"layer": "Flatten"})
        self.steps.append(lambda p, x: x.permute(0, 2, 1).flatten(1))
        return t * c

    def sequence(self):
        """[N, T, C] through recurrent layers and attention."""
        rng = self.rng
        time, width = rng.randint(3, 9), rng.randint(1, 6)
        self.last = "x"
        self.input_shape = [time, width]
        if rng.random() < 0.5:
            self.tokens, self.input_shape = rng.randint(3, 30), [time]
            self.last = name = self.name("embedding")
            self.layers.append({"layer": "Embedding", "input_dim": self.tokens, "output_dim": width})
            self.weight(name + "/embeddings", (self.tokens, width), 1)
            self.steps.append(lambda p, x: p[name + "/embeddings"][x.long()])
        count = rng.randint(1, 2)
        end = rng.choice(["state", "flatten", "labels"]) if self.loss.startswith("sparse") else rng.choice(["state", "flatten"])
        for i in range(count):
            last = i == count - 1
            if rng.random() < 0.35 and not (last and end == "state"):
                width = self.attention(width)
            else:
                width = self.recurrent(width, sequences=not (last and end == "state"))
        if end == "flatten":
            self.layers.append({"layer": "Flatten"})
            self.steps.append(lambda p, x: x.flatten(1))
            return time * width
        self.time = time if end == "labels" else None
        return width

    def recurrent(self, width, sequences):
        rng = self.rng
        cell, units = rng.choice(["LSTM", "GRU", "SimpleRNN"]), rng.randint(2, 12)
        self.last = name = self.name({"LSTM": "lstm", "GRU": "gru", "SimpleRNN": "simple_rnn"}[cell])
        bias = rng.random() < 0.8
        words = {"activation": rng.choice(["tanh", "tanh", "softsign"]), "recurrent_activation": "sigmoid",
                 "go_backwards": rng.random() < 0.3, "return_sequences": sequences, "reset_after": rng.random() < 0.6}
        self.layers.append({"layer": cell, "units": units, "use_bias": bias, "return_sequences": sequences,
                            "activation": words["activation"], "go_backwards": words["go_backwards"]} |
                           ({"reset_after": words["reset_after"]} if cell == "GRU" else {}))
        gates = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}[cell]
        self.weight(name + "/kernel", (width, gates * units), width)
        self.weight(name + "/recurrent_kernel", (units, gates * units), 2 * units)
        if bias:
            self.weight(name + "/bias", (2, gates * units) if cell == "GRU" and words["reset_after"] else (gates * units,), 10)
        self.steps.append(lambda p, x: recurrent(p, name, x, cell, words))
        return units

    def attention(self, width):
        """MultiHeadAttention of a sequence with itself, added to it."""
        rng = self.rng
        before, heads, depth, deep = self.last, rng.randint(1, 3), rng.randint(1, 5), rng.randint(1, 4)
        name, bias = self.name("multi_head_attention"), rng.random() < 0.7
        inputs = [before] if rng.random() < 0.5 else [before, before]
        self.layers.append({"layer": "MultiHeadAttention", "num_heads": heads, "key_dim": depth, "value_dim": deep,
                            "use_bias": bias, "inputs": inputs})
        for leaf, size in (("query", depth), ("key", depth), ("value", deep)):
            self.weight(f"{name}/{leaf}/kernel", (width, heads, size), width)
            if bias:
                self.weight(f"{name}/{leaf}/bias", (heads, size), 10)
        self.weight(name + "/attention_output/kernel", (heads, deep, width), heads * deep)
        if bias:
            self.weight(name + "/attention_output/bias", (width,), 10)
        self.layers.append({"layer": "Add", "inputs": [before, name]})
        self.last = self.name("add")

        def step(p, x):
            q, k, v = (torch.einsum("ntc,chd->nhtd", x, p[f"{name}/{leaf}/kernel"]) +
                       (p[f"{name}/{leaf}/bias"][None, :, None] if bias else 0) for leaf in ("query", "key", "value"))
            weights = torch.softmax(torch.einsum("nhtd,nhsd->nhts", q, k) / depth**0.5, -1)
            mixed = torch.einsum("nhts,nhsd->nthd", weights, v)
            y = torch.einsum("nthd,hdc->ntc", mixed, p[name + "/attention_output/kernel"])
            return x + y + (p[name + "/attention_output/bias"] if bias else 0)

        self.steps.append(step)
        return width

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
                own = self.channels() % x.dim()
                axes = [a for a in range(x.dim()) if a != own] if batch else [own]
                mean = x.mean(axes, keepdim=True)
                variance = ((x - mean) ** 2).mean(axes, keepdim=True)
                y = (x - mean) / torch.sqrt(variance + 1e-3)
                return y * p[name + "/gamma"].reshape(view) + p[name + "/beta"].reshape(view)

            self.steps.append(step)

    def conv_same(self, channels, filters):
        """Adds a Conv2D that keeps height and width."""
        self.last = name = self.name("conv2d")
        self.layers.append({"layer": "Conv2D", "kernel_size": 3, "padding": "same", "filters": filters})
        self.weight(name + "/kernel", (3, 3, channels, filters), 9 * channels)
        self.weight(name + "/bias", (filters,), 10)
        self.steps.append(lambda p, x: F.conv2d(pad_same(x, 3, 1), p[name + "/kernel"].permute(3, 2, 0, 1).contiguous(),
                                                p[name + "/bias"]))

    def convolutions(self):
        rng = self.rng
        h, w, c = rng.randint(8, 16), rng.randint(8, 16), rng.randint(1, 3)
        self.input_shape = [h, w, c]
        self.steps.append(lambda p, x: x.permute(0, 3, 1, 2))
        for _ in range(rng.randint(1, 3)):
            k, stride, same = rng.choice([1, 3, 5]), rng.choice([1, 1, 2]), rng.random() < 0.5
            kind = rng.choice(["Conv2D", "Conv2D", "DepthwiseConv2D", "SeparableConv2D", "Conv2DTranspose"])
            if min(h, w) < 5 or (kind == "Conv2DTranspose" and h * w > 150):
                break
            activation = rng.choice(list(ACTIVATIONS))
            layer = {"layer": kind, "kernel_size": k, "strides": stride, "padding": "same" if same else "valid",
                     "activation": activation}
            if kind == "Conv2D":
                name, filters = self.name("conv2d"), rng.randint(2, 20)
                layer["filters"] = filters
                self.weight(name + "/kernel", (k, k, c, filters), k * k * c)
            elif kind == "DepthwiseConv2D":
                name, times = self.name("depthwise_conv2d"), rng.randint(1, 2)
                filters = c * times
                layer["depth_multiplier"] = times
                self.weight(name + "/kernel", (k, k, c, times), k * k)
            elif kind == "SeparableConv2D":
                name, times, filters = self.name("separable_conv2d"), rng.randint(1, 2), rng.randint(2, 12)
                layer |= {"depth_multiplier": times, "filters": filters}
                self.weight(name + "/depthwise_kernel", (k, k, c, times), k * k)
                self.weight(name + "/pointwise_kernel", (1, 1, c * times, filters), c * times)
            else:
                k = max(k, stride)
                layer["kernel_size"] = k
                name, filters = self.name("conv2d_transpose"), rng.randint(2, 8)
                layer["filters"] = filters
                self.weight(name + "/kernel", (k, k, filters, c), k * k * c / stride**2)
            self.weight(name + "/bias", (filters,), 10)
            self.layers.append(layer)

            def step(p, x, name=name, kind=kind, k=k, stride=stride, same=same, activation=activation):
                bias = p[name + "/bias"]
                if kind == "Conv2DTranspose":
                    y = F.conv_transpose2d(x, p[name + "/kernel"].permute(3, 2, 0, 1).contiguous(), stride=stride)
                    if same:
                        cut = (k - stride) // 2
                        y = y[:, :, cut:cut + x.shape[2] * stride, cut:cut + x.shape[3] * stride]
                    return activate(activation, y + bias.reshape(1, -1, 1, 1))
                x = pad_same(x, k, stride) if same else x
                if kind == "Conv2D":
                    y = F.conv2d(x, p[name + "/kernel"].permute(3, 2, 0, 1).contiguous(), bias, stride=stride)
                else:
                    own = p[name + ("/kernel" if kind == "DepthwiseConv2D" else "/depthwise_kernel")]
                    kernel = own.permute(2, 3, 0, 1).flatten(0, 1)[:, None].contiguous()
                    y = F.conv2d(x, kernel, bias if kind == "DepthwiseConv2D" else None, stride=stride, groups=x.shape[1])
                    if kind == "SeparableConv2D":
                        y = F.conv2d(y, p[name + "/pointwise_kernel"].permute(3, 2, 0, 1).contiguous(), bias)
                return activate(activation, y)

            self.steps.append(step)
            if kind == "Conv2DTranspose":
                h, w = (h * stride, w * stride) if same else ((h - 1) * stride + k, (w - 1) * stride + k)
            else:
                h, w = (-(-h // stride), -(-w // stride)) if same else ((h - k) // stride + 1, (w - k) // stride + 1)
            c = filters
            self.last = name
            if rng.random() < 0.3:
                c = self.branch(c, lambda units: self.conv_same(c, units))
            if rng.random() < 0.4:
                self.rest(c, image=True)
            if min(h, w) >= 4 and rng.random() < 0.6:
                pool = rng.choice(["max", "average"])
                self.layers.append({"layer": f"{pool.capitalize()}Pooling2D", "pool_size": 2})
                function = F.max_pool2d if pool == "max" else F.avg_pool2d
                self.steps.append(lambda p, x, function=function: function(x, 2))
                h, w = h // 2, w // 2
        end = rng.choice(["flatten", "flatten", "average", "max"])
        if end == "flatten":
            if rng.random() < 0.5:
                self.layers.append({"layer": "Flatten"})
            else:
                self.layers.append({"layer": "Reshape", "target_shape": [h * w * c]})
            self.steps.append(lambda p, x: x.permute(0, 2, 3, 1).flatten(1))
            return h * w * c
        self.layers.append({"layer": f"Global{end.capitalize()}Pooling2D"})
        self.steps.append(lambda p, x: x.mean((2, 3)) if end == "average" else x.amax((2, 3)))
        return c

    def write(self, folder):
        rng = self.rng
        self.folder, self.ignored = folder, None
        self.smoothing = rng.choice([0.0, 0.1, 0.3]) if self.loss.endswith("crossentropy") else 0.0
        self.x = self.np.standard_normal([self.rows] + self.input_shape).astype(np.float32)
        if self.tokens:
            self.x = self.np.integers(0, self.tokens, self.x.shape).astype(np.int32)
        if self.loss.startswith("sparse"):
            self.y = self.np.integers(0, self.classes, [self.rows] + ([self.time] if self.time else [])).astype(np.int32)
            if rng.random() < 0.3:  # a fifth of the rows is ignored, but never a whole batch
                self.ignored = rng.choice([-1, 255])
                ignored = self.np.random(self.rows) < 0.2
                ignored[::self.batch] = False
                self.y[ignored] = self.ignored
        elif self.loss == "categorical_crossentropy":
            self.y = np.eye(self.classes, dtype=np.float32)[self.np.integers(0, self.classes, self.rows)]
        elif self.loss == "binary_crossentropy":
            self.y = self.np.integers(0, 2, (self.rows, self.outputs)).astype(np.float32)
        else:
            self.y = self.np.standard_normal((self.rows, self.outputs)).astype(np.float32)
        np.save(os.path.join(folder, "x.npy"), self.x)
        np.save(os.path.join(folder, "y.npy"), self.y)
        save_safetensors(os.path.join(folder, "weights.safetensors"), self.weights)
        self.accumulation = rng.choice([1, 1, 1, 2, 3])
        self.choose_optimizer()
        per_epoch = -(-self.rows // (self.batch * self.accumulation))
        self.epochs = -(-60 // per_epoch)
        self.total = per_epoch * self.epochs
        spec = {"model": self.layers, "input_shape": self.input_shape, "optimizer": self.optimizer, "loss": self.loss,
                "data": {"train": {"x": "x.npy", "y": "y.npy"}}, "batch_size": self.batch, "shards": 1,
                "shuffle": False, "epochs": self.epochs, "seed": 1, "accumulation": self.accumulation}
        if self.loss.endswith("crossentropy"):
            spec["from_logits"] = True
            spec["loss"] = {"name": self.loss} | ({"label_smoothing": self.smoothing} if self.smoothing else {}) | \
                ({"ignore_class": self.ignored} if self.ignored is not None else {})
        self.recompute = rng.random() < 0.3
        if self.recompute:
            spec["recompute"] = True
        spec |= self.choose_schedule() | self.choose_clip()
        self.spec = os.path.join(folder, "spec.json")
        with open(self.spec, "w") as file:
            json.dump(spec, file)

    def choose_optimizer(self):
        rng = self.rng
        name = rng.choice(["sgd", "momentum", "nesterov", "adam", "adamw", "rmsprop", "adagrad", "ftrl", "lion", "lamb"])
        rate = {"adam": 0.001, "adamw": 0.003, "rmsprop": 0.001, "adagrad": 0.01, "ftrl": 0.03, "lion": 0.0003,
                "lamb": 0.003}.get(name, rng.choice([0.01, 0.03]))
        decay = rng.choice([0.0, 0.0, 0.01])
        spec = {"name": "sgd" if name in ("momentum", "nesterov") else name, "learning_rate": rate, "weight_decay": decay}
        optim = torch.optim
        if name in ("momentum", "nesterov"):
            spec |= {"momentum": 0.9, "nesterov": name == "nesterov"}
        make = {
            "sgd": lambda p: optim.SGD(p, lr=rate, weight_decay=decay),
            "momentum": lambda p: optim.SGD(p, lr=rate, momentum=0.9, weight_decay=decay),
            "nesterov": lambda p: optim.SGD(p, lr=rate, momentum=0.9, nesterov=True, weight_decay=decay),
            "adam": lambda p: optim.Adam(p, lr=rate, eps=1e-7, weight_decay=decay),
            "adamw": lambda p: optim.AdamW(p, lr=rate, eps=1e-7, weight_decay=decay),
            "rmsprop": lambda p: optim.RMSprop(p, lr=rate, alpha=0.9, eps=1e-7, weight_decay=decay),
            "adagrad": lambda p: optim.Adagrad(p, lr=rate, initial_accumulator_value=0.1, eps=1e-7, weight_decay=decay),
            "ftrl": lambda p: Ftrl(p, rate, l1=0.001, l2=0.002, weight_decay=decay),
            "lion": lambda p: Lion(p, rate, weight_decay=decay),
            "lamb": lambda p: Lamb(p, rate, weight_decay=decay),
        }
        if name == "ftrl":
            spec |= {"l1_regularization_strength": 0.001, "l2_regularization_strength": 0.002}
        # A table of embeddings trains by rows if that gives the results of dense gradients.
        self.by_rows = bool(self.tokens) and name in ("sgd", "adagrad") and decay == 0
        if self.by_rows:
            spec["sparse"] = True
        self.optimizer_name, self.rate, self.optimizer, self.make_optimizer = name, rate, spec, make[name]

    def choose_schedule(self):
        """Returns keys of the SPEC. self.schedule is a function (step, losses of the finished
        epochs) -> learning rate."""
        rng, base = self.rng, self.rate
        kind = rng.choice(["constant", "step", "cosine", "warm_up", "one_cycle", "plateau"])
        self.schedule_name = kind

        def with_torch(make, steps):
            inner = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base)
            scheduler, rates = make(inner), []
            for _ in range(steps):
                rates.append(inner.param_groups[0]["lr"])
                inner.step()
                if len(rates) < steps:
                    scheduler.step()
            return lambda step, losses: rates[step]

        torch_schedule = torch.optim.lr_scheduler
        if kind == "step":
            self.schedule = with_torch(lambda o: torch_schedule.StepLR(o, 7, gamma=0.5), self.total)
            return {"schedule": {"name": "step", "step_size": 7, "gamma": 0.5}}
        if kind == "cosine":
            self.schedule = with_torch(lambda o: torch_schedule.CosineAnnealingLR(o, self.total, eta_min=0.1 * base), self.total)
            return {"schedule": {"name": "cosine", "alpha": 0.1}}
        if kind == "warm_up":
            self.schedule = lambda step, losses: base * min(1, (step + 1) / 9)
            return {"schedule": {"name": "warm_up", "steps": 9}}
        if kind == "one_cycle":
            self.schedule = with_torch(lambda o: torch_schedule.OneCycleLR(o, 2 * base, total_steps=self.total,
                                                                           cycle_momentum=False), self.total)
            return {"schedule": {"name": "one_cycle", "max_learning_rate": 2 * base}}
        if kind == "plateau":
            def rate(step, losses):
                inner = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base)
                scheduler = torch_schedule.ReduceLROnPlateau(inner, factor=0.5, patience=1, threshold=0.02)
                for loss in losses:
                    scheduler.step(loss)
                return inner.param_groups[0]["lr"]

            self.schedule = rate
            return {"schedule": {"name": "plateau", "factor": 0.5, "patience": 1, "threshold": 0.02}}
        self.schedule = lambda step, losses: base
        return {}

    def choose_clip(self):
        kind = self.rng.choice(["none", "none", "value", "norm", "global_norm"])
        self.clip_name = kind
        self.clip = {"none": lambda p: None, "value": lambda p: torch.nn.utils.clip_grad_value_(p, 0.02),
                     "norm": each_norm(0.3), "global_norm": lambda p: scale_all(p, 0.5)}[kind]
        return {} if kind == "none" else {"clip": {kind: {"value": 0.02, "norm": 0.3, "global_norm": 0.5}[kind]}}

    def percale(self, program):
        history = os.path.join(self.folder, "history.csv")
        result = subprocess.run([program, "train", self.spec, "--weights", os.path.join(self.folder, "weights.safetensors"),
                                 "--history", history], capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(result.stderr + open(self.spec).read())
        with open(history) as file:
            return [float(row["loss"]) for row in csv.DictReader(file)]

    def mean_loss(self, x, y):
        if self.time:  # labels [batch, time], averaged over both
            x, y = x.flatten(0, 1), y.flatten()
        if "categorical" in self.loss:
            return F.cross_entropy(x, y.long() if self.loss.startswith("sparse") else y.to(x.dtype), label_smoothing=self.smoothing,
                                   ignore_index=-100 if self.ignored is None else self.ignored)
        y = y.to(x.dtype)
        if self.loss == "binary_crossentropy":
            y = y * (1 - self.smoothing) + self.smoothing / 2
        function = {"mean_squared_error": F.mse_loss, "mean_absolute_error": F.l1_loss, "huber": F.huber_loss,
                    "binary_crossentropy": F.binary_cross_entropy_with_logits}[self.loss]
        return function(x, y)

    def count(self, begin, end):
        """Returns the number of rows that are not ignored."""
        return end - begin if self.ignored is None else int((self.y[begin:end] != self.ignored).sum())

    def torch(self, dtype):
        p = {name: torch.tensor(value, dtype=dtype, requires_grad=name not in self.fixed) for name, value in self.weights.items()}
        trained = [value for name, value in p.items() if name not in self.fixed]
        optimizer = self.make_optimizer(trained)
        losses, epochs, step = [], [], 0
        for _ in range(self.epochs):
            total, rows = 0.0, 0
            for first in range(0, self.rows, self.batch * self.accumulation):
                last = min(first + self.batch * self.accumulation, self.rows)
                for value in trained:
                    value.grad = None
                whole = 0.0
                for begin in range(first, last, self.batch):
                    end = min(begin + self.batch, last)
                    x = torch.tensor(self.x[begin:end], dtype=dtype)
                    for function in self.steps:
                        x = function(p, x)
                    loss = self.mean_loss(x, torch.tensor(self.y[begin:end])) * (self.count(begin, end) / self.count(first, last))
                    loss.backward()
                    whole += loss.item()
                self.clip(trained)
                for group in optimizer.param_groups:
                    group["lr"] = self.schedule(step, epochs)
                optimizer.step()
                losses.append(whole)
                step += 1
                total += whole * self.count(first, last)
                rows += self.count(first, last)
            epochs.append(total / rows)
        return losses


def main():
    program = sys.argv[1]
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    torch.set_num_threads(1)
    ops = {op["name"] for op in json.loads(subprocess.run([program, "ops", "--json"], capture_output=True, text=True,
                                                          check=True).stdout)}
    for name in [name for name, op in ACTIVATIONS.items() if op not in ops]:
        del ACTIVATIONS[name]
    failed, seen = 0, {}
    for number in range(jobs):
        with tempfile.TemporaryDirectory() as folder:
            job = Job(rng, folder)
            ours, exact, single = job.percale(program), job.torch(torch.float64), job.torch(torch.float32)
            good = len(ours) == len(exact)
            off = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(ours, exact)]
            peer = [abs(a - b) / max(abs(b), 1e-30) for a, b in zip(single, exact)]
            good &= all(o <= WITHIN for o in off[:STRICT_STEPS])
            worst = 0.0
            for o, t in zip(off, peer):
                worst = max(worst, t)
                good &= o <= 10 * worst + WITHIN
            failed += not good
            for layer in {layer["layer"] for layer in job.layers} | \
                    {job.optimizer_name, job.schedule_name, job.loss} | ({"label_smoothing"} if job.smoothing else set()) | \
                    ({"ignore_class"} if job.ignored is not None else set()) | ({"recompute"} if job.recompute else set()) | \
                    ({"by rows"} if job.by_rows else set()):
                seen[layer] = seen.get(layer, 0) + 1
            print(f"{'ok ' if good else 'BAD'} {number:3} {job.kind:8} {job.optimizer_name:8} {job.schedule_name:9} "
                  f"clip {job.clip_name:11} x{job.accumulation} {len(ours)} steps, first 20 off by "
                  f"{max(off[:STRICT_STEPS]):.1e}, all by {max(off):.1e} (PyTorch f32: {max(peer):.1e})", flush=True)
            if not good:
                print(open(job.spec).read())
    print("covered: " + ", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    print(f"{jobs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
