"""Groups of processes that train one job together."""
import abc
import contextlib
import functools
from typing import Optional, Sequence

from .._library import ffi, lib
from ..errors import Error, Internal, set_aside, status_of


class Collective(abc.ABC):
    """An exchange of bytes between the processes of a group, for Trainer.join().

    A subclass supplies it by sockets, MPI or a cluster's own means. `rank` is the number of this
    process, from 0, `size` the number of processes, and `generation` a number that grows when the
    group is formed anew. They are read once, by Trainer.join().
    """

    def __init__(self, rank: int, size: int, generation: int = 1) -> None:
        self.rank, self.size, self.generation = rank, size, generation

    @abc.abstractmethod
    def exchange(self, tag: int, sends: Sequence[memoryview], receives: Sequence[memoryview], timeout: Optional[float]) -> None:
        """Sends sends[r] to rank r and fills receives[r] with what rank r sends, for all ranks.

        `sends` are read-only memoryviews and `receives` writable ones; those of the own rank are
        empty. They are valid during the call. All ranks call it in the same order and with the same
        `tag`, and both sides know every size in advance. It raises an exception for a message of
        another size, with another tag, or of an older generation.

        Tags grow on every rank. With lost(), a message with a smaller tag than that of the call is
        of an exchange that has failed: drop it. One with a larger tag says that the other rank has
        given this exchange up: raise an exception, and keep the message for the call with its tag.

        The library calls it on one thread at a time, which need not be the one that trains. It may
        block for `timeout` seconds (None: without limit), then it raises an exception. It must not
        use the same trainer. An exception ends the training, and fit() raises it.
        """

    def lost(self) -> Sequence[int]:
        """Returns all lost ranks in ascending order. Called only after an exchange that failed.

        A subclass that has it trains on without the lost ranks, and gets the same bits. Two ranks
        hold each part of the optimizer's state (setting `collective_redundancy`); if both are lost,
        fit() raises DataLoss.

        If it returns no further rank, and exchange() has raised Unavailable or an OSError, all
        ranks repeat the step: the connections must work again. After eight repeats in a row
        without a completed step it is called once more, without an exchange in between, to give a
        rank up; otherwise the training ends. It may raise an exception, which ends it as well.
        """
        return []


def _views(messages, count):
    """Returns the memory of messages of the library as memoryviews."""
    return [memoryview(ffi.buffer(messages[i].data, messages[i].size) if messages[i].size else bytearray()) for i in range(count)]


class Supplier:
    """A collective as C calls it.

    `failure` is its last exception, until a call has raised it, and the message that C has of it.
    """

    def __init__(self, collective):
        if not isinstance(collective, Collective):
            raise TypeError(f"the collective is {collective!r:.80}, wanted a percale.Collective")
        self.collective, self.size, self.failure = collective, collective.size, None

    def table(self, user):
        """Returns the table for C. `user` is a pointer to this object."""
        reports_losses = type(self.collective).lost is not Collective.lost
        return ffi.new("percale_collective*", {
            "struct_size": ffi.sizeof("percale_collective"), "user": user, "rank": self.collective.rank, "size": self.size,
            "generation": self.collective.generation, "exchange": _exchange, "lost": _lost if reports_losses else ffi.NULL})

    def exchange(self, tag, sends, receives, timeout):
        to, into = [view.toreadonly() for view in _views(sends, self.size)], _views(receives, self.size)
        self.collective.exchange(tag, to, into, None if timeout < 0 else timeout / 1e9)
        for view in to + into:
            with contextlib.suppress(BufferError):  # of an array that still uses it
                view.release()

    def status_of_call(self, function, *args):
        """Calls a function and returns NULL; or keeps its exception, and returns a status for C."""
        try:
            with set_aside():
                function(*args)
        except BaseException as error:
            status, message = status_of(error)
            self.failure = error, message
            return status
        return ffi.NULL

    def taken(self, error):
        """Returns the exception that C made `error` of, or None.

        C may also have dealt with the exception, and have failed of another.
        """
        if self.failure is None or self.failure[1] not in str(error):
            return None
        raised, self.failure = self.failure[0], None
        if hasattr(raised, "add_note"):
            raised.add_note(str(error))
        return raised

    def lost(self, ranks, count):
        found = list(self.collective.lost())
        if len(found) > count[0]:
            raise Internal(f"the collective has lost {len(found)} of {self.size} ranks")
        ranks[0:len(found)] = found
        count[0] = len(found)


def _refuse(_kind, error, _trace):
    """Returns a status for C: Control-C came before the collective was called."""
    return status_of(error)[0]


@ffi.callback("percale_exchange_function", onerror=_refuse)
def _exchange(user, tag, sends, receives, timeout):
    supplier = ffi.from_handle(user)
    return supplier.status_of_call(supplier.exchange, tag, sends, receives, timeout)


@ffi.callback("percale_lost_function", onerror=_refuse)
def _lost(user, ranks, count):
    supplier = ffi.from_handle(user)
    return supplier.status_of_call(supplier.lost, ranks, count)


def grouped(method):
    """Makes a method of a Trainer raise the exception of its collective in place of the error that
    C made of it.
    """

    @functools.wraps(method)
    def run(self, *arguments, **keywords):
        try:
            return method(self, *arguments, **keywords)
        except Error as error:
            raised = self._supplier and self._supplier.taken(error)
            if raised is None:
                raise
        raise raised

    return run
