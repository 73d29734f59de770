#!/usr/bin/env python3
"""Runs the commands of the documentation: the examples at the end of each verb's --help, and the commands in README.md,
docs/*.md and skills/*/SKILL.md.

    run_documented_commands.py TOOL REPOSITORY DOCUMENT
    run_documented_commands.py TOOL REPOSITORY --help VERB...          the examples in the help of these verbs
    run_documented_commands.py TOOL REPOSITORY --help --but VERB...    those of all others, and of the tool itself
    run_documented_commands.py --pages REPOSITORY                      lists the documents that have commands

In the documents,
- lines of ```sh blocks that begin with `launchbox ` (or `$ launchbox `) are run,
- ```console blocks hold commands after `$ `, each followed by its output, which must match exactly (in a pipe of 100
  columns); commands without launchbox in them are not run,
- `<!-- exit N -->` on a line before the block gives the exit status of its commands (else 0),
- `<!-- output varies -->` there turns the comparison off,
- `<!-- output below N KB -->` there limits what each of its commands prints.

Commands run in a folder that looks like the repository's root, so that they write nothing into the repository. Without
nvcc, commands that need it are skipped and counted as skipped. Exit status: 0 all passed, 1 one failed or there was no
command, 77 all were skipped.
"""

import difflib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOOL, REPOSITORY = (os.path.abspath(word) for word in sys.argv[1:3])


class Command:
    def __init__(self, place, text, status=0, expected=None, limit=None):
        self.place, self.text, self.status, self.expected, self.limit = place, text, status, expected, limit

    def needs_nvcc(self):
        return re.search(r"(^|[\s|/])nvcc\s|\.cuh?(\s|$)|launchbox capture ", self.text) is not None  # capture: CUPTI's headers


def help_examples(words):
    """The examples of the verbs in `words`, or of all except these."""
    def help_of(*words):
        return subprocess.run([TOOL, *words, "--help"], capture_output=True, text=True, check=True).stdout

    whole = help_of()
    listed = whole.split("\nSubcommands:\n")[1].split("\n\n")[0]
    verbs = re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)
    named, others = [word for word in words if word != "--but"], "--but" in words
    if unknown := set(named) - set(verbs):
        raise SystemExit(f"there is no verb {', '.join(sorted(unknown))}")
    for verb in ["", *verbs]:
        if (verb in named) == others:
            continue
        text = help_of(verb) if verb else whole
        place = f"launchbox {verb + ' ' if verb else ''}--help"
        examples = [line.strip() for line in text.split("\nExamples:\n")[1].splitlines() if line.strip()]
        if len(examples) != 2:
            raise SystemExit(f"{place} ends with {len(examples)} examples instead of 2")
        for example in examples:
            yield Command(place, example)


def block_commands(place, kind, lines, status, varies, limit):
    """The commands of one code block; `lines` are (number, text)."""
    at = 0
    while at < len(lines):
        number, line = lines[at]
        at += 1
        text = line[2:] if line.startswith("$ ") else line
        if kind == "console" and not line.startswith("$ "):
            continue
        while text.endswith("\\") and at < len(lines):
            text = text[:-1] + lines[at][1].removeprefix("> ").lstrip()
            at += 1
        wanted = text.startswith("launchbox ") or (kind == "console" and re.search(r"\blaunchbox ", text))
        output = []
        while kind == "console" and at < len(lines) and not lines[at][1].startswith("$ "):
            output.append(lines[at][1])
            at += 1
        if wanted:
            while output and not output[-1]:  # an empty line before the next command is for the reader's eye
                output.pop()
            compared = kind == "console" and not varies
            yield Command(f"{place}:{number}", text, status, "\n".join(output) if compared else None, limit)


