"""Floods of connections, for tests, and the memory and handles of the process that they reach."""
import os
import resource
import socket

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload):
    """Returns a frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def call(method):
    """Returns the bytes that open a gRPC call on a new connection."""
    fields = ((b":method", b"POST"), (b":scheme", b"http"), (b":path", method), (b":authority", b"x"),
              (b"te", b"trailers"), (b"content-type", b"application/grpc"))
    headers = b"".join(bytes([0, len(name)]) + name + bytes([len(value)]) + value for name, value in fields)
    return PREFACE + frame(4, 0, 0, b"") + frame(1, 4, 1, headers)


def claim(method, size):
    """Returns a call whose first message claims a size, and of which only 1,000 bytes come."""
    return call(method) + frame(0, 0, 1, b"\0" + size.to_bytes(4, "big") + bytes(1000))


# The bytes that a connection sends before it hangs.
KINDS = {
    "says nothing": b"",
    "sends garbage": os.urandom(2000),
    "begins HTTP/2": PREFACE,
    "opens a device": call(b"/percale.Remote/Device"),
    "joins a group": call(b"/percale.Remote/Control"),
    "claims 4 GB for a device": claim(b"/percale.Remote/Device", (1 << 32) - 1),
    "claims 4 GB for a group": claim(b"/percale.Remote/Control", (1 << 32) - 1),
    "sends a part of 2 MB": claim(b"/percale.Remote/Device", (1 << 21) - 1),
}


def raise_handle_limit():
    """Returns the number of handles that this process, and those that it starts, may have."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Flood:
    """Connections to an address, which stay open as long as the other side keeps them."""

    def __init__(self, address, kind, count):
        host, port = address.rsplit(":", 1)
        self.address, self.data = (host, int(port)), KINDS[kind]
        self.sockets = []
        try:
            for _ in range(count):
                self.connect()
        except BaseException:
            self.close()
            raise

    def connect(self):
        connection = socket.socket()
        self.sockets.append(connection)
        connection.settimeout(0.2)
        try:
            connection.connect(self.address)
            connection.sendall(self.data)
        except OSError:  # refused, reset, or not taken in time: the flood goes on with the next one
            pass

    def close(self):
        for connection in self.sockets:
            connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Usage:
    """The memory, threads and handles of a process now."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            fields = dict(line.split(":", 1) for line in file)
        self.megabytes = int(fields["VmRSS"].split()[0]) / 1024
        self.threads = int(fields["Threads"])
        self.handles = len(os.listdir(f"/proc/{pid}/fd"))

    def __str__(self):
        return f"{self.megabytes:.0f} MB, {self.handles} handles, {self.threads} threads"
