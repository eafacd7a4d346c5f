"""A library that this process cannot load."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest


def message_for(library):
    """Returns the error of a program whose PERCALE_LIBRARY names a file that it cannot load."""
    done = subprocess.run([sys.executable, "-c", "import percale; percale.Engine()"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PERCALE_LIBRARY": str(library), "PYTHONPATH": os.pathsep.join(sys.path)})
    return done.stderr.strip().splitlines()[-1]


class Libraries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "libpercale.so.0"

    def test_one_for_another_processor_is_named_with_both_platforms(self):
        program = bytearray(pathlib.Path(sys.executable).read_bytes())
        if program[:4] != b"\x7fELF":
            self.skipTest("this Python is no ELF file")
        program[18:20] = b"\xf3\0"  # RISC-V
        self.file.write_bytes(program)
        self.assertRegex(message_for(self.file), "ImportError: libpercale cannot be opened; .*PERCALE_LIBRARY.*"
                         f"{self.file}.*: it is for Linux on RISC-V.*, and this process runs on Linux on ")

    def test_a_file_that_is_no_library_has_no_platform(self):
        for content in (b"", b"text", b"MZ", b"\x7fELF"):
            self.file.write_bytes(content)
            said = message_for(self.file)
            self.assertRegex(said, f"ImportError: libpercale cannot be opened; .*{self.file}")
            self.assertNotIn("it is for Linux on x", said)

    def test_a_file_that_is_absent_is_named(self):
        self.assertRegex(message_for(self.file), f"ImportError: libpercale cannot be opened; .*{self.file}")


if __name__ == "__main__":
    unittest.main()
