"""Trainings of many workers on machines of their own, with the costs that were measured."""
import math
from dataclasses import dataclass, replace

from calibration import MESSAGE, memory_of
from failures import FailingGroup, Failures
from group_model import Group, GroupTraining, Network
from server_model import Served, ServedTraining

WORKERS = [2 ** power for power in range(3, 13)]
SPREAD = 0.05
ADAPTER_MESSAGE = 1e-6  # seconds of a processor on each side, over InfiniBand
FAILURES = Failures(per_hour=1e-4, stop=2.5, replace=600, restart=30)
USED = 0.95  # of the shards, in mode backup
SERVED = 4  # workers per parameter server
FEW_SERVERS = 8
FASTER = 32
GROWS = 1.75  # the least factor of the throughput for twice as many workers


@dataclass(frozen=True)
class Worker:
    """A worker computes, adds and commits `faster` times as fast as the thread that was measured,
    and exchanges messages as fast as that."""
    name: str
    faster: float
    processors: int  # 2: one of them exchanges messages only


ONE_THREAD = Worker("one thread, as measured", 1, 1)
FAST = Worker(f"{FASTER} times as fast", FASTER, 2)


def networks(measured):
    """Over InfiniBand the adapter moves the bytes."""
    return [Network("1 Gbit/s Ethernet", 1e9 / 8, 100e-6, measured.costs.byte, MESSAGE),
            Network("25 Gbit/s Ethernet", 25e9 / 8, 30e-6, measured.costs.byte, MESSAGE),
            Network("200 Gbit/s InfiniBand", 200e9 / 8, 5e-6, 0.0, ADAPTER_MESSAGE)]


class Projection:
    """A net on a kind of worker and a network."""

    def __init__(self, measured, worker, network):
        net = measured.shard
        self.net = replace(net, forward=net.forward / worker.faster, backward=tuple(t / worker.faster for t in net.backward))
        self.memory = memory_of(measured.costs.memory / worker.faster)
        self.worker, self.network = worker, network
        self.alone = self.net.seconds + self.net.bytes * self.memory.commit

    def group_step(self, workers, used=0):
        """Seconds per step. A group has as many shards as ranks."""
        group = Group(workers, workers, self.network, self.memory, self.worker.processors, spread=SPREAD, used=used)
        seconds, _ = GroupTraining(self.net, group).run(max(8, 512 // workers))
        return seconds / FailingGroup(FAILURES, workers, seconds, self.net.seconds).share()

    def sync(self, workers):
        return workers / self.group_step(workers) * self.alone

    def backup(self, workers):
        used = min(workers - 1, math.ceil(USED * workers))
        return used / self.group_step(workers, used) * self.alone

    def served(self, workers, servers):
        job = Served(workers, servers, self.network, self.memory, self.worker.processors, SPREAD)
        return ServedTraining(self.net, job).run(max(8, 512 // workers)) * self.alone

    def asynchronous(self, workers):
        return self.served(workers, max(1, workers // SERVED))

    def few_servers(self, workers):
        return self.served(workers, FEW_SERVERS)

    def speed_ups(self):
        """Returns the speed-ups over one worker without messages: by mode, then by workers."""
        modes = {"sync": self.sync, "backup": self.backup, f"async, {SERVED} workers per server": self.asynchronous,
                 f"async, {FEW_SERVERS} servers": self.few_servers}
        return {mode: {workers: speed_up(workers) for workers in WORKERS} for mode, speed_up in modes.items()}


def stop(speed_ups):
    """Returns the first number of workers from which twice as many give less than GROWS times the
    throughput; None: there is none."""
    return next((n for n in speed_ups if 2 * n in speed_ups and speed_ups[2 * n] < GROWS * speed_ups[n]), None)
