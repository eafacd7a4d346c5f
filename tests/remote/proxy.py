"""A TCP proxy that harms what passes through it, for tests."""
import asyncio
import random
import re
import threading

PIECE = 1 << 16
TO_SERVER, TO_CLIENT = 0, 1


class Harm:
    """A change of one direction, once, at a byte of the first connection that has so many."""

    def __init__(self, direction, at):
        self.direction, self.at = direction, at
        self.done = False

    def __repr__(self):
        return f"{type(self).__name__} of byte {self.at} {('to the server', 'to the client')[self.direction]}"

    def apply(self, direction, piece, begin, _purpose):
        """Returns what is passed on of a piece that begins at this byte of a connection."""
        if self.done or direction != self.direction or begin + len(piece) <= self.at:
            return piece
        self.done = True
        return self.change(piece, self.at - begin)

    def change(self, piece, at):
        """Returns the piece, harmed from its byte `at` on."""
        raise NotImplementedError


class Flip(Harm):
    """Flips a bit of the byte."""

    def change(self, piece, at):
        changed = bytearray(piece)
        changed[at] ^= 1 << random.randrange(8)
        return bytes(changed)


class Duplicate(Harm):
    """Sends up to 100 bytes from this one on twice."""

    def change(self, piece, at):
        return piece[:at + 100] + piece[at:]


class Cut(Harm):
    """Closes the connection in front of the byte, both directions of it."""

    def change(self, piece, at):
        raise CutOff(piece[:at])


class FlipsEvery:
    """Flips a bit in each run of so many bytes of each connection, in both directions."""

    def __init__(self, count):
        self.count, self.done = count, 0

    def __repr__(self):
        return f"FlipsEvery {self.count} bytes, {self.done} so far"

    def apply(self, _direction, piece, begin, _purpose):
        """See Harm.apply()."""
        changed = bytearray(piece)
        at = -(begin + 1) % self.count  # the last one of so many bytes
        while at < len(piece):
            changed[at] ^= 1 << random.randrange(8)
            self.done += 1
            at += self.count
        return bytes(changed)


class CutsAt:
    """Cuts each link between ranks that has carried so many bytes in one direction, without end. It
    begins when all connections together have carried `after` bytes."""

    def __init__(self, count, after):
        self.count, self.after = count, after
        self.carried, self.done = 0, 0

    def __repr__(self):
        return f"CutsAt {self.count} bytes, {self.done} so far"

    def apply(self, _direction, piece, begin, purpose):
        """See Harm.apply()."""
        self.carried += len(piece)
        if self.carried < self.after or begin + len(piece) <= self.count or purpose != b"Link":
            return piece
        self.done += 1
        raise CutOff(piece[:max(self.count - begin, 0)])


class CutOff(Exception):
    """The connection ends after these last bytes."""


def connect(address):
    if address.startswith("unix:"):
        return asyncio.open_unix_connection(address[len("unix:"):])
    return asyncio.open_connection(*address.rsplit(":", 1))


def listen(serve, address):
    if address.startswith("unix:"):
        return asyncio.start_unix_server(serve, address[len("unix:"):])
    return asyncio.start_server(serve, *address.rsplit(":", 1))


class Proxy:
    """Passes connections on to a process. Each piece waits for up to `delay_s`, a random time."""

    def __init__(self, target, address="127.0.0.1:0", harm=None, delay_s=0.0):
        self.target, self.harm, self.delay_s = target, harm, delay_s
        self.bytes = [0, 0]  # of the connection that has sent most, by direction
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run)
        self.server = self.loop.run_until_complete(listen(self.serve, address))
        name = self.server.sockets[0].getsockname()
        self.address = address if address.startswith("unix:") else f"127.0.0.1:{name[1]}"
        self.thread.start()

    def run(self):
        self.loop.run_forever()
        self.loop.run_until_complete(self.end_all())
        self.loop.close()

    async def end_all(self):
        self.server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def serve(self, from_client, to_client):
        try:
            from_server, to_server = await connect(self.target)
        except OSError:
            return to_client.close()
        # The first direction that ends ends both.
        purpose = []  # the last word of gRPC's method, without encryption
        passing = [asyncio.ensure_future(self.pass_on(TO_SERVER, from_client, to_server, purpose)),
                   asyncio.ensure_future(self.pass_on(TO_CLIENT, from_server, to_client, purpose))]
        try:
            await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in passing:
                task.cancel()
            to_client.close()
            to_server.close()

    async def pass_on(self, direction, source, sink, purpose):
        begin = 0
        try:
            while piece := await source.read(PIECE):
                if self.delay_s:
                    await asyncio.sleep(random.random() * self.delay_s)
                passed = piece
                if not purpose and direction == TO_SERVER:
                    purpose += re.findall(rb"/percale\.Remote/([A-Z][a-z]+)", piece)
                if self.harm is not None:
                    passed = self.harm.apply(direction, piece, begin, purpose[0] if purpose else b"")
                begin += len(piece)
                self.bytes[direction] = max(self.bytes[direction], begin)
                sink.write(passed)
                await sink.drain()
        except CutOff as cut:
            sink.write(cut.args[0])
            await sink.drain()
        except OSError:  # a side has ended
            pass

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
