"""Compares the model of scale.py with closed forms, in cases that have one."""
import math
import sys
from dataclasses import replace
from statistics import NormalDist

sys.dont_write_bytecode = True
import group_model  # noqa: E402
from calibration import Costs, Measured, memory_of, net_of  # noqa: E402
from events import Events, FirstJobs, Processors  # noqa: E402
from failures import FailingGroup, Failures  # noqa: E402
from group_model import Group, GroupTraining, Memory, Net, Network  # noqa: E402
from server_model import Served, ServedTraining  # noqa: E402

NET = Net(forward=1.0, backward=(0.5, 0.5, 1.0), buckets=(8e6, 4e6, 4e6))
# A step exchanges gradients and next values bucket by bucket, and totals once.
EXCHANGES = 2 * len(NET.buckets) + 1
IDLE = replace(NET, forward=0.0, backward=(0.0, 0.0, 0.0))
FREE = Network("free", math.inf, 0.0)
SPREAD = 0.1


def near(found, wanted, tolerance=1e-9):
    assert abs(found - wanted) <= tolerance * abs(wanted), (found, wanted)


def step(group, net=NET, steps=3):
    return GroupTraining(net, group).run(steps)[0]


def expected_late(workers):
    """The mean of the largest of so many lognormal factors: the integral of 1 - F(x) ** workers."""
    factor, width = NormalDist(-SPREAD ** 2 / 2, SPREAD), 1e-3
    return sum(1 - factor.cdf(math.log(i * width)) ** workers for i in range(1, 3000)) * width + width / 2


def test_threads_share_processors():
    events, ends = Events(), []
    processors = Processors(events, 2)
    for seconds in (1.0, 1.0, 1.0, 2.0):
        processors.serve(seconds, lambda: ends.append(events.now))
    events.run()
    # All four run at half speed until three have ended; the last one has a processor then.
    assert ends == [2.0, 2.0, 2.0, 3.0], ends


def test_a_cancelled_job_leaves_its_share():
    events, ends = Events(), []
    processors = Processors(events, 1)
    processors.serve(1.0, lambda: ends.append(events.now))
    job = processors.serve(5.0, lambda: ends.append(events.now))
    events.after(1.0, processors.cancel, job)
    events.run()
    assert ends == [1.5], ends


def test_late_jobs_are_cancelled():
    events, ends = Events(), []
    processors, first = [Processors(events, 1) for _ in range(2)], FirstJobs(events, 1)

    def work(number, seconds):
        yield first, (processors[number], seconds)
        yield processors[number], 1.0
        ends.append(events.now)

    events.start(work(0, 1.0))
    events.start(work(1, 5.0))
    events.run()
    assert ends == [2.0, 2.0], ends


def test_n_workers_without_costs_are_n_times_as_fast():
    for ranks in (1, 2, 8, 100):
        near(step(Group(ranks, ranks, FREE)), NET.seconds)
        near(step(Group(ranks, 4 * ranks, FREE)), 4 * NET.seconds)


def test_ranks_share_the_processors_of_a_machine():
    near(step(Group(8, 8, FREE, processors=2, one_machine=True)), 4 * NET.seconds)
    near(step(Group(8, 8, FREE, processors=2, one_machine=True, waits=True)), NET.seconds)


def test_without_computing_a_step_is_two_passes_over_the_links():
    network = Network("slow", 1e9, 1e-3)
    for ranks in (2, 8, 100):
        wanted = 2 * (ranks - 1) / ranks * NET.bytes / network.bandwidth + EXCHANGES * network.latency
        near(step(Group(ranks, ranks, network), IDLE), wanted, 0.01)


def test_the_backward_pass_hides_buckets():
    # The last bucket, totals and the new values are exchanged afterwards.
    network = Network("fast", 1e8, 0.0)
    exposed = (NET.buckets[-1] + NET.bytes) / 2 / network.bandwidth
    for shards in (1, 2):
        near(step(Group(2, 2 * shards, network)), shards * NET.seconds + exposed)


def test_messages_take_time_of_processors():
    network = Network("copied", math.inf, 0.0, byte=1e-9, message=1e-6)
    for ranks in (2, 8):
        each_side = 2 * (ranks - 1) / ranks * NET.bytes * network.byte + EXCHANGES * (ranks - 1) * network.message
        near(step(Group(ranks, ranks, network), IDLE), 2 * each_side)


