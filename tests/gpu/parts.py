"""Runs the parts of `run` after that has set the paths. Uses only the standard library.

    parts.py ROOT BUILD [PART...]

Each part is a few commands with a time limit. The last line of each command is kept, and its
rows of numbers, which are shown after the part. After each command the table is printed, and
everything is written to BUILD/results.json and, if $OUT is set, to that folder."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import bench

LIMIT = 460
SKIPPED = 77
EMULATED = os.environ.get("PERCALE_GPU_EMULATED") == "1"


def tail(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def show(rows):
    """Prints rows of bench.py as a table: times in us, and how many times as long PyTorch
    takes. Each family measures roofs; only the first ones are shown."""
    roofs = set()
    if EMULATED:
        print("emulated: sizes are small, times mean nothing")
    print(f"{'':6} {'us: least, median, CPU; PyTorch / ours':62} {'ours':>10} {'median':>10} {'CPU':>10} "
          + " ".join(f"{how:>9}" for how in bench.PYTORCH) + f" {'roof':>7}")
    for row in rows:
        if row["id"] == "roofs" and row["what"] in roofs:
            continue
        roofs.add(row["what"])
        cells = [f"{row[key]:10.5g}" if key in row else 10 * " " for key in ("ours_us", "ours_median_us", "ours_cpu_us")]
        cells += [f"{row[f'{how}_over_ours']:8.3g}x" if f"{how}_over_ours" in row else 9 * " " for how in bench.PYTORCH]
        cells.append(f"{row['roof_share']:7.1%}" if "roof_share" in row else 7 * " ")
        print(f"{row['id']:6} {row['what']:62} {' '.join(cells)}".rstrip())
        others = ", ".join(f"{key} {row[key]:.4g}" for key in bench.OTHERS if key in row)
        for line in [others] * bool(others) + [*row.get("failed", {}).values()]:
            print(f"{'':9}{line[:140]}")
    sys.stdout.flush()


class Parts:
    def __init__(self, root, build):
        self.root, self.build, self.results = root, build, []
        self.plugin = f"{build}/devices/cuda/libpercale_cuda.so"
        self.program = f"{build}/bindings/cli/percale"
        self.env = dict(os.environ)
        if EMULATED:
            self.env["PERCALE_CUDA_LIBRARIES"] = f"{build}/tests/cuda/emulator"

    def note(self, part, what, state, seconds, said, rows=()):
        entry = {"part": part, "what": what, "state": state, "seconds": round(seconds, 1), "said": said}
        self.results.append(entry | ({"rows": list(rows)} if rows else {}))
        print(f"{state:7} {part:12} {what:34} {seconds:6.1f} s  {said[:110]}", flush=True)
        for folder in [self.build] + ([os.environ["OUT"]] if os.path.isdir(os.environ.get("OUT", "")) else []):
            with open(f"{folder}/results.json", "w", encoding="utf-8") as out:
                json.dump({"emulated": EMULATED, "results": self.results}, out, indent=1)

    def step(self, part, what, command, **env):
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+") as told:
            process = subprocess.Popen(command, cwd=self.root, env=dict(self.env, **env), stdout=told, stderr=told, start_new_session=True)
            try:
                code = process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                # Also its children, which would go on using the GPU.
                os.killpg(process.pid, signal.SIGKILL)
                code = process.wait()
                told.write(f"\nit took more than {LIMIT} s\n")
            told.seek(0)
            output = told.read()
        state = {0: "passed", SKIPPED: "skipped"}.get(code, "FAILED")
        rows = [json.loads(line) for line in output.splitlines() if line.startswith('{"')]
        self.note(part, what, state, time.monotonic() - begin, tail(output), rows)
        if state == "FAILED":
            print(output[-6000:], flush=True)
        return state != "FAILED"

    def do_build(self):
        if not os.path.exists(f"{self.build}/build.ninja"):
            archs = [] if EMULATED else ["-Dgpu_archs=90"]
            cuda = "auto" if EMULATED else "enabled"
            setup = ["meson", "setup", self.build, f"-Dcuda={cuda}", "-Donednn=disabled", "-Donnx=disabled", *archs]
            if not self.step("build", "meson setup", setup):
                return False
        targets = ["bindings/cli/percale", "devices/cuda/libpercale_cuda.so", "tests/cuda/cuda_rows", "tests/cuda/cuda_nodes",
                   "tests/cuda/cuda_images_test", "tests/conformance/conformance", "tests/bench/percale_worker"]
        if EMULATED:
            targets += ["tests/cuda/emulator/libcuda.so.1", "tests/cuda/emulator/libcublasLt.so.13"]
        return self.step("build", "ninja", ["ninja", "-C", self.build, *targets])

    def do_info(self):
        return self.step("info", "the GPU is there", [sys.executable, f"{self.root}/tests/gpu/train.py", self.program, "info"])

    def do_device(self):
        code = f"{self.root}/tests/gpu/train.py"
        return self.step("device", "runs repeated, memory comes back", [sys.executable, code, self.program, "memory"])

    def do_rows(self):
        return self.step("rows", "rows of tests/ops on cuda:0", [f"{self.build}/tests/cuda/cuda_rows", "cuda:0", self.plugin, "--verbose"])

    def do_nodes(self):
        return all([self.step("nodes", "large ones, groups, steps, kept programs", [f"{self.build}/tests/cuda/cuda_nodes"]),
                    self.step("nodes", "nets of images and their gradients", [f"{self.build}/tests/cuda/cuda_images_test"])])

    def do_conformance(self):
        return all([self.step("conformance", device, [f"{self.build}/tests/conformance/conformance", device, self.plugin])
                    for device in ("cuda:0", "cuda:0/1")])

    def do_train(self):
        return self.step("train", "cuda:0; cpu:0,cuda:0", [sys.executable, f"{self.root}/tests/gpu/train.py", self.program, "train"])

    def do_devices(self):
        return self.step("devices", "cuda:0/0,cuda:0/1", [sys.executable, f"{self.root}/tests/gpu/train.py", self.program, "devices"])

    def do_sanitizer(self):
        tool = shutil.which("compute-sanitizer")
        if tool is None or EMULATED:
            self.note("sanitizer", "memcheck, racecheck", "skipped", 0, "compute-sanitizer is absent")
            return True
        return all([self.step("sanitizer", kind, [tool, "--tool", kind, "--error-exitcode", "1",
                                                  f"{self.build}/tests/conformance/conformance", "cuda:0", self.plugin])
                    for kind in ("memcheck", "racecheck")])

    def do_bench(self, *families):
        first = len(self.results)
        went = [self.step("bench", family, [sys.executable, f"{self.root}/tests/gpu/bench.py", self.build, family])
                for family in families or bench.NAMES]
        show([row for result in self.results[first:] for row in result.get("rows", [])])
        return all(went)

    def finish(self):
        count = {state: sum(r["state"] == state for r in self.results) for state in ("passed", "FAILED", "skipped")}
        print(f"{count['passed']} passed, {count['FAILED']} failed, {count['skipped']} skipped")
        return 1 if count["FAILED"] else 0


def main(root, build, *wanted):
    parts = Parts(root, build)
    names = [name[3:] for name in vars(Parts) if name.startswith("do_")]
    wanted = [part.partition(":") for part in wanted or names]
    unknown = [name for name, _, _ in wanted if name not in names]
    if unknown:
        sys.exit(f"no part {unknown[0]}; parts are {', '.join(names)}")
    if wanted[0][0] != "build" and not os.path.exists(parts.program):
        sys.exit(f"nothing is built in {build} yet: the part `build` comes first, or no part is named for all")
    for name, _, only in wanted:
        went = getattr(parts, "do_" + name)(*(only.split(",") if only else []))
        if not went and name in ("build", "info"):
            break
    return parts.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
