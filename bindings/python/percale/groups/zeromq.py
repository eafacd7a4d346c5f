"""An exchange of bytes over ZeroMQ: encrypted, and between the processes of the group alone.

    node = zeromq.Node()  # in every process
    cards = ...           # node.card() of all processes, in the order of the ranks
    trainer.join(node.collective(rank, cards))

The program carries the cards to all processes by means of its own: those of Ray or Spark, or a
file. A card holds no secret, but a program that can change cards can join the group. Needs pyzmq.
"""
import collections
import socket
import struct
import threading
import time
from typing import Any, Dict, List, Optional, Sequence

from ..errors import DataLoss, Unavailable
from .collective import Collective

_HEAD = struct.Struct("<QQ")  # generation, tag
_PATIENCE = 20  # seconds that a connection waits until this process knows the keys of the others


def _zmq() -> Any:
    try:
        import zmq
        import zmq.auth.thread
    except ImportError as error:
        raise ImportError("percale.groups.zeromq needs pyzmq; `pip install pyzmq` brings it") from error
    return zmq


def _own_address() -> str:
    """Returns the address that this machine has on its route to other networks. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address that documents use: only the route counts
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


class Node:
    """The end of one process: a socket that the others connect to, and a pair of keys.

    `address` is the one by which others reach this machine; by default that of its route to other
    networks. The port is any free one. close() ends it, and so does `with`.
    """

    def __init__(self, address: Optional[str] = None) -> None:
        zmq = _zmq()
        self._context = zmq.Context()
        self._public, self._secret = zmq.curve_keypair()
        self._ranks: Dict[bytes, int] = {}  # by public key
        self._knows_ranks = threading.Event()
        self._peers: List[Any] = []
        self._authenticator = zmq.auth.thread.ThreadAuthenticator(self._context)
        self._authenticator.start()
        self._authenticator.configure_curve_callback("*", self)
        self._inbox = self._context.socket(zmq.PULL)
        self._inbox.curve_server = True
        self._inbox.curve_publickey, self._inbox.curve_secretkey = self._public, self._secret
        self._inbox.rcvhwm = 0  # exchanges wait for each other, so that little is under way
        host = address or _own_address()
        self._endpoint = f"tcp://{host}:{self._inbox.bind_to_random_port(f'tcp://{host}')}"

    def callback(self, _domain: str, key: bytes) -> bool:
        """Tells the authenticator whether a public key is one of the group's."""
        self._knows_ranks.wait(_PATIENCE)  # others may be faster
        return key in self._ranks

    def card(self) -> Dict[str, str]:
        """Returns where this process listens, and its public key."""
        return {"endpoint": self._endpoint, "key": self._public.decode()}

    def collective(self, rank: int, cards: Sequence[Dict[str, str]], generation: int = 1) -> Collective:
        """Returns the collective of this process. `cards` has one per rank, in their order."""
        if not 0 <= rank < len(cards) or cards[rank] != self.card():
            raise ValueError(f"cards[{rank}] is not the card of this process, which listens at {self._endpoint}")
        self._ranks = {card["key"].encode(): other for other, card in enumerate(cards)}
        if len(self._ranks) != len(cards):
            raise ValueError("two ranks have the same card")
        self._knows_ranks.set()
        return _ZeroMQCollective(rank, generation, self, [self._connect(card) for card in cards])

    def _connect(self, card: Dict[str, str]) -> Any:
        out = self._context.socket(_zmq().PUSH)
        out.curve_serverkey = card["key"].encode()
        out.curve_publickey, out.curve_secretkey = self._public, self._secret
        out.sndhwm = 0
        out.connect(card["endpoint"])
        self._peers.append(out)
        return out

    def receive(self, milliseconds: Optional[float]) -> Any:
        """Returns (rank, generation, tag, message) of the next message, or None after that time."""
        if not self._inbox.poll(milliseconds):
            return None
        head, message = self._inbox.recv_multipart(copy=False)
        # The library of ZeroMQ tells which key a message came with.
        return (self._ranks[head.get("User-Id").encode()], *_HEAD.unpack(head.bytes), message.buffer)

    def close(self) -> None:
        """Ends all connections."""
        self._knows_ranks.set()
        self._authenticator.stop()
        self._context.destroy(linger=0)

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _ZeroMQCollective(Collective):
    def __init__(self, rank: int, generation: int, node: Node, peers: List[Any]) -> None:
        super().__init__(rank, len(peers), generation)
        self._node, self._peers = node, peers
        # By rank, the messages of later exchanges: (tag, message).
        self._early: Dict[int, Any] = collections.defaultdict(collections.deque)

    def exchange(self, tag: int, sends: Sequence[memoryview], receives: Sequence[memoryview], timeout: Optional[float]) -> None:
        deadline = None if timeout is None else time.monotonic() + timeout
        for rank, message in enumerate(sends):
            if len(message):
                self._peers[rank].send_multipart([_HEAD.pack(self.generation, tag), message])
        missing = {rank for rank, room in enumerate(receives) if len(room)}
        for rank in list(missing):
            while self._early[rank] and self._early[rank][0][0] <= tag:
                self._take(rank, *self._early[rank].popleft(), tag, receives, missing)
        while missing:
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1e3
            found = self._node.receive(left)
            if found is None:
                raise Unavailable(f"rank {min(missing)} has sent nothing in {timeout:g} s")
            rank, generation, sent_tag, message = found
            if generation == self.generation:
                self._take(rank, sent_tag, message, tag, receives, missing)

    def _take(self, rank: int, sent_tag: int, message: Any, tag: int, receives: Sequence[memoryview], missing: Any) -> None:
        if sent_tag > tag or (sent_tag == tag and rank not in missing):
            self._early[rank].append((sent_tag, message))
        elif sent_tag == tag:
            if len(message) != len(receives[rank]):
                raise DataLoss(f"rank {rank} sent {len(message)} bytes, wanted {len(receives[rank])}")
            receives[rank][:] = message
            missing.remove(rank)
