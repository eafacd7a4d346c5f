"""Groups over ZeroMQ, whose processes know each other's cards and hear no others."""
import threading
import unittest

import numpy as np

import percale as pc
from percale.groups import zeromq

try:
    import zmq
except ImportError:
    zmq = None

SPEC = {"model": [{"layer": "Dense", "units": 8, "activation": "relu"}, {"layer": "Dropout", "rate": 0.2}, {"layer": "Dense", "units": 3}],
        "input_shape": [5], "loss": "sparse_categorical_crossentropy", "from_logits": True, "optimizer": "adam", "shards": 4, "seed": 1}


def train(collective=None):
    """Returns the digest of two epochs."""
    random = np.random.default_rng(3)
    x, y = random.random((40, 5), np.float32), random.integers(0, 3, 40)
    with pc.Engine(devices="cpu:0") as engine, pc.Trainer.from_spec(engine, SPEC) as trainer:
        if collective is not None:
            trainer.join(collective)
        trainer.fit(pc.Dataset.from_tensors(engine, x=x, y=y).batch(16, shuffle=3), 2)
        return trainer.variables.digest()


def together(work, count):
    """Calls work(rank) on a thread per rank; returns the results, or exceptions."""
    results = [None] * count

    def run(rank):
        try:
            results[rank] = work(rank)
        except Exception as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@unittest.skipIf(zmq is None, "no pyzmq")
class ZeroMQTest(unittest.TestCase):
    def nodes(self, count):
        made = [zeromq.Node("127.0.0.1") for _ in range(count)]
        for node in made:
            self.addCleanup(node.close)
        return made, [node.card() for node in made]

    def test_ranks_compute_the_digest_of_one_process(self):
        for count in (2, 3):
            nodes, cards = self.nodes(count)
            digests = together(lambda rank: train(nodes[rank].collective(rank, cards)), count)
            self.assertEqual(digests, [train()] * count)

    def test_messages_of_other_exchanges_and_generations_wait_or_are_dropped(self):
        nodes, cards = self.nodes(2)
        old, other = nodes[0].collective(0, cards, 1), nodes[1].collective(1, cards, 2)
        new = nodes[0].collective(0, cards, 2)
        empty, room = memoryview(b""), bytearray(3)
        old.exchange(1, [empty, memoryview(b"old")], [empty, empty], 1)
        new.exchange(1, [empty, memoryview(b"one")], [empty, empty], 1)
        new.exchange(2, [empty, memoryview(b"two")], [empty, empty], 1)
        other.exchange(2, [empty, empty], [memoryview(room), empty], 5)
        self.assertEqual(room, b"two")
        new.exchange(4, [empty, memoryview(b"later")], [empty, empty], 1)
        with self.assertRaisesRegex(pc.Unavailable, "rank 0 has sent nothing in 0.3 s"):
            other.exchange(3, [empty, empty], [memoryview(room), empty], 0.3)
        with self.assertRaisesRegex(pc.DataLoss, "rank 0 sent 5 bytes, wanted 3"):
            other.exchange(4, [empty, empty], [memoryview(room), empty], 5)

    def test_a_stranger_is_not_heard(self):
        nodes, cards = self.nodes(2)
        (stranger,), _ = self.nodes(1)
        group = nodes[1].collective(1, cards)
        impostor = stranger.collective(0, [stranger.card(), cards[1]])  # knows rank 1's card
        empty, room = memoryview(b""), bytearray(3)
        impostor.exchange(1, [empty, memoryview(b"bad")], [empty, empty], 1)
        with self.assertRaisesRegex(pc.Unavailable, "rank 0 has sent nothing"):
            group.exchange(1, [empty, empty], [memoryview(room), empty], 1)
        nodes[0].collective(0, cards).exchange(1, [empty, memoryview(b"yes")], [empty, empty], 1)
        group.exchange(1, [empty, empty], [memoryview(room), empty], 5)
        self.assertEqual(room, b"yes")

    def test_cards_are_checked(self):
        nodes, cards = self.nodes(2)
        with self.assertRaisesRegex(ValueError, "not the card of this process"):
            nodes[0].collective(1, cards)
        with self.assertRaisesRegex(ValueError, "the same card"):
            nodes[0].collective(0, [cards[0], cards[0]])


if __name__ == "__main__":
    unittest.main()
