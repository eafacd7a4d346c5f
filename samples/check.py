"""Runs the samples of a language. Training on two devices must give the weights of `percale train`;
the model must load and run; a new head must learn while the body keeps its bits. The service must
answer while it trains, respect its memory limit, and cancel the run of a client that disconnects.

    check.py BUILD SOURCE c|cpp|go|python|rust|java

Exit code 77 and the reason if a tool or the data is missing.
"""
import glob
import importlib.util
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

SKIP = 77
DATA = ["train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"]
SCALE = 1 / 255
# Learns within a second, with the names that fine-tuning expects.
SMALL = {
    "model": [{"layer": "MaxPooling2D", "pool_size": 4}, {"layer": "Conv2D", "filters": 4, "kernel_size": 3, "activation": "relu"},
              {"layer": "Flatten"}, {"layer": "Dense", "units": 32, "activation": "relu"}, {"layer": "Dense", "units": 10}],
    "input_shape": [28, 28, 1], "loss": "sparse_categorical_crossentropy", "from_logits": True, "metrics": ["accuracy"],
    "optimizer": "adam", "batch_size": 64, "shards": 2, "seed": 1, "epochs": 1,
    "data": {"train": {"x": DATA[0], "y": DATA[1], "scale": SCALE}, "test": {"x": DATA[2], "y": DATA[3], "scale": SCALE}},
}


def fail(why):
    sys.exit(f"failed: {why}")


def run(command, env=None):
    print("+", " ".join(command), flush=True)
    result = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(re.sub(r"[^\n]*\r", "", result.stdout), flush=True)
    if result.returncode != 0:
        fail(f"exit code {result.returncode}")
    return result.stdout


