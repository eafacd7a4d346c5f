"""Events in the order of their times, processes that wait for them, and the resources that
processes share. Times are in seconds.

A process is a generator. It yields (resource, amount), and goes on when the resource has served it.
"""
import heapq
import itertools


class Events:
    def __init__(self):
        self.now, self.stopped = 0.0, False
        self.queue, self.numbers = [], itertools.count()

    def after(self, seconds, call, *arguments):
        heapq.heappush(self.queue, (self.now + seconds, next(self.numbers), call, arguments))

    def start(self, process):
        """Runs a process up to its next wait, and after that wait again."""
        found = next(process, None)
        if found is not None:
            resource, amount = found
            resource.serve(amount, lambda: self.start(process))

    def serve(self, seconds, then):
        """A process that waits for a time."""
        self.after(seconds, then)

    def run(self):
        while self.queue and not self.stopped:
            self.now, _, call, arguments = heapq.heappop(self.queue)
            call(*arguments)


class Processors:
    """Processors that running threads share in equal parts. A thread uses one of them at most."""

    def __init__(self, events, count):
        self.events, self.count = events, count
        self.jobs = []  # heap of [value of `done` at which the job ends, number, then]
        self.running = 0
        self.done = 0.0  # seconds of work of a thread that has run since the beginning
        self.since, self.version = 0.0, 0

    def serve(self, seconds, then):
        """Returns the job, for cancel()."""
        self.advance()
        job = [self.done + seconds, next(self.events.numbers), then]
        heapq.heappush(self.jobs, job)
        self.running += 1
        self.expect()
        return job

    def cancel(self, job):
        """Ends a job that has not ended."""
        if job[2] is not None:
            self.advance()
            job[2] = None
            self.running -= 1
            self.expect()

    def advance(self):
        if self.running:
            self.done += (self.events.now - self.since) * min(1.0, self.count / self.running)
        self.since = self.events.now

    def expect(self):
        while self.jobs and self.jobs[0][2] is None:
            heapq.heappop(self.jobs)
        self.version += 1
        if self.jobs:
            left = max(0.0, self.jobs[0][0] - self.done)
            self.events.after(left * max(1.0, self.running / self.count), self.end, self.version)

    def end(self, version):
        if version != self.version:
            return  # jobs have come or gone since
        self.advance()
        job = heapq.heappop(self.jobs)
        self.done, then, job[2] = job[0], job[2], None
        self.running -= 1
        self.expect()
        then()


class Link:
    """One direction of a network link. Messages leave one behind the other."""

    def __init__(self, events, bandwidth):
        self.events, self.bandwidth, self.free = events, bandwidth, 0.0

    def send(self, size):
        """Returns the time at which the last byte leaves."""
        self.free = max(self.events.now, self.free) + size / self.bandwidth
        return self.free


class Gate:
    """Processes wait until it opens."""

    def __init__(self, events):
        self.events, self.is_open, self.waiting = events, False, []

    def serve(self, _, then):
        if self.is_open:
            self.events.after(0, then)
        else:
            self.waiting.append(then)

    def open(self):
        self.is_open = True
        for then in self.waiting:
            self.events.after(0, then)
        self.waiting.clear()


class Meeting:
    """All of `size` processes wait for the last message of the others."""

    def __init__(self, events, size, latency):
        self.events, self.left, self.latency = events, size, latency
        self.sent, self.waiting = 0.0, []

    def serve(self, sent, then):
        """`sent`: the time at which the messages of this process have left."""
        self.sent = max(self.sent, sent, self.events.now)
        self.waiting.append(then)
        self.left -= 1
        if self.left == 0:
            self.events.after(self.sent + self.latency - self.events.now, self.end)

    def end(self):
        for then in self.waiting:
            then()


class FirstJobs:
    """Jobs of which the first `used` count. All wait for these, and the others are cancelled."""

    def __init__(self, events, used):
        self.events, self.used, self.enough, self.jobs = events, used, Gate(events), []

    def serve(self, amount, then):
        """`amount`: processors, and the seconds of the job."""
        if not self.enough.is_open:
            processors, seconds = amount
            self.jobs.append((processors, processors.serve(seconds, self.end)))
        self.enough.serve(None, then)

    def end(self):
        self.used -= 1
        if self.used == 0:
            for processors, job in self.jobs:
                processors.cancel(job)
            self.enough.open()
