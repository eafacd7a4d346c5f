"""Processes that serve devices, for tests: `percale-worker`."""
import os
import signal
import subprocess

# Words before a command. A process under this limit of file sizes makes no shared memory, so that a
# proxy sees all bytes.
WITHOUT_MEMORY = ("sh", "-c", 'ulimit -f 2000; exec "$@"', "sh")


class Workers:
    """Workers on loopback, each with flags of its own."""

    def __init__(self, program, *flags_of_each, environment=None):
        self.program = program
        self.environment = {**os.environ, **(environment or {})}
        self.processes, self.addresses = [], []
        for flags in flags_of_each:
            self.start(*flags)

    def start(self, *flags, address="127.0.0.1:0", prefix=()):
        """Starts a worker and returns its address. `prefix`: words before the command."""
        process = subprocess.Popen([*prefix, self.program, "--listen", address, *flags], env=self.environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        line = process.stdout.readline()
        if not line.startswith("serving "):
            raise AssertionError(f"percale-worker: {line}{process.communicate(timeout=10)[1]}")
        self.addresses.append(line.split(" at ")[1].strip())
        return self.addresses[-1]

    def devices(self, device="cpu:0"):
        """The value of --devices that names a device of each."""
        return ",".join(f"remote:{address}/{device}" for address in self.addresses)

    def kill(self, number, how=signal.SIGKILL):
        self.processes[number].send_signal(how)

    def end(self, number, seconds=10):
        """Waits until the worker ends by itself; returns its exit code and errors."""
        _, errors = self.processes[number].communicate(timeout=seconds)
        return self.processes[number].returncode, errors

    def close(self):
        for process in self.processes:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.processes:
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
