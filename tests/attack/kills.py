#!/usr/bin/env python3
"""Kills the tool at random moments with SIGKILL, SIGTERM, SIGINT and SIGHUP, and checks that nothing is lost.

    kills.py TOOL REPOSITORY MOMENTS [--nvcc PATH]

Checks in each situation below, after each kill:

  - a file that was being written has either its old or its new content,
  - a store can be read and still has its earlier contents,
  - no process that the tool started is still running;

and after the next, undisturbed start: the results equal those of an undisturbed run, the folder for temporary files is
empty, and no other file is beside the output. Except after SIGKILL, the last two hold before that start too. The
moments are spread over the duration of the undisturbed run; no time is judged.

LAUNCHBOX_SEED is the seed (tests/scale.hpp). Exit status: 0 nothing was lost, 1 something was lost.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
SECONDS = 300  # a call that takes longer hangs

# Takes a while and starts children: one in its own process group, and a daemon.
BENCH = """sleep 1000 &
setsid sleep 1000 &
a=0; while [ $a -lt 300 ]; do a=$((a + 1)); done
t=$(( ($1 * 7 + $2 * 11) % 50 + 100 ))
echo "{\\"samples_ns\\": [$t, $((t + 1)), $((t + 2)), $t, $((t + 1)), $((t + 2))]}"
"""
SPEC = """[tunable]
name = "sum"
baseline = { threads = 64, items = 1 }
[parameters]
threads = [32, 64, 96, 128]
items = [1, 2, 3]
[program]
run = ["sh", "bench.sh", "{threads}", "{items}"]
sources = ["bench.sh"]
"""


class Lost(Exception):
    """Damage done by a kill."""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


class Place:
    """A folder for one situation, with one for temporary files; its environment marks the processes started there."""

    def __init__(self, base):
        self.work, self.temporary = os.path.join(base, "work"), os.path.join(base, "tmp")
        os.mkdir(self.work)
        os.mkdir(self.temporary)
        self.mark = uuid.uuid4().hex
        self.environment = {**os.environ, "TMPDIR": self.temporary, "HOME": self.work, "LC_ALL": "C.UTF-8",
                            "LAUNCHBOX_CACHE": os.path.join(base, "cache"), "LAUNCHBOX_KILLS": self.mark,
                            "LAUNCHBOX_TEST_CACHE": "off"}  # the compiler itself, with its children

    def path(self, name):
        return os.path.join(self.work, name)

    def start(self, arguments):
        return subprocess.Popen([TOOL, *arguments], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, arguments, statuses=(0,)):
        """Runs it undisturbed and returns its output."""
        process = self.start(arguments)
        output = process.communicate(timeout=SECONDS)[0]
        if process.returncode not in statuses:
            raise Lost(f"launchbox {' '.join(arguments)} ended with {process.returncode}: {output[-600:].decode(errors='replace')}")
        return output

    def living(self):
        found = []
        wanted = f"LAUNCHBOX_KILLS={self.mark}".encode()
        for process in os.listdir("/proc"):
            if process.isdigit():
                try:
                    if wanted in read(f"/proc/{process}/environ").split(b"\0"):
                        found.append((int(process), read(f"/proc/{process}/cmdline").replace(b"\0", b" ").decode()))
                except OSError:
                    pass
        return found

    def expect_no_process(self):
        """They may take a moment to end, but must not keep running."""
        for _ in range(500):
            found = self.living()
            if not found:
                return
            time.sleep(0.01)
        for process, _ in found:
            os.kill(process, signal.SIGKILL)
        raise Lost(f"still running: {', '.join(name for _, name in found)}")

    def expect_files(self, names, killed=False):
        """After a SIGKILL, files that the next start removes may be there too."""
        found = sorted(name for name in os.listdir(self.work) if not killed or not name.startswith("launchbox-run-"))
        if found != sorted(names):
            raise Lost(f"there are {', '.join(found)}, and should be {', '.join(sorted(names))}")

    def expect_nothing_temporary(self):
        if os.listdir(self.temporary):
            raise Lost(f"left in the folder for temporary files: {', '.join(os.listdir(self.temporary))}")


class OneFile:
    """A command that makes or replaces one file."""

    def __init__(self, name, target, arguments, given, shows_a_part=False):
        self.name, self.target, self.arguments, self.given, self.shows_a_part = name, target, arguments, given, shows_a_part

    def prepare(self, place):
        for name, content in self.given.items():
            write(place.path(name), content)

    def undisturbed(self, place):
        place.run(self.arguments)
        self.wanted = read(place.path(self.target))
        if self.wanted == self.given.get(self.target):
            raise Lost("the command changes nothing, so that a kill would show nothing")
        if self.target not in self.given:
            os.unlink(place.path(self.target))
        shutil.rmtree(place.environment["LAUNCHBOX_CACHE"], ignore_errors=True)
        self.prepare(place)

    def after_kill(self, place, status):
        path = place.path(self.target)
        found = read(path) if os.path.exists(path) else None
        if status == 4 and self.shows_a_part and found is not None:
            json.loads(found)  # what was finished, and whole
        elif found not in (self.given.get(self.target), self.wanted):
            raise Lost(f"{self.target} is neither what it was nor what it should become: {len(found or b'')} bytes")
        place.expect_files(set(self.given) | ({self.target} if found is not None else set()), status < 0)

    def after_next_start(self, place):
        place.run(self.arguments)
        if read(place.path(self.target)) != self.wanted:
            raise Lost(f"{self.target} is not what it should become")
        place.expect_files({*self.given, self.target})
        place.expect_nothing_temporary()
        self.undo(place)

    def undo(self, place):
        if self.target not in self.given:
            os.unlink(place.path(self.target))
        self.prepare(place)
        if random_of_situations.random() < 0.5:
            shutil.rmtree(place.environment["LAUNCHBOX_CACHE"], ignore_errors=True)


class Store:
    """A command that fills a store. It continues after a kill; with `at_once` a kill leaves all results or no store."""

    store_files = ("s.db", "s.db-wal", "s.db-shm", "s.db-journal")

    def __init__(self, name, arguments, given, at_once=False):
        self.name, self.arguments, self.given, self.at_once = name, arguments, given, at_once

    def prepare(self, place):
        for name, content in self.given.items():
            write(place.path(name), content)

    def results(self, place):
        shown = json.loads(place.run(["results", "s.db", "--format", "json", "--samples", "--top", "all"]))
        return {json.dumps([each["parameters"], each["workload"]], sort_keys=True):
                json.dumps([each["status"], each["samples_ns"]]) for each in shown["candidates"]}

    def undisturbed(self, place):
        place.run(self.arguments)
        self.wanted = self.results(place)
        self.kept = {}
        self.remove(place)

    def remove(self, place):
        self.kept = {}
        for name in self.store_files:
            if os.path.exists(place.path(name)):
                os.unlink(place.path(name))

    def after_kill(self, place, status):
        if os.path.exists(place.path("s.db")) and os.path.getsize(place.path("s.db")) > 0:
            found = self.results(place)
            if self.at_once and found != self.wanted:
                raise Lost(f"a part of the results is in the store: {len(found)} of {len(self.wanted)}")
            for name, result in {**self.kept, **found}.items():
                if found.get(name) != result:
                    raise Lost(f"{name} was in the store, and is not any more")
                if self.wanted.get(name) != result:
                    raise Lost(f"{name} is {result}, and should be {self.wanted.get(name)}")
            self.kept = found
        self.expect_files(place, status < 0)

    def expect_files(self, place, killed=False):
        there = {name for name in self.store_files if os.path.exists(place.path(name))}
        place.expect_files(set(self.given) | there, killed)

    def after_next_start(self, place):
        """Most kills hit a continued run; sometimes it ends, and another one starts."""
        if self.kept and self.kept != self.wanted and random_of_situations.random() < 0.8:
            return
        if self.at_once:
            self.remove(place)
        place.run(self.arguments)
        if self.results(place) != self.wanted:
            raise Lost(f"{len(self.results(place))} results, which are not the {len(self.wanted)} of a run undisturbed")
        self.expect_files(place)
        place.expect_nothing_temporary()
        place.expect_no_process()
        self.remove(place)


def attack(situation, rng):
    """Kills the tool MOMENTS times; returns how many kills hit it while it ran."""
    with tempfile.TemporaryDirectory(prefix="kills-") as base:
        place = Place(base)
        situation.prepare(place)
        begin = time.monotonic()
        situation.undisturbed(place)
        length = time.monotonic() - begin
        hits = 0
        for number in range(MOMENTS):
            chosen = rng.choice(SIGNALS)
            wait = rng.random() ** 2 * length  # the first call is the slowest: it fills caches
            process, begin = place.start(situation.arguments), time.monotonic()
            try:
                output = process.communicate(timeout=wait)[0]
                length = min(length, time.monotonic() - begin)  # the first run was slowed by others
            except subprocess.TimeoutExpired:
                process.send_signal(chosen)
                output = process.communicate(timeout=SECONDS)[0]
                hits += 1
            told = f"{situation.name}, kill {number + 1}, {chosen.name} after {wait * 1000:.1f} of {length * 1000:.1f} ms"
            try:
                if process.returncode not in (0, 4, -chosen):
                    raise Lost(f"exit status {process.returncode}: {output[-600:].decode(errors='replace')}")
                place.expect_no_process()
                situation.after_kill(place, process.returncode)
                if process.returncode >= 0:
                    place.expect_nothing_temporary()
                situation.after_next_start(place)
            except Lost as lost:
                raise Lost(f"{told}: {lost}") from lost
        return hits


def situations():
    record = read(os.path.join(REPOSITORY, "measurements", "nvidia-h200", "tune_block_sort.json"))
    other = json.loads(record.replace(b"sm_90", b"sm_80").replace(b"NVIDIA H200", b"NVIDIA A100"))
    other["races"], other["best"] = [], []
    other["candidates"] = [each for each in other["candidates"] if each["parameters"]["items"] != 17]  # another winner
    logs = os.path.join(REPOSITORY, "tests", "data", "logs")
    with tempfile.TemporaryDirectory() as folder:
        def made(arguments, name, given):
            for file, content in given.items():
                write(os.path.join(folder, file), content)
            subprocess.run([TOOL, *arguments], cwd=folder, check=True, capture_output=True)
            return read(os.path.join(folder, name))

        header = made(["emit", "o.json", "--box", "rows", "-o", "h.hpp"], "h.hpp", {"o.json": json.dumps(other)})
        baseline = made(["check", "a.log", "--baseline", "b", "--write-baseline"], "b",
                        {"a.log": read(os.path.join(logs, "spills.log"))})
    yield Store("tune", ["tune", "sum.toml", "--store", "s.db"], {"sum.toml": SPEC, "bench.sh": BENCH})
    yield OneFile("emit", "h.hpp", ["emit", "r.json", "--box", "rows", "-o", "h.hpp"], {"r.json": record, "h.hpp": header})
    yield OneFile("check --write-baseline", "b", ["check", "a.log", "--baseline", "b", "--write-baseline"],
                  {"a.log": read(os.path.join(logs, "basic_sm_90.log")), "b": baseline})
    yield OneFile("results -o", "r.csv", ["results", "r.json", "--format", "csv", "-o", "r.csv"], {"r.json": record})
    yield Store("results --import", ["results", "--import", "r.json", "--store", "s.db", "--top", "3"], {"r.json": record},
                at_once=True)
    if ARGUMENTS.nvcc:
        yield OneFile("inspect", "out.json", ["inspect", "k.cu", "--arch", "sm_80,sm_90", "--format", "json", "-o", "out.json",
                                              "--nvcc", ARGUMENTS.nvcc],
                      {"k.cu": read(os.path.join(REPOSITORY, "examples", "merge.cu"))}, shows_a_part=True)
    else:
        print("inspect: there is no nvcc here")


def main():
    given = os.environ.get("LAUNCHBOX_SEED")
    seed = int(given) if given else random.SystemRandom().randrange(1 << 31) if "LAUNCHBOX_EXHAUSTIVE" in os.environ else 20261
    print(f"LAUNCHBOX_SEED={seed}", flush=True)
    rng = random.Random(seed)
    failures = 0
    for situation in situations():
        try:
            hits = attack(situation, rng)
            print(f"{situation.name}: {MOMENTS} kills, {hits} of them before it had ended", flush=True)
            if hits * 3 < MOMENTS:
                raise Lost(f"{situation.name}: the kills came too late to show anything")
        except Lost as lost:
            failures += 1
            print(f"FAIL {lost}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser()
    PARSER.add_argument("tool")
    PARSER.add_argument("repository")
    PARSER.add_argument("moments", type=int)
    PARSER.add_argument("--nvcc")
    ARGUMENTS = PARSER.parse_args()
    TOOL, REPOSITORY, MOMENTS = os.path.abspath(ARGUMENTS.tool), os.path.abspath(ARGUMENTS.repository), ARGUMENTS.moments
    random_of_situations = random.Random(1)
    sys.exit(main())
