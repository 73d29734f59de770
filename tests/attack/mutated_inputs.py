#!/usr/bin/env python3
"""Gives the tool damaged files of every kind that it reads, and requires that it does no harm.

    mutated_inputs.py TOOL REPOSITORY COUNT [--sanitized] [--keep FOLDER] [--run PROGRAM]

Each input is a good file with one to four random changes: bits, words, cuts, repeated, moved and foreign parts; for
text also numbers, lines and brackets; for JSON its values, for a store its rows. The tool runs on it with capped memory
and time, and must

  - end by itself with 0, 1, 2 or 3, without a sanitizer's report,
  - name the file where it ends with 2,
  - print valid JSON where it was asked for JSON and printed anything,
  - leave the files as they were, and no other.

LAUNCHBOX_SEED is the seed; without it ./test has a fixed one and ./test --all another each time (tests/scale.hpp).
--keep copies the inputs that failed into a folder; --run gives the inputs to another program than TOOL, which makes the
good files (attack_test.py). Exit status: 0 no harm, 1 harm.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading

MOST = 20  # failures after which it ends
SECONDS = 120  # for one call that takes milliseconds
MEMORY = 4 << 30
SANITIZER = (b"AddressSanitizer", b"LeakSanitizer", b"UndefinedBehaviorSanitizer", b"runtime error:")
# Messages about what the call asks for of a good file, or about what was measured: they name that.
OF_THE_CALL = (b"--compare needs two runs", b"holds one run on one workload", b"all candidates failed",
               b"no candidate was measured on all workloads", b"have different parameters", b"has values of several kinds",
               b"a candidate has no value of", b"has rows of")
WORDS = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, 1 << 40,
         (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
NUMBERS = ["0", "-1", "1", "255", "1024", "65536", "2147483648", "4294967296", "9223372036854775807",
           "9223372036854775808", "-9223372036854775808", "1e308", "1e999", "-1e-320", "0.5", "nan", "inf", "1" * 400]
PIECES = [b"[", b"]", b"{", b"}", b'"', b"'", b"\\", b"\0", b"\n", b"\r", b"\xff", b"\xc3", b"\xe2\x80\xae", b"\x1b[2J", b"%s",
          b"[" * 3000, b"{\"a\":" * 3000, b"(" * 3000, b"a." * 3000, b"A" * 70000, b"<" * 3000, b"-" * 3000, b"not " * 3000]
VALUES = [None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 2**64, 1e308, -1e-300, "", "A" * 5000, "\u0000", "\u202e", "\x1b[2J",
          "../../x", [], {}, [[]], [None], {"": None}, [0] * 1000]


class Kind:
    """A kind of input: its seeds, and the calls that read it. {} in a call is the damaged file, {NAME} another."""

    def __init__(self, name, file, seeds, calls, also=None, text=False):
        self.name, self.file, self.seeds, self.calls, self.also, self.text = name, file, seeds, calls, also or {}, text


def read(*path):
    with open(os.path.join(REPOSITORY, *path), "rb") as file:
        return file.read()


def files_of(*folder, ends=""):
    base = os.path.join(REPOSITORY, *folder)
    return [read(*folder, name) for name in sorted(os.listdir(base))
            if name.endswith(ends) and os.path.getsize(os.path.join(base, name)) < 1 << 18]


def corpus(name, ends=""):
    return files_of("tests", "fuzz", "corpus", name, ends=ends)


def made_by_tool(arguments, name, more=None):
    with tempfile.TemporaryDirectory() as folder:
        for file, content in (more or {}).items():
            with open(os.path.join(folder, file), "wb") as out:
                out.write(content)
        subprocess.run([TOOL, *arguments], cwd=folder, env=environment(folder), check=True, capture_output=True)
        with open(os.path.join(folder, name), "rb") as made:
            return made.read()


def all_kinds():
    json_of = ["--format", "json"]
    binary = [["inspect", "{}", *json_of], ["inspect", "{}", "--summary", *json_of], ["inspect", "{}", "--before-linking"],
              ["check", "{}", "--budget", "{budget}", *json_of],
              ["occupancy", "{}", "--threads", "256", *json_of], ["suggest", "{}", *json_of],
              ["inspect", "{}", "--diff", "{}", *json_of]]
    budget = {"budget": b"[defaults]\nmax_registers = 100\nmax_spill_bytes = 0\nmin_occupancy = 0.5\nthreads = 128\n"}
    log = read("tests", "data", "logs", "basic_sm_90.log")
    baseline = made_by_tool(["check", "log", "--baseline", "b", "--write-baseline"], "b", {"log": log})
    cubin = corpus("cubin", ".cubin")
    metadata = json.dumps({"name": "merge_tiles", "shared": 49152, "num_warps": 8, "num_ctas": 1, "num_stages": 3,
                           "target": {"backend": "cuda", "arch": 90, "warp_size": 32}, "cluster_dims": [1, 1, 1]})
    record = read("tests", "data", "results", "example.json")
    large = read("measurements", "nvidia-h200", "tune_block_sort.json")
    store = made_by_tool(["results", "--import", "r.json", "--store", "s.db"], "s.db", {"r.json": record})
    results = [["results", "{}", *json_of], ["results", "{}", "--samples", *json_of], ["results", "{}", "--failures"],
               ["results", "{}", "--convergence", *json_of], ["results", "{}", "--compare", "{record}", *json_of],
               ["results", "{}", "--export", "t4", "-o", "{out}"], ["results", "{}", "--export", "csv"],
               ["emit", "{}", "--allow-unverified", "--explain"], ["emit", "{}", "--allow-unverified", "-o", "{out}"],
               ["bench-search", "{}", "--strategy", "random", "--repeats", "1", "--most", "5", *json_of]]
    header = made_by_tool(["emit", "r.json", "-o", "h.hpp"], "h.hpp", {"r.json": large})
    tune = [["tune", "{}", "--check", "--arch", "sm_90"]]
    helpers = {name: b"" for name in ("block_sort.cu", "k.cu", "sort.cpp")} | {"blur.cu": read("tests", "data", "t1", "blur.cu")}
    return [
        Kind("cubin", "in.cubin", cubin, binary, budget),
        Kind("fat binary", "in.fatbin", corpus("fatbin", ".fatbin") + corpus("binary", ".fatbin"), binary, budget),
        Kind("object", "in.o", corpus("binary", ".o"), binary, budget),
        Kind("shared library", "in.so", corpus("binary", ".so"), binary, budget),
        Kind("archive", "in.a", corpus("binary", ".a") + corpus("archive", ".a"), binary, budget),
        Kind("PTX", "in.ptx", corpus("ptx", ".ptx") + corpus("binary", ".ptx"), binary, budget, text=True),
        Kind("log", "in.log", files_of("tests", "data", "logs", ends=".log"), binary, budget, text=True),
        Kind("Triton's metadata", "in.json", [metadata.encode()],
             [["inspect", "{cubin}", *json_of], ["check", "{cubin}", "--budget", "{budget}", *json_of],
              ["occupancy", "{cubin}", "--threads", "128", *json_of]],
             {"in.cubin": cubin[-1], **budget}, text=True),
        Kind("budget", "in.toml", [*budget.values(), *corpus("budget")],
             [["check", "{log}", "--budget", "{}", *json_of]], {"log": log}, text=True),
        Kind("baseline", "in.baseline", [baseline, *corpus("baseline")],
             [["check", "{log}", "--baseline", "{}", *json_of]], {"log": log}, text=True),
        Kind("spec", "in.toml", corpus("tune_spec") + [read("examples", "block_sort", "block_sort.toml")], tune, helpers, text=True),
        Kind("T1", "in.json", [read("tests", "data", "t1", "blur.json"), *corpus("t1_spec")],
             [*tune, ["tune", "{}", "--write-spec", "{out}"]], helpers, text=True),
        Kind("result file", "in.json", [record], results, {"record": record}, text=True),
        Kind("store", "in.db", [store], results, {"record": record}),
        Kind("exchange file", "in.json", [seed for seed in corpus("foreign_results") if len(seed) < 1 << 17],
             [["results", "{}", *json_of], ["results", "--import", "{}", "--store", "{out}"],
              ["bench-search", "{}", "--strategy", "random", "--repeats", "1", "--most", "5", *json_of],
              ["results", "{}", "--convergence", *json_of]], text=True),
        Kind("header", "in.hpp", [header], [["emit", "{record}", "-o", "{}", "--check"]], {"record": large}, text=True),
    ]


def change_bytes(rng, data, others):
    data = bytearray(data)
    size = len(data)
    if size == 0:
        return bytes(rng.randbytes(rng.randint(1, 100)))
    at = rng.randrange(size)
    # Headers, where the offsets and counts are, as often as the rest.
    if rng.random() < 0.4:
        at = rng.randrange(min(size, 256))
    length = min(size - at, int(2 ** rng.uniform(0, 12)))
    choice = rng.randrange(10)
    if choice == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif choice == 1:
        data[at] = rng.randrange(256)
    elif choice in (2, 3):
        width = rng.choice([1, 2, 4, 8])
        at -= at % width
        word = rng.choice([*WORDS, size, size - 1, size + 1, at, rng.randrange(1 << 32)]) % (1 << 8 * width)
        data[at:at + width] = word.to_bytes(width, rng.choice(["little", "little", "big"]))
    elif choice == 4:
        del data[at:]
    elif choice == 5:
        del data[at:at + length]
    elif choice == 6:
        data[at:at] = data[at:at + length] * rng.choice([1, 1, 2, 50])
    elif choice == 7:
        data[at:at] = rng.randbytes(length)
    elif choice == 8:
        other = rng.choice(others)
        begin = rng.randrange(len(other) + 1)
        part = other[begin:begin + int(2 ** rng.uniform(0, 14))]
        data[at:at + rng.choice([0, len(part)])] = part
    else:
        to = rng.randrange(size)
        part = data[at:at + length]
        del data[at:at + length]
        data[to:to] = part
    return bytes(data)


def change_text(rng, data, others):
    choice = rng.randrange(7)
    lines = data.split(b"\n")
    if choice == 0:
        numbers = [(i, j) for i, j in runs_of_digits(data)]
        if numbers:
            begin, end = rng.choice(numbers)
            return data[:begin] + rng.choice(NUMBERS).encode() + data[end:]
    if choice == 1:
        at = rng.randrange(len(lines))
        lines[at:at] = [lines[at]] * rng.choice([1, 2, 100])
        return b"\n".join(lines)
    if choice == 2:
        del lines[rng.randrange(len(lines))]
        return b"\n".join(lines)
    if choice == 3:
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i]
        return b"\n".join(lines)
    if choice == 4:
        other = rng.choice(others).split(b"\n")
        at = rng.randrange(len(lines))
        lines[at:at] = [rng.choice(other)]
        return b"\n".join(lines)
    if choice == 5:
        at = rng.randrange(len(data) + 1)
        return data[:at] + rng.choice(PIECES) + data[at:]
    return change_bytes(rng, data, others)


def runs_of_digits(data):
    begin = None
    for i, byte in enumerate(data + b" "):
        if 48 <= byte <= 57:
            begin = i if begin is None else begin
        elif begin is not None:
            yield begin, i
            begin = None


def change_json(rng, data):
    """One value of a JSON text; None where it is none."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    places = []

    def collect(node):
        if len(places) > 5000:
            return
        for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
            places.append((node, key))
            collect(node[key])

    collect(document)
    if not places:
        return None
    node, key = rng.choice(places)
    choice = rng.randrange(4)
    if choice == 0:
        del node[key]
    elif choice == 1:
        other, name = rng.choice(places)
        node[key] = json.loads(json.dumps(other[name])) if name in other or isinstance(other, list) else None
    else:
        node[key] = rng.choice(VALUES)
    return json.dumps(document, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def change_store(rng, data, folder):
    """One row or table of a store; None where it is none."""
    name = os.path.join(folder, "changed.db")
    with open(name, "wb") as file:
        file.write(data)
    try:
        with sqlite3.connect(name, isolation_level=None) as base:
            base.execute("PRAGMA journal_mode = DELETE")
            base.execute("PRAGMA ignore_check_constraints = 1")
            tables = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            table = rng.choice(tables)
            columns = [row[1] for row in base.execute(f'PRAGMA table_info("{table}")')]
            choice = rng.randrange(6)
            if choice == 0:
                base.execute(f'DELETE FROM "{table}"')
            elif choice == 1:
                base.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{rng.choice(columns)}" TO changed')
            elif choice == 2:
                base.execute(f"PRAGMA user_version = {rng.choice([0, 1, 2, 3, 99, -1])}")
            else:
                value = rng.choice([None, 0, -1, 2**63 - 1, 1e308, float("inf"), "", "A" * 5000, "[", "{}", "[1e999]", b"",
                                    rng.randbytes(64), "nan", '{"threads":"x"}', "\x1b[2J"])
                where = rng.choice(["", " WHERE rowid = 1", " WHERE rowid % 2 = 0"])
                base.execute(f'UPDATE OR REPLACE "{table}" SET "{rng.choice(columns)}" = ?{where}', (value,))
        base.close()
        with open(name, "rb") as file:
            return file.read()
    except (sqlite3.Error, IndexError, ValueError):
        return None
    finally:
        for file in os.listdir(folder):
            if file.startswith("changed.db"):
                os.unlink(os.path.join(folder, file))


def damaged(rng, kind, folder):
    data = rng.choice(kind.seeds)
    for _ in range(rng.choice([1, 1, 2, 4])):
        changed = None
        if kind.file.endswith(".json") and rng.random() < 0.5:
            changed = change_json(rng, data)
        elif kind.file.endswith(".db") and rng.random() < 0.6:
            changed = change_store(rng, data, folder)
        if changed is None and kind.text and rng.random() < 0.7:
            changed = change_text(rng, data, kind.seeds)
        data = changed if changed is not None else change_bytes(rng, data, kind.seeds)
    return data[:1 << 22]


def environment(folder):
    inherited = {name: os.environ[name] for name in ("PATH", "CUDA_HOME", "LAUNCHBOX_EXECUTED") if name in os.environ}
    return {**inherited, "HOME": folder, "TMPDIR": folder, "LAUNCHBOX_CACHE": "", "XDG_CACHE_HOME": "", "COLUMNS": "100",
            "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": "detect_leaks=0"}


def content_of(folder):
    content = {}
    for base, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = os.path.join(base, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    content[os.path.relpath(path, folder)] = file.read()
            else:
                content[os.path.relpath(path, folder)] = None
    return content


def harm(number, seed, folder):
    """Tries one input. What the tool did wrong, or None; and which kind it was, and how the tool ended."""
    rng = random.Random(f"{seed}/{number}")
    kind = KINDS[number % len(KINDS)]
    call = rng.choice(kind.calls)
    given = {**kind.also, kind.file: damaged(rng, kind, folder)}
    for name, content in given.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    names = {name: name for name in given} | {"": kind.file, "out": "out", "cubin": "in.cubin"}
    words = [names[word[1:-1]] if word.startswith("{") and word.endswith("}") else word for word in call]
    told = f"LAUNCHBOX_SEED={seed}, input {number} ({kind.name}): launchbox {' '.join(words)}"
    try:
        ran = subprocess.run([RUN, *words], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                             capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"{told}\n  did not end within {SECONDS} s", kind, "hang"
    wrong = []
    if ran.returncode not in (0, 1, 2, 3):
        wrong.append(f"exit status {ran.returncode}")
    wrong += [f"{text.decode()} in its output" for text in SANITIZER if text in ran.stderr + ran.stdout]
    if ran.returncode == 2 and kind.file.encode() not in ran.stderr and not any(text in ran.stderr for text in OF_THE_CALL):
        wrong.append(f"exit status 2, and no word of {kind.file}")
    if "json" in call and ran.stdout:
        try:
            json.loads(ran.stdout)
        except ValueError as problem:
            wrong.append(f"no JSON: {problem}")
    left = content_of(folder)
    if "{out}" in call and ran.returncode in (0, 1):
        left.pop("out", None)
    for name in sorted(set(left) | set(given)):
        if name not in given and name.endswith(("-wal", "-shm")):
            continue  # SQLite's, beside a store (docs/store.md)
        if name.split(os.sep)[0] == ".cache":
            continue  # of compiles: the folder is the user's home, too
        if name not in given:
            wrong.append(f"left {name}")
        elif left.get(name) != given[name]:
            wrong.append(f"changed {name}")
    if not wrong:
        return None, kind, ran.returncode
    if KEEP:
        shutil.copytree(folder, os.path.join(KEEP, f"{seed}-{number}"), dirs_exist_ok=True)
    shown = ran.stderr[-600:].decode(errors="backslashreplace")
    return f"{told}\n  {'; '.join(wrong)}\n  {shown}", kind, ran.returncode


def main():
    count = int(ARGUMENTS.count)
    given = os.environ.get("LAUNCHBOX_SEED")
    seed = int(given) if given else random.SystemRandom().randrange(1 << 31) if "LAUNCHBOX_EXHAUSTIVE" in os.environ else 20261
    print(f"LAUNCHBOX_SEED={seed}", flush=True)
    if not ARGUMENTS.sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    counts = collections.Counter()
    failures = []
    lock = threading.Lock()

    def some(first, step):
        for number in range(first, count, step):
            if len(failures) >= MOST:
                return
            with tempfile.TemporaryDirectory(prefix="mutated-") as folder:
                found, kind, status = harm(number, seed, folder)
            with lock:
                counts[(kind.name, status)] += 1
                if found:
                    failures.append(found)
                    print("FAIL " + found, flush=True)

    workers = max(1, os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(some, first, workers) for first in range(workers)]:
            done.result()
    for kind in KINDS:
        by_status = {status: n for (name, status), n in sorted(counts.items(), key=str) if name == kind.name}
        told = ", ".join(f"{n} ended with {status}" for status, n in by_status.items())
        print(f"{kind.name}: {sum(by_status.values())} inputs; {told}")
        # A harness that damages nothing, or whose calls are refused before they read anything, has tested nothing.
        if sum(by_status.values()) >= 50 and not (by_status.get(0, 0) + by_status.get(1, 0) and len(by_status) > 1):
            failures.append(f"{kind.name}: all ended alike")
            print(f"FAIL {failures[-1]}")
    print(f"{sum(counts.values())} inputs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("tool")
    PARSER.add_argument("repository")
    PARSER.add_argument("count")
    PARSER.add_argument("--sanitized", action="store_true")
    PARSER.add_argument("--keep")
    PARSER.add_argument("--run")
    ARGUMENTS = PARSER.parse_args()
    TOOL, REPOSITORY, KEEP = os.path.abspath(ARGUMENTS.tool), ARGUMENTS.repository, ARGUMENTS.keep
    RUN = os.path.abspath(ARGUMENTS.run or ARGUMENTS.tool)
    KINDS = all_kinds()
    sys.exit(main())