def test_sums_and_commits_take_time_of_processors():
    memory = Memory(add=1e-9, commit=1e-8, copy=1e-7)
    for ranks in (2, 8):
        # The sum of two own shards, those of the segment, its commit; a copy of its sums.
        wanted = memory.add * (1 + (ranks - 1) / ranks) + memory.commit / ranks + memory.copy / ranks
        near(step(Group(ranks, 2 * ranks, FREE, memory), IDLE), NET.bytes * wanted)


def test_a_step_waits_for_the_last_of_all_workers():
    near(step(Group(100, 100, FREE, spread=SPREAD), steps=100), NET.seconds * expected_late(100), 0.01)


def test_ranks_that_are_never_last_need_no_simulation():
    network = Network("some", 1e7, 1e-3, 1e-10, 1e-5)
    for used in (0, 220):
        group = Group(300, 300, network, memory_of(1e-10), spread=SPREAD, used=used)
        few, group_model.SLOWEST = group_model.SLOWEST, 300
        whole = step(group)
        group_model.SLOWEST = few
        assert group.simulated() < 300
        near(step(group), whole)


def test_backup_waits_for_the_first_shards():
    used, ranks = 190, 200
    # Blom's approximation of the mean of an order statistic
    quantile = NormalDist().inv_cdf((used - 0.375) / (ranks + 0.25))
    late = math.exp(SPREAD * quantile - SPREAD ** 2 / 2)
    near(step(Group(ranks, ranks, FREE, spread=SPREAD, used=used), steps=100), NET.seconds * late, 0.005)


def test_one_server_saturates_at_its_link():
    network = Network("slow", 1e8, 1e-4)
    near(ServedTraining(NET, Served(500, 1, network)).run(6), network.bandwidth / NET.bytes, 0.01)
    alone = NET.seconds + 2 * (NET.bytes / network.bandwidth + network.latency)
    near(ServedTraining(NET, Served(1, 1, network)).run(6), 1 / alone)
    near(ServedTraining(NET, Served(4000, 4000, FREE)).run(6), 4000 / NET.seconds, 0.05)


def test_no_worker_of_bounded_runs_ahead():
    job = Served(16, 16, FREE, spread=SPREAD)
    near(ServedTraining(NET, replace(job, bound=0)).run(200), 16 / (NET.seconds * expected_late(16)), 0.01)
    near(ServedTraining(NET, job).run(200), 16 / NET.seconds, 0.01)


def test_failures_cost_what_they_stop_and_slow():
    failures = Failures(per_hour=0.01, stop=3.0, replace=60.0, restart=7.0)
    step_seconds, shard, workers = 2.0, 2.0, 10
    # While a worker is missing, a step takes twice as long.
    lost = failures.stop + step_seconds / 2 + failures.restart + failures.replace / 2
    wanted = workers * failures.per_hour / 3600 * lost
    near(1 - FailingGroup(failures, workers, step_seconds, shard).share(4000), wanted, 0.05)


def test_buckets_begin_with_the_last_parameters():
    layers = [[500_000, 1, 2], [300_000, 1, 2], [1_000_000, 2, 4], [100_000, 0, 0]]
    net = net_of(layers, 24.0, 7)
    assert net.buckets == (4_400_000, 3_200_000) and net.totals == 7
    near(net.forward, 8.0)
    assert net.backward == (8.0, 8.0), net


def test_calibration_finds_the_costs():
    layers = [[4_000_000, 100, 200], [3_000_000, 100, 200]]
    wanted = Costs(byte=4e-10, memory=2e-10)
    found = {"trainable": 7_000_000, "layers": layers, "waiting_shards": 8,
             "waiting": {ranks: {"step_seconds": 4.0 / int(ranks)} for ranks in ("1", "2", "4", "8")},
             "computing": {"1": {"step_seconds": 1.0}, "apart": {"step_seconds": 1.1}, "2": {"step_seconds": 0.6, "bytes_sent": 28.1e6}}}
    measured = Measured(found, 2)
    for ranks, step in found["waiting"].items():
        step["step_seconds"] = measured.waiting(wanted, int(ranks))
    found["computing"]["2"]["step_seconds"] = measured.computing(wanted)[0]
    measured = Measured(found, 2)
    near(measured.costs.byte, wanted.byte, 0.01)
    near(measured.costs.memory, wanted.memory, 0.01)
    compared = measured.compare()
    assert [(layers, ranks) for layers, ranks, _, _ in compared] == [("compute", 2), ("wait", 4), ("wait", 8)]
    for _, _, seconds, predicted in compared:
        near(predicted, seconds, 0.001)


def main():
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    for test in tests:
        test()
    print(f"test cases: {len(tests)} | {len(tests)} passed | 0 failed | 0 skipped")


if __name__ == "__main__":
    main()
