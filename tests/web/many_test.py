#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The model as WebAssembly against the model as compiled here:  many_test.py TOOL MANY_ANSWERS COUNT"""
import base64
import os
import random
import subprocess
import sys
import tempfile

import browser
from browser import check

TOOL, PROGRAM, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])
AT_ONCE = 50_000
ASK = """
const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
askMany(new Int32Array(bytes.buffer)).then((answers) => {
    const out = new Uint8Array(answers.buffer), parts = [];
    for (let i = 0; i < out.length; i += 8192) parts.push(String.fromCharCode(...out.subarray(i, i + 8192)));
    done(btoa(parts.join("")));
});
"""


def main():
    browser.programs()
    exhaustive = os.environ.get("LAUNCHBOX_EXHAUSTIVE") == "1"
    first = int(os.environ.get("LAUNCHBOX_SEED", random.randrange(1 << 30) if exhaustive else 5))
    with tempfile.TemporaryDirectory() as folder:
        file = browser.has_calculator(TOOL, folder)
        page = browser.Page()
        try:
            page.open(file)
            compared, different_answers = 0, set()
            while compared < COUNT:
                count, seed = min(AT_ONCE, COUNT - compared), first + compared
                native = subprocess.run([PROGRAM, str(count), str(seed)], capture_output=True, check=True).stdout
                questions, wanted = native[: count * 52], native[count * 52 :]
                check(len(wanted) == count * 16, f"the program wrote {len(native)} bytes")
                found = base64.b64decode(page.wait_for(ASK, base64.b64encode(questions).decode()))
                if found != wanted:
                    wrong = [i for i in range(count) if found[i * 16 : i * 16 + 16] != wanted[i * 16 : i * 16 + 16]]
                    check(False, f"{len(wrong)} of {count} answers differ, the first is {wrong[0]} of seed {seed}")
                    break
                different_answers |= {wanted[i * 16 : i * 16 + 16] for i in range(0, count * 1, 7)}
                compared += count
            check(len(different_answers) > 100, f"only {len(different_answers)} different answers: no fair draw")
            print(compared, "points from seed", first, "agree;", len(different_answers), "different answers among every seventh")
            browser.check_silent(page, "calculator")
        finally:
            page.close()
    browser.finish()


main()
