#!/usr/bin/env python3
"""Runs the check steps of the pipelines in docs/ci.md: on a kernel that keeps to its budget, which must pass, and on
one with a planted spill, which must fail with exit status 1.

    run_ci_examples.py TOOL REPOSITORY

Exit status: 0 all well, 1 not.
"""

import os
import re
import subprocess
import sys
import tempfile

TOOL, REPOSITORY = (os.path.abspath(each) for each in sys.argv[1:3])

LOG = """ptxas info    : Compiling entry function 'planted' for 'sm_90'
ptxas info    : Function properties for planted
    {0} bytes stack frame, {0} bytes spill stores, {0} bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 352 bytes cmem[0]
"""


def check_commands():
    with open(os.path.join(REPOSITORY, "docs", "ci.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```yaml\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    for block in blocks:
        if "\t" in block:
            raise SystemExit("a tab in YAML")
        for line in block.splitlines():
            if found := re.fullmatch(r"\s+(?:run:|-) (launchbox .*)", line):
                yield found[1]


def main():
    commands = list(check_commands())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(TOOL, os.path.join(folder, "bin", "launchbox"))
        os.mkdir(os.path.join(folder, "build"))
        with open(os.path.join(folder, "launchbox.budget.toml"), "w", encoding="utf-8") as file:
            file.write("[defaults]\nmax_spill_bytes = 0\n")
        environment = {
            **os.environ,
            "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"],
            "GITHUB_STEP_SUMMARY": os.path.join(folder, "summary.md"),
        }
        for command in commands:
            for spills in (0, 8):
                with open(os.path.join(folder, "build", "app"), "w", encoding="utf-8") as file:
                    file.write(LOG.format(spills))
                ran = subprocess.run(["sh", "-e", "-c", command], cwd=folder, env=environment, capture_output=True)
                shown = (ran.stdout + ran.stderr).decode(errors="replace")
                expected = 1 if spills else 0
                # Where the report goes into a file, the log of the job names the kernel all the same.
                silent = spills and "planted" not in shown and ">>" not in command
                if ran.returncode != expected or silent:
                    failed += 1
                    print(f"FAIL {command}\n  exit status {ran.returncode}, expected {expected}\n  {shown}")
        for written in ("kernels.sarif", "kernels.xml", "summary.md"):
            if "planted" not in open(os.path.join(folder, written), encoding="utf-8").read():
                failed += 1
                print(f"FAIL {written} does not name the kernel")
    print(f"{len(commands)} check steps, {failed} failures")
    return 1 if failed or len(commands) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
