"""Tests the script that runs the tests of Java, without a JDK."""
import collections
import contextlib
import io
import tempfile
import unittest
from unittest import mock

import check

Result = collections.namedtuple("Result", "returncode stdout")


class OldJdk(unittest.TestCase):
    def run_check(self, what, jdks, said):
        """Returns the exit code, what was printed, and the JAVA_HOME that Maven got."""
        homes = []

        def maven(arguments, folder, env):
            homes.append(env.get("JAVA_HOME"))
            return Result(1, said)

        printed = io.StringIO()
        with tempfile.TemporaryDirectory() as build, mock.patch.object(check, "find_jdks", lambda: jdks), \
                mock.patch.object(check, "maven", maven), contextlib.redirect_stdout(printed):
            try:
                code = check.main(build, build, what)
            except SystemExit as end:
                code = end.code
        return code, printed.getvalue(), homes

    def test_it_is_refused_also_where_it_is_the_only_one(self):
        said = "Percale is built with a JDK of 22 or newer, this one is 17"
        for jdks in ([(17, "/old")], [(0, ""), (25, "/new"), (17, "/old")]):
            self.assertEqual(self.run_check("old_jdk", jdks, said), (0, "", ["/old"]))
        self.assertEqual(self.run_check("old_jdk", [(17, "/old")], "no such file")[0], 1)

    def test_without_an_old_one_the_test_is_skipped(self):
        for jdks in ([(0, "")], [(25, "/new")]):
            code, printed, homes = self.run_check("old_jdk", jdks, "")
            self.assertEqual((code, homes), (check.SKIP, []))
            self.assertIn("no JDK older than 22 is here", printed)

    def test_the_other_tests_are_skipped_with_an_old_one(self):
        for what in ("test", "jni", "stress", "lint"):
            code, printed, homes = self.run_check(what, [(17, "/old")], "")
            self.assertEqual((code, homes), (check.SKIP, []))
            self.assertIn("the newest here is 17", printed)

    def test_the_jni_layer_is_skipped_without_a_library_or_an_older_java(self):
        with tempfile.TemporaryDirectory() as build, contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertRaises(SystemExit, check.jni_library, build)
            self.assertIn("set-up found no jni.h", printed.getvalue())
        with mock.patch.object(check, "find_jdks", lambda: [(25, "/new"), (11, "/old"), (21, "/b"), (17, "/a")]):
            self.assertEqual(check.find_older_jdk(), "/a")
        with mock.patch.object(check, "find_jdks", lambda: [(25, "/new"), (11, "/old")]), contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertRaises(SystemExit, check.find_older_jdk)
            self.assertIn("no JDK of 17 to 21", printed.getvalue())

class Offline(unittest.TestCase):
    def test_what_is_not_there_is_fetched(self):
        for said in ("Could not resolve dependencies", "a plugin could not be resolved",
                     "Cannot access central (https://maven.example) in offline mode and the artifact a:b has not been downloaded"):
            calls, results = [], [Result(1, said), Result(0, "")]
            with mock.patch.object(check.shutil, "which", lambda name: name), \
                    mock.patch.object(check, "run", lambda command, folder, env: calls.append(command) or results.pop(0)):
                self.assertEqual(check.maven(["test"], ".", {}).returncode, 0)
            self.assertEqual(["-o" in command for command in calls], [True, False])


if __name__ == "__main__":
    unittest.main()
