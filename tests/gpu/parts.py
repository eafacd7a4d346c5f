"""parts.py ROOT BUILD [PART...]: what `run` does once the paths are set. Standard library alone.

Each part is a command with a limit of time; its last line is kept. The table goes to stdout, all of it to BUILD/results.json, and to the
folder $OUT where that is set."""
import json
import os
import shutil
import subprocess
import sys
import time

LIMIT = 460
SKIPPED = 77
EMULATED = os.environ.get("PERCALE_GPU_EMULATED") == "1"


def tail(text):
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


class Parts:
    def __init__(self, root, build):
        self.root, self.build, self.results = root, build, []
        self.plugin = f"{build}/devices/cuda/libpercale_cuda.so"
        self.program = f"{build}/bindings/cli/percale"
        self.env = dict(os.environ)
        if EMULATED:
            self.env["PERCALE_CUDA_LIBRARIES"] = f"{build}/tests/cuda/emulator"

    def note(self, part, what, state, seconds, said):
        self.results.append({"part": part, "what": what, "state": state, "seconds": round(seconds, 1), "said": said})
        print(f"{state:7} {part:12} {what:34} {seconds:6.1f} s  {said[:110]}", flush=True)

    def step(self, part, what, command, **env):
        begin = time.monotonic()
        try:
            done = subprocess.run(command, cwd=self.root, env=dict(self.env, **env), capture_output=True, text=True, timeout=LIMIT)
            output, code = done.stdout + done.stderr, done.returncode
        except subprocess.TimeoutExpired as ended:
            output, code = f"it took more than {LIMIT} s: {ended}", 1
        state = {0: "passed", SKIPPED: "skipped"}.get(code, "FAILED")
        self.note(part, what, state, time.monotonic() - begin, tail(output))
        if state == "FAILED":
            print(output[-6000:], flush=True)
        for line in output.splitlines():  # rows of numbers
            if line.startswith("{") and state == "passed":
                self.results[-1].setdefault("rows", []).append(json.loads(line))
        return state != "FAILED"

    def do_build(self):
        if not os.path.exists(f"{self.build}/build.ninja"):
            archs = [] if EMULATED else ["-Dgpu_archs=90"]
            cuda = "auto" if EMULATED else "enabled"
            setup = ["meson", "setup", self.build, f"-Dcuda={cuda}", "-Donednn=disabled", "-Donnx=disabled", *archs]
            if not self.step("build", "meson setup", setup):
                return False
        targets = ["bindings/cli/percale", "devices/cuda/libpercale_cuda.so", "tests/cuda/cuda_rows", "tests/cuda/cuda_nodes",
                   "tests/cuda/cuda_images_test", "tests/conformance/conformance"]
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

    def do_bench(self):
        return self.step("bench", "dense steps beside PyTorch", [sys.executable, f"{self.root}/tests/gpu/bench.py", self.program])

    def finish(self):
        where = [self.build] + ([os.environ["OUT"]] if os.path.isdir(os.environ.get("OUT", "")) else [])
        for folder in where:
            with open(f"{folder}/results.json", "w", encoding="utf-8") as out:
                json.dump({"emulated": EMULATED, "results": self.results}, out, indent=1)
        count = {state: sum(r["state"] == state for r in self.results) for state in ("passed", "FAILED", "skipped")}
        print(f"{count['passed']} passed, {count['FAILED']} failed, {count['skipped']} skipped")
        return 1 if count["FAILED"] else 0


def main(root, build, *wanted):
    parts = Parts(root, build)
    names = [name[3:] for name in vars(Parts) if name.startswith("do_")]
    unknown = [name for name in wanted if name not in names]
    if unknown:
        sys.exit(f"no part {unknown[0]}; parts are {', '.join(names)}")
    for name in wanted or names:
        went = getattr(parts, "do_" + name)()
        if not went and name in ("build", "info"):
            break
    return parts.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
