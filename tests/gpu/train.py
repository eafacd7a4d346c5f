"""Runs jobs on a GPU and checks them from outside. Without a GPU, prints the reason and exits
with code 77.

    train.py PERCALE info|memory|train|devices

The jobs are samples/mnist (up to 99 %) and a dense net on random rows; on the emulated driver
only the dense net. Uses only the standard library."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EMULATED = os.environ.get("PERCALE_GPU_EMULATED") == "1"
sys.path.insert(0, f"{ROOT}/tests/cuda")
import train_test  # noqa: E402 the dense net


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def info(program):
    """Returns the facts about cuda:0."""
    told = json.loads(call(program, "info", "--json", "--devices", "all"))
    for device in told["devices"]:
        if device["kind"] == "cuda":
            return device
    reasons = [entry["reason"] for entry in told["absent"] if entry["kind"].startswith("cuda")]
    print(f"cuda is absent: {', '.join(reasons)}; run it on a machine with an NVIDIA GPU")
    sys.exit(77)


def jobs(folder):
    """Yields (name, SPEC, folder of its data, accuracy to reach)."""
    train_test.write_data(folder)
    path = f"{folder}/dense.json"
    with open(path, "w", encoding="utf-8") as out:
        json.dump(train_test.spec({"name": "adam", "learning_rate": 0.01}, "dense", "f32", "host", 2), out)
    yield "dense", path, folder, None
    if not EMULATED:
        yield "lenet", f"{ROOT}/samples/mnist/lenet.json", None, 0.99


def train(program, job, devices):
    name, spec, data, _ = job
    command = [program, "train", spec, "--devices", devices, "--digest", "--json"] + (["--data", data] if data else [])
    told = json.loads(call(*command))
    print(f"{name} on {devices}: {told['steps'] / told['seconds']:.1f} steps/s, {told.get('metrics', {})}, {told['digest']}")
    return told


def used_bytes():
    """Returns the MiB in use on the GPU, or None."""
    if EMULATED or shutil.which("nvidia-smi") is None:
        return None
    return int(call("nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits").split()[0])


def same(results, what):
    digests = {r["digest"] for r in results}
    if len(digests) != 1:
        sys.exit(f"{what}: digests differ: {sorted(digests)}")
    print(f"{what}: one digest, {digests.pop()}")


def main(program, part):
    device = info(program)
    if part == "info":
        print(f"{device['name']}: {device['model']}, {device['memory_bytes'] >> 20} MiB")
        return
    with tempfile.TemporaryDirectory() as folder:
        if part == "memory":
            before = used_bytes()
            for job in jobs(folder):
                same([train(program, job, "cuda:0") for _ in range(3)], f"{job[0]}, three runs")
            after = used_bytes()
            if before is not None and after > before + 16:
                sys.exit(f"the GPU has {after} MiB in use, {before} before")
        elif part == "train":
            train_test.main(program)
            for job in jobs(folder):
                for devices in ("cuda:0", "cpu:0,cuda:0"):
                    told = train(program, job, devices)
                    if job[3] is not None and told["metrics"]["accuracy"] < job[3]:
                        sys.exit(f"{job[0]} on {devices}: accuracy {told['metrics']['accuracy']}, wanted {job[3]}")
        else:
            for job in jobs(folder):
                same([train(program, job, devices) for devices in ("cuda:0", "cuda:0/0,cuda:0/1")], f"{job[0]}, one and two logical GPUs")


if __name__ == "__main__":
    main(*sys.argv[1:])
