"""Checks the files of kubernetes/. The manifests are YAML with the keys that their kinds need. They
start commands that the program has, set variables that the library documents, and agree with each
other, with the Dockerfile and with the README.

    check_kubernetes.py BUILD SOURCE

No cluster is needed, so this says nothing about one. Exit code 77 and the reason without PyYAML.
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from cluster_files import Program, check_dockerfile, check_readme  # noqa: E402
from cluster_files import finish, read, readme_lines  # noqa: E402

SKIP = 77
# The keys that each kind needs.
NEEDED = {
    ("v1", "PersistentVolumeClaim"): ["spec.accessModes", "spec.resources.requests.storage"],
    ("v1", "Service"): ["spec.clusterIP", "spec.selector"],
    ("batch/v1", "Job"): ["spec.template.spec.subdomain", "spec.successPolicy.rules"],
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): ["spec.failurePolicy.maxRestarts", "spec.network.subdomain", "spec.replicatedJobs"],
    ("trainer.kubeflow.org/v1alpha1", "TrainingRuntime"): [
        "spec.mlPolicy.torch", "spec.template.spec.replicatedJobs", "spec.template.spec.failurePolicy.maxRestarts"],
    ("trainer.kubeflow.org/v1alpha1", "TrainJob"): [
        "spec.runtimeRef.kind", "spec.runtimeRef.name", "spec.trainer.command", "spec.trainer.numNodes", "spec.trainer.numProcPerNode"],
}
NEEDED_OF_JOB = ["backoffLimit", "template.spec.containers", "template.spec.restartPolicy", "template.spec.volumes"]
# All keys that the manifests may have, so that a misspelt one is found.
KEYS = set("""
  accessModes apiVersion args backoffLimit claimName clusterIP command completionMode completions configMap containers cpu
  defaultMode enableDNSHostnames env failurePolicy fsGroup image kind labels limits maxRestarts memory metadata mlPolicy
  mountPath name network numNodes numProcPerNode parallelism persistentVolumeClaim publishNotReadyAddresses readOnly replicas
  replicatedJobs requests resources resourcesPerNode restartPolicy rules runAsNonRoot runAsUser runtimeRef secret secretName
  securityContext selector spec storage subdomain succeededIndexes successPolicy template torch trainer value volumeMounts
  volumes""".split())
NAMES_OF_USERS = ("labels", "selector")
NODE = "node"  # the name that Kubeflow's torch policy looks for
# The variables that an indexed Job sets, and those that the torch policy sets.
BY_INDEX = ["JOB_COMPLETION_INDEX"]
BY_TORCH = ["PET_NNODES", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT"]


def get(tree, path):
    for key in path.split("."):
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def unknown_keys(tree):
    if isinstance(tree, list):
        return [key for item in tree for key in unknown_keys(item)]
    if not isinstance(tree, dict):
        return []
    return [key for key in tree if key not in KEYS] + [
        key for name, value in tree.items() if name not in NAMES_OF_USERS for key in unknown_keys(value)]


class Manifest:
    """A document of a file."""

    def __init__(self, path, tree):
        self.path, self.tree, self.kind = path, tree, (tree.get("apiVersion"), tree.get("kind"))
        self.name = get(tree, "metadata.name")
        self.where = f"{path}: {self.kind[1]} '{self.name}'"

    def jobs(self):
        """Yields (spec, name) of the jobs that the document describes."""
        if self.kind[1] == "Job":
            yield self.tree["spec"], self.name
        sets = {"JobSet": "spec.replicatedJobs", "TrainingRuntime": "spec.template.spec.replicatedJobs"}
        for job in get(self.tree, sets.get(self.kind[1], "")) or []:
            yield job["template"]["spec"], f"{self.name}-{job['name']}-0"

    def check(self):
        if self.kind not in NEEDED:
            return [f"{self.where}: unknown kind {self.kind}"]
        wrong = [f"{self.where}: there is no {path}" for path in NEEDED[self.kind] if get(self.tree, path) is None]
        wrong += [f"{self.where}: unknown key {key}" for key in unknown_keys(self.tree)]
        for spec, name in self.jobs():
            wrong += [f"{self.where}: job {name} has no {path}" for path in NEEDED_OF_JOB if get(spec, path) is None]
        return wrong

    def subdomain(self, spec):
        return get(self.tree, "spec.network.subdomain") or get(spec, "template.spec.subdomain")


def load(source):
    import yaml
    out = []
    for path in sorted(glob.glob(os.path.join(source, "samples", "kubernetes", "*.yaml"))):
        try:
            out += [Manifest(os.path.relpath(path, source), tree) for tree in yaml.safe_load_all(read(path))]
        except yaml.YAMLError as error:
            sys.exit(f"failed: {error}")
    return out


def environment(container):
    return {entry["name"]: entry["value"] for entry in container.get("env", [])}


def commands(manifests):
    """Yields (place, container, pod) of each container with a command. That of a TrainJob is in the
    pod of its runtime."""
    for manifest in manifests:
        for spec, _ in manifest.jobs():
            pod = spec["template"]["spec"]
            for container in pod["containers"]:
                users = [job for job in manifests if job.kind[1] == "TrainJob" and get(job.tree, "spec.runtimeRef.name") == manifest.name]
                for job in users if manifest.kind[1] == "TrainingRuntime" else []:
                    yield job.where, {**container, **job.tree["spec"]["trainer"]}, pod
                if "command" in container:
                    yield manifest.where, container, pod


def check_container(where, container, pod, program):
    words, variables = container["command"] + container.get("args", []), environment(container)
    wrong = [f"{where}: {value} is a number; quote it" for value in [*words, *variables.values()] if not isinstance(value, str)]
    if wrong:
        return wrong
    given = BY_INDEX if "PERCALE_TASKS" in variables else BY_TORCH
    wrong = program.check_command(where, words) + program.check_variables(where, [*variables, *given])
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    wrong += [f"{where}: there is no volume {name}" for name in mounts.values() if name not in volumes]

    def is_in(path, kind):
        return kind in volumes.get(mounts.get(path), {})

    if not is_in(variables.get("PERCALE_CERTIFICATES"), "secret"):
        wrong.append(f"{where}: PERCALE_CERTIFICATES is no secret's mountPath")
    if not is_in(os.path.dirname(words[2]), "configMap"):
        wrong.append(f"{where}: {words[2]} is in no configMap")
    if "--resume" not in words or not is_in(words[words.index("--resume") + 1], "persistentVolumeClaim"):
        wrong.append(f"{where}: no --resume names the claim's mountPath")
    return wrong


def check_group(manifest, spec, name):
    """Returns the mistakes in what the processes of an indexed Job are told about their group."""
    wrong = []
    containers = spec["template"]["spec"]["containers"]
    if manifest.kind[1] == "TrainingRuntime":
        if [container["name"] for container in containers] != [NODE] or not name.endswith(f"-{NODE}-0"):
            wrong.append(f"{manifest.where}: the job and its container are not called {NODE}")
        return wrong + [f"{manifest.where}: sets {key}, as the torch policy does" for container in containers
                        for key in environment(container) if re.match("PET_|MASTER_|PERCALE_TASKS", key)]
    if spec.get("completionMode") != "Indexed":
        wrong.append(f"{manifest.where}: job {name} is not Indexed")
    for variables in map(environment, containers):
        numbers = {str(spec.get("completions")), str(spec.get("parallelism")), variables.get("PERCALE_TASKS")}
        if len(numbers) != 1:
            wrong.append(f"{manifest.where}: completions, parallelism and PERCALE_TASKS differ")
        first = f"{name}-0.{manifest.subdomain(spec)}"
        if variables.get("MASTER_ADDR") != first:
            wrong.append(f"{manifest.where}: MASTER_ADDR is {variables.get('MASTER_ADDR')}, and the first pod {first}")
    return wrong


def names_in(tree, key):
    """Yields the values of a key anywhere in a document."""
    for item in tree if isinstance(tree, list) else tree.values() if isinstance(tree, dict) else []:
        yield from names_in(item, key)
    if isinstance(tree, dict) and key in tree:
        yield tree[key]


def check_made(source, manifests):
    """Returns what the manifests use and neither they nor the commands of the README make."""
    lines = [words for _, words in readme_lines(source, "kubernetes")]
    # kubectl create configmap NAME, kubectl create secret generic NAME
    made = {(words[2], words[4] if words[2] == "secret" else words[3]) for words in lines if words[:2] == ["kubectl", "create"]}
    made |= {(manifest.kind[1], manifest.name) for manifest in manifests}
    images = {words[words.index("-t") + 1] for words in lines if "docker" in words and "-t" in words}
    used = set()
    for manifest in manifests:
        used |= {("secret", name) for name in names_in(manifest.tree, "secretName")}
        used |= {("configmap", entry["name"]) for entry in names_in(manifest.tree, "configMap")}
        used |= {("PersistentVolumeClaim", name) for name in names_in(manifest.tree, "claimName")}
        used |= {("TrainingRuntime", ref["name"]) for ref in names_in(manifest.tree, "runtimeRef")}
        if manifest.kind[1] == "Job":
            used.add(("Service", get(manifest.tree, "spec.template.spec.subdomain")))
    wrong = [f"samples/kubernetes: nothing makes the {kind} {name}" for kind, name in sorted(used - made)]
    wrong += [f"{manifest.path}: the README builds {sorted(images)}, not {image}" for manifest in manifests
              for image in names_in(manifest.tree, "image") if image not in images]
    applied = {word for words in lines for word in words if word.endswith(".yaml")}
    return wrong + [f"{path}: the README does not apply it" for path in sorted({manifest.path for manifest in manifests} - applied)]


def find_python():
    """Returns a Python with PyYAML, or None: this one, or that of subprojects/setup."""
    cache = os.environ.get("PERCALE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "percale")
    for python in (sys.executable, os.path.join(cache, "python-packages", "bin", "python")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import yaml"], capture_output=True).returncode == 0:
            return python
    return None


def main(build, source):
    python = find_python()
    if python is None:
        print("no Python with PyYAML; `sh subprojects/setup --tests` brings it")
        return SKIP
    if python != sys.executable:
        return subprocess.run([python, *sys.argv]).returncode
    program, manifests = Program(build, source), load(source)
    wrong = [mistake for manifest in manifests for mistake in manifest.check()]
    if wrong:
        return finish(wrong, "")
    for where, container, pod in commands(manifests):
        wrong += check_container(where, container, pod, program)
    for manifest in manifests:
        for spec, name in manifest.jobs():
            wrong += check_group(manifest, spec, name)
    wrong += check_made(source, manifests) + check_dockerfile(source, program, "samples/kubernetes/Dockerfile") + check_readme(source, program, "kubernetes")
    return finish(wrong, f"{len(manifests)} manifests are right")


if __name__ == "__main__":
    sys.exit(main(*map(os.path.abspath, sys.argv[1:])))
