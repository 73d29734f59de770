#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the includes of src/ and include/ follow the arrows listed in HACKING.md.

    includes.py REPOSITORY

An arrow is a line `a, b -> c, d` in the block of HACKING.md that follows the comment <!-- arrows -->: files in the
folders on the left may include files in those on the right, and in all folders that these may include in turn. A folder
may always include itself. `everyone -> x` is for all folders of src/. A folder is named below src/ (support, tune/spec,
...) or is `include`, the headers in include/launchbox. Each forbidden include is printed as FILE:LINE: what; the exit
status is 1 if there is one, and 2 if nothing was read.
"""
import pathlib
import re
import sys


def read_arrows(hacking):
    block = re.search(r"<!-- arrows -->\s*```\n(.*?)```", hacking, re.S)
    if not block:
        sys.exit("includes.py: HACKING.md has no block behind <!-- arrows -->")
    arrows = {}
    for line in block.group(1).splitlines():
        if "->" not in line:
            continue
        users, used = (part.split("(")[0] for part in line.split("->", 1))
        for user in users.split(","):
            arrows.setdefault(user.strip(), set()).update(x.strip() for x in used.split(",") if x.strip())
    return arrows


def reachable(arrows, folder):
    """The folders that `folder` may include. `tune` on the right stands for all folders below it."""
    found, waiting = set(), [folder] if folder == "include" else [folder, "everyone"]
    while waiting:
        for target in arrows.get(waiting.pop(), ()):
            parts = {x for x in arrows if x.startswith(target + "/")}
            waiting += ({target} | parts) - found
            found |= {target} | parts
    return found


def folder_of(path, folders):
    """The deepest of `folders` that holds `path`, as in "tune/spec"."""
    parts = path.split("/")[:-1]
    while parts:
        if "/".join(parts) in folders:
            return "/".join(parts)
        parts.pop()
    return ""


def main():
    repository = pathlib.Path(sys.argv[1])
    arrows = read_arrows((repository / "HACKING.md").read_text())
    named = {x for user, used in arrows.items() for x in {user} | used}
    folders = {str(p.relative_to(repository / "src")) for p in (repository / "src").rglob("*") if p.is_dir()}
    # A folder that no arrow names belongs to its parent: tune/exchange/foreign to tune/exchange.
    folders = {f for f in folders if f in named or "/" not in f}
    unknown = {f for f in folders if f not in named}
    wrong = [f"src/{f}: HACKING.md has no arrow from or to this folder" for f in sorted(unknown)]
    wrong += [f"HACKING.md: there is no folder {f}" for f in sorted(named - folders - {"everyone", "include"})]
    read = 0
    for top in ("src", "include"):
        for path in sorted((repository / top).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".cuh", ".cu"):
                continue
            read += 1
            name = str(path.relative_to(repository))
            user = "include" if top == "include" else folder_of(str(path.relative_to(repository / "src")), folders)
            reach = reachable(arrows, user)
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                if not include:
                    continue
                target = include.group(2)
                if target.startswith("launchbox/"):
                    used = "include"
                elif include.group(1) == '"':
                    used = folder_of(target, folders)
                    if not used:
                        wrong.append(f'{name}:{number}: "{target}" is in no folder of src/; write the path below src/')
                        continue
                else:
                    continue  # the system's and the libraries'
                if user != used and used not in reach:
                    wrong.append(f"{name}:{number}: {user} may not use {used} (HACKING.md, the arrows): {target}")
    if read == 0:
        print(f"includes.py: no source under {repository}")
        return 2
    for line in wrong:
        print(line)
    print(f"{read} files, {len(wrong)} forbidden")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
