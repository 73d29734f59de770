# SPDX-License-Identifier: Apache-2.0
"""The candidates of specs, as the tool finds them."""
import json
import os
import subprocess


def candidates_of(specs):
    """For each spec {"candidates": [[value, ...], ...]}, in the order of its parameters, or {"error": "..."}."""
    done = subprocess.run([os.environ["LAUNCHBOX_SPEC_CANDIDATES"]], input="".join(f"{spec}\n%\n" for spec in specs),
                          capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(specs)
    return answers
