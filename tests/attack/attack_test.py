#!/usr/bin/env python3
"""That the attack with damaged inputs can fail: programs that run the tool and do one thing that it must not do.

    attack_test.py TOOL REPOSITORY [--sanitized]
"""

import os
import subprocess
import sys
import tempfile

TOOL, REPOSITORY = os.path.abspath(sys.argv[1]), sys.argv[2]
ATTACK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutated_inputs.py")

# What the program does, and what has to be said of it; None: nothing.
FAULTS = {
    'exec "$TOOL" "$@"': None,
    'touch there; exec "$TOOL" "$@"': "left there",
    '"$TOOL" "$@"; s=$?; for f in in.*; do echo >>$f; done; exit $s': "changed in.",
    '"$TOOL" "$@"; exit 4': "exit status 4",
    '"$TOOL" "$@" 2>/dev/null': "and no word of in.",
    '"$TOOL" "$@"; s=$?; echo "}"; exit $s': "no JSON",
    'echo "x.cpp:1: runtime error: shift" >&2; exec "$TOOL" "$@"': "runtime error: in its output",
    'kill -11 $$': "exit status -11",
    'ls >&2; exit 2': "all ended alike",
}


def main():
    failures = 0
    for script, wanted in FAULTS.items():
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nTOOL='{TOOL}'\n{script}\n")
            os.chmod(program, 0o700)
            count = 50 * 16 if wanted == "all ended alike" else 48
            ran = subprocess.run([sys.executable, ATTACK, TOOL, REPOSITORY, str(count), "--run", program, *sys.argv[3:]],
                                 capture_output=True, text=True, env={**os.environ, "LAUNCHBOX_SEED": "1"}, check=False)
        good = ran.returncode == 0 if wanted is None else ran.returncode == 1 and wanted in ran.stdout
        if not good:
            failures += 1
            print(f"FAIL {script}: exit status {ran.returncode}, expected {wanted or 'no failure'}\n{ran.stdout[-800:]}{ran.stderr[-800:]}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