def document_commands(path):
    place = os.path.relpath(path, REPOSITORY)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    status, varies, limit, at = 0, False, None, 0
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        fence = re.fullmatch(r"(`{3,})(\w*).*", line)
        if fence:
            block = []
            while at < len(lines) and not lines[at].strip().startswith(fence[1]):
                block.append((at + 1, lines[at].rstrip()))
                at += 1
            if at == len(lines):
                raise SystemExit(f"{place}: a code block does not end")
            at += 1
            if fence[2] in ("sh", "console"):
                yield from block_commands(place, fence[2], block, status, varies, limit)
            status, varies, limit = 0, False, None
        elif exits := re.fullmatch(r"<!--\s*exit (\d+)\s*-->", line):
            status = int(exits[1])
        elif re.fullmatch(r"<!--\s*output varies\s*-->", line):
            varies = True
        elif limited := re.fullmatch(r"<!--\s*output below (\d+) KB\s*-->", line):
            limit = 1024 * int(limited[1])
        elif line:
            status, varies, limit = 0, False, None


def pages_with_commands():
    documents = [os.path.join(REPOSITORY, "README.md")]
    for pattern in ("docs/*.md", "skills/*/SKILL.md"):
        documents += sorted(glob.glob(os.path.join(REPOSITORY, pattern)))
    return [os.path.relpath(path, REPOSITORY) for path in documents if any(True for _ in document_commands(path))]


def main():
    if sys.argv[1] == "--pages":
        print("\n".join(pages_with_commands()))
        return 0
    versions = subprocess.run([TOOL, "--version"], capture_output=True, text=True, check=True).stdout
    has_nvcc = "\nnvcc: " not in versions
    # Compilers differ in what they generate, so outputs are compared only for the release used in the documents.
    comparable_nvcc = "\nnvcc 13.0." in versions
    page = sys.argv[3]
    commands = list(help_examples(sys.argv[4:]) if page == "--help" else document_commands(os.path.join(REPOSITORY, page)))
    if not commands:
        raise SystemExit(f"{' '.join(sys.argv[3:])}: no commands")

    failed = skipped = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        programs, root = os.path.join(folder, "bin"), os.path.join(folder, "root")
        os.mkdir(programs)
        os.mkdir(root)
        os.symlink(TOOL, os.path.join(programs, "launchbox"))
        for entry in os.listdir(REPOSITORY):
            if entry == "measurements":  # emit --check does not follow links out of the root
                shutil.copytree(os.path.join(REPOSITORY, entry), os.path.join(root, entry))
            else:
                os.symlink(os.path.join(REPOSITORY, entry), os.path.join(root, entry))
        environment = {
            **os.environ,
            "PATH": programs + os.pathsep + os.environ["PATH"],
            "COLUMNS": "100",
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": os.path.join(REPOSITORY, "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LAUNCHBOX_TOOL": TOOL,
        }
        # Examples call nvcc by name, but the tool may have found it outside PATH.
        if found := re.search(r"^nvcc [0-9.]+ \((.*), found by ", versions, re.MULTILINE):
            environment["PATH"] += os.pathsep + os.path.dirname(found[1])
        shell = shutil.which("bash") or "sh"
        for command in commands:
            if command.needs_nvcc() and not has_nvcc:
                skipped += 1
                print(f"skipped (no nvcc): {command.place}: {command.text}")
                continue
            ran = subprocess.run(
                [shell, "-c", command.text],
                cwd=root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            output = ran.stdout.decode("utf-8", errors="replace")
            if ran.returncode != command.status:
                failed += 1
                print(f"FAIL {command.place}: {command.text}\n  exit status {ran.returncode}, expected {command.status}")
                print("  " + output.replace("\n", "\n  "))
            elif command.limit is not None and len(ran.stdout) > command.limit:
                failed += 1
                print(f"FAIL {command.place}: {command.text}\n  prints {len(ran.stdout):,} bytes, the document says "
                      f"at most {command.limit:,}")
            elif command.expected is not None and (comparable_nvcc or not command.needs_nvcc()):
                compared += 1
                shown = [line.rstrip() for line in output.rstrip("\n").split("\n")]
                expected = command.expected.split("\n")
                if shown != expected:
                    failed += 1
                    print(f"FAIL {command.place}: {command.text}\n  the output is not what the document shows:")
                    for line in difflib.unified_diff(expected, shown, "documented", "printed", lineterm=""):
                        print("  " + line)
    print(f"{len(commands) - skipped} run, {compared} outputs compared, {skipped} skipped, {failed} failed")
    if skipped == len(commands):
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
