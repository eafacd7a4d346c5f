"""Layers over sequences, added to a network: Conv1D, recurrent layers, attention."""
import torch
import torch.nn.functional as F

from torch_layers import ACTIVATIONS, activate, pad_1d, recurrent


def series(net):
    """[N, T, C] through Conv1D; [N, C, T] between the steps."""
    rng = net.rng
    t, c = rng.randint(12, 30), rng.randint(1, 4)
    net.input_shape = [t, c]
    net.steps.append(lambda p, x: x.permute(0, 2, 1))

    def conv(channels, filters, k, stride, dilation, padding):
        name, activation = net.name("conv1d"), rng.choice(list(ACTIVATIONS))
        net.layers.append({"layer": "Conv1D", "filters": filters, "kernel_size": k, "strides": stride, "padding": padding,
                           "dilation_rate": dilation, "activation": activation})
        net.last = name
        net.weight(name + "/kernel", (k, channels, filters), k * channels)
        net.weight(name + "/bias", (filters,), 10)
        net.steps.append(lambda p, x: activate(activation, F.conv1d(
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
            c = net.branch(c, lambda units: conv(c, units, 3, 1, 1, "same"))
    net.layers.append({"layer": "Flatten"})
    net.steps.append(lambda p, x: x.permute(0, 2, 1).flatten(1))
    return t * c


def recurrent_layer(net, width, sequences):
    rng = net.rng
    cell, units = rng.choice(["LSTM", "GRU", "SimpleRNN"]), rng.randint(2, 12)
    net.last = name = net.name({"LSTM": "lstm", "GRU": "gru", "SimpleRNN": "simple_rnn"}[cell])
    bias = rng.random() < 0.8
    words = {"activation": rng.choice(["tanh", "tanh", "softsign"]), "recurrent_activation": "sigmoid",
             "go_backwards": rng.random() < 0.3, "return_sequences": sequences, "reset_after": rng.random() < 0.6}
    net.layers.append({"layer": cell, "units": units, "use_bias": bias, "return_sequences": sequences,
                       "activation": words["activation"], "go_backwards": words["go_backwards"]} |
                      ({"reset_after": words["reset_after"]} if cell == "GRU" else {}))
    gates = {"LSTM": 4, "GRU": 3, "SimpleRNN": 1}[cell]
    net.weight(name + "/kernel", (width, gates * units), width)
    net.weight(name + "/recurrent_kernel", (units, gates * units), 2 * units)
    if bias:
        net.weight(name + "/bias", (2, gates * units) if cell == "GRU" and words["reset_after"] else (gates * units,), 10)
    net.steps.append(lambda p, x: recurrent(p, name, x, cell, words))
    return units


def attention(net, width):
    """MultiHeadAttention of a sequence with itself, added to it."""
    rng = net.rng
    before, heads, depth, deep = net.last, rng.randint(1, 3), rng.randint(1, 5), rng.randint(1, 4)
    name, bias = net.name("multi_head_attention"), rng.random() < 0.7
    inputs = [before] if rng.random() < 0.5 else [before, before]
    net.layers.append({"layer": "MultiHeadAttention", "num_heads": heads, "key_dim": depth, "value_dim": deep,
                       "use_bias": bias, "inputs": inputs})
    for leaf, size in (("query", depth), ("key", depth), ("value", deep)):
        net.weight(f"{name}/{leaf}/kernel", (width, heads, size), width)
        if bias:
            net.weight(f"{name}/{leaf}/bias", (heads, size), 10)
    net.weight(name + "/attention_output/kernel", (heads, deep, width), heads * deep)
    if bias:
        net.weight(name + "/attention_output/bias", (width,), 10)
    net.layers.append({"layer": "Add", "inputs": [before, name]})
    net.last = net.name("add")

    def step(p, x):
        q, k, v = (torch.einsum("ntc,chd->nhtd", x, p[f"{name}/{leaf}/kernel"]) +
                   (p[f"{name}/{leaf}/bias"][None, :, None] if bias else 0) for leaf in ("query", "key", "value"))
        weights = torch.softmax(torch.einsum("nhtd,nhsd->nhts", q, k) / depth**0.5, -1)
        mixed = torch.einsum("nhts,nhsd->nthd", weights, v)
        y = torch.einsum("nthd,hdc->ntc", mixed, p[name + "/attention_output/kernel"])
        return x + y + (p[name + "/attention_output/bias"] if bias else 0)

    net.steps.append(step)
    return width


def sequence(net, may_label):
    """[N, T, C] through recurrent layers and attention. If `may_label`, there may be a label per
    time step."""
    net.channel_axis = -1
    rng = net.rng
    time, width = rng.randint(3, 9), rng.randint(1, 6)
    net.last = "x"
    net.input_shape = [time, width]
    if rng.random() < 0.5:
        net.tokens, net.input_shape = rng.randint(3, 30), [time]
        net.last = name = net.name("embedding")
        net.layers.append({"layer": "Embedding", "input_dim": net.tokens, "output_dim": width})
        net.weight(name + "/embeddings", (net.tokens, width), 1)
        net.steps.append(lambda p, x: p[name + "/embeddings"][x.long()])
    count = rng.randint(1, 2)
    end = rng.choice(["state", "flatten", "labels"]) if may_label else rng.choice(["state", "flatten"])
    for i in range(count):
        last = i == count - 1
        if rng.random() < 0.35 and not (last and end == "state"):
            width = attention(net, width)
        else:
            width = recurrent_layer(net, width, sequences=not (last and end == "state"))
    if end == "flatten":
        net.layers.append({"layer": "Flatten"})
        net.steps.append(lambda p, x: x.flatten(1))
        return time * width
    net.time = time if end == "labels" else None
    return width
