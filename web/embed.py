#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ source that embeds the pages' parts into the tool.

    embed.py OUTPUT [--packed NAME] [--why TEXT] NAME=FILE ...

A NAME is a function of src/report/html/web_assets.hpp; FILE empty: this build is without it. NAMES after --packed are
embedded as gzip in base64: every report of kernels carries the calculator. Each comes with its SHA-256, by which a page's Content-Security-Policy allows it.
"""
import argparse
import base64
import gzip
import hashlib
import pathlib
import sys


def literal(data):
    # C++ compilers limit the length of string literals; adjacent pieces are joined.
    pieces = [data[i : i + 4000] for i in range(0, len(data), 4000)]
    lines = []
    for piece in pieces:
        text = "".join(
            chr(b) if 32 <= b < 127 and b not in b'"\\?' else "\\n" if b == 10 else f"\\{b:03o}" for b in piece
        )
        lines.append(f'    "{text}"')
    return "\n".join(lines) or '    ""'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--packed", action="append", default=[])
    parser.add_argument("--why", default="")
    parser.add_argument("parts", nargs="+")
    arguments = parser.parse_args()
    text = "// Written by web/embed.py.\n#include \"report/html/web_assets.hpp\"\n\nnamespace launchbox {\n\n"
    for part in arguments.parts:
        name, file = part.split("=", 1)
        data = pathlib.Path(file).read_bytes() if file else b""
        if name in arguments.packed and data:
            data = base64.b64encode(gzip.compress(data, 9, mtime=0))
        # It would end the script element that contains it.
        if b"</script" in data.lower() and name != "calculator_body":
            sys.exit(f"{file} contains </script")
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        text += f"web_asset {name}()\n{{\n    static constexpr char bytes[] =\n{literal(data)};\n"
        text += f'    return {{{{bytes, sizeof bytes - 1}}, "{digest}"}};\n}}\n\n'
    why = arguments.why.replace("\\", "\\\\").replace('"', '\\"')
    text += f'std::string_view why_no_calculator()\n{{\n    return "{why}";\n}}\n\n}}  // namespace launchbox\n'
    pathlib.Path(arguments.output).write_text(text)


main()
