"""Every public name is documented, the programs of the README run, and the stubs match the modules.
"""
import ast
import contextlib
import importlib
import importlib.metadata
import inspect
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import percale
from percale import keras, ops

ROOT = pathlib.Path(percale.__file__).parent
STUBS = sorted(ROOT.rglob("*.pyi"))
KINDS = inspect.Parameter


def public(scope):
    """Returns {name: value} of the public names."""
    return {name: value for name, value in vars(scope).items() if not name.startswith("_")}


def module_of(stub):
    """Returns the name of the module that a stub describes."""
    parts = stub.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def classes_and_functions():
    """Yields (name, value) of everything that the package offers."""
    for name in percale.__all__:
        yield f"percale.{name}", getattr(percale, name)
    for module in (keras, keras.callbacks, keras.layers, keras.models, keras.optimizers.schedules, keras.strategies, ops, percale.dtypes):
        for name, value in public(module).items():
            if getattr(value, "__module__", None) == module.__name__:
                yield f"{module.__name__}.{name}", value


def unwrapped(value):
    """Returns the function behind a property, a class method or a static method."""
    return value.fget if isinstance(value, property) else getattr(value, "__func__", value)


def parameters_of(function):
    """Returns [(name, kind, True if it is optional)] from the signature."""
    found = inspect.signature(inspect.unwrap(function)).parameters.values()
    return [(p.name, p.kind, p.default is not p.empty) for p in found]


def parameters_in(stub):
    """Returns the same for a function in a stub."""
    given = stub.args
    both = given.posonlyargs + given.args
    late = len(both) - len(given.defaults)
    kinds = [KINDS.POSITIONAL_ONLY] * len(given.posonlyargs) + [KINDS.POSITIONAL_OR_KEYWORD] * len(given.args)
    out = [(a.arg, kind, i >= late) for i, (a, kind) in enumerate(zip(both, kinds))]
    out += [(given.vararg.arg, KINDS.VAR_POSITIONAL, False)] if given.vararg else []
    out += [(a.arg, KINDS.KEYWORD_ONLY, d is not None) for a, d in zip(given.kwonlyargs, given.kw_defaults)]
    return out + ([(given.kwarg.arg, KINDS.VAR_KEYWORD, False)] if given.kwarg else [])


class Documentation(unittest.TestCase):
    def test_every_public_name_has_a_docstring(self):
        missing, count = [], 0
        for name, value in classes_and_functions():
            members = public(value).items() if inspect.isclass(value) else ()
            named = [(name, value)] + [(f"{name}.{m}", unwrapped(v)) for m, v in members if inspect.isroutine(unwrapped(v))]
            missing += [n for n, v in named if (callable(v) or inspect.ismodule(v)) and not (v.__doc__ or "").strip()]
            count += len(named)
        self.assertEqual(missing, [])
        self.assertGreater(count, 300)


class Readme(unittest.TestCase):
    def test_its_programs_run(self):
        text = (pathlib.Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
        programs = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertGreater(len(programs), 6)
        random = np.random.default_rng(1)
        x = random.standard_normal((256, 4)).astype(np.float32)
        known = {"images": x[:1], "x": x, "y": np.abs(x).argmax(1), "x_test": x[:64], "y_test": np.abs(x[:64]).argmax(1)}
        data = dict(known)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                np.save("images.npy", x)
                np.save("labels.npy", data["y"])
                engine = percale.Engine(threads=1)
                b = percale.Builder(engine)
                b.outputs(ops.Exp(b, b.input("x", [-1, 4]), name="y"))
                graph = b.finish()
                graph.save("model.percale")
                importer = os.path.exists(os.path.join(os.path.dirname(percale.__file__), "lib/percale/libpercale_onnx.so"))
                if importer:
                    graph.export(engine, "model.onnx")
                for program in programs:
                    if not importer:
                        program = re.sub(r".*\.export\(.*\n", "", program).replace("from_onnx(", "load(").replace(".onnx", ".percale")
                    known.update(data)
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(program, known)
                self.assertEqual(known["strategy"].num_replicas_in_sync, 2)
                self.assertTrue((known["prediction"] == known["session"].run({"x": x})[known["graph"].outputs[0]].numpy()).all())
            finally:
                os.chdir(before)

    def test_the_wheel_tells_users_what_it_is_and_not_how_it_is_built(self):
        about = importlib.metadata.distribution("percale").read_text("METADATA")
        self.assertIn("pc.Session(engine, graph, pc.Variables.of(engine, graph))", about)
        self.assertIn('session.run({"x": images}', about)
        for word in ("_raw.py", "wheel.py", "bindings/"):
            self.assertNotIn(word, about)


class Modules(unittest.TestCase):
    def test_ops_and_keras_are_there_without_an_import_of_their_own_and_read_when_they_are_used(self):
        code = ("import sys, percale as pc; read = {'percale.ops', 'percale.keras', 'numpy'} & set(sys.modules); "
                "assert not read, read; assert {'ops', 'keras'} <= set(dir(pc)); pc.ops.Add, pc.keras.Sequential\n"
                "try: pc.nothing\nexcept AttributeError: print('ok')")
        folder = str(pathlib.Path(percale.__file__).parent.parent)
        ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True)
        self.assertEqual((ran.stdout, ran.stderr), ("ok\n", ""))


class Stubs(unittest.TestCase):
    def same(self, where, stub, function):
        self.assertEqual(parameters_in(stub), parameters_of(function), where)

    def test_what_a_stub_says_is_there_and_takes_these_arguments(self):
        self.assertGreater(len(STUBS), 8)
        checked = 0
        for path in STUBS:
            name = module_of(path)
            module = importlib.import_module(name)
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef):
                    self.same(f"{name}.{node.name}", node, getattr(module, node.name))
                if isinstance(node, ast.ClassDef):
                    owner = getattr(module, node.name)
                    for member in node.body:
                        if isinstance(member, ast.FunctionDef):
                            where = f"{name}.{node.name}.{member.name}"
                            self.assertIn(member.name, dir(owner), where)
                            there = inspect.getattr_static(owner, member.name)
                            sets = any(getattr(d, "attr", "") == "setter" for d in member.decorator_list)
                            self.same(where, member, there.fset if sets else unwrapped(there))
                            checked += 1
        self.assertGreater(checked, 100)

    def test_what_is_public_stands_in_a_stub(self):
        for path in STUBS:
            name = module_of(path)
            module = importlib.import_module(name)
            body = ast.parse(path.read_text(encoding="utf-8")).body
            said = {n.name: n for n in body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
            offered = [getattr(percale, n) for n in percale.__all__] + (list(public(module).values()) if name.startswith("percale.keras") else [])
            for value in offered:
                if getattr(value, "__module__", None) != name:
                    continue
                self.assertIn(value.__name__, said, path.name)
                if inspect.isclass(value):
                    own = {m.name for m in said[value.__name__].body if isinstance(m, ast.FunctionDef)}
                    own |= {m.target.id for m in said[value.__name__].body if isinstance(m, ast.AnnAssign)}
                    routines = {m for m, v in public(value).items() if inspect.isroutine(unwrapped(v))}
                    self.assertEqual(routines - own, set(), value.__name__)
        text = (pathlib.Path(percale.__file__).parent / "__init__.pyi").read_text(encoding="utf-8")
        listed = next(n for n in ast.parse(text).body if isinstance(n, ast.Assign) and n.targets[0].id == "__all__")
        self.assertEqual(ast.literal_eval(listed.value), percale.__all__)


if __name__ == "__main__":
    unittest.main()
