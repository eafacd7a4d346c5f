"""Training steps of a group of processes, as docs/decisions/training/groups.md has them."""
import math
import random
from dataclasses import dataclass

from events import Events, FirstJobs, Gate, Link, Meeting, Processors

SLOWEST = 64  # ranks that are simulated, of those whose shards count


@dataclass(frozen=True)
class Net:
    """A shard of a batch. Buckets are in the order of the backward pass."""
    forward: float  # seconds
    backward: tuple  # seconds until the next bucket is ready
    buckets: tuple  # bytes of gradients
    totals: float = 0  # bytes that each rank sends to all others: totals, moving statistics

    @property
    def seconds(self):
        return self.forward + sum(self.backward)

    @property
    def bytes(self):
        return sum(self.buckets)


@dataclass(frozen=True)
class Network:
    name: str
    bandwidth: float  # bytes per second and direction of a link
    latency: float  # seconds
    byte: float = 0.0  # seconds of a processor per byte, on each side
    message: float = 0.0  # the same per message


@dataclass(frozen=True)
class Memory:
    """Seconds of a processor per byte of parameters."""
    add: float = 0.0  # two gradients
    commit: float = 0.0  # the step of the optimizer
    copy: float = 0.0


@dataclass(frozen=True)
class Group:
    ranks: int
    shards: int  # a multiple of the ranks
    network: Network
    memory: Memory = Memory()
    processors: int = 1  # of a machine
    one_machine: bool = False  # has all ranks
    waits: bool = False  # the layers of a shard wait instead of computing
    spread: float = 0.0  # of the time of a shard: the standard deviation of its logarithm
    used: int = 0  # the first shards that count (mode backup); 0: all

    def simulated(self):
        """The number of ranks that are simulated. The others are faster and wait for these at each
        meeting, so they never decide when it ends."""
        late = self.ranks - self.used if self.used else 0
        return self.ranks if self.one_machine else min(self.ranks, late + SLOWEST)


def drawn(spread, source):
    """Returns a factor of lognormal distribution and mean 1."""
    return math.exp(spread * source.gauss(0, 1) - spread * spread / 2) if spread else 1.0


class GroupTraining:
    def __init__(self, net, group, seed=7):
        self.net, self.group, self.events, self.random = net, group, Events(), random.Random(seed)
        self.size = group.simulated()
        machines = [Processors(self.events, group.processors) for _ in range(1 if group.one_machine else self.size)]
        self.processors = [machines[rank % len(machines)] for rank in range(self.size)]
        self.links = [Link(self.events, group.network.bandwidth) for _ in range(self.size)]
        self.exchanges = [0] * self.size
        self.meetings, self.firsts = {}, {}
        self.waited, self.ended = 0.0, 0.0

    def run(self, steps):
        """Returns the seconds of a step, and the share in which a simulated rank only waits."""
        factors = [self.slowest() for _ in range(steps)]
        for rank in range(self.size):
            self.events.start(self.train(rank, [of_step[rank] for of_step in factors]))
        self.events.run()
        return self.ended / steps, self.waited / self.size / self.ended

    def slowest(self):
        """Draws the factors of all ranks for a step, and returns those of the simulated ones."""
        all_ranks = (drawn(self.group.spread, self.random) for _ in range(self.group.ranks))
        return sorted(all_ranks)[self.group.ranks - self.size:]

    def train(self, rank, factors):
        for step, factor in enumerate(factors):
            yield from (self.first_shards(rank, step, factor) if self.group.used else self.all_shards(rank, factor))
            yield from self.finish(rank)
        self.ended = max(self.ended, self.events.now)

    def all_shards(self, rank, factor):
        """Buckets are exchanged while the backward pass of the last shard goes on."""
        ready, done = [Gate(self.events) for _ in self.net.buckets], Gate(self.events)
        self.events.start(self.exchange_buckets(rank, ready, done))
        own = self.group.shards // self.group.ranks
        where = self.events if self.group.waits else self.processors[rank]
        for shard in range(own):
            yield where, self.net.forward * factor
            for seconds, size, gate in zip(self.net.backward, self.net.buckets, ready):
                yield where, seconds * factor
                if shard > 0:
                    yield self.processors[rank], size * self.group.memory.add
                if shard + 1 == own:
                    gate.open()
        begin = self.events.now
        yield done, None
        self.waited += self.events.now - begin

    def first_shards(self, rank, step, factor):
        """No bucket is exchanged before all know which shards count."""
        faster = self.group.ranks - self.size
        first = self.firsts.setdefault(step, FirstJobs(self.events, self.group.used - faster))
        yield first, (self.processors[rank], self.net.seconds * factor)
        for size in self.net.buckets:
            yield from self.exchange(rank, size / self.group.ranks)
        yield from self.exchange(rank, self.net.totals)

    def exchange_buckets(self, rank, ready, done):
        for size, gate in zip(self.net.buckets, ready):
            yield gate, None
            yield from self.exchange(rank, size / self.group.ranks)
        yield from self.exchange(rank, self.net.totals)
        done.open()

    def finish(self, rank):
        """The sums of the own segment, its commit, and the new values of all segments."""
        ranks, memory = self.group.ranks, self.group.memory
        segment = self.net.bytes / ranks
        sums = (ranks - 1) * (segment + self.net.totals) * memory.add
        yield self.processors[rank], sums + segment * memory.commit
        if ranks > 1:
            begin = self.events.now
            for size in self.net.buckets:
                yield from self.exchange(rank, size / ranks)
            self.waited += self.events.now - begin
            yield self.processors[rank], segment * memory.copy

    def exchange(self, rank, size):
        """Sends `size` bytes to each other rank, and receives as many from it."""
        others, network = self.group.ranks - 1, self.group.network
        if others == 0:
            return
        work = others * (network.message + size * network.byte)
        sent = self.links[rank].send(others * size)
        yield self.processors[rank], work
        yield self.meeting(rank), sent
        yield self.processors[rank], work

    def meeting(self, rank):
        number = self.exchanges[rank]
        self.exchanges[rank] += 1
        found = self.meetings.setdefault(number, Meeting(self.events, self.size, self.group.network.latency))
        if found.left == 1:
            del self.meetings[number]
        return found
