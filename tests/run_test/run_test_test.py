#!/usr/bin/env python3
"""Tests launchbox_run_test: which changes make a test run again. A program of four files is compiled as those of the
preset dev are.

    run_test_test.py RUN_TEST LIBRARY COMPILER      LIBRARY: liblaunchbox_executed_functions.a
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN_TEST, LIBRARY, COMPILER = (os.path.abspath(word) if "/" in word else word for word in sys.argv[1:4])
SOURCES = {
    "value.hpp": "#pragma once\nint used(); int unused(); int child();\n",
    "main.cpp": """#include "value.hpp"
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char** words)
{
    for (int i = 1; i < count; ++i) {
        if (!std::strcmp(words[i], "child") && fork() == 0) return child();
        if (!std::strcmp(words[i], "unused")) return unused();
    }
    wait(nullptr);
    return used();
}
""",
    "used.cpp": '#include "value.hpp"\nint used() { return 0; }\n',
    "unused.cpp": '#include "value.hpp"\nint unused() { return 0; }\n',
    "child.cpp": '#include "value.hpp"\n#include <csignal>\nint child() { return std::raise(SIGKILL); }\n',
}


class Selection(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(os.path.realpath(self.temporary.name))
        self.source, self.build = self.root / "src", self.root / "build"
        self.source.mkdir()
        self.build.mkdir()
        (self.build / "build.ninja").write_text("rules\n")
        for name, text in SOURCES.items():
            (self.source / name).write_text(text)
        self.compile()

    def compile(self):
        sources = [f"{self.root}/build/../src/{name}" for name in SOURCES if name.endswith(".cpp")]
        subprocess.run([COMPILER, "-O1", "-g1", "-pg", "-mfentry", "-c", *sources], cwd=self.build, check=True)
        objects = [name.replace(".cpp", ".o") for name in SOURCES if name.endswith(".cpp")]
        subprocess.run([COMPILER, *objects, "-Wl,-u,__fentry__", LIBRARY, "-o", "program"], cwd=self.build, check=True)

    def change(self, name):
        """An edit that makes other code, or none; then the program is built again."""
        with open(self.source / name, "a") as file:
            file.write(f"int more_{file.tell()}_of_{name.split('.')[0]}() {{ return 7; }}\n" if name.endswith(".cpp") else "// more\n")
        self.compile()

    def runs(self, *words, before=""):
        """Whether the test runs, or passed before."""
        program = str(self.build / "program")
        command = [RUN_TEST, str(self.build / "passed_tests"), str(self.root), "data", program, "--",
                   *(["/bin/sh", "-c", f"{before} {program} {' '.join(words)}"] if before else [program, *words])]
        environment = {name: text for name, text in os.environ.items() if not name.startswith("LAUNCHBOX_")}
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return "passed before" not in done.stdout

    def test_what_is_unchanged_is_not_run_again(self):
        self.assertTrue(self.runs())
        self.assertFalse(self.runs())

    def test_a_source_that_ran_counts_and_another_does_not(self):
        self.assertTrue(self.runs())
        self.change("unused.cpp")
        self.assertFalse(self.runs())
        self.change("used.cpp")
        self.assertTrue(self.runs())
        self.assertFalse(self.runs())
        self.assertTrue(self.runs("unused"))  # another test, which enters the other source
        self.change("unused.cpp")
        self.assertTrue(self.runs("unused"))
        self.assertFalse(self.runs())

    def test_a_process_that_is_killed_has_left_what_it_ran(self):
        self.assertTrue(self.runs("child"))
        self.assertFalse(self.runs("child"))
        self.change("child.cpp")
        self.assertTrue(self.runs("child"))

    def test_headers_and_rules_of_building_count(self):
        self.runs()
        self.change("value.hpp")
        self.assertTrue(self.runs())
        (self.build / "build.ninja").write_text("other rules\n")
        self.assertTrue(self.runs())
        self.assertFalse(self.runs())

    def test_a_source_edited_since_the_program_was_built_is_not_what_ran(self):
        with open(self.source / "used.cpp", "a") as file:
            file.write("// edited\n")
        self.assertTrue(self.runs())
        self.assertTrue(self.runs())
        self.compile()
        self.assertTrue(self.runs())
        self.assertFalse(self.runs())

    def test_an_edit_of_one_program_is_not_one_of_another(self):
        """A program that is older than a source of another program, which is newer."""
        subprocess.run([COMPILER, "used.o", "main.o", "unused.o", "child.o", "-Wl,-u,__fentry__", LIBRARY, "-o", "older"],
                       cwd=self.build, check=True)
        self.change("child.cpp")
        self.change("used.cpp")
        older = f"{self.build}/older unused;"
        self.assertTrue(self.runs("child", before=older))
        self.assertFalse(self.runs("child", before=older))

    def test_a_copy_counts_as_what_it_was_copied_from(self):
        copy = f"cp -p {self.build}/program {self.build}/copy; {self.build}/copy; rm {self.build}/copy;"
        program = str(self.build / "program")

        def runs():
            done = subprocess.run([RUN_TEST, str(self.build / "passed_tests"), str(self.root), "data", program, "--",
                                   "/bin/sh", "-c", copy], cwd=self.root, capture_output=True, text=True, check=True)
            return "passed before" not in done.stdout

        self.assertTrue(runs())
        self.change("unused.cpp")
        self.assertFalse(runs())
        self.change("used.cpp")
        self.assertTrue(runs())

    def test_scripts_of_other_tests_do_not_count(self):
        for folder in ("own", "other"):
            (self.root / "tests" / folder).mkdir(parents=True)
            (self.root / "tests" / folder / "script.py").write_text("")

        def runs():
            done = subprocess.run([RUN_TEST, str(self.build / "passed_tests"), str(self.root), "data", "--", sys.executable,
                                   str(self.root / "tests/own/script.py")],
                                  cwd=self.root, capture_output=True, text=True, check=True)
            return "passed before" not in done.stdout

        self.assertTrue(runs())
        (self.root / "tests/other/script.py").write_text("print()")
        self.assertFalse(runs())
        (self.root / "tests/own/beside.py").write_text("print()")
        self.assertTrue(runs())

    def test_where_nothing_can_be_noted_the_whole_program_counts(self):
        for before in ("ulimit -f 1;", "LAUNCHBOX_EXECUTED=/nowhere/at/all;"):
            self.assertTrue(self.runs(before=before))
            self.assertFalse(self.runs(before=before))
            self.change("unused.cpp")
            self.assertTrue(self.runs(before=before))

    def test_what_is_embedded_counts_for_those_who_enter_the_source(self):
        embedded = self.build / "embedded"
        embedded.write_text("1")
        program = str(self.build / "program")

        def runs(source):
            done = subprocess.run([RUN_TEST, str(self.build / "passed_tests"), str(self.root), "data", program,
                                   f"{self.source}/{source}={embedded}", "--", program],
                                  cwd=self.root, capture_output=True, text=True, check=True)
            return "passed before" not in done.stdout

        for source, counts in (("used.cpp", True), ("unused.cpp", False)):
            self.assertTrue(runs(source))
            self.assertFalse(runs(source))
            embedded.write_text(embedded.read_text() + "1")
            self.assertEqual(runs(source), counts)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
