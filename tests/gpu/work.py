"""Describes a workload of bench.py by its name and sizes: links of a chain, operations, bytes."""

CHAINS = {"product", "adamw", "layer_norm", "layer_norm_grad", "softmax", "softmax_grad", "cross_entropy"}
# Number of times that a link must read or write its operand. Its roof is the copying of that many
# bytes.
PASSES = {"layer_norm": 2, "layer_norm_grad": 5, "softmax": 2, "softmax_grad": 5, "cross_entropy": 3}


def parse(workload):
    name, _, sizes = workload.partition(":")
    return name, [int(size) for size in sizes.split(",")] if sizes else []


def per_run(workload):
    """Returns the divisor of a run's time: the number of links of a chain, else 1."""
    name, n = parse(workload)
    return n[0] if name in CHAINS else 1


def resnet50_flops(batch, side, width):
    """Operations of the convolutions and of the last product; a multiply-add counts as two."""
    total, inputs, pixels = 2 * 49 * 3 * width * (side // 2) ** 2, width, side // 4
    for stage, blocks in enumerate((3, 4, 6, 3)):
        middle = width << stage
        for i in range(blocks):
            before, pixels = pixels, pixels // (2 if stage > 0 and i == 0 else 1)
            total += 2 * (inputs * middle * before**2 + (9 * middle * middle + 4 * middle * middle) * pixels**2)
            if inputs != 4 * middle:
                total += 2 * inputs * 4 * middle * pixels**2
            inputs = 4 * middle
    return batch * (total + 2 * inputs * 1000)


def transformer_flops(layers, width, batch, tokens):
    """Operations of the products. Attention is counted in full, although half of GPT-2's scores
    are masked."""
    return batch * tokens * layers * (24 * width**2 + 4 * tokens * width)


def work(workload):
    """Returns ("flops", operations of a run or a link), ("bytes", bytes that must be read and
    written), or (None, 0) if neither is a roof."""
    name, n = parse(workload)
    if name == "product":
        return "flops", 2 * n[1] ** 3
    if name == "resnet50":
        return "flops", resnet50_flops(*n)
    if name == "resnet50_train":
        return "flops", 3 * resnet50_flops(*n)
    if name in ("bert", "gpt2_train"):
        layers, width, _, words, batch, tokens = n
        products = transformer_flops(layers, width, batch, tokens)
        return "flops", products if name == "bert" else 3 * (products + 2 * batch * tokens * width * words)
    if name == "gpt2_decode":  # weights, keys and values
        layers, width, _, words, length = n
        return "bytes", 2 * (12 * layers * width**2 + words * width + 2 * layers * length * width)
    if name == "adamw":
        return "bytes", 7 * 4 * n[1] * n[2]
    if name in PASSES:
        return "bytes", PASSES[name] * n[1] * n[2] * n[3] // 8
    return None, 0
