"""Trains a SPEC in the processes of an MPI job, by mpi4py, and prints the digest.

    mpiexec -n 4 python train.py SPEC.json

The digest is that of one process. Every process needs a shard: the SPEC's "shards" is at least
their number.
"""
import sys

import percale as pc
from mpi4py import MPI

TAGS = 32768  # every MPI allows tags below it


class World(pc.Collective):
    """The processes of the job. MPI waits without limit: the timeout is not used."""

    def __init__(self, comm):
        super().__init__(comm.rank, comm.size)
        self.comm = comm

    def exchange(self, tag, sends, receives, timeout):
        receiving = [(r, room) for r, room in enumerate(receives) if len(room)]
        requests = [self.comm.Irecv([room, MPI.BYTE], source=r, tag=tag % TAGS) for r, room in receiving]
        requests += [self.comm.Isend([message, MPI.BYTE], dest=r, tag=tag % TAGS) for r, message in enumerate(sends) if len(message)]
        statuses = [MPI.Status() for _ in requests]
        MPI.Request.Waitall(requests, statuses)
        for (r, room), status in zip(receiving, statuses):
            if status.Get_count(MPI.BYTE) != len(room):
                raise pc.Unavailable(f"rank {r} sent {status.Get_count(MPI.BYTE)} bytes, wanted {len(room)}")


def main():
    world = World(MPI.COMM_WORLD)
    with pc.Engine() as engine, pc.Trainer.from_spec(engine, sys.argv[1]) as trainer:
        trainer.join(world)
        trainer.fit()
        test = trainer.evaluate()  # the ranks share the batches
        if world.rank == 0:
            print("test", test)
            print("digest", trainer.variables.digest())


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        print(error, file=sys.stderr)
        MPI.COMM_WORLD.Abort(1)  # the others may wait for this process