def checker(source, language, name="check.py"):
    """Returns the module of a binding that runs its tests."""
    path = os.path.join(source, "bindings", language, name)
    spec = importlib.util.spec_from_file_location("check_" + language, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def snake(name):
    """Converts "LoadAndRun" to "load_and_run"."""
    return re.sub("(?<!^)([A-Z])", r"_\1", name).lower()


def c(build, source):
    """The programs are built by Meson."""
    return lambda name: [os.path.join(build, "samples", snake(name))], dict(os.environ)


def cpp(build, source):
    """The programs are built by Meson."""
    return lambda name: [os.path.join(build, "samples", "cpp_" + snake(name))], dict(os.environ)


def go(build, source, folder="samples/go"):
    binding = checker(source, "go", "run_tests.py")
    tool, why = binding.find_go()
    if not tool:
        print(why)
        sys.exit(SKIP)
    env = binding.environment(build)
    programs = os.path.join(build, "go", folder)
    print("+ go build", flush=True)
    subprocess.run([tool, "build", "-o", programs + os.sep, "./..."], cwd=os.path.join(source, folder), env=env, check=True)
    return lambda name: [os.path.join(programs, snake(name))], env


def python(build, source, folder="samples/python"):
    """Runs with the unpacked wheel."""
    binding = checker(source, "python", "tests/check.py")
    interpreter, why = binding.find_python()
    if not interpreter:
        print(why)
        sys.exit(SKIP)
    site = os.path.join(build, "python", "site")
    binding.unpack_wheel(interpreter, build, site)
    env = dict(os.environ, PYTHONPATH=site, PYTHONDONTWRITEBYTECODE="1")
    names = {"Keras": "keras_example"}
    return lambda name: [interpreter, os.path.join(source, folder, names.get(name, snake(name)) + ".py")], env


def rust(build, source, folder="samples/rust"):
    """Returns (function from a sample's name to its command, environment)."""
    binding = checker(source, "rust")
    env = binding.environment(build)
    binding.need_cargo()
    root, _ = binding.workspace(build, source, env)
    run(["cargo", "build", "--release", "--offline", "--manifest-path", os.path.join(root, folder, "Cargo.toml")], env)
    return lambda name: [os.path.join(build, "rust", "release", snake(name))], env


def java(build, source, folder="samples/java"):
    binding = checker(source, "java")
    home = binding.find_jdk()
    package, classes = (os.path.join(build, "java", part, folder) for part in ("package", "classes"))
    for command in binding.javac_commands(home, source, package):
        run(command)
    run(binding.javac(home, classes, package=package) + sorted(glob.glob(os.path.join(source, folder, "**", "*.java"), recursive=True)))
    command = [os.path.join(home, "bin", "java"), "--enable-native-access=ALL-UNNAMED",
               f"-Dpercale.library={build}/libpercale.so.0", "-cp", f"{package}:{classes}"]
    return lambda name: command + [name], dict(os.environ)


def find_data():
    cache = os.environ.get("PERCALE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "percale")
    for folder in [os.environ.get("PERCALE_DATA", ""), os.path.join(cache, "data")]:
        if folder and all(os.path.exists(os.path.join(folder, name)) for name in DATA):
            return folder
    print("the four MNIST files are neither in PERCALE_DATA nor in the cache; `sh subprojects/setup` fetches them")
    sys.exit(SKIP)


def ask(address, path, body=None):
    """Returns (status, JSON)."""
    request = urllib.request.Request(f"http://{address}{path}", data=body)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, None


def serve(command, env, spec, data):
    with open(os.path.join(data, DATA[2]), "rb") as file:
        pixels = file.read()[16:]
    with open(os.path.join(data, DATA[3]), "rb") as file:
        labels = file.read()[8:]
    limit = 900_000_000
    service = subprocess.Popen(command + [spec, "0", str(limit)], env=env, stdout=subprocess.PIPE, text=True)
    try:
        address = service.stdout.readline().strip().removeprefix("http://")
        before = ask(address, "/status")[1]["step"]
        for _ in range(600):
            status, digits = ask(address, "/predict", pixels[:784 * 100])
            right = sum(a == b for a, b in zip(digits, labels))
            if status != 200 or right >= 80:
                break
            time.sleep(0.1)
        print(f"{right} of 100 digits are right while it trains, status {status}")
        if status != 200 or right < 80 or ask(address, "/status")[1]["step"] <= before:
            fail("the service does not learn while it answers")
        host, port = address.split(":")
        head = f"POST /predict HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(pixels)}\r\n\r\n"
        for _ in range(40):
            with socket.create_connection((host, int(port))) as client:
                client.sendall(head.encode() + pixels)
                time.sleep(0.1)  # gives the service time to read it; the run takes longer
            time.sleep(1)
            facts = ask(address, "/status")[1]
            if facts["cancelled"] > 0:
                break
        else:
            fail(f"no run of a client that went away was ended: {facts}")
        status, _ = ask(address, "/predict", pixels * 12)
        if status != 507:
            fail(f"a request beyond the memory limit got {status}")
        if ask(address, "/predict", b"abc")[0] != 400 or ask(address, "/predict", pixels[:784])[0] != 200:
            fail("what follows a request beyond the limit is not answered")
        facts = ask(address, "/status")[1]
        print(facts)
        if facts["bytes"] > limit:
            fail("the engine holds more than its limit")
        ask(address, "/stop", b"")
        if service.wait(60) != 0:
            fail("the service ended with an error")
    finally:
        service.kill()


def free_addresses(count):
    """Returns the arguments that Go's group wants behind the rank."""
    free = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    addresses = [f"127.0.0.1:{server.getsockname()[1]}" for server in free]
    for server in free:
        server.close()
    return addresses


def train_as_group(command, env, spec, wanted, where):
    """Two processes, with a shard of each batch each, compute the weights of one. `where`: the
    arguments behind the rank."""
    ranks = [subprocess.Popen(command + [spec, str(rank)] + where, env=env, stdout=subprocess.PIPE, text=True) for rank in range(2)]
    try:
        digests = [rank.communicate(timeout=120)[0].strip() for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    print(f"two processes: {digests}")
    if digests != [wanted, wanted]:
        fail("the processes of a group do not compute the weights of one")


def train_lenet(command, env, data, folder):
    """The LeNet in C learns from a part of the digits, and names the ops that it uses."""
    for name, count in zip(DATA, (4000, 4000, 1000, 1000)):
        head = 16 if "images" in name else 8
        with open(os.path.join(data, name), "rb") as file, open(os.path.join(folder, name), "wb") as part:
            part.write(file.read(4) + count.to_bytes(4, "big"))
            file.seek(8)
            part.write(file.read(head - 8 + count * (784 if "images" in name else 1)))
    ops = os.path.join(folder, "ops")
    if float(re.findall(r"test accuracy ([0-9.]+)", run(command + [folder, "3", ops], env))[-1]) < 0.9:
        fail("the LeNet did not learn")
    with open(ops, encoding="utf-8") as file:
        if not {"Conv", "ConvGradWeight", "ApplyAdam"} <= set(file.read().split()):
            fail("the LeNet does not name its ops")


def main(build, source, language):
    data = find_data()
    files = [os.path.join(data, name) for name in DATA]
    command, env = {"c": c, "cpp": cpp, "go": go, "python": python, "rust": rust, "java": java}[language](build, source)
    env["PERCALE_DATA"] = data
    with tempfile.TemporaryDirectory() as folder:
        spec, model = os.path.join(folder, "small.json"), os.path.join(folder, "small.percale")
        with open(spec, "w", encoding="utf-8") as file:
            json.dump(SMALL, file)
        wanted = re.search("sha256:[0-9a-f]{64}", run([os.path.join(build, "bindings", "cli", "percale"), "train", spec, "--out",
                                                      os.path.join(folder, "out"), "--digest"], env)).group()
        if wanted not in run(command("Mnist") + [spec, model], env):
            fail("not the weights that the program percale trains")
        if not re.search(r"^dense_1 F32 \[1,? 10\] \[", run(command("LoadAndRun") + [model], env), re.M | re.I):
            fail("the model gives no scores")
        said = run(command("FineTune") + [model] + files, env)
        accuracy = re.search(r"accuracy\W+([0-9.]+)", said)
        if "kept its bits" not in said or not accuracy or float(accuracy.group(1)) < 0.75:
            fail("the head did not learn, or the body changed")
        if language == "c":
            train_lenet(command("Lenet"), env, data, folder)
        if language in ("cpp", "go", "python"):
            said = run(command("Keras"), env)
            losses = re.findall(r"epoch \d+/10 +loss ([0-9.]+)", said)
            if not re.search("needs an input 'y'|no 'y'", said) or len(losses) != 10 or float(losses[-1]) >= float(losses[0]):
                fail("Keras' example does not name the missing label, or does not learn")
        if language == "go":
            train_as_group(command("Group"), env, spec, wanted, free_addresses(2))
        if language == "python":
            interpreter = command("Group")[0]
            if subprocess.run([interpreter, "-c", "import zmq"], capture_output=True).returncode == 0:
                train_as_group(command("Group"), env, spec, wanted, ["2", folder])
            else:
                print("pyzmq is not installed: group.py was not run")
        # The samples in C, C++ and Python have no service
        if language not in ("c", "cpp", "python"):
            serve(command("Serve"), env, os.path.join(source, "samples", "mnist", "lenet.json"), data)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
