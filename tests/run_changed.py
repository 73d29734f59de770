#!/usr/bin/env python3
"""Runs the tests that have not yet passed with their current programs and files. It is the last step of ./test.

    tests/run_changed.py BUILD [--rerun] [arguments of ctest...]

A test that passed is skipped while its key is unchanged: one hash of

- its command, with the content of every file that the command names (its program, its script);
- the content of the files in its property REQUIRED_FILES (RUNS and READS of launchbox_test()); a folder means everything
  in it;
- the content of all other files of the repository, so that a test may read any of them undeclared. Left out are sources
  that only matter through the programs compiled from them, documents, and Python scripts of other tests: a test that
  reads those must name them;
- the environment, the CUDA tools, and the versions of the installed packages.

BUILD/passed_tests.json has the keys of tests that passed, but not of tests that failed or skipped something, nor of any
test in an interrupted run. All tests run with --rerun, and if LAUNCHBOX_EXHAUSTIVE or LAUNCHBOX_SEED is
set, since these change their inputs.
"""
import collections
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from xml.etree import ElementTree

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
NOT_OURS = re.compile(re.escape(f"{REPOSITORY}/") + r"(build|\.git|\.cuda.*|\.nvdisasm)$|.*/__pycache__$")  # folders
COMPILED = re.compile(r"(src|bench|web/wasm)/.*\.(cpp|hpp|cu|cuh|inc)$"
                      r"|tests/(?!data/|include/launch_box/|compiler_cache/).*\.(cpp|hpp)$")
DOCUMENT = re.compile(r"(docs|skills|\.github|bench)/|[^/]+\.md$")
SCRIPT = re.compile(r"(tests/.+)/[^/]+\.py$")
ENVIRONMENT = re.compile(r"LAUNCHBOX|NVCC|CUDA|(PATH|LD_LIBRARY_PATH|LD_PRELOAD|CPATH|CPLUS_INCLUDE_PATH)$")


@functools.cache
def content(file):
    try:
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as failure:
        return failure.strerror


@functools.cache
def files_of(folder):
    """All files in a folder; the file itself if it is one."""
    if not folder.is_dir():
        return [folder]
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not NOT_OURS.match(f"{parent}/{name}")]
        found += [pathlib.Path(parent, name) for name in files]
    return sorted(found)


def hash_of(facts):
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def contents(files):
    return [(str(file), content(file)) for file in files]


@functools.cache
def common_facts():
    """Inputs that every test depends on."""
    data, scripts = [], collections.defaultdict(list)
    for file in files_of(REPOSITORY):
        name = file.relative_to(REPOSITORY).as_posix()
        if script := SCRIPT.match(name):
            scripts[REPOSITORY / script[1]].append(file)
        elif not COMPILED.match(name) and not DOCUMENT.match(name):
            data.append(file)
    # Larger recorded tuning spaces, if they exist beside the repository.
    data += files_of(REPOSITORY.parent / "shared/reference/data")
    variables = sorted(f"{name}={value}" for name, value in os.environ.items() if ENVIRONMENT.match(name))
    sizes = []
    for tool in ("bin/ptxas", "bin/nvdisasm", "nvvm/bin/cicc", "include/cuda_occupancy.h"):
        file = pathlib.Path(os.environ.get("CUDA_HOME", ""), tool)
        sizes.append([file.stat().st_size, file.stat().st_mtime_ns] if file.exists() else None)
    gpus = [os.path.exists(device) for device in ("/dev/nvidia0", "/dev/nvidiactl")]
    return hash_of([contents(data), variables, sizes, gpus, content("/var/lib/dpkg/status")]), scripts


def key_of(test):
    common, scripts = common_facts()
    properties = {one["name"]: one["value"] for one in test.get("properties", [])}
    here = pathlib.Path(properties.get("WORKING_DIRECTORY", "."))
    words = [here / part for word in test.get("command", []) for part in {word, word.partition("=")[2]}]  # -DTOOL=FILE
    named = sorted(word for word in words if os.path.isfile(word))
    required = [file for name in properties.get("REQUIRED_FILES", []) for file in files_of(pathlib.Path(name))]
    beside = [file for script in named for file in scripts.get(script.parent, [])]
    return [common, test.get("command"), properties, contents(named), contents(required), contents(beside)]


def listed(ctest, more):
    answer = subprocess.run([*ctest, *more, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(answer)["tests"]


def passed_in(report):
    """How many tests of each name passed without skipping anything, as in ctest's final report."""
    if not report.exists():
        return collections.Counter()
    return collections.Counter(case.get("name") for case in ElementTree.parse(report).iter("testcase")
                               if case.get("status") == "run" and "[  SKIPPED ]" not in case.findtext("system-out", ""))


def main(build, arguments):
    rerun = any(os.environ.get(name) for name in ("LAUNCHBOX_EXHAUSTIVE", "LAUNCHBOX_SEED"))
    if "--rerun" in arguments:
        arguments.remove("--rerun")
        rerun = True
    ctest = ["ctest", "--test-dir", str(build)]
    wanted = [test["name"] for test in listed(ctest, arguments)]
    # Options that select by number, or that run nothing, are left to ctest.
    if not wanted or any(re.match(r"-N$|--show-only|--print-labels$|-I|-U$|--rerun-failed$", word) for word in arguments):
        return subprocess.call([*ctest, *arguments])
    facts = collections.defaultdict(list)  # by name: several tests may have the same one
    for test in listed(ctest, []):
        facts[test["name"]].append(key_of(test))
    keys = {name: hash_of(of_name) for name, of_name in facts.items()}
    kept = build / "passed_tests.json"
    passed = json.loads(kept.read_text()) if kept.exists() else {}
    chosen = {name for name in wanted if rerun or passed.get(name) != keys[name]}

    status = 0
    if chosen:
        report = build / "tests.xml"
        report.unlink(missing_ok=True)
        only = ",".join(["0,0,0", *(str(number) for number, name in enumerate(wanted, 1) if name in chosen)])
        whole_output = str(1 << 30)
        status = subprocess.call([*ctest, *arguments, "-I", only, "--output-junit", str(report),
                                  "--test-output-size-passed", whole_output])
        succeeded = passed_in(report)
        for name in chosen:
            passed.pop(name, None)
            if succeeded[name] == len(facts[name]):
                passed[name] = keys[name]
        part = kept.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({name: key for name, key in passed.items() if name in keys}, indent=0))
        part.replace(kept)
    if left_out := sum(name not in chosen for name in wanted):
        print(f"{left_out} tests passed before with the same programs and files and were not run again; "
              "./test --rerun runs them")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
    except KeyboardInterrupt:
        sys.exit(130)
