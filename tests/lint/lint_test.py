#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each lint on a small tree with one fault, which it must name, and on the same tree without.

    lint_test.py [NAME_OF_TEST...]
"""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


class OnASmallTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)

    def write(self, path, text):
        os.makedirs(os.path.dirname(os.path.join(self.root, path)) or self.root, exist_ok=True)
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text)

    def lint(self, name, *words, environment=None):
        done = subprocess.run([sys.executable, os.path.join(HERE, name + ".py"), self.root, *words], capture_output=True,
                              text=True, env={**os.environ, **(environment or {})})
        if done.returncode == SKIPPED and environment is None:
            self.skipTest(done.stdout.strip())
        return done.returncode, done.stdout + done.stderr

    def expect_clean(self, name, *words):
        status, said = self.lint(name, *words)
        self.assertEqual((status, " 0 found" in said), (0, True), said)

    def expect_fault(self, name, fault, *words):
        status, said = self.lint(name, *words)
        self.assertEqual(status, 1, said)
        self.assertIn(fault, said)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=self.root, check=True,
                       capture_output=True)


class Format(OnASmallTree):
    def test_a_badly_formatted_line(self):
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("src/a.cpp", "int a = 1;\n")
        self.expect_clean("format")
        self.write("src/b.cpp", "int b = 1;\n\nint  c = 2;\n")
        self.expect_fault("format", "src/b.cpp:3: not laid out")
        self.assertEqual(self.lint("format", "--fix")[0], 0)
        self.expect_clean("format")

    def test_data_of_tests_is_not_checked(self):
        self.write("src/a.cpp", "int a = 1;\n")
        self.write("tests/data/wrong.cu", "int  a;\n")
        self.expect_clean("format")

    def test_an_empty_tree_fails(self):
        self.expect_fault("format", "nothing to look at")

    def test_another_version_is_skipped_and_says_how_to_install_the_right_one(self):
        self.write("clang-format", "#!/bin/sh\necho clang-format version 19.1.0\n")
        program = os.path.join(self.root, "clang-format")
        os.chmod(program, 0o755)
        status, said = self.lint("format", environment={"CLANG_FORMAT": program})
        self.assertEqual(status, SKIPPED, said)
        self.assertIn("./setup --tests", said)


class Spdx(OnASmallTree):
    def test_a_file_without_the_line(self):
        self.write("src/a.cpp", "// What a is.\n" + LICENCE + "int a = 1;\n")
        self.expect_clean("spdx")
        self.write("include/b.hpp", "// What b is.\n#pragma once\n")
        self.expect_fault("spdx", "include/b.hpp:1: no line")
        self.assertEqual(self.lint("spdx", "--fix")[0], 0)
        with open(os.path.join(self.root, "include/b.hpp"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "// What b is.\n" + LICENCE + "#pragma once\n")
        self.expect_clean("spdx")

    def test_the_line_far_below_does_not_count(self):
        self.write("src/a.cpp", "\n" * 20 + LICENCE)
        self.expect_fault("spdx", "src/a.cpp:1: no line")

    def test_an_empty_tree_fails(self):
        self.expect_fault("spdx", "nothing to look at")


class Includes(OnASmallTree):
    def setUp(self):
        super().setUp()
        self.write("HACKING.md", "<!-- arrows -->\n```\nhigh -> low\neveryone -> include\n```\n")
        self.write("src/low/a.hpp", "#include <launchbox/x.hpp>\n")
        self.write("src/high/b.cpp", '#include "low/a.hpp"\n')

    def test_an_arrow_that_is_not_listed(self):
        status, said = self.lint("includes")
        self.assertEqual(status, 0, said)
        self.write("src/low/c.cpp", '\n#include "high/b.hpp"\n')
        self.expect_fault("includes", "src/low/c.cpp:2: low may not use high")

    def test_headers_for_users_use_nothing_of_the_tool(self):
        self.write("include/launchbox/x.hpp", '#include "low/a.hpp"\n')
        self.expect_fault("includes", "include/launchbox/x.hpp:1: include may not use low")


class Words(OnASmallTree):
    def test_forbidden_words(self):
        for line, fault in {"struct tune_lane {};": "'tune_lane': backend",
                            "int most_blocks;": "'most_blocks': max_",
                            "// the witness": "'witness': architecture probe",
                            "a = kind::wide;": "'kind::wide': boolean, int32"}.items():
            self.write("src/tune/a.cpp", "// plain\n" + line + "\n")
            self.expect_fault("words", "src/tune/a.cpp:2: ")
            self.expect_fault("words", fault)

    def test_words_within_others_and_in_other_folders_are_allowed(self):
        self.write("src/a.cpp", "int plane, almost_all, most_first; // the most, at least, each of them\n")
        self.write("include/launchbox/a.cuh", "int lane = threadIdx.x % 32;\n")
        self.expect_clean("words")

    def test_an_empty_tree_or_list_fails(self):
        self.expect_fault("words", "nothing to look at")
        self.write("src/a.cpp", "int a;\n")
        self.write("empty.txt", "# nothing\n")
        self.expect_fault("words", "nothing to look at", os.path.join(self.root, "empty.txt"))


class Includes(OnASmallTree):
    ARROWS = "<!-- arrows -->\n```\neveryone -> include, support\na/one -> a/two\nb -> a\n```\n"

    def setUp(self):
        super().setUp()
        self.write("HACKING.md", self.ARROWS)
        self.write("include/launchbox/x.hpp", "#pragma once\n")
        self.write("src/support/s.hpp", "#include <launchbox/x.hpp>\n")
        self.write("src/a/one/o.cpp", '#include "a/two/t.hpp"\n')
        self.write("src/a/two/t.hpp", '#include "support/s.hpp"\n')
        self.write("src/b/b.cpp", '#include "a/two/t.hpp"\n')
        self.assertEqual(self.lint("includes"), (0, "5 files, 0 forbidden\n"))

    def test_an_include_against_the_arrow(self):
        self.write("src/a/two/t.hpp", '\n#include "a/one/o.hpp"\n')
        self.expect_fault("includes", "src/a/two/t.hpp:2: a/two may not use a/one")
        self.write("src/a/two/t.hpp", '#include "b/b.hpp"\n')
        self.expect_fault("includes", "a/two may not use b")

    def test_headers_for_users_use_nothing_of_src(self):
        self.write("include/launchbox/x.hpp", '#include "support/s.hpp"\n')
        self.expect_fault("includes", "include may not use support")

    def test_a_folder_without_an_arrow_and_an_arrow_without_a_folder(self):
        self.write("src/c/c.cpp", "")
        self.expect_fault("includes", "src/c: HACKING.md has no arrow")
        self.write("HACKING.md", self.ARROWS.replace("b -> a", "b -> a\nc -> d"))
        self.expect_fault("includes", "there is no folder d")

    def test_a_page_without_arrows_fails(self):
        self.write("HACKING.md", "nothing")
        self.expect_fault("includes", "no block")


class Documents(OnASmallTree):
    def setUp(self):
        super().setUp()
        self.write("README.md", "# A\n\n[more](docs/README.md), [all](docs/one.md#what-it-is), [record](data/)\n")
        self.write("docs/README.md", "# Pages\n\n- [one](one.md)\n- [two](two.md)\n")
        self.write("docs/one.md", "# One\n\n## What `it` is?\n\n[two](two.md), [below](#again-1), [home](https://a.example/x.md#y)\n\n"
                                  "### Again\n\n### Again\n\n```\n[no](link.md)\n# no heading\n```\nnor `[this](gone.md)`\n")
        self.write("docs/two.md", "# Two\n")
        self.write("data/record.json", "{}\n")
        self.write("src/a.cpp", "// docs/one.md says why.\n")
        self.expect_clean("documents")

    def test_a_link_to_a_missing_page(self):
        self.write("docs/two.md", "# Two\n\nsee [three](three.md) and\n[four](../src/four.cpp)\n")
        self.expect_fault("documents", "docs/two.md:3: there is no docs/three.md")
        self.expect_fault("documents", "docs/two.md:4: there is no src/four.cpp")

    def test_every_form_of_a_link(self):
        for form in ("[of two\nlines](gone.md)", "[![a picture](gone.md)](one.md)", "[![a picture](../data/)](gone.md)",
                     "[a name][1]\n\n[1]: gone.md", "<img src='gone.md'>", '<a href="gone.md">x</a>', "[x](<gone.md>)",
                     '[x](gone.md "title")', "| [x](gone.md#y) | [`a(b)`](one.md) |", "[x](%67one.md)"):
            self.write("docs/two.md", "# Two\n\n" + form + "\n")
            self.expect_fault("documents", "there is no docs/gone.md")

    def test_a_link_to_a_missing_heading(self):
        self.write("docs/two.md", "# Two\n\n[one](one.md#what-it-was), [here](#nowhere), [code](one.md#no-heading)\n")
        for fault in ("docs/one.md has no heading #what-it-was", "docs/two.md has no heading #nowhere",
                      "docs/one.md has no heading #no-heading"):
            self.expect_fault("documents", "docs/two.md:3: " + fault)

    def test_code_that_names_a_missing_page(self):
        for path in ("src/b.hpp", "schema/b.json", "setup"):
            self.write(path, "first\nsee docs/three.md or docs/one.md#gone.\n")
            self.expect_fault("documents", path + ":2: there is no docs/three.md")
            self.expect_fault("documents", path + ":2: docs/one.md has no heading #gone")

    def test_a_missing_file_or_test_that_a_page_names(self):
        self.write("tests/a_test.cpp", "TEST(sums, add_up)\n{\n}\nTEST(wide_sums, add_up)\n{\n}\n")
        self.write("docs/two.md", "# Two\n\n`tests/a_test.cpp`, `sums.add_up`, `wide_sums.*`, `sm.*`, `tests/NAME_test.cpp`, `other.test`, `src/*.cu`\n\n"
                                  "```\nsrc/your_own.cu\n```\n")
        self.expect_clean("documents")
        self.write("docs/two.md", "# Two\n\n`tests/b_test.cpp`\n`bench/run.py --all`\n`sums.multiply`\n`wide_tables.*`\n")
        for fault in ("3: there is no tests/b_test.cpp", "4: there is no bench/run.py", "5: there is no test sums.multiply",
                      "6: there is no suite of tests wide_tables.*"):
            self.expect_fault("documents", "docs/two.md:" + fault)

    def test_a_page_that_is_in_no_index(self):
        self.write("docs/three.md", "# Three\n")
        self.expect_fault("documents", "docs/README.md:1: docs/three.md is not listed")
        self.write("docs/three.md", "")
        self.write("docs/deep/page.md", "# Page\n")
        self.expect_fault("documents", "docs/deep/README.md:1: there is no such page")

    def test_a_readme_that_is_too_long(self):
        self.write("README.md", "# A\n" + "x" * 8188)
        self.expect_clean("documents")
        self.write("README.md", "# A\n" + "x" * 8189)
        self.expect_fault("documents", "README.md:1: 8,193 bytes are more than 8,192")

    def test_an_empty_tree_fails(self):
        for path in ("README.md", "docs/README.md", "docs/one.md", "docs/two.md"):
            os.remove(os.path.join(self.root, path))
        self.expect_fault("documents", "nothing to look at")


class Tidy(OnASmallTree):
    def setUp(self):
        super().setUp()
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(a LANGUAGES CXX)\n"
                                     "add_library(a OBJECT src/a.cpp src/b.cpp)\n")
        self.write("CMakePresets.json", '{"version": 4, "configurePresets": [{"name": "tidy", "generator": "Ninja",'
                   ' "binaryDir": "${sourceDir}/build/tidy", "cacheVariables": {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON"}}]}')
        self.write(".clang-tidy", "Checks: '-*,bugprone-*'\nWarningsAsErrors: '*'\n")
        self.write("src/a.cpp", "int a(int x) { return x; }\n")
        self.write("src/b.cpp", "int b(int x) { return x; }\n")

    def test_a_use_after_move_is_found(self):
        self.expect_clean("tidy", "--all")
        self.write("src/b.cpp", "#include <utility>\n#include <string>\nauto b(std::string x)\n{\n    auto y = std::move(x);\n"
                                "    return y + x;\n}\n")
        self.expect_fault("tidy", "src/b.cpp:6:16: error: 'x' used after it was moved", "--all")

    def test_only_changed_files_are_checked(self):
        self.write(".gitignore", "build\n")
        self.git("init", "-q")
        for number in range(2):
            self.write("number", str(number))
            self.git("add", ".")
            self.git("commit", "-qm", "a")
        status, said = self.lint("tidy")
        self.assertEqual((status, "no source differs" in said), (0, True), said)
        self.write("src/a.cpp", "int a(int x) { if (x) {} return x; }\n")
        self.assertIn("in 1 files", self.lint("tidy")[1])

    def test_a_tree_without_history_fails(self):
        self.expect_fault("tidy", "nothing to look at")

    def test_a_library_that_is_too_new_is_not_read(self):
        def arguments():
            return subprocess.run([sys.executable, "-Bc", f"import sys; sys.path[:0] = [{HERE!r}]; import tidy\n"
                                   f"print(tidy.library_arguments({self.root!r} + '/include/c++'))"],
                                  capture_output=True, text=True)
        self.assertEqual(arguments().stdout, "[]\n")
        self.write("include/c++/12/string", "")
        self.assertEqual(arguments().stdout, "[]\n")
        self.write("include/c++/13/string", "")
        self.write("include/x86_64-linux-gnu/c++/12/bits/c++config.h", "")
        for word in ("-nostdinc++", f"-isystem{self.root}/include/c++/12'", "/include/x86_64-linux-gnu/c++/12'"):
            self.assertIn(word, arguments().stdout)
        os.rename(os.path.join(self.root, "include/c++/12"), os.path.join(self.root, "include/c++/14"))
        skipped = arguments()
        self.assertEqual((skipped.returncode, "cannot read libstdc++ 14" in skipped.stdout), (SKIPPED, True), skipped)


if __name__ == "__main__":
    unittest.main()
