"""Reads the measurements of group.py, finds the costs of messages and of memory in those of one and
of two processes whose layers wait, and compares the model with the others."""
import math
from dataclasses import dataclass

from group_model import Group, GroupTraining, Memory, Net, Network

BUCKET = 4 << 20  # the default of collective_bucket
# Bytes that pass between processor and memory per byte: a write to other memory reads it first. The
# commit is that of SGD with momentum, which reads three values and writes two.
MOVED = {"add": 3, "commit": 7, "copy": 3}
# TCP within a machine: seconds, and seconds of a processor per message and side
LATENCY, MESSAGE = 30e-6, 5e-6
STEPS = 3


def memory_of(seconds):
    """`seconds`: of a processor per byte that it reads or writes."""
    return Memory(**{what: count * seconds for what, count in MOVED.items()})


def net_of(layers, seconds, totals):
    """Returns the net with its buckets, cut as in core/train/group/segments.cc. `layers`: of each
    parameter the elements, and the times of its layer in the forward and the backward pass; they
    have the proportions of the parts of `seconds`."""
    backward, buckets, size = [], [], BUCKET
    for elements, _, time in reversed(layers):
        if size >= BUCKET:
            backward.append(0)
            buckets.append(0)
            size = 0
        backward[-1] += time
        buckets[-1] += 4 * elements
        size += 4 * elements
    forward = sum(layer[1] for layer in layers)
    scale = seconds / (forward + sum(backward))
    return Net(forward * scale, tuple(t * scale for t in backward), tuple(buckets), totals)


def rising(value, wanted, high, rounds=30):
    """Returns the argument from 0 to `high` at which a rising function has a value."""
    low = 0.0
    for _ in range(rounds):
        middle = (low + high) / 2
        low, high = (middle, high) if value(middle) < wanted else (low, middle)
    return low


@dataclass(frozen=True)
class Costs:
    byte: float  # seconds of a processor per byte of a message, on each side
    memory: float  # the same per byte read or written


class Measured:
    """A net in the file of group.py. `processors`: of the machine."""

    def __init__(self, found, processors):
        self.found, self.processors = found, processors
        self.one, self.two, self.apart = (found["computing"][which] for which in ("1", "2", "apart"))
        self.bytes = 4 * found["trainable"]
        # Two ranks send half of the parameters twice, and the rest is totals and statistics.
        self.totals = max(0.0, self.two["bytes_sent"] - self.bytes)
        self.costs = self.fit()
        self.memory = memory_of(self.costs.memory)
        self.shard = self.shard_of(self.one, self.memory)

    def shard_of(self, process, memory):
        """A step of one process is two shards, a sum and a commit."""
        rest = self.bytes * (memory.add + memory.commit)
        return net_of(self.found["layers"], (process["step_seconds"] - rest) / 2, self.totals)

    def computing(self, costs):
        """Two processes that compute slow each other down without any exchange, because they share
        caches and memory: their shards take as long as those of two processes that train apart."""
        return self.train(self.shard_of(self.apart, memory_of(costs.memory)), costs, 2, 2, False)

    def train(self, net, costs, ranks, shards, waits):
        network = Network("loopback", math.inf, LATENCY, costs.byte, MESSAGE)
        group = Group(ranks, shards, network, memory_of(costs.memory), self.processors, one_machine=True, waits=waits)
        return GroupTraining(net, group).run(STEPS)

    def waiting(self, costs, ranks):
        """A step of processes whose layers wait: a shard as long as half a step of one process. It
        has no statistics."""
        net = net_of(self.found["layers"], self.one["step_seconds"] / 2, 0)
        return self.train(net, costs, ranks, self.found["waiting_shards"], True)[0]

    def fit(self):
        """Two costs from two steps whose layers wait, because these have no other cost. That of one
        process has sums and a commit, and that of two processes has messages, too."""
        most, steps = self.one["step_seconds"] / self.bytes, self.found["waiting"]
        memory = rising(lambda m: self.waiting(Costs(0, m), 1), steps["1"]["step_seconds"], most / 10)
        return Costs(rising(lambda b: self.waiting(Costs(b, memory), 2), steps["2"]["step_seconds"], most), memory)

    def compare(self):
        """Returns (what the layers do, processes, measured seconds, predicted seconds) of the steps
        that fit() does not use."""
        steps = {int(ranks): found["step_seconds"] for ranks, found in self.found["waiting"].items()}
        computing = [("compute", 2, self.two["step_seconds"], self.computing(self.costs)[0])]
        return computing + [("wait", ranks, steps[ranks], self.waiting(self.costs, ranks)) for ranks in sorted(steps) if ranks > 2]
