"""PyTorch's side of bench.py, in the protocol of percale_worker.c.

    torch_peer.py cuda|cpu

A workload is HOW/NAME:SIZES. Names and sizes are those of tests/bench/worker/worker_nets.c and
worker_ops.c. HOW is eager, compiled or graphs (a CUDA graph of the compiled program).

In every iteration feeds come from pinned memory and the result returns to it, as in our calls;
training steps return their loss. Nets for inference use bf16, channels-last images and folded
batch norms. ResNet-50 and GPT-2 are trained in autocast to bf16. f32 means f32 without tf32."""
import os
import sys

import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench"))
import nets  # noqa: E402
from serve import serve  # noqa: E402

DEVICE = sys.argv[1]
GPU = DEVICE == "cuda"
LAST = torch.channels_last


def dtype_of(bits):
    return torch.bfloat16 if bits == 16 else torch.float32


def on_device(*shape, scale=1.0):
    return (torch.rand(shape, device=DEVICE) * 2 - 1) * scale


def classes(count, *shape):
    return (torch.arange(torch.Size(shape).numel()) * 7 % count).reshape(shape)


# ---- Makers. A maker returns the feeds and a function of `how` (which compiles the model, or not).
# That function returns the body of an iteration.
def inferring(net, *feeds, prepared=lambda *feeds: feeds):
    net = net.eval()

    def make(how):
        model = how(net)

        def body(*inputs):
            with torch.inference_mode():
                return model(*prepared(*inputs))
        return body
    return feeds, make


def training(loss_of, parameters, optimizer, *feeds, bf16=False):
    """`optimizer` is a function that makes an optimizer for given parameters."""
    optimizer = optimizer(list(parameters))

    def make(how):
        model = how(loss_of)

        def body(*inputs):
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(DEVICE, torch.bfloat16, enabled=bf16, cache_enabled=False):
                loss = model(*inputs)
            loss.backward()
            optimizer.step()
            return loss.detach()
        return body
    return feeds, make


def adam(kind, rate):
    return lambda parameters: kind(parameters, lr=rate, fused=True, capturable=GPU)


def sgd(rate, momentum=0.0):
    return lambda parameters: torch.optim.SGD(parameters, lr=rate, momentum=momentum, fused=True)


# ---- Nets.
def chain():
    def links(x, b):
        for _ in range(500):
            x = F.relu(x + b)
        return x

    def make(how):
        model = how(links)

        def body(x, b):
            with torch.inference_mode():
                return model(x, b)
        return body
    return (torch.rand(16), torch.rand(16)), make


def resnet50(batch, side, width):
    net = nets.ResNet([3, 4, 6, 3], True, width).eval()
    for layer in net.modules():
        if isinstance(layer, nn.Sequential) and len(layer) > 1 and isinstance(layer[1], nn.BatchNorm2d):
            layer[0], layer[1] = nn.utils.fuse_conv_bn_eval(layer[0], layer[1]), nn.Identity()
    net = net.to(DEVICE, torch.bfloat16, memory_format=LAST)
    return inferring(net, torch.rand(batch, 3, side, side), prepared=lambda x: [x.to(torch.bfloat16, memory_format=LAST)])


def resnet50_train(batch, side, width):
    net = nets.ResNet([3, 4, 6, 3], True, width).to(DEVICE, memory_format=LAST).train()
    return training(lambda x, y: F.cross_entropy(net(x.contiguous(memory_format=LAST)), y), net.parameters(), sgd(0.01, 0.9),
                    torch.rand(batch, 3, side, side), classes(1000, batch), bf16=True)


class Block(nn.Module):
    """A layer of BERT (norms after each block) or of GPT-2 (norms before, with a causal mask)."""

    def __init__(self, width, heads, norms_before, gelu):
        super().__init__()
        self.heads, self.norms_before, self.gelu = heads, norms_before, gelu
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x, mask):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, 2))
        return self.out(F.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None).transpose(1, 2).flatten(2))

    def feed_forward(self, x):
        return self.down(F.gelu(self.up(x), approximate=self.gelu))

    def forward(self, x, mask=None):
        if self.norms_before:
            x = x + self.attention(self.norm1(x), mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, mask))
        return self.norm2(x + self.feed_forward(x))


