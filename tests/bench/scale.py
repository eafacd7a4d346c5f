"""Predicts the training of groups of up to 4,096 processes from measurements with up to eight.

    scale.py results/group.json [--write FILE.md]

The model in scale/ simulates the events of a step: computing, messages, sums, commits. The file is
written by group.py. Exits with 1 if a predicted step differs from the measured one by ERROR or
more.
"""
import argparse
import datetime
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "scale"))
import projection  # noqa: E402
from calibration import LATENCY, MESSAGE, Measured  # noqa: E402
from turns import markdown, show_time  # noqa: E402

ERROR = 0.1
SIZES = (8, 64, 512, 4096)


def check(measured):
    """Returns the table of the comparison, and the largest error."""
    rows, worst = [], 0.0
    for name, net in measured.items():
        for layers, ranks, seconds, predicted in net.compare():
            error = predicted / seconds - 1
            worst = max(worst, abs(error))
            rows.append([name, layers, str(ranks), show_time(seconds * 1e9), show_time(predicted * 1e9), f"{100 * error:+.1f} %"])
    return markdown(["net", "layers", "processes", "measured step", "predicted step", "error"], rows), worst


def costs(measured):
    rows = [[name, show_time(net.shard.seconds * 1e9), f"{net.bytes / 1e6:.1f} MB in {len(net.shard.buckets)} buckets",
             f"{net.totals / 1e3:.1f} kB", f"{net.costs.byte * 1e9:.2f} ns", f"{net.costs.memory * 1e9:.2f} ns"]
            for name, net in measured.items()]
    return markdown(["net", "a shard", "gradients", "totals and statistics", "a byte of a message, each side", "a byte of memory"], rows)


def project(measured):
    """Returns (worker, net, network, speed-ups by mode and workers) of all combinations."""
    return [(worker, name, network.name, projection.Projection(net, worker, network).speed_ups())
            for worker in (projection.ONE_THREAD, projection.FAST) for name, net in measured.items()
            for network in projection.networks(net)]


def percent(speed_up, workers):
    return f"{100 * speed_up / workers:.0f} %"


def limits(rows):
    """The table of the sizes at which modes stop scaling, and of the efficiency of sync."""
    modes = list(rows[0][3])
    cells = []
    for worker, name, network, found in rows:
        stops = [projection.stop(found[mode]) for mode in modes]
        cells.append([worker.name, name, network, *(f"{at:,}" if at else f"beyond {SIZES[-1]:,}" for at in stops),
                      *(percent(found["sync"][size], size) for size in SIZES)])
    return markdown(["a worker", "net", "network", *(f"{mode}: stops at" for mode in modes),
                     *(f"sync with {size:,}" for size in SIZES)], cells)


def speed_ups(found):
    rows = [[f"{workers:,}", *(f"{of_mode[workers]:,.1f} ({percent(of_mode[workers], workers)})" for of_mode in found.values())]
            for workers in projection.WORKERS]
    return markdown(["workers", *found], rows)


def assumptions():
    failures = projection.FAILURES
    return f"""* **Shards.** A group has no more ranks than shards. So the batch grows with the group: a shard of as many rows per worker.
* **Speed-up.** The shards per second, over those of one worker that exchanges nothing. In parentheses: that over the number of workers.
* **Links.** Each worker has one of its own, and the network between them is never full.
* **Messages.** Over Ethernet a byte costs a processor as much as measured on the loopback device, and a message {show_time(MESSAGE * 1e9)} on each side (assumed). Over InfiniBand the adapter moves the bytes, and a message costs {show_time(projection.ADAPTER_MESSAGE * 1e9)} (assumed).
* **Late workers.** The time of a shard is lognormal; its logarithm has a standard deviation of {projection.SPREAD} (assumed).
* **Failures.** A worker fails about once a year: {failures.per_hour:g} times per hour (assumed). The group stops for {failures.stop} s and repeats the step. Another worker computes two shards until there is a replacement after {failures.replace} s; then the group starts again, in {failures.restart} s. Failures of `async` are left out.
* **`backup`** uses the first {100 * projection.USED:.0f} % of the shards. No gradient is exchanged before all workers know which shards count, so no exchange is hidden behind the backward pass.
* **`async`** has parameter servers on further machines, which the efficiency does not count: one per {projection.SERVED} workers, or {projection.FEW_SERVERS} in all. They also commit, so that a worker may do more than it does alone. Steps use older values, so a step is worth less than one of `sync`; these tables do not show that.
* **Groups train in mode `sync`.** The other modes are those of the devices of one process. The tables show what they would bring to a group."""


def page(about, measured, checked, rows):
    tables = [part for worker, name, network, found in rows if worker == projection.ONE_THREAD
              for part in (f"### {name}, {network}", "", speed_ups(found), "")]
    return "\n".join([
        "# Groups of up to 4,096 processes, predicted", "",
        f"Made by `sh tests/bench/run --scale --write` from `group.json`. {datetime.date.today()}. Measured there: {about}.", "",
        "A model of events trains in groups (`tests/bench/scale/`). It has shards, buckets, exchanges, sums and commits as in "
        "`docs/decisions/training/groups.md`, processors and links that are shared, late workers, and failures.", "",
        "## The model against measurements", "",
        "Two costs are found in groups of one and of two processes whose layers wait: those of a byte that the processor reads or writes, "
        "and of a byte of a message. Layers that wait do not disturb each other, so the rest of a step is sums, commits and messages.", "",
        costs(measured), "",
        "With these the model predicts two processes that compute, and larger groups whose layers wait. All processes share the processors "
        f"of one machine, and the latency is {show_time(LATENCY * 1e9)}. The shards of two processes that compute take as long as those of "
        "two processes that train apart at the same time.", "",
        checked, "",
        "No cost is fitted to these groups. But the form of the model was chosen with measurements of such groups in view: what a sum, a commit "
        "and a copy move, that two costs are fitted, and to which steps. The costs follow from small differences of two times, so an error of "
        "1 % in the step of two processes becomes several percent with eight.", "",
        "## Assumptions", "", assumptions(), "",
        "## Where scaling stops", "",
        f"A mode stops scaling where twice as many workers give less than {projection.GROWS} times the shards per second. The workers that are "
        "faster than measured compute, add and commit faster; a message costs them as much.", "",
        limits(rows), "",
        "## Speed-up of workers of one thread", "", *tables])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("measurements")
    parser.add_argument("--write")
    args = parser.parse_args()
    with open(args.measurements) as file:
        found = json.load(file)
    measured = {name: Measured(net, found["processors"]) for name, net in found["nets"].items()}
    checked, worst = check(measured)
    text = page(found["about"], measured, checked, project(measured))
    print(text)
    if args.write:
        with open(args.write, "w") as file:
            file.write(text)
    return f"scale.py: a predicted step differs from the measured one by {100 * worst:.1f} %" if worst >= ERROR else 0


if __name__ == "__main__":
    sys.exit(main())
