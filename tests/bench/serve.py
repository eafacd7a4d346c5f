"""The peers' end of the protocol of percale_worker.c. Input: lines `WORKLOAD MILLISECONDS`. Output:
`NANOSECONDS CPU_NANOSECONDS` per iteration, or `error: ...`."""
import sys
import time


def serve(find, rest=lambda: None):
    """`find(name)` prepares a workload and returns a function that does it once, or raises. `rest`
    is called after each turn. `first:PATH` is the time from before the preparation, with imports
    done, to the first result."""
    made = {}
    for line in sys.stdin:
        name, milliseconds = line.rsplit(None, 1)
        begin = time.perf_counter_ns()
        if name not in made:
            try:
                made[name] = find(name)
            except Exception as error:  # any error of a peer becomes a cell of the table
                print(f"error: {name}: {type(error).__name__}: {' '.join(str(error).split())}", flush=True)
                continue
        run = made[name]
        run()
        if name.startswith("first:"):
            print(f"{time.perf_counter_ns() - begin:.1f} {time.process_time_ns():.1f}", flush=True)
            continue
        wall, cpu, done = time.perf_counter_ns(), time.process_time_ns(), 0
        while True:
            run()
            done += 1
            elapsed = time.perf_counter_ns() - wall
            if elapsed >= float(milliseconds) * 1e6:
                break
        cpu = time.process_time_ns() - cpu
        rest()
        print(f"{elapsed / done:.1f} {cpu / done:.1f}", flush=True)
