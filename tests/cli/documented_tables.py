#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares tables in docs/ with the tool's data: limits.md and gpus.md (each cell, each note, each GPU), the schemas of
json.md, the strategies of tune.md and bench_search.md.

    documented_tables.py TOOL REPOSITORY
"""
import json
import pathlib
import re
import subprocess
import sys

TOOL, DOCS = sys.argv[1], pathlib.Path(sys.argv[2]) / "docs"
failures = []


def check(found, wanted, what):
    if found != wanted:
        failures.append(what)
        print(f"FAILED: {what}: {found!r} instead of {wanted!r}")


def check_names(found, wanted, what):
    check(sorted(set(found) - set(wanted)), [], what + " that are not there")
    check(sorted(set(wanted) - set(found)), [], what + " that are missing")


def rows_behind(text, heading):
    """The cells of the first table whose header begins with this text."""
    lines = text[text.index(heading):].splitlines()[2:]
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def number(text):
    text = re.sub(r"\[\d+\]", "", text).strip()
    if text in ("–", "?"):
        return None
    return int(text[:-1]) * 1024 if text.endswith("K") else int(text)


def sizes_of(text, sizes):
    """"16, 48", "as 7.0", "as 9.0, and 328", "fixed": KB."""
    text = re.sub(r"\[\d+\]", "", text).strip()
    if text == "fixed":
        return None
    base = []
    if match := re.match(r"as (\d+\.\d)(?:, and (.*))?$", text):
        base, text = list(sizes[match[1]]), match[2] or ""
    return base + [int(one) for one in text.split(",") if one.strip()]


def limits(known):
    text = (DOCS / "limits.md").read_text()
    sizes, seen = {}, []
    for cells in rows_behind(text, "| CC | threads"):
        for name in re.findall(r"\d+\.\d", cells[0]):
            seen.append(name)
            row = known.get(name)
            if row is None:
                check(name, "of the table", f"limits.md, {name}")
                continue
            what = f"limits.md, {name}, "
            threads = re.match(r"(\d+) \((\d+)\)", cells[1])
            check((int(threads[1]), int(threads[2])), (row["threads_per_sm"], row["threads_per_sm"] // 32), what + "threads")
            for column, member in ((2, "blocks_per_sm"), (3, "registers_per_sm"), (4, "registers_per_block"),
                                   (5, "registers_per_thread"), (6, "register_unit"), (7, "sub_partitions"),
                                   (9 + 1, "reserved_shared_per_block"), (11, "shared_unit")):
                check(number(cells[column]), row[member], what + member)
            check(number(cells[8]) * 1024, row["shared_per_sm"], what + "shared memory of the SM")
            default, opt_in = (number(part) for part in cells[9].split("/"))
            check(default * 1024, row["shared_per_block"], what + "shared memory of a block")
            check((opt_in or default) * 1024, row["shared_per_block_opt_in"], what + "after opting in")
            sizes[name] = sizes_of(cells[12], sizes) or [row["shared_per_sm"] // 1024]
            check([size * 1024 for size in sizes[name]], row["shared_configurations"], what + "configurations")
            clusters = [number(part) for part in cells[13].split("/")]
            if cells[13].startswith("–"):
                clusters = [0, 0]
            check(clusters, [row["portable_cluster"], row["non_portable_cluster"]], what + "clusters")
            check(number(cells[14]), row["barriers_per_sm"], what + "barriers")
    check(sorted(seen), sorted(known), "limits.md, the rows")
    notes = [int(one) for one in re.findall(r"^(\d+)\. ", text[text.index("## Notes"):], re.MULTILINE)]
    check(notes, list(range(1, len(notes) + 1)), "limits.md, the numbers of the notes")
    used = {int(one) for one in re.findall(r"\[(\d+)\]", text)}
    check(sorted(used - set(notes)), [], "limits.md, notes that are not there")
    # The text must not call an entry of the table unknown that is known.
    for sentence in re.split(r"(?<=[.:;])\s", re.sub(r"\s+", " ", text)):
        for name in re.findall(r"(?<![\d.])\d+\.\d(?![\d.])", sentence):
            if "not in the table" in sentence:
                check(name in known, False, f"limits.md says that {name} is not in the table")


def gpus(known):
    text = (DOCS / "gpus.md").read_text()
    wanted = {name: row["gpus"] for name, row in known.items() if row["gpus"]}
    found = {}
    for name, cores, models in rows_behind(text, "| compute capability | cores"):
        found[name] = [{"name": model.rsplit(" ", 1)[0], "sms": int(model.rsplit(" ", 1)[1])} for model in models.split(", ")]
    for name in sorted(set(wanted) | set(found)):
        check(found.get(name), wanted.get(name), f"gpus.md, {name}")


def schemas():
    named = [cells[0].strip("`") for cells in rows_behind((DOCS / "json.md").read_text(), "| schema | verb")]
    files = (DOCS.parent / "schema").glob("launchbox.*.json")
    check_names(named, [file.stem.replace("-", "/") for file in files], "json.md, the schemas")


def strategies():
    told = subprocess.run([TOOL, "tune", "--help"], capture_output=True, check=True, text=True).stdout
    known = re.search(r"--strategy NAME:\{(.*?)\}", told)[1].split(",")
    for page, heading in (("tune.md", "| `--strategy` | chooses"), ("bench_search.md", "| name | |")):
        named = [cells[0].strip("`") for cells in rows_behind((DOCS / page).read_text(), heading)]
        check_names(named, known, f"{page}, the strategies")


def main():
    told = json.loads(subprocess.run([TOOL, "devices", "--format", "json"], capture_output=True, check=True, text=True).stdout)
    known = {row["compute_capability"]: row for row in told["compute_capabilities"]}
    limits(known)
    gpus(known)
    schemas()
    strategies()
    sys.exit(1 if failures else 0)


main()
