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
        said = "Percale needs a JDK of 22 or newer, this one is 17"
        for jdks in ([(17, "/old")], [(0, ""), (25, "/new"), (17, "/old")]):
            self.assertEqual(self.run_check("old_jdk", jdks, said), (0, "", ["/old"]))
        self.assertEqual(self.run_check("old_jdk", [(17, "/old")], "no such file")[0], 1)

    def test_without_an_old_one_the_test_is_skipped(self):
        for jdks in ([(0, "")], [(25, "/new")]):
            code, printed, homes = self.run_check("old_jdk", jdks, "")
            self.assertEqual((code, homes), (check.SKIP, []))
            self.assertIn("no JDK older than 22 is here", printed)

    def test_the_other_tests_are_skipped_with_an_old_one(self):
        for what in ("test", "stress", "lint"):
            code, printed, homes = self.run_check(what, [(17, "/old")], "")
            self.assertEqual((code, homes), (check.SKIP, []))
            self.assertIn("the newest here is 17", printed)


if __name__ == "__main__":
    unittest.main()
