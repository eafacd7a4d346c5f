"""Tests the program as people and scripts use it: help, exit codes, errors, JSON.
Usage: cli_test.py PERCALE"""
import json
import os
import subprocess
import tempfile
import unittest

import program
from program import percale

COMMANDS = ["info", "list", "ops", "show", "plan", "kernels", "run", "bench", "test", "train", "evaluate", "trace", "check", "import",
            "export"]


class Basics(unittest.TestCase):
    def test_every_command_has_help(self):
        overview = percale("--help").stdout
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", overview)
            text = percale(command, "--help").stdout
            self.assertIn(f"usage: percale {command} ", text)
            self.assertIn("--threads", text)

    def test_usage_errors_end_with_2(self):
        percale(code=2)
        self.assertIn("unknown command 'trane'", percale("trane", code=2).stderr)
        self.assertIn("did you mean '--threads'", percale("info", "--thread", "1", code=2).stderr)
        for command in COMMANDS:
            if command not in ("info", "list", "ops"):
                percale(command, code=2)
        percale("info", "more", code=2)
        percale("info", "--threads", code=2)
        percale("bench", "model", "--runs", "none", code=2)
        percale("run", "model", code=2)
        self.assertIn("did you mean 'train'?", percale("trian", code=2).stderr)
        self.assertNotIn("did you mean", percale("serve-models", code=2).stderr)
        percale("help", "trian", code=2)

    def test_wrong_values_of_flags_end_with_2_and_name_the_flag(self):
        for arguments, told in ((["--threads", "many"], "--threads: option 'threads': 'many' is no integer"),
                                (["--devices", "nope:0"], "--devices: devices: there is no nope:0"),
                                (["--memory-limit", "much"], "--memory-limit"), (["--log", "loud"], "--log"),
                                (["--option", "isaa=auto"], "did you mean 'isa'?"), (["--option", "isa=sse9"], "--option"),
                                (["--plugin", "/nowhere/libpercale_x.so"], "--plugin: plug-in /nowhere/libpercale_x.so: no such file"),
                                (["--plugin", os.devnull], "--plugin: plug-in " + os.devnull)):
            self.assertIn(told, percale("info", *arguments, code=2).stderr)
        # The path is right, the file is not.
        file = os.path.abspath(__file__)
        self.assertIn(f"plug-in {file}: ", percale("info", "--plugin", file, code=1).stderr)

    def test_sizes_have_units(self):
        for text, wanted in (("1GB", 10**9), ("2GiB", 2**31), ("1.5MB", 1500000), ("4096", 4096)):
            self.assertEqual(json.loads(percale("info", "--json", "--memory-limit", text).stdout)["memory"]["limit"], wanted)

    def test_help_tells_of_a_command(self):
        self.assertEqual(percale("help", "train").stdout, percale("train", "--help").stdout)

    def test_flags_that_set_options_have_their_docs(self):
        """Line breaks aside, the help of a flag holds what `percale list` prints of its option."""
        flags = {("engine", key): "info" for key in ("threads", "devices", "memory_limit", "deterministic", "log")}
        flags.update({("trainer", key): "train" for key in ("epochs", "seed", "shards", "mode")})
        flags["session", "costs"] = "plan"
        for (kind, key), command in flags.items():
            text = " ".join(percale("help", command).stdout.split())
            facts, doc = percale("list", kind, key).stdout.split("\n", 1)
            self.assertIn(f"--{key.replace('_', '-')} ", text)
            self.assertIn(" ".join(doc.split()), text)
            self.assertIn(f"({' '.join(facts.split()[1:])})", text)

    def test_json_is_one_value_whatever_goes_wrong(self):
        for arguments, code in ((["info", "--threads", "many"], 2), (["info", "--what"], 2), (["show", "/nowhere.percale"], 1),
                                (["ops", "Nope"], 1), (["check", b"/nowhere/\xff\x1b.percale"], 1), (["train", os.devnull], 1),
                                (["trane"], 2), (["help", "trane"], 2), (["--help", "trane"], 2), ([], 2)):
            result = subprocess.run([program.PATH, *arguments, "--json"], capture_output=True, timeout=60, check=False)
            self.assertEqual(result.returncode, code, arguments)
            value = json.loads(result.stdout.decode("utf-8"))
            if arguments[:1] != ["check"]:
                self.assertIn(value["error"]["message"], result.stderr.decode("utf-8"))
                self.assertTrue(value["error"]["code"])

    def test_json_is_one_value_for_texts_too(self):
        for arguments, key in ((["help", "train"], "help"), (["train", "--help"], "help"), (["--help"], "help"), (["--version"], "version")):
            value = json.loads(percale(*arguments, "--json").stdout)
            self.assertEqual(list(value), [key], arguments)
            self.assertIn(value[key], percale(*arguments).stdout)

    def test_ops_that_are_not_there_name_a_similar_one(self):
        self.assertIn("did you mean 'Softmax'?", percale("ops", "Sofmax", code=1).stderr)
        self.assertNotIn("did you mean", percale("ops", "Zzzzzzzzz", code=1).stderr)

    def test_a_terminal_gets_no_control_characters_of_names(self):
        for command in ("check", "show"):
            shown = program.on_terminal(command, "/nowhere/\x1b]0;evil\x07.percale", code=1)
            self.assertIn(b"\\x1b]0;evil\\x07", shown)
            self.assertNotIn(b"\x07", shown)

    def test_failures_end_with_1_and_say_why_on_stderr(self):
        result = percale("show", "/nowhere.percale", code=1)
        self.assertIn("/nowhere.percale", result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertNotIn("\033", result.stderr)

    def test_foreign_models_that_are_not_there_are_named(self):
        for arguments in (["import", "/nowhere.onnx", "b.percale"], ["export", "/nowhere.percale", "b.onnx"], ["show", "/nowhere.onnx"], ["test", "/nowhere"]):
            self.assertIn("/nowhere", percale(*arguments, code=1).stderr)

    def test_info_names_no_plugin_that_was_not_built(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(folder, "build", "libpercale_gone.so"), os.path.join(folder, "libpercale_gone.so"))
            self.assertNotIn("gone", percale("info", "--plugin", folder).stdout)
        for plugin in json.loads(percale("info", "--json").stdout)["plugins"]:
            self.assertTrue(os.path.exists(plugin["path"]), plugin)

    def test_info_and_ops_are_json_when_asked(self):
        info = json.loads(percale("info", "--json", "--threads", "2", "--devices", "cpu=2x1").stdout)
        self.assertEqual(info["threads"], 2)
        self.assertEqual([device["name"] for device in info["devices"]], ["cpu:0", "cpu:1"])
        self.assertIn("fingerprint", percale("info").stdout)
        ops = json.loads(percale("ops", "--json").stdout)
        for key in ("name", "domain", "since", "inputs", "attributes", "outputs", "gradient", "devices"):
            self.assertTrue(all(key in op for op in ops), key)
        self.assertEqual({op["gradient"] for op in ops} - {"yes", "none", "zero"}, set())
        self.assertEqual(json.loads(percale("ops", "Conv", "--json").stdout)[0]["name"], "Conv")
        self.assertIn("gradient yes", percale("ops", "Conv").stdout)
        self.assertRegex(percale("ops", "Relu").stdout, r"(?m)^  output +Y +T$")
        percale("ops", "Convv", code=1)


if __name__ == "__main__":
    program.main()