class Bert(nn.Module):
    def __init__(self, layers, width, heads, words, tokens):
        super().__init__()
        self.words, self.kinds = nn.Embedding(words, width), nn.Embedding(2, width)
        self.places, self.norm = nn.Parameter(torch.randn(tokens, width) * 0.02), nn.LayerNorm(width)
        self.layers = nn.ModuleList(Block(width, heads, False, "none") for _ in range(layers))

    def forward(self, tokens, kinds, mask):
        x = self.norm(self.words(tokens) + self.kinds(kinds) + self.places)
        mask = ((1 - mask) * -10000).to(x.dtype)
        for layer in self.layers:
            x = layer(x, mask)
        return x


class GPT2(nn.Module):
    def __init__(self, layers, width, heads, words, tokens):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Parameter(torch.randn(tokens, width) * 0.02)
        self.layers = nn.Sequential(*[Block(width, heads, True, "tanh") for _ in range(layers)], nn.LayerNorm(width))
        nn.init.normal_(self.words.weight, std=0.02)

    def forward(self, tokens):
        return F.linear(self.layers(self.words(tokens) + self.places), self.words.weight)


def bert(layers, width, heads, words, batch, tokens):
    net = Bert(layers, width, heads, words, tokens).to(DEVICE, torch.bfloat16)
    return inferring(net, classes(words, batch, tokens), classes(2, batch, tokens), torch.ones(batch, 1, 1, tokens))


def gpt2_train(layers, width, heads, words, batch, tokens):
    net = GPT2(layers, width, heads, words, tokens).to(DEVICE)
    return training(lambda x, y: F.cross_entropy(net(x).flatten(0, 1), y.flatten()), net.parameters(), adam(torch.optim.AdamW, 1e-4),
                    classes(words, batch, tokens), classes(words, batch, tokens), bf16=True)


