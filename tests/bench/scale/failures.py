"""The share of the time that a group loses by failures of its processes."""
import random
from dataclasses import dataclass

from events import Events


@dataclass(frozen=True)
class Failures:
    per_hour: float  # of one worker
    stop: float  # seconds until a failure is detected and others have taken over
    replace: float  # seconds until there is another worker
    restart: float  # seconds that its joining costs, because the group starts again


class FailingGroup:
    """Until a lost worker is replaced, another one computes two shards in each step. The step in
    which a worker fails is repeated."""

    def __init__(self, failures, workers, step, shard, seed=7):
        self.failures, self.workers, self.step, self.shard = failures, workers, step, shard
        self.events, self.random = Events(), random.Random(seed)
        self.lost, self.since, self.steps = 0, 0.0, 0.0

    def share(self, count=400):
        """Returns the steps that were made, of those without failures. `count`: of failures."""
        self.events.start(self.fail(count))
        self.events.run()
        return self.steps * self.step / self.since

    def fail(self, count):
        rate = self.workers * self.failures.per_hour / 3600
        for _ in range(count):
            yield self.events, self.random.expovariate(rate)
            self.advance(self.failures.stop + self.random.random() * self.step)
            self.lost += 1
            self.events.start(self.replace())

    def replace(self):
        yield self.events, self.failures.replace
        self.advance(self.failures.restart)
        self.lost -= 1

    def advance(self, idle):
        """Counts the steps until now. The group then does nothing for `idle` seconds."""
        seconds = self.events.now - self.since
        self.steps += max(0.0, seconds) / (self.step + (self.shard if self.lost else 0))
        self.since = max(self.since, self.events.now) + idle
