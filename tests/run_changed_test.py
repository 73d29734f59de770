#!/usr/bin/env python3
"""Tests run_changed.py: which changes make a test run again. The repository is a copy of the script with a few files, and
its tests are written as CMake writes them.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "run_changed.py"


class Selection(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(os.path.realpath(temporary.name), "repository")
        self.build = self.root / "build/dev"
        self.build.mkdir(parents=True)
        self.write("tests/run_changed.py", SCRIPT.read_text())
        self.tests = ""

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def program(self, name, commands="true"):
        """Makes a program in the build folder that records that it ran."""
        return self.write(f"build/dev/{name}", f"#!/bin/sh\necho {name} >>{self.root}/build/ran\n{commands}\n")

    def add(self, name, *command, **properties):
        words = " ".join(f"[=[{word}]=]" for word in command)
        self.tests += f"add_test([=[{name}]=] {words})\n"
        for key, value in properties.items():
            self.tests += f"set_tests_properties([=[{name}]=] PROPERTIES {key} [=[{value}]=])\n"
        (self.build / "CTestTestfile.cmake").write_text(self.tests)

    def run_script(self, *arguments, **environment):
        variables = {name: text for name, text in os.environ.items() if not name.startswith("LAUNCHBOX_")}
        return subprocess.run([sys.executable, str(self.root / "tests/run_changed.py"), str(self.build), *arguments],
                              env={**variables, **environment}, capture_output=True, text=True)

    def ran(self, *arguments, status=0, **environment):
        """The programs that ran."""
        noted = self.root / "build/ran"
        noted.unlink(missing_ok=True)
        done = self.run_script(*arguments, **environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return sorted(noted.read_text().split()) if noted.exists() else []

    def test_passed_tests_do_not_run_again_and_their_number_is_printed(self):
        self.add("one", self.program("a"))
        self.add("two", self.program("b"))
        self.assertEqual(self.ran(), ["a", "b"])
        self.assertEqual(self.ran(), [])
        self.assertIn("2 tests passed before", self.run_script().stdout)
        self.assertIn("1 tests passed before", self.run_script("-R", "one").stdout)
        self.assertNotIn("passed before", self.run_script("-R", "none").stdout)
        self.assertEqual(self.ran("--rerun", "-R", "one"), ["a"])
        self.assertEqual(self.ran("--rerun", "-R", "two"), ["b"])
        self.assertEqual(self.ran("--rerun", "-E", "one"), ["b"])
        self.assertEqual(self.ran("-I", "2,2"), ["b"])
        self.program("b", "true # another build")
        self.assertEqual(self.ran("-R", "two"), ["b"])
        self.assertEqual(self.ran("--rerun"), ["a", "b"])
        self.assertEqual(self.ran("-N"), [])

    def test_only_tests_of_a_changed_program_run_again(self):
        self.add("one", self.program("a"))
        self.add("two", self.program("b"))
        self.ran()
        self.program("a", "true # another build")
        self.assertEqual(self.ran("-R", "two"), [])
        self.assertEqual(self.ran(), ["a"])
        os.utime(self.build / "a")  # linked again, with the same content
        self.assertEqual(self.ran(), [])

    def test_required_files_count_and_folders_as_a_whole(self):
        self.add("one", self.program("a"), REQUIRED_FILES=f"{self.program('tool')};{self.root}/docs")
        self.write("docs/deep/page.md", "1")
        self.add("two", self.program("b"))
        self.ran()
        self.program("tool", "true # another build")
        self.assertEqual(self.ran(), ["a"])
        self.write("docs/deep/page.md", "2")
        self.assertEqual(self.ran(), ["a"])
        self.write("docs/new", "")
        self.assertEqual(self.ran(), ["a"])

    def test_a_file_that_no_test_names_counts_for_all_unless_it_is_compiled_or_a_document(self):
        self.add("one", self.program("a"))
        self.ran()
        for name in ("src/tune/build/x.cpp", "tests/x/x_test.cpp", "docs/x.md", "README.md", "bench/x", "build/other/x"):
            self.write(name, "1")
            self.assertEqual(self.ran(), [], name)
        for name in ("tests/data/x.cpp", "include/launchbox/x.hpp", "examples/build/x.cu", "schema/x.json", "measurements/x.md"):
            self.write(name, "1")
            self.assertEqual(self.ran(), ["a"], name)
            (self.root / name).unlink()
            self.assertEqual(self.ran(), ["a"], name)

    def test_scripts_count_for_the_tests_next_to_them(self):
        for folder in ("own", "other"):
            script = self.write(f"tests/{folder}/test.sh.py", f"echo {folder} >>{self.root}/build/ran\n")
            self.add(folder, "/bin/sh", script)
        self.assertEqual(self.ran(), ["other", "own"])
        self.write("tests/other/used.py", "1")
        self.assertEqual(self.ran(), ["other"])

    def test_command_properties_and_environment_count(self):
        self.add("one", self.program("a"))
        self.ran()
        self.assertEqual(self.ran(CUDA_HOME="/elsewhere"), ["a"])
        self.assertEqual(self.ran(CUDA_HOME="/elsewhere"), [])
        self.tests = ""
        self.add("one", self.program("a"), "word")
        self.assertEqual(self.ran(CUDA_HOME="/elsewhere"), ["a"])
        self.tests = ""
        tool = self.program("tool")
        self.add("one", self.program("a"), f"-DTOOL={tool}")
        self.ran(CUDA_HOME="/elsewhere")
        self.program("tool", "true # another build")
        self.assertEqual(self.ran(CUDA_HOME="/elsewhere"), ["a"])
        self.tests = ""
        self.add("one", self.program("a"), "word")
        self.add("one", self.program("a"), "word", WORKING_DIRECTORY=self.root)
        self.assertEqual(self.ran(LAUNCHBOX_SEED="1"), ["a", "a"])  # two of one name
        self.assertEqual(self.ran(LAUNCHBOX_SEED="1"), ["a", "a"])

    def test_tests_that_failed_or_skipped_something_run_again(self):
        self.add("failed", self.program("failed", "exit 1"))
        self.add("skipped", self.program("skipped", "exit 77"), SKIP_RETURN_CODE=77)
        long_output = "for i in $(seq 3000); do echo a line; done"
        self.add("in_part", self.program("in_part", f"{long_output}; echo '[  SKIPPED ] a.case'; {long_output}"))
        self.add("passed", self.program("passed", long_output))
        self.add("twice", self.program("first"))
        self.add("twice", self.program("second", "exit 1"))
        self.assertEqual(self.ran(status=8), ["failed", "first", "in_part", "passed", "second", "skipped"])
        self.assertEqual(self.ran(status=8), ["failed", "first", "in_part", "second", "skipped"])

    def test_an_interrupted_run_does_not_count(self):
        self.add("one", self.program("a"))
        self.ran()
        started = self.root / "build/started"
        os.mkfifo(started)
        self.program("a", f"if [ -p {started} ]; then echo >{started}; exec sleep 600; fi")
        running = subprocess.Popen([sys.executable, str(self.root / "tests/run_changed.py"), str(self.build)],
                                   start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        started.read_text()
        os.killpg(running.pid, signal.SIGINT)
        self.assertEqual(running.wait(), 130)
        started.unlink()
        self.assertEqual(self.ran(), ["a"])

    def test_the_report_of_an_earlier_run_does_not_count(self):
        self.add("one", self.program("a"))
        self.ran()
        self.program("a", "kill -KILL $PPID")
        self.assertNotEqual(self.run_script().returncode, 0)
        self.assertNotEqual(self.run_script().returncode, 0)
        self.program("a")
        self.ran()
        self.assertEqual(self.ran(), [])

    def test_any_output_of_a_test_can_be_parsed(self):
        self.add("one", self.program("a", r"printf '\000\001\377<]]>&\n'"))
        self.ran()
        self.assertEqual(self.ran(), [])


if __name__ == "__main__":
    unittest.main()
