"""Trains a SPEC in several processes, which exchange bytes over ZeroMQ, and prints the digest: that
of one process. Start one process per rank, on one machine or many:

    group.py SPEC.json RANK SIZE FOLDER

All processes see the folder, in which they find each other. It is new, and for them alone.
"""
import json
import os
import sys
import time

import percale as pc
from percale.groups import zeromq


def all_gather(card, rank, size, folder):
    """Returns the cards of all ranks, in their order."""
    path = os.path.join(folder, f"card-{rank}.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(card, file)
    os.rename(path + ".new", path)
    cards = []
    for other in range(size):
        path = os.path.join(folder, f"card-{other}.json")
        while not os.path.exists(path):
            time.sleep(0.05)
        with open(path, encoding="utf-8") as file:
            cards.append(json.load(file))
    return cards


def main(spec, rank, size, folder):
    # --8<-- [start:join]
    with zeromq.Node() as node, pc.Engine() as engine, pc.Trainer.from_spec(engine, spec) as trainer:
        cards = all_gather(node.card(), rank, size, folder)
        trainer.join(node.collective(rank, cards))
        trainer.fit()
        # --8<-- [end:join]
        print(trainer.variables.digest())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
