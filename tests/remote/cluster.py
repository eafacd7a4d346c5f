"""Processes of a cluster, for tests: `percale train` as chief and workers."""
import glob
import json
import os
import signal
import socket
import subprocess
import time

import program

WAIT_S = 120


def free_ports(count):
    """Returns ports of this machine that are not in use."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """A chief and workers, each a process with its own arguments."""

    def __init__(self, size, certificates=None, addresses=None):
        self.addresses = addresses or [f"127.0.0.1:{port}" for port in free_ports(size)]
        self.certificates = certificates
        self.processes = {}

    def environment(self, rank):
        task = {"type": "chief", "index": 0} if rank == 0 else {"type": "worker", "index": rank - 1}
        config = {"cluster": {"chief": self.addresses[:1], "worker": self.addresses[1:]}, "task": task}
        if len(self.addresses) == 1:
            del config["cluster"]["worker"]
        added = {"TF_CONFIG": json.dumps(config)}
        if self.certificates:
            added["PERCALE_CERTIFICATES"] = self.certificates
        return {**os.environ, **added}

    def start(self, rank, *arguments, prefix=()):
        self.processes[rank] = subprocess.Popen([*prefix, program.PATH, "train", *arguments], env=self.environment(rank),
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def start_all(self, *arguments):
        for rank in range(len(self.addresses)):
            self.start(rank, *arguments)
        return self

    def end(self, rank):
        """Waits for the process, and returns its exit code and what it printed."""
        process = self.processes.pop(rank)
        out, error = process.communicate(timeout=WAIT_S)
        return process.returncode, out, error

    def end_all(self, code=0):
        """Returns the outputs by rank. The exit codes must be `code`."""
        ends = {rank: self.end(rank) for rank in sorted(self.processes)}
        assert all(found == code for found, _, _ in ends.values()), ends
        return [(out, error) for _, out, error in ends.values()]

    def kill(self, rank, how=signal.SIGKILL):
        self.processes[rank].send_signal(how)

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.communicate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def train_behind_proxy(folder, job, make_proxy, prefixes=((), ()), certificates=None):
    """Trains on a chief and workers. The chief's socket is moved away, and a proxy takes its place,
    which the workers find for all streams. `prefixes`: words before the command of each process.
    Returns the proxy, which `make_proxy(target, address)` makes, and the ends of all."""
    chief, moved = os.path.join(folder, "chief"), os.path.join(folder, "moved")
    others = [f"unix:{folder}/worker-{rank}" for rank in range(1, len(prefixes))]
    with Cluster(len(prefixes), certificates, [f"unix:{chief}", *others]) as cluster:
        cluster.start(0, *job, prefix=prefixes[0])
        wait_for(chief, cluster.processes[0])
        os.rename(chief, moved)
        with make_proxy(f"unix:{moved}", f"unix:{chief}") as proxy:
            for rank in range(1, len(prefixes)):
                cluster.start(rank, *job, prefix=prefixes[rank])
            return proxy, [cluster.end(rank) for rank in range(len(prefixes))]


def run_with_servers(spec, *arguments, workers=2, servers=2, evaluator=False, out=None):
    """Runs a chief, workers, parameter servers and perhaps an evaluator, each `percale train` with
    TF_CONFIG. Returns the exit code and what was printed by (job, index).
    """
    ports = iter(free_ports(1 + workers + servers))
    cluster = {job: [f"127.0.0.1:{next(ports)}" for _ in range(count)]
               for job, count in (("chief", 1), ("worker", workers), ("ps", servers))}
    tasks = [("worker", i) for i in range(workers)] + [("ps", i) for i in range(servers)]
    tasks += [("evaluator", 0)] if evaluator else []
    processes = {}
    for job, index in [*tasks, ("chief", 0)]:
        config = {"cluster": cluster, "task": {"type": job, "index": index}}
        processes[job, index] = subprocess.Popen(
            [program.PATH, "train", spec, "--json", *arguments, *(["--out", out] if out else [])],
            env={**os.environ, "TF_CONFIG": json.dumps(config)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ends = {}
    for task, process in processes.items():
        printed, errors = process.communicate(timeout=WAIT_S)
        ends[task] = (process.returncode, printed, errors)
    return ends


def digest_of(output):
    """Returns the digest that the chief has printed as JSON."""
    return json.loads(output)["digest"]


def wait_for(path, process=None):
    """Waits until there is a path of this pattern, which the process writes."""
    end = time.monotonic() + WAIT_S
    while not glob.glob(path):
        assert time.monotonic() < end, f"{path} was not written"
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)
