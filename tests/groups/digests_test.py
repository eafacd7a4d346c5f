"""Any number of processes and devices gives the digest of one process: ranks are threads here, each
with an engine and a trainer of its own, which exchange bytes through queues.

    digests_test.py BUILD SOURCE [--runs N]

With --runs every job is trained N times by each group, else once.
"""
import argparse
import os
import queue
import sys
import threading

# The number of ranks, and the devices of each.
GROUPS = [(2, "cpu=2x1"), (4, "cpu:0"), (3, "cpu:0")]


def rank_class(pc):
    class Rank(pc.Collective):
        """Messages wait in a queue per sender and receiver."""

        def __init__(self, rank, queues):
            super().__init__(rank, len(queues))
            self.queues = queues

        def exchange(self, tag, sends, receives, timeout):
            for other, message in enumerate(sends):
                if other != self.rank:
                    self.queues[self.rank][other].put((tag, bytes(message)))
            for other, room in enumerate(receives):
                if other == self.rank:
                    continue
                found, message = self.queues[other][self.rank].get(timeout=timeout)
                if found != tag or len(message) != len(room):
                    raise AssertionError("the ranks are out of step")
                room[:] = message
    return Rank


def train_group(pc, job, ranks, devices):
    """Returns what each rank gives: its digest, or its exception."""
    import jobs
    queues = [[queue.Queue() for _ in range(ranks)] for _ in range(ranks)]
    results = [None] * ranks
    threads_of_each = int(devices.partition("=")[2].partition("x")[0] or 1)

    def run(rank):
        try:
            member = rank_class(pc)(rank, queues)
            results[rank] = jobs.train(job, lambda trainer: trainer.join(member), devices=devices, threads=threads_of_each)
        except Exception as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def check_all(pc, runs):
    import jobs
    passed = failed = 0
    for job in jobs.JOBS:
        wanted = jobs.train_alone(job)
        for ranks, devices in GROUPS:
            found = [result for _ in range(runs) for result in train_group(pc, job, ranks, devices)]
            if all(result == wanted for result in found):
                passed += 1
            else:
                failed += 1
                print(f"{job}: {ranks} ranks with {devices} give {sorted(set(map(str, found)))}, one process {wanted}")
    # tests/count.py reads this line.
    print(f"test cases: {passed + failed} | {passed} passed | {failed} failed | 0 skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("source")
    parser.add_argument("--runs", type=int, default=1)
    args = parser.parse_args()
    sys.path.insert(0, os.path.join(args.source, "bindings", "python", "tests"))
    import check

    def run():
        import percale
        return check_all(percale, args.runs)

    return check.run_on_wheel(args.build, run)


if __name__ == "__main__":
    sys.exit(main())
