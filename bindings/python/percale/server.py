"""Servers of the devices of an engine."""
import os
from typing import Optional, Union

from ._library import lib, path_of
from .engine import Engine
from .errors import DeadlineExceeded, check, status_from
from .handle import Handle, out, pointer_of
from .session import wait_parts


class Server(Handle):
    """Serves the devices of an engine to other processes. Thread-safe.

        with pc.Server(engine, "127.0.0.1:2222") as server:
            server.wait()

    The others name them in the keyword `devices` of their engines, as "remote:HOST:PORT/cpu:0". The
    server keeps the engine alive. close() ends the connections of all clients, whose devices are
    lost then; a wait() in progress raises Closed.
    """

    kind = "server"

    def __init__(self, engine: Engine, address: str, certificates: Union[None, str, "os.PathLike[str]"] = None) -> None:
        """Serves all devices of `engine` at "host:port" or "unix:path". Port 0 means any free one.

        `certificates` is the folder as for Cluster.set_certificates(); None means none, and then
        only addresses of this machine are allowed. The memory of the clients counts towards the
        engine's memory limit. Raises Unimplemented if no plug-in connects processes, and
        Unavailable if the address is taken.
        """
        pointer, folder = out("server"), b"" if certificates is None else path_of(certificates)
        check(lib.percale_server_create(pointer_of(engine, "engine"), address.encode(), folder, pointer))
        super().__init__(pointer[0])

    @property
    def port(self) -> int:
        """The port at which clients reach the server; 0 for a Unix socket."""
        return int(lib.percale_server_port(self.c))

    def wait(self, timeout: Optional[float] = None) -> None:
        """Waits until clients have come and all of them have gone. Control-C interrupts it.

        Raises DeadlineExceeded if that is not so after `timeout` seconds, and Unavailable if the
        last client has not closed its devices: its process or the connection was lost.
        """
        for part in wait_parts(timeout):
            status = status_from(lib.percale_server_wait, self.c, part)
            if lib.percale_status_code(status) != DeadlineExceeded.code:
                return check(status)
            lib.percale_status_release(status)
        check(lib.percale_server_wait(self.c, 0))
