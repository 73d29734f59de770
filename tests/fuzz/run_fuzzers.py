#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every fuzz target of a build for a while, from copies of the seed corpora:

    tests/fuzz/run_fuzzers.py build/fuzz --seconds 240 --jobs 2 --findings build/findings -o record.json

Findings of a target stay in the findings folder, with its log. Exit status 1 if one found something or did not run."""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(target, options):
    """Runs one target and returns the outcome."""
    name = target.name.removesuffix("_fuzz")
    with tempfile.TemporaryDirectory(prefix="launchbox-fuzz-") as folder:
        corpus = pathlib.Path(folder, "corpus")
        shutil.copytree(HERE / "corpus" / name, corpus)
        for line in (HERE / "seeds.txt").read_text().splitlines():
            if line.startswith(name + " "):
                more = HERE.parent.parent / line.split()[1]
                for file in more.iterdir() if more.is_dir() else [more]:
                    if file.is_file():
                        shutil.copy(file, corpus / file.name)
        seeds = len(list(corpus.iterdir()))
        log = options.findings / f"{name}.log"
        with open(log, "wb") as to:
            status = subprocess.run(
                [target, f"-max_total_time={options.seconds}", "-timeout=25", "-rss_limit_mb=4096", "-print_final_stats=1",
                 f"-artifact_prefix={options.findings}/{name}-", corpus], stdout=to, stderr=to, cwd=folder).returncode
    said = log.read_text(errors="replace")
    number = lambda pattern: int((re.findall(pattern, said) or [0])[-1])
    row = {"target": name, "seeds": seeds, "executions": number(r"stat::number_of_executed_units:\s*(\d+)"),
           "seconds": number(r"Done \d+ runs in (\d+) second"), "edges": number(r" cov: (\d+)"),
           "features": number(r" ft: (\d+)"), "peak_memory_mb": number(r"stat::peak_rss_mb:\s*(\d+)"),
           "findings": sorted(one.name for one in options.findings.glob(f"{name}-*")) if status else [], "status": status}
    print(f"{name}: {row['executions']:,} executions in {row['seconds']} s, {row['edges']} edges"
          + (f"; FOUND {row['findings'] or 'something'}, see {log}" if status else ""), flush=True)
    if not status:
        for one in (log, *options.findings.glob(f"{name}-*")):  # from children that may die: see demangle_fuzz.cpp
            one.unlink()
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="of the preset fuzz")
    parser.add_argument("--seconds", type=int, default=600, help="each target; 600")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at a time; as many as there are cores")
    parser.add_argument("--findings", type=pathlib.Path, default=pathlib.Path("build/findings"))
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these targets")
    parser.add_argument("-o", dest="record", type=pathlib.Path, help="writes what each did, as JSON")
    options = parser.parse_args()
    wanted = sorted(source.name.removesuffix(".cpp") for source in HERE.glob("*_fuzz.cpp"))
    if options.only:
        wanted = [f"{name}_fuzz" for name in options.only]
    targets = [(options.build / "tests/fuzz" / name).resolve() for name in wanted]
    missing = [target.name for target in targets if not os.access(target, os.X_OK)]
    if missing:
        sys.exit(f"{options.build} has no {', '.join(missing)}: cmake --preset fuzz && cmake --build --preset fuzz")
    options.findings = options.findings.resolve()
    options.findings.mkdir(parents=True, exist_ok=True)
    git = lambda *words: subprocess.run(["git", *words], cwd=HERE, capture_output=True, text=True).stdout.strip()
    record = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"),
              "commit": git("rev-parse", "HEAD") + (" and changes" if git("status", "--porcelain", "-uno") else ""),
              "command": " ".join(["tests/fuzz/run_fuzzers.py", *sys.argv[1:]]),
              "sanitizers": "address, undefined", "cores": os.cpu_count(), "at_a_time": options.jobs}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda target: run(target, options), targets))
    record["executions"] = sum(row["executions"] for row in rows)
    record["targets"] = rows
    if options.record:
        options.record.write_text(json.dumps(record, indent=1) + "\n")
    failed = [row["target"] for row in rows if row["status"] or not row["executions"]]
    print(f"{len(rows)} targets, {record['executions']:,} executions" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


sys.exit(main())
