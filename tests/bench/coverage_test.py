#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/coverage.py on two small programs that share a header: which lines were reached, by either."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "coverage.py")
FILES = {
    "include/h.hpp": "inline int twice(int a)\n{\n    if (a > 5)\n        return 10;\n    return 2 * a;\n}\n",
    "src/low/a.cpp": '#include "h.hpp"\nint main()\n{\n    return twice(0);\n}\n',
    "src/b.cpp": '#include "h.hpp"\nint never()\n{\n    return 1;\n}\nint main()\n{\n    return twice(6) - 10;\n}\n',
    "src/c.cpp": "int unused()\n{\n    return 1;\n}\n",
    "tests/t.cpp": "int tested() { return 1; }\n",
}


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        self.build = os.path.join(self.root, "build")
        os.mkdir(self.build)
        for path, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(self.root, path)), exist_ok=True)
            with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
                file.write(text)
        with open(os.path.join(self.build, "CMakeCache.txt"), "w", encoding="utf-8") as file:
            file.write(f"CMAKE_CXX_COMPILER:STRING={shutil.which('g++')}\n")
        for path in FILES:
            if path.endswith(".cpp"):
                name = os.path.basename(path)[0]
                self.run_here("g++", "--coverage", "-O0", "-I", "../include", "-c", "../" + path, "-o", name + ".o")
        for name in "ab":
            self.run_here("g++", "--coverage", name + ".o", "-o", name)

    def run_here(self, *command):
        subprocess.run(command, cwd=self.build, check=True)

    def coverage(self):
        return subprocess.run([sys.executable, SCRIPT, self.build, self.root], capture_output=True, text=True)

    def test_lines_reached_by_either_program_count_once(self):
        self.run_here("./a")
        self.run_here("./b")
        done = self.coverage()
        rows = {line.split()[0]: line.split()[1:4] for line in done.stdout.splitlines()}
        self.assertEqual(rows, {"include": ["4", "of", "4"], "src": ["2", "of", "6"], "src/low": ["2", "of", "2"],
                                "all": ["8", "of", "12"]}, done.stdout + done.stderr)
        with open(os.path.join(self.build, "coverage.txt"), encoding="utf-8") as file:
            self.assertIn("src/c.cpp", file.read())

    def test_a_build_that_was_not_run_is_an_error(self):
        done = self.coverage()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no line was reached", done.stderr)


if __name__ == "__main__":
    if not shutil.which("g++") or not shutil.which("gcov"):
        print("skipped: there is no g++ with gcov here")
        sys.exit(77)
    unittest.main()
