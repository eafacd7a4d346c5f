"""Training in modes `async` and `bounded` with parameter servers on machines of their own.

A worker computes a shard, sends its gradient in equal parts to all servers, and receives the new
values. The servers are alike, so one of them is simulated, with its part of each message. A
simulated worker stands for several where there are more than SIMULATED.
"""
import math
import random
from dataclasses import dataclass

from events import Events, Link, Processors
from group_model import Memory, Network, drawn

SIMULATED = 256


@dataclass(frozen=True)
class Served:
    workers: int
    servers: int
    network: Network
    memory: Memory = Memory()
    processors: int = 1  # of a machine
    spread: float = 0.0
    bound: float = math.inf  # steps by which a worker may be ahead of the last one


class Clock:
    """Workers wait here while they are too far ahead of the last one."""

    def __init__(self, events, workers, bound):
        self.events, self.bound = events, bound
        self.steps, self.last, self.waiting = [0] * workers, 0, []
        self.at = {0: workers}  # number of workers by their steps

    def serve(self, worker, then):
        if self.steps[worker] - self.last <= self.bound:
            self.events.after(0, then)
        else:
            self.waiting.append((worker, then))

    def step(self, worker):
        at = self.steps[worker]
        self.steps[worker] = at + 1
        self.at[at + 1] = self.at.get(at + 1, 0) + 1
        self.at[at] -= 1
        if self.at[self.last] == 0:
            del self.at[self.last]
            self.last += 1
            waiting, self.waiting = self.waiting, []
            for other, then in waiting:
                self.serve(other, then)


class ServedTraining:
    def __init__(self, net, job, seed=7):
        self.net, self.job, self.events, self.random = net, job, Events(), random.Random(seed)
        self.size = min(job.workers, SIMULATED)
        self.alike = job.workers / self.size
        self.processors = [Processors(self.events, job.processors) for _ in range(self.size)]
        self.server = Processors(self.events, job.processors)
        self.to_server, self.from_server = (Link(self.events, job.network.bandwidth) for _ in range(2))
        self.clock = Clock(self.events, self.size, job.bound)
        self.ends = []

    def run(self, steps):
        """Returns the steps per second of all workers together. `steps`: of a worker."""
        count = self.size * steps
        for worker in range(self.size):
            self.events.start(self.train(worker, 2 * count))
        self.events.run()
        # The queues of the servers fill in the first half.
        return self.alike * count / (self.ends[2 * count - 1] - self.ends[count - 1])

    def train(self, worker, wanted):
        yield self.events, self.random.random() * self.net.seconds
        while True:
            yield self.clock, worker
            yield self.processors[worker], self.net.seconds * drawn(self.job.spread, self.random)
            yield from self.exchange(worker)
            self.clock.step(worker)
            self.ends.append(self.events.now)
            self.events.stopped = len(self.ends) == wanted

    def exchange(self, worker):
        network, part = self.job.network, self.net.bytes / self.job.servers
        own = self.job.servers * network.message + self.net.bytes * network.byte
        served = 2 * (network.message + part * network.byte) + part * self.job.memory.commit
        arrived = self.send(self.to_server, part)
        yield self.processors[worker], own
        yield self.events, max(0.0, arrived - self.events.now)
        yield self.server, self.alike * served
        yield self.events, self.send(self.from_server, part) - self.events.now
        yield self.processors[worker], own

    def send(self, link, part):
        """Returns the time at which all parts have passed the links of worker and servers."""
        own = self.events.now + self.net.bytes / self.job.network.bandwidth
        return max(own, link.send(self.alike * part)) + self.job.network.latency
