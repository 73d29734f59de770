#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that links in the documentation work, that every page is linked, and that README is short.

    documents.py REPOSITORY

- A relative link in a page leads to an existing file or folder, and its #anchor to a heading of that page.
- If code, a schema or a script names docs/NAME.md or docs/NAME.md#ANCHOR, that page and heading exist.
- A file of the tree that a page names in `code`, as `bench/NAME.py`, exists; so does a test that it names, as `suite.test`,
  if there is such a suite, and a suite of several words, as `wide_tables.*`.
- The README.md of a documentation folder links every page in it.
- README.md has at most 8 KB: its readers want to know whether to read on. The rest belongs in docs/.
"""

import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True  # no __pycache__ among the sources
import repository

README_BYTES = 8192
# [text](target), whose text may hold a picture or start on the line before; [name]: target; and HTML.
LINK = re.compile(r"""\]\(\s*<?([^)>\s]+)|^\s*\[[^\]]+\]:\s*<?([^>\s]+)|\b(?:src|href)=["']([^"']+)""")
NAMED = re.compile(r"(?<![\w/.-])(docs/[\w/-]+\.md)(#[\w-]+)?")
# `bench/make_table.py --all`, but not `src/NAME.cpp` or `tests/...`
OF_TREE = re.compile(r"(?<![\w/.-])((?:bench|measurements|schema|src|tests)/[\w./-]*\w\.\w+)(?![\w/*])")
PLACEHOLDER = re.compile(r"[A-Z]{3}|\bX_")
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+),\s*(\w+)", re.MULTILINE)
TEST_NAME = re.compile(r"(\w+)\.(?!(?:hpp|cpp|cuh?|md|py|db|json|toml)$)(\w+)$")
SUITE_NAME = re.compile(r"(\w+_\w+)\.\*$")
CODE = (".cpp", ".hpp", ".cu", ".cuh", ".py", ".cmake", ".txt", ".json", ".html", ".js", ".mjs", ".sh", ".toml", "")


def without_code(text):
    """The lines of a page, with code blocks and `code` emptied."""
    lines, fence = [], None
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and (fence is None or line.strip().startswith(fence)):
            fence = mark[1] if fence is None else None
            lines.append("")
        else:
            lines.append("" if fence else re.sub(r"(`+).+?\1", lambda code: " " * len(code[0]), line))
    return lines


def anchors_of(text):
    """As GitHub makes them: lower case, punctuation dropped, spaces as -, the second of a name with -1."""
    found, fence = set(), None
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and (fence is None or line.strip().startswith(fence)):
            fence = mark[1] if fence is None else None
        for name in re.findall(r'<a (?:id|name)="([^"]+)"', line):
            found.add(name)
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if not heading or fence:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "").lower()
        slug = "".join(letter for letter in plain if letter.isalnum() or letter in "-_ ").replace(" ", "-")
        name, again = slug, 0
        while name in found:
            again += 1
            name = f"{slug}-{again}"
        found.add(name)
    return found


class Tree:
    def __init__(self, root):
        self.root, self.files = root, repository.files_of(root)
        self.folders = {os.path.dirname(path) for path in self.files}
        self.folders |= {folder[:at] for folder in self.folders for at, letter in enumerate(folder) if letter == "/"}
        self.pages = [path for path in self.files if path.endswith(".md") and not path.startswith(repository.DATA)]
        self.anchors = {page: anchors_of(repository.read(root, page)) for page in self.pages}

    def fault_of(self, target, anchor):
        """What is wrong with a link to this path from the root, or None."""
        if target not in self.files and target.rstrip("/") not in self.folders:
            return f"there is no {target}"
        if anchor and target in self.anchors and anchor not in self.anchors[target]:
            return f"{target} has no heading #{anchor}"
        return None


def links_of(tree, page):
    """(line, path from the root, anchor) of each relative link."""
    for number, line in enumerate(without_code(repository.read(tree.root, page)), 1):
        for link in map("".join, LINK.findall(line)):
            if re.match(r"[a-z][a-z0-9+.-]*:|//", link):
                continue
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            yield number, os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page, anchor


def wrong_links(tree):
    for page in tree.pages:
        for number, target, anchor in links_of(tree, page):
            if fault := tree.fault_of(target, anchor):
                yield f"{page}:{number}: {fault}"


def wrong_names(tree):
    for path in tree.files:
        if path.startswith(repository.DATA) or not path.endswith(CODE[:-1]) and "." in os.path.basename(path):
            continue
        if path.startswith(("tests/lint/", "tests/run_changed_test")):  # they create their own trees
            continue
        for number, line in enumerate(repository.read(tree.root, path).splitlines(), 1):
            for target, anchor in NAMED.findall(line):
                if fault := tree.fault_of(target, anchor[1:]):
                    yield f"{path}:{number}: {fault}"


def code_in(text):
    """(line, text) of each `code` of a page; longer fences and blocks are examples."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and (fence is None or line.strip().startswith(fence)):
            fence = mark[1] if fence is None else None
        elif not fence:
            for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
                yield number, code


def wrong_files_and_tests(tree):
    tests = {name for path in tree.files if path.startswith("tests/") and path.endswith((".cpp", ".cu"))
             for name in TEST.findall(repository.read(tree.root, path))}
    suites = {suite for suite, _ in tests}
    cmake = "".join(repository.read(tree.root, path) for path in tree.files if path.endswith("CMakeLists.txt"))
    for page in tree.pages:
        if page.startswith("measurements/"):  # about files of other repositories, too
            continue
        for number, code in code_in(repository.read(tree.root, page)):
            for path in OF_TREE.findall(code):
                if path not in tree.files and not PLACEHOLDER.search(path):
                    yield f"{page}:{number}: there is no {path}"
            name = TEST_NAME.match(code)
            if name and name[1] in suites and name.groups() not in tests:
                yield f"{page}:{number}: there is no test {code}"
            suite = SUITE_NAME.match(code)
            if suite and suite[1] not in suites and suite[1] + "." not in cmake:
                yield f"{page}:{number}: there is no suite of tests {code}"


def missing_from_index(tree):
    for folder in sorted({os.path.dirname(page) for page in tree.pages if page.startswith("docs/")}):
        index = f"{folder}/README.md"
        if index not in tree.pages:
            yield f"{index}:1: there is no such page, which would list the pages of {folder}"
            continue
        linked = {target for _, target, _ in links_of(tree, index)}
        for page in tree.pages:
            if os.path.dirname(page) == folder and page != index and page not in linked:
                yield f"{index}:1: {page} is not listed"


def too_long(tree):
    if "README.md" in tree.pages:
        size = os.path.getsize(os.path.join(tree.root, "README.md"))
        if size > README_BYTES:
            yield (f"README.md:1: {size:,} bytes are more than {README_BYTES:,}: move to docs/ what a first look does not "
                   "need")


def main():
    tree = Tree(os.path.abspath(sys.argv[1]))
    faults = [fault for rule in (wrong_links, wrong_names, wrong_files_and_tests, missing_from_index, too_long) for fault in rule(tree)]
    repository.finish("documents", faults, len(tree.pages))


main()
