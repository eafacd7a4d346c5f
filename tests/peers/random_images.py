"""Convolutions and pools over images, [N, C, H, W] between the steps, added to a network."""
import torch.nn.functional as F

from torch_layers import ACTIVATIONS, activate, pad_same


def conv_same(net, channels, filters):
    """Adds a Conv2D that keeps height and width."""
    net.last = name = net.name("conv2d")
    net.layers.append({"layer": "Conv2D", "kernel_size": 3, "padding": "same", "filters": filters})
    net.weight(name + "/kernel", (3, 3, channels, filters), 9 * channels)
    net.weight(name + "/bias", (filters,), 10)
    net.steps.append(lambda p, x: F.conv2d(pad_same(x, 3, 1), p[name + "/kernel"].permute(3, 2, 0, 1).contiguous(),
                                           p[name + "/bias"]))


def convolutions(net):
    rng = net.rng
    h, w, c = rng.randint(8, 16), rng.randint(8, 16), rng.randint(1, 3)
    net.input_shape = [h, w, c]
    net.steps.append(lambda p, x: x.permute(0, 3, 1, 2))
    for _ in range(rng.randint(1, 3)):
        k, stride, same = rng.choice([1, 3, 5]), rng.choice([1, 1, 2]), rng.random() < 0.5
        kind = rng.choice(["Conv2D", "Conv2D", "DepthwiseConv2D", "SeparableConv2D", "Conv2DTranspose"])
        if min(h, w) < 5 or (kind == "Conv2DTranspose" and h * w > 150):
            break
        activation = rng.choice(list(ACTIVATIONS))
        layer = {"layer": kind, "kernel_size": k, "strides": stride, "padding": "same" if same else "valid",
                 "activation": activation}
        if kind == "Conv2D":
            name, filters = net.name("conv2d"), rng.randint(2, 20)
            layer["filters"] = filters
            net.weight(name + "/kernel", (k, k, c, filters), k * k * c)
        elif kind == "DepthwiseConv2D":
            name, times = net.name("depthwise_conv2d"), rng.randint(1, 2)
            filters = c * times
            layer["depth_multiplier"] = times
            net.weight(name + "/kernel", (k, k, c, times), k * k)
        elif kind == "SeparableConv2D":
            name, times, filters = net.name("separable_conv2d"), rng.randint(1, 2), rng.randint(2, 12)
            layer |= {"depth_multiplier": times, "filters": filters}
            net.weight(name + "/depthwise_kernel", (k, k, c, times), k * k)
            net.weight(name + "/pointwise_kernel", (1, 1, c * times, filters), c * times)
        else:
            k = max(k, stride)
            layer["kernel_size"] = k
            name, filters = net.name("conv2d_transpose"), rng.randint(2, 8)
            layer["filters"] = filters
            net.weight(name + "/kernel", (k, k, filters, c), k * k * c / stride**2)
        net.weight(name + "/bias", (filters,), 10)
        net.layers.append(layer)

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

        net.steps.append(step)
        if kind == "Conv2DTranspose":
            h, w = (h * stride, w * stride) if same else ((h - 1) * stride + k, (w - 1) * stride + k)
        else:
            h, w = (-(-h // stride), -(-w // stride)) if same else ((h - k) // stride + 1, (w - k) // stride + 1)
        c = filters
        net.last = name
        if rng.random() < 0.3:
            c = net.branch(c, lambda units: conv_same(net, c, units))
        if rng.random() < 0.4:
            net.rest(c, image=True)
        if min(h, w) >= 4 and rng.random() < 0.6:
            pool = rng.choice(["max", "average"])
            net.layers.append({"layer": f"{pool.capitalize()}Pooling2D", "pool_size": 2})
            function = F.max_pool2d if pool == "max" else F.avg_pool2d
            net.steps.append(lambda p, x, function=function: function(x, 2))
            h, w = h // 2, w // 2
    end = rng.choice(["flatten", "flatten", "average", "max"])
    if end == "flatten":
        if rng.random() < 0.5:
            net.layers.append({"layer": "Flatten"})
        else:
            net.layers.append({"layer": "Reshape", "target_shape": [h * w * c]})
        net.steps.append(lambda p, x: x.permute(0, 2, 3, 1).flatten(1))
        return h * w * c
    net.layers.append({"layer": f"Global{end.capitalize()}Pooling2D"})
    net.steps.append(lambda p, x: x.mean((2, 3)) if end == "average" else x.amax((2, 3)))
    return c
