#!/usr/bin/env python3
"""algorithms/tune_all from candidates to checked headers, with a program that stands in for nvcc, and a driver without a GPU.

    tune_all_test.py REPOSITORY LAUNCHBOX FOLDER_OF_THE_DRIVER
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY, LAUNCHBOX, DRIVER = (os.path.abspath(each) for each in sys.argv[1:4])
del sys.argv[1:4]

# Makes a program that prints a time that depends on row and size; the row in BEST takes half of it.
NVCC = r"""#!PYTHON
import os, sys
if "--version" in sys.argv:
    sys.exit(print("Cuda compilation tools, release 13.0, V13.0.88"))
assert any(word.startswith("-arch=sm_") for word in sys.argv) and "-DVALUE=u64" in sys.argv
assert "-DKEY=u64" in sys.argv or "-DKEY=c32" in sys.argv
row = next(word for word in sys.argv if word.startswith("-DROW="))[6:].replace("\\", "")
program = sys.argv[sys.argv.index("-o") + 1]
open(program, "w").write("#!PYTHON\nrow = " + repr(row) + '''
import json, sys
n = int(sys.argv[1])
time = n * (1e-6 if row == BEST[n > 262144] else 2e-6)
print(json.dumps({"launchbox": "measurement/1", "time_ms": [time * (1 + i / 1000) for i in range(8)], "checksum": "7"}))
''')
os.chmod(program, 0o755)
"""
FIRST = ["256,8,2,32", "128,16,5,16"]  # up to 262,144 elements, and above
OTHER = ["256,8,2,32", "256,16,3,16"]


class TuneAll(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        for each in ("algorithms", os.path.join("include", "launchbox", "tunings"),
                     os.path.join("include", "launchbox", "algorithms")):
            shutil.copytree(os.path.join(REPOSITORY, each), os.path.join(self.root, each))
        # Pretends that nothing was measured: the shipped records would change the expected results.
        self.header = os.path.join(self.root, "include", "launchbox", "tunings", "merge_sort.hpp")
        text = self.text()
        text = re.sub(r"    // measured: .*\n(?:    // .*\n)*.*\n", "", text)
        with open(self.header, "w", encoding="utf-8") as file:
            file.write(text)
        os.mkdir(os.path.join(self.root, "tools"))
        self.best_is(FIRST)

    def best_is(self, best):
        path = os.path.join(self.root, "tools", "nvcc")
        with open(path, "w", encoding="utf-8") as file:
            file.write(NVCC.replace("PYTHON", sys.executable).replace("BEST", repr(best)))
        os.chmod(path, 0o755)

    def text(self):
        with open(self.header, encoding="utf-8") as file:
            return file.read()

    def tune_all(self, *words):
        environment = {**os.environ, "LD_LIBRARY_PATH": DRIVER, "XDG_CACHE_HOME": os.path.join(self.root, "cache"),
                       "PATH": os.path.join(self.root, "tools") + ":" + os.environ["PATH"]}
        return subprocess.run([sys.executable, os.path.join(self.root, "algorithms", "tune_all"), "--launchbox", LAUNCHBOX,
                               "--only", "merge_sort_k8_v8", *words], capture_output=True, text=True, env=environment)

    def test_rows_are_written_to_the_header_and_better_ones_replace_them(self):
        done = self.tune_all()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        tables = re.findall(r"^// table merge_sort_k8_v8_.*?^#endif", self.text(), re.M | re.S)
        rows = re.findall(r"launchbox::sm<90, merge_sort_row(\{.*?\})>", "".join(tables))
        self.assertEqual(rows, ["{256, 8, 2, 32}", "{128, 16, 5, 16}"])
        self.assertIn("2 rows are what their record says", done.stdout)
        self.assertRegex(self.text(), r"// measured: Double, driver 13\.0, nvcc 13\.0\.88, 20")

        again = self.tune_all("--again", "--seed", "2", "-o", os.path.join(self.root, "again"))
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertEqual(again.stdout.count("nothing better by 1 %"), 2, again.stdout)

        header = self.text()
        self.best_is(OTHER)
        again = self.tune_all("--again", "--seed", "3", "-o", os.path.join(self.root, "third"))
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertRegex(again.stdout, r"merge_sort_k8_v8_above_262144: 100\.0 % better than \{128, 16, 5, 16\}")
        self.assertEqual(self.text(), header)

        # An edited row is detected.
        with open(self.header, "w", encoding="utf-8") as file:
            file.write(header.replace("sm<90, merge_sort_row{128, 16, 5, 16}", "sm<90, merge_sort_row{128, 16, 1, 16}"))
        check = subprocess.run([LAUNCHBOX, "emit", "--check", "-o", self.header], cwd=self.root, capture_output=True, text=True)
        self.assertEqual(check.returncode, 1)

    def test_a_missing_table_is_named(self):
        done = self.tune_all("merge_sort_k3")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no table merge_sort_k3; there are: merge_sort_k4,", done.stderr)


if __name__ == "__main__":
    unittest.main()
