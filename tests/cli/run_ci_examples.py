#!/usr/bin/env python3
"""Reads every YAML block of docs/ci.md, and runs each launchbox command in its YAML and text blocks: on a kernel within
its budget, which must pass, and on one with a planted spill, which must fail with exit status 1. Inputs that the blocks
pass to check/action.yml and check/gitlab.yml must exist (tests/ci runs those two).

    run_ci_examples.py TOOL REPOSITORY

Exit status: 0 all passed, 1 not, 77 skipped (no python3-yaml).
"""

import os
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: install python3-yaml")
    sys.exit(77)

TOOL, REPOSITORY = (os.path.abspath(each) for each in sys.argv[1:3])
ACTION, TEMPLATE = "OWNER/launchbox/check@v0", ".launchbox-check"

LOG = """ptxas info    : Compiling entry function 'planted' for 'sm_90'
ptxas info    : Function properties for planted
    {0} bytes stack frame, {0} bytes spill stores, {0} bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 352 bytes cmem[0]
"""

failed = 0


def fail(message):
    global failed
    failed += 1
    print("FAIL " + message)


def read(*parts):
    with open(os.path.join(REPOSITORY, *parts), encoding="utf-8") as file:
        return file.read()


def blocks_of(language):
    return re.findall(rf"^```{language}\n(.*?)^```", read("docs", "ci.md"), re.MULTILINE | re.DOTALL)


def steps_of(value):
    """Every step and job in a pipeline, that is every mapping."""
    if isinstance(value, dict):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from steps_of(each)


def check_yaml():
    """How many blocks use the action, and how many the template."""
    action, template = yaml.safe_load(read("check", "action.yml")), yaml.safe_load(read("check", "gitlab.yml"))
    used = [0, 0]
    for block in blocks_of("yaml"):
        for step in steps_of(yaml.safe_load(block)):
            if step.get("uses") == ACTION:
                used[0] += 1
                unknown = set(step["with"]) - set(action["inputs"])
                if unknown or "files" not in step["with"]:
                    fail(f"the action has no input {unknown or 'files is missing'}")
            if step.get("extends") == TEMPLATE:
                used[1] += 1
                if unknown := set(step["variables"]) - set(template[TEMPLATE]["variables"]):
                    fail(f"the template has no variable {unknown}")
        for output in re.findall(r"steps\.kernels\.outputs\.(\w+)", block):
            if output not in action["outputs"]:
                fail(f"the action has no output {output}")
    documented = set(re.findall(r"^\| `(\w+)[`:]", read("docs", "ci.md"), re.MULTILINE))
    if missing := set(action["inputs"]) - documented:
        fail(f"docs/ci.md does not tell of {missing}")
    return used


def commands():
    for language in ("yaml", "text"):
        for block in blocks_of(language):
            for line in block.splitlines():
                if found := re.fullmatch(r"(?:\s+(?:run:|-) )?(launchbox .*)", line):
                    yield found[1]


def main():
    used = check_yaml()
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(TOOL, os.path.join(folder, "bin", "launchbox"))
        os.mkdir(os.path.join(folder, "build"))
        with open(os.path.join(folder, "launchbox.budget.toml"), "w", encoding="utf-8") as file:
            file.write("[defaults]\nmax_spill_bytes = 0\n")
        environment = {**os.environ, "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"]}
        for spills in (0, 8):
            with open(os.path.join(folder, "build", "app"), "w", encoding="utf-8") as file:
                file.write(LOG.format(spills))
            for command in commands():
                number += 1
                ran = subprocess.run(["sh", "-e", "-c", command], cwd=folder, env=environment, capture_output=True,
                                     check=False)
                shown = (ran.stdout + ran.stderr).decode(errors="replace")
                expected = 1 if spills else 0
                if ran.returncode != expected or (spills and "planted" not in shown):
                    fail(f"{command}\n  exit status {ran.returncode}, expected {expected}\n  {shown}")
        for written in ("kernels.md", "target.baseline"):
            with open(os.path.join(folder, written), encoding="utf-8") as file:
                if "planted" not in file.read():
                    fail(f"{written} does not name the kernel")
    print(f"{number} check steps, {failed} failures")
    return 1 if failed or number < 4 or used != [1, 1] else 0


if __name__ == "__main__":
    sys.exit(main())