def gpt2_decode(layers, width, heads, words, length):
    """Computes the next word from the last one, with keys and values of earlier words updated in
    place. Picks the word with the highest score."""
    net = GPT2(layers, width, heads, words, length).to(DEVICE, torch.bfloat16).eval()
    kept = [[torch.zeros(1, heads, length, width // heads, dtype=torch.bfloat16, device=DEVICE) for _ in range(2)] for _ in range(layers)]
    word, position = (torch.zeros(shape, dtype=torch.long, device=DEVICE) for shape in ((1, 1), (1,)))
    slots = torch.arange(length, device=DEVICE)

    def step(word, position):
        x, mask = net.words(word) + net.places[position], (slots <= position)[None, None, None]
        for layer, caches in zip(net.layers, kept):
            q, k, v = (part.unflatten(2, (heads, -1)).transpose(1, 2) for part in layer.qkv(layer.norm1(x)).chunk(3, 2))
            for cache, new in zip(caches, (k, v)):
                cache.index_copy_(2, position, new)
            x = x + layer.out(F.scaled_dot_product_attention(q, *caches, mask).transpose(1, 2).flatten(2))
            x = x + layer.feed_forward(layer.norm2(x))
        return F.linear(net.layers[-1](x)[0], net.words.weight).argmax(-1, keepdim=True)

    def make(how):
        model = how(step)

        def body():
            with torch.no_grad():
                word.copy_(model(word, position))
                position.copy_((position + 1) % length)
            return word
        return body
    return (), make


def lstm_train(time, batch, inputs, hidden):
    net = nn.LSTM(inputs, hidden, batch_first=True).to(DEVICE)
    return training(lambda x: net(x)[0].square().mean(), net.parameters(), sgd(0.01), torch.rand(batch, time, inputs))


def dense(optimizer):
    def make(batch, *widths):
        net = nn.Sequential(*nets.classifier(*widths)).to(DEVICE)
        return training(lambda x, y: F.cross_entropy(net(x), y), net.parameters(), optimizer, torch.rand(batch, widths[0]),
                        classes(widths[-1], batch))
    return make


# ---- Chains of single ops: see worker_ops.c.
def links_of(count, link, start, backward, *parameters):
    """`start` is on the device. The feed changes it in each run."""
    weights = on_device(*start.shape).to(start.dtype)

    def links(x):
        for _ in range(count):
            x = link(x)
        return x

    def make(how):
        model = how(links)

        def body(factor):
            with torch.set_grad_enabled(backward):
                x = (start * factor.to(start.dtype)).requires_grad_(backward)
                y = model(x)
            if backward:
                torch.autograd.grad(y, [x, *parameters], weights)
            return y.detach().flatten()[0]
        return body
    return (torch.tensor(0.9),), make


def layer_norm(backward):
    def make(count, rows, size, bits):
        dtype = dtype_of(bits)
        scale, bias = (on_device(size).to(dtype).requires_grad_(backward) for _ in range(2))
        return links_of(count, lambda x: F.layer_norm(x, (size,), scale, bias), on_device(rows, size).to(dtype), backward, scale, bias)
    return make


def softmax(backward):
    return lambda count, rows, size, bits: links_of(count, lambda x: x.softmax(-1), on_device(rows, size).to(dtype_of(bits)), backward)


def cross_entropy(count, rows, size, bits):
    start, labels = on_device(rows, size, scale=8).to(dtype_of(bits)), classes(size, rows).to(DEVICE)

    def make(how):
        model = how(F.cross_entropy)

        def body(factor):
            x, total = start * factor.to(start.dtype), 0
            for _ in range(count):
                x.requires_grad_()
                loss = model(x, labels)
                x, = torch.autograd.grad(loss, x)
                total = total + loss.detach()
            return total
        return body
    return (torch.tensor(0.9),), make


def adamw(count, tensors, size):
    parameters = [nn.Parameter(on_device(size)) for _ in range(tensors)]
    for p in parameters:
        p.grad = on_device(size, scale=0.01)
    optimizer = adam(torch.optim.AdamW, 1e-4)(parameters)

    def body():
        for _ in range(count):
            optimizer.step()
        return parameters[0].detach()[0]
    return (), lambda how: body


def product(count, size):
    start, by = on_device(size, size).bfloat16(), on_device(size, size, scale=(3 / size) ** 0.5).bfloat16()
    return links_of(count, lambda x: x @ by, start, False)


MAKERS = {"chain": chain, "chain_fused": chain, "resnet50": resnet50, "resnet50_train": resnet50_train, "bert": bert, "gpt2_train": gpt2_train,
          "gpt2_decode": gpt2_decode,
          "lstm_train": lstm_train, "dense_adam": dense(adam(torch.optim.Adam, 1e-3)), "dense_sgd": dense(sgd(1e-3)),
          "layer_norm": layer_norm(False), "layer_norm_grad": layer_norm(True), "softmax": softmax(False), "softmax_grad": softmax(True),
          "cross_entropy": cross_entropy, "adamw": adamw, "product": product}


def captured(body, inputs):
    """Returns `body` as a CUDA graph, and its result."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            body(*inputs)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = body(*inputs)

    def replay(*_):
        graph.replay()
        return result
    return replay


def find(workload):
    how, _, name = workload.partition("/")
    name, _, sizes = name.partition(":")
    if name not in MAKERS or (how == "graphs" and not GPU):
        raise LookupError("no workload")
    torch.manual_seed(1)
    feeds, make = MAKERS[name](*map(int, sizes.split(",") if sizes else []))
    body = make((lambda f: f) if how == "eager" else torch.compile)
    host = [feed.pin_memory() if GPU else feed for feed in feeds]
    inputs = [feed.to(DEVICE) for feed in feeds]
    if how == "graphs":
        body = captured(body, inputs)
    kept = torch.empty_like(body(*inputs), device="cpu", pin_memory=GPU)

    def run():
        for to, source in zip(inputs, host):
            to.copy_(source, non_blocking=True)
        kept.copy_(body(*inputs), non_blocking=True)
        if GPU:
            torch.cuda.synchronize()
    run()
    return run


def main():
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    serve(find, torch.cuda.empty_cache if GPU else lambda: None)


if __name__ == "__main__":
    main()
