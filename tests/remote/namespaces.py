"""Machines for tests: network namespaces that a bridge connects."""
import itertools
import os
import subprocess

# A namespace ends some time after it was deleted, and its name with it.
NUMBERS = itertools.count()


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def reason_without():
    """Returns why this process cannot make namespaces; "" if it can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    try:
        ip("netns", "add", "percale-probe")
        ip("netns", "del", "percale-probe")
    except FileNotFoundError:
        return "no `ip`; `apt-get install iproute2` brings it"
    except subprocess.CalledProcessError as error:
        return f"no network namespace can be made: {error.stderr.strip()}"
    return ""


class Machines:
    """So many machines 10.77.0.1, 10.77.0.2, ..., which reach each other and nothing else."""

    def __init__(self, count):
        self.name = f"pc{os.getpid() % 100000}-{next(NUMBERS)}"
        self.names = [f"{self.name}-{i}" for i in range(count)]
        self.addresses = [f"10.77.0.{i + 1}" for i in range(count)]
        try:
            self.make()
        except BaseException:
            self.close()
            raise

    def make(self):
        ip("link", "add", self.name, "type", "bridge")
        ip("link", "set", self.name, "up")
        for i, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("link", "add", self.port(i), "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", self.port(i), "master", self.name)
            ip("link", "set", self.port(i), "up")
            ip("-n", name, "address", "add", f"{self.addresses[i]}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "set", "eth0", "up")

    def port(self, i):
        return f"{self.name}p{i}"

    def inside(self, i):
        """Returns the words before a command that runs on the machine."""
        return ["ip", "netns", "exec", self.names[i]]

    def cut(self, i):
        """Nothing reaches the machine, and nothing leaves it."""
        ip("link", "set", self.port(i), "down")

    def mend(self, i):
        ip("link", "set", self.port(i), "up")

    def silence(self, i, towards):
        """Messages of machine `i` to another one are lost. The other direction works."""
        ip("-n", self.names[i], "route", "add", "blackhole", f"{self.addresses[towards]}/32")

    def close(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", self.name], check=False, capture_output=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
