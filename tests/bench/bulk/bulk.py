"""Measures how fast large blocks go between two processes of this machine: over a plain socket,
over TLS, in exchanges of a group, and to and from a remote device. Started by tests/bench/run
--bulk.

    bulk.py BUILD [--rounds N] [--blocks N] [--write FILE.md]

The ways take turns; the fastest of the rounds counts. A process without shared memory has a limit
of file sizes that its rings exceed.
"""
import argparse
import datetime
import itertools
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from turns import free_ports, machine, markdown, percale_version  # noqa: E402

WAIT_S = 120
BLOCK_BYTES = 64 << 20
# The goal in plain text, as a share of a plain Unix socket.
GOAL = 0.6


def forbid_shared_memory():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


class Ways:
    def __init__(self, program, worker, folder, blocks):
        self.program, self.folder, self.load = program, folder, (str(BLOCK_BYTES), str(blocks))
        self.numbers = itertools.count()
        self.certificates = os.path.join(folder, "certificates")
        subprocess.run([worker, "--make-certificates", self.certificates], check=True)

    def address(self, kind):
        return f"unix:{self.folder}/{next(self.numbers)}" if kind == "unix" else f"127.0.0.1:{free_ports(1)}"

    def start(self, *words, shared=True, **more):
        return subprocess.Popen([self.program, *words], text=True, stdout=subprocess.PIPE,
                                preexec_fn=None if shared else forbid_shared_memory, **more)

    def end(self, process):
        """Returns the rates that the process has printed."""
        printed, _ = process.communicate(timeout=WAIT_S)
        if process.returncode:
            sys.exit(f"bulk.py: {process.args} failed")
        return {name: float(rate) for name, rate in (line.split() for line in printed.splitlines())}

    def socket(self, kind, secure):
        address, certificates = self.address(kind), self.certificates if secure else ""
        processes = [self.start(verb, address, certificates, *self.load) for verb in ("receive", "send")]
        return [self.end(process) for process in processes][0]

    def group(self, kind, secure, shared=True):
        addresses, certificates = (self.address(kind), self.address(kind)), self.certificates if secure else ""
        processes = [self.start("rank", str(rank), *addresses, certificates, *self.load, shared=shared) for rank in (0, 1)]
        return [self.end(process) for process in processes][0]

    def device(self, kind, secure, shared=True):
        address, certificates = self.address(kind), self.certificates if secure else ""
        server = self.start("serve", address, certificates, shared=shared, stdin=subprocess.PIPE)
        found = self.end(self.start("device", address, certificates, *self.load, shared=shared))
        self.end(server)
        return found


ROADS = [("Unix socket, plain text", "unix", False), ("TCP over loopback, plain text", "tcp", False), ("TCP over loopback, TLS", "tcp", True)]
COLUMNS = ["socket", "one-way", "both-ways", "write", "read"]


def measure(ways):
    """Returns the rates of all columns by road and use of shared memory."""
    out = {}
    for road, kind, secure in ROADS:
        out[road, None] = ways.socket(kind, secure)
        for shared in (True, False):
            out[road, shared] = {**ways.group(kind, secure, shared), **ways.device(kind, secure, shared)}
    return out


def best_of(rounds):
    return {way: {name: max(found[way][name] for found in rounds) for name in rates} for way, rates in rounds[0].items()}


def rows_of(best):
    rows = []
    plain = best[ROADS[0][0], None]["socket"]
    for road, _, _ in ROADS:
        own = best[road, None]["socket"]
        rows.append([road, "a socket alone", f"{own / 1e9:.2f} GB/s", "", "", "", ""])
        for shared in (True, False):
            base = plain if shared else own
            rates = [best[road, shared][name] for name in COLUMNS[1:]]
            rows.append([road, "Percale, shared memory" if shared else "Percale, all in the stream", "",
                         *(f"{rate / 1e9:.2f} GB/s, {100 * rate / base:.0f} %" for rate in rates)])
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=16)
    parser.add_argument("--write")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    about, _ = machine(build)
    with tempfile.TemporaryDirectory() as folder:
        ways = Ways(os.path.join(build, "tests", "bench", "bulk_peer"), os.path.join(build, "devices", "remote", "percale-worker"), folder, args.blocks)
        best = best_of([measure(ways) for _ in range(args.rounds)])
    plain, reached = best[ROADS[0][0], None]["socket"], best[ROADS[0][0], True]
    least = min(reached.values()) / plain
    text = "\n".join([
        "# Large blocks between two processes of one machine", "",
        f"Made by `sh tests/bench/run --bulk --write`. {datetime.date.today()}. {about}. {percale_version(build)}.", "",
        f"Blocks of 64 MiB, {args.blocks} after each other; the fastest of {args.rounds} rounds. A socket alone: one process writes pieces "
        "of 1 MiB, the other one reads them and looks at each cache line. An exchange of a group between two ranks, one way and both ways "
        "at the same time (the sum counts). A copy to a remote device and one from it. Each piece has a CRC-32C, which both sides compute. "
        "Shares: with shared memory of the plain Unix socket, else of the socket alone in the same road.", "",
        markdown(["road", "who", "socket", "exchange, one way", "exchange, both ways", "write to a device", "read from a device"],
                 rows_of(best)), "",
        f"The goal in plain text on one machine: {100 * GOAL:.0f} % of the plain Unix socket. Reached at least: {100 * least:.0f} %.", ""])
    print(text)
    if args.write:
        with open(args.write, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
