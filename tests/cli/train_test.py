"""Tests `percale train`: results, SPECs, formats of data, and the files that it writes.
Usage: train_test.py PERCALE"""
import json
import os
import re
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import program  # noqa: E402
from npy import npy_of, write_npy  # noqa: E402
from program import percale  # noqa: E402
from small_job import SPEC  # noqa: E402
from trained_job import TrainedJob  # noqa: E402


class Training(TrainedJob):
    def test_training_writes_what_it_says(self):
        self.assertRegex(self.trained.stdout, r"digest sha256:[0-9a-f]{64}\n")
        self.assertRegex(self.trained.stdout.strip().splitlines()[-1], r"^test .*accuracy (1|0\.9)")
        self.assertEqual(len(re.findall(r"^epoch \d/3 ", self.trained.stderr, re.M)), 3)
        for name in ("model.percale", "history.csv", "loss.svg", "step-39"):
            self.assertTrue(os.path.exists(os.path.join(self.out, name)), name)
        with open(os.path.join(self.out, "history.csv"), encoding="utf-8") as lines:
            rows = lines.read().splitlines()
        self.assertEqual(rows[0], "epoch,step,loss,learning_rate,seconds,accuracy")
        self.assertEqual(len(rows), 1 + 39)
        self.assertTrue(rows[1].startswith("1,1,") and rows[1].endswith(","))
        self.assertFalse(rows[13].endswith(","))

    def test_json_is_one_object(self):
        result = json.loads(percale("train", self.spec, "--json").stdout)
        self.assertEqual(set(result), {"steps", "loss", "metrics", "digest", "seconds", "images_per_second", "checkpoint",
                                       "ended_by", "parallel", "parameter_placement", "devices", "run"})
        self.assertEqual(result["steps"], 39)
        self.assertIsNone(result["checkpoint"])

    def test_threads_do_not_change_the_digest_and_the_seed_does(self):
        self.assertEqual(self.digest("--threads", "1"), self.digest("--threads", "3"))
        self.assertIn(self.digest(), self.trained.stdout)
        self.assertNotEqual(self.digest("--seed", "2"), self.digest())

    def test_null_is_an_omitted_key_of_a_spec(self):
        self.assertIn("percale list spec", percale("train", "--help").stdout)
        for key in json.loads(percale("list", "spec", "--json").stdout):
            if key["name"] not in SPEC:
                percale("train", self.write_spec("key.json", SPEC | {key["name"]: None}))

    def test_a_trained_model_is_the_beginning_of_another(self):
        head = {key: SPEC[key] for key in SPEC if key not in ("model", "input_shape")} | {
            "model": "out/model.percale", "outputs": "dense", "freeze": "dense/*",
            "head": [{"layer": "Dense", "units": 2, "name": "again"}]}
        spec = self.write_spec("head.json", head)
        out = os.path.join(self.path, "head")
        result = json.loads(percale("train", spec, "--out", out, "--json").stdout)
        self.assertGreater(result["metrics"]["accuracy"], 0.9)
        model = json.loads(percale("show", os.path.join(out, "model.percale"), "--json").stdout)
        self.assertNotIn("dense_1/kernel", json.dumps(model))
        self.assertIn("again/kernel", json.dumps(model))
        import_error = percale("train", self.write_spec("onnx.json", head | {"model": "x.onnx"}), code=1).stderr
        self.assertRegex(import_error, "x.onnx")
        head["outputs"] = "dens"
        self.assertIn("'dense'", percale("train", self.write_spec("wrong.json", head), code=1).stderr)

    def test_what_is_no_spec_is_told_so(self):
        onnx = os.path.join(self.path, "model.onnx")
        with open(onnx, "wb") as out:
            out.write(b"\x08\x07\x12\x04test")
        told = percale("train", onnx, code=1).stderr
        self.assertIn(f"{onnx}: this is not a SPEC", told)
        self.assertIn('"model"', told)
        self.assertIn("this is not a SPEC", percale("train", self.model, code=1).stderr)
        wrong = self.write_spec("wrong word.json", SPEC | {"optimizer": "sdg"})
        self.assertRegex(percale("train", wrong, code=1).stderr, r"wrong word\.json: line 1, column \d+: .*did you mean 'sgd'\?")
        missing = self.write_spec("without data.json", SPEC | {"data": {"train": {"x": "nowhere.idx", "y": "y.idx"}}})
        self.assertIn("without data.json: ", percale("train", missing, code=1).stderr)

    def test_what_cannot_be_written_says_why_and_leaves_no_part_of_it(self):
        path = os.path.join(self.path, "no folder", "trace.json")
        told = percale("train", self.spec, "--trace", path, code=1).stderr
        self.assertIn(f"{path}: cannot be written: No such file or directory", told)
        out = os.path.join(self.path, "drawing.svg")
        percale("show", self.model, "--svg", out)
        self.assertEqual([name for name in os.listdir(self.path) if name.endswith(".part")], [])
        if os.path.exists("/dev/full"):
            self.assertIn("/dev/full: cannot be written: No space left", percale("show", self.model, "--svg", "/dev/full", code=1).stderr)

    def test_a_wrong_spec_names_the_nearest_word(self):
        wrong = self.write_spec("wrong.json", dict(SPEC, epoch=1))
        self.assertIn("epochs", percale("train", wrong, code=1).stderr)
        with open(os.path.join(self.path, "broken.json"), "w", encoding="utf-8") as out:
            out.write("{")
        self.assertIn("line 1", percale("train", os.path.join(self.path, "broken.json"), code=1).stderr)
        self.assertIn("UNIMPLEMENTED", percale("train", self.write_spec("add.json", SPEC | {"accumulation": 2}), "--mode", "async",
                                               code=1).stderr)
        percale("train", self.spec, "--checkpoint-every", "5", code=2)

    def test_every_kind_of_data_file_gives_the_same_training(self):
        with open(os.path.join(self.path, "x.idx"), "rb") as file:
            pixels = list(file.read()[16:])
        with open(os.path.join(self.path, "y.idx"), "rb") as file:
            labels = list(file.read()[8:])
        x, y = npy_of("u1", [200, 4, 4], pixels), npy_of("i8", [200], labels)
        for name, method in (("stored.npz", zipfile.ZIP_STORED), ("deflated.npz", zipfile.ZIP_DEFLATED)):
            with zipfile.ZipFile(os.path.join(self.path, name), "w", method) as archive:
                for member, data in (("x.npy", x), ("y.npy", y)):
                    with archive.open(member, "w", force_zip64=True) as out:
                        out.write(data)
        for part, (begin, end) in enumerate(((0, 60), (60, 61), (61, 200))):
            write_npy(os.path.join(self.path, f"x{part}.npy"), "u1", [end - begin, 4, 4], pixels[16 * begin:16 * end])
        header = json.dumps({"y": {"dtype": "U8", "shape": [200], "data_offsets": [0, 200]}}).encode()
        with open(os.path.join(self.path, "y.safetensors"), "wb") as out:
            out.write(struct.pack("<Q", len(header)) + header + bytes(labels))
        single = lambda value: struct.unpack("<f", struct.pack("<f", value))[0]
        with open(os.path.join(self.path, "both.csv"), "w", encoding="utf-8") as out:
            out.write(",".join(f"p{i}" for i in range(16)) + ",label\n")
            for row in range(200):
                numbers = [repr(single(p * single(1 / 255))) for p in pixels[16 * row:16 * row + 16]]
                out.write(",".join(numbers) + f",{labels[row]}\n")
        scale = {"scale": 1 / 255}
        wanted = self.digest()
        for name, data in (("npz", {"x": "stored.npz", "y": "stored.npz"} | scale),
                           ("deflated", {"x": "deflated.npz#x", "y": "deflated.npz"} | scale),
                           ("parts", {"x": ["x0.npy", "x1.npy", "x2.npy"], "y": "y.safetensors"} | scale),
                           ("csv", {"x": "both.csv", "y": "both.csv"}),
                           ("named", {"x": "both.csv#" + ",".join(f"p{i}" for i in range(16)), "y": "both.csv#label"})):
            spec = self.write_spec(name + ".json", dict(SPEC, data={"train": data}))
            result = json.loads(percale("train", spec, "--json", "--threads", "2").stdout)
            self.assertEqual(result["digest"], wanted, name)
        with open(os.path.join(self.path, "deflated.npz"), "r+b") as file:
            file.seek(100)
            byte = file.read(1)
            file.seek(100)
            file.write(bytes([byte[0] ^ 1]))
        spec = self.write_spec("flipped.json", dict(SPEC, data={"train": {"x": "deflated.npz", "y": "deflated.npz"}}))
        self.assertRegex(percale("train", spec, code=1).stderr, r"deflated\.npz: 'x\.npy': (the checksum is wrong|the compressed data)")

    def test_the_nodes_of_each_step_can_be_traced(self):
        path = os.path.join(self.path, "steps.json")
        steps = json.loads(percale("train", self.spec, "--trace", path, "--json").stdout)["steps"]
        with open(path, encoding="utf-8") as file:
            spans = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        self.assertGreaterEqual(sum("Grad" in span["name"] for span in spans), steps)

    def test_tensorboard_gets_a_file_of_records_under_checksums(self):
        folder = os.path.join(self.path, "board")
        percale("train", self.spec, "--tensorboard", folder)
        names = os.listdir(folder)
        self.assertEqual(len(names), 1)
        self.assertTrue(names[0].startswith("events.out.tfevents."))
        with open(os.path.join(folder, names[0]), "rb") as file:
            data = file.read()
        at, records = 0, []
        while at < len(data):
            (size,) = struct.unpack_from("<Q", data, at)
            records.append(data[at + 12:at + 12 + size])
            at += 16 + size
        self.assertEqual(at, len(data))
        self.assertEqual(len(records), 1 + 39)
        self.assertIn(b"brain.Event:2", records[0])
        self.assertEqual(sum(b"accuracy" in record for record in records), 3)


if __name__ == "__main__":
    program.main()
