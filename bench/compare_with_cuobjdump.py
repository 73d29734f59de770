#!/usr/bin/env python3
"""launchbox inspect against `cuobjdump --dump-resource-usage`: every function's figures, and the wall times.

    bench/compare_with_cuobjdump.py [--launchbox build/release/launchbox] [--cuobjdump cuobjdump] [--rounds 5]
                                    [--seconds 240] [--json FILE] library or folder...

Needs Python's standard library and NVIDIA's cuobjdump. Compares REG, STACK, SHARED (cuobjdump includes what the system
reserves) and each CONSTANT bank of every function, as a multiset by architecture and mangled name: names repeat over the
containers of a library, and cuobjdump does not name the container. Functions that only cuobjdump lists are looked up in
the cubins' symbol tables: device functions are not kernels. What only launchbox lists is reported with its section.

Times whole programs that write text: `cuobjdump --dump-resource-usage LIBRARY` and `launchbox inspect LIBRARY --format
csv`, alternating, with output discarded and the file in the page cache; medians. --json writes the figures, with
LAUNCHBOX_COMMIT. Exit status: 0 compared (read the figures), 2 a program or a file is missing or fails.
"""

import argparse
import collections
import datetime
import glob
import json
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time

FIELDS = ("registers", "stack", "shared", "constants")
EXAMPLES = 3


def parse_cuobjdump(lines):
    """Yields (architecture, name, figures) of each function; figures: {"REG": 17, "CONSTANT[0]": 336, ...}."""
    architecture = ""
    name = None
    for line in lines:
        text = line.strip()
        if text.startswith("arch = "):
            architecture = text[len("arch = "):].strip()
            name = None
        elif text.startswith("Function "):
            name = text[len("Function "):].lstrip(": ").rstrip()
            name = name[:-1] if name.endswith(":") else name
        elif name is not None and text.startswith("REG:"):
            figures = {}
            for key, value in re.findall(r"([A-Z]+(?:\[\d+\])?):\s*(\d+)", text):
                figures[key] = int(value)
            yield architecture, name, figures
            name = None


def of_cuobjdump(figures):
    """(registers, stack, shared, constants)"""
    banks = {}
    for key, value in figures.items():
        bank = re.fullmatch(r"CONSTANT\[(\d+)\]", key)
        if bank and value > 0:
            banks[int(bank.group(1))] = value
    return (figures.get("REG"), figures.get("STACK"), figures.get("SHARED"), tuple(sorted(banks.items())))


def of_launchbox(kernel):
    shared = kernel["static_shared_bytes"]
    if shared is not None:
        shared += kernel["reserved_shared_bytes"] or 0
    banks = tuple(sorted((int(bank), size) for bank, size in (kernel["constant_bytes"] or {}).items() if size > 0))
    return (kernel["registers"], kernel["stack_frame_bytes"], shared, banks)


def section_of(kernel):
    section = re.search(r"\(([^()]*)\)$", kernel["source"]["container"])
    return section.group(1) if section else "no section"


def number_of(architecture):
    """sm_90a -> sm_90: cuobjdump may leave the variant out."""
    return re.sub(r"[a-z]$", "", architecture)


def match(theirs, ours, cumulative_stacks):
    """Both: {(architecture, name): [figures]}. Returns (equal, pairs that differ, only theirs, only ours)."""
    equal, differing, only_theirs, only_ours = 0, [], [], []
    for key in theirs.keys() | ours.keys():
        left = list(theirs.get(key, ()))
        right = as_printed(left, ours.get(key, ()), cumulative_stacks)
        common = collections.Counter(entry[0] for entry in left) & collections.Counter(entry[0] for entry in right)
        equal += sum(common.values())
        left, right = without(left, common), without(right, common)
        # The rest is paired in the order of the file, which is the same in both.
        differing += [(key, a, b) for a, b in zip(left, right)]
        only_theirs += [(key, a) for a in left[len(right):]]
        only_ours += [(key, b) for b in right[len(left):]]
    return equal, differing, only_theirs, only_ours


def as_printed(left, right, cumulative_stacks):
    """Our figures as cuobjdump prints them. SHARED is the size of a kernel's section of shared memory, which from sm_90 on
    includes what the system reserves; a kernel without shared memory may have a section with only the reserve, or no
    section: then it prints 0. STACK is the cumulative stack for kernels that the device linker produced, else the
    frame; cumulative_stacks[True] counts the former."""
    wanted = collections.Counter(entry[0] for entry in left)
    printed = []
    for entry in right:
        figures, (section, cumulative, static) = entry
        forms = [figures, figures[:1] + (cumulative,) + figures[2:]]
        if static == 0:
            forms += [form[:2] + (0,) + form[3:] for form in forms]
        form = next((form for form in forms if wanted[form] > 0), figures)
        cumulative_stacks[form[1] != figures[1]] += 1
        figures = form
        wanted[figures] -= 1
        printed.append((figures, (section, cumulative, static)))
    return printed


def without(entries, common):
    left = collections.Counter(common)
    kept = []
    for entry in entries:
        if left[entry[0]] > 0:
            left[entry[0]] -= 1
        else:
            kept.append(entry)
    return kept


def function_symbols(cubin):
    """Yields (name, whether it is a kernel) of a cubin: STT_FUNC, and STO_CUDA_ENTRY in st_other."""
    if cubin[:4] != b"\x7fELF" or cubin[4:6] != b"\x02\x01":
        return
    (at,) = struct.unpack_from("<Q", cubin, 40)
    (count,) = struct.unpack_from("<H", cubin, 60)
    if count == 0:
        (count,) = struct.unpack_from("<Q", cubin, at + 32)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, at + 64 * i) for i in range(count)]
    for header in headers:
        if header[1] != 2:
            continue
        names = cubin[headers[header[6]][4]:headers[header[6]][4] + headers[header[6]][5]]
        for offset in range(header[4], header[4] + header[5] - 23, 24):
            name, info, other = struct.unpack_from("<IBB", cubin, offset)
            if info & 15 == 2:
                yield names[name:names.index(b"\0", name)].decode("latin-1"), bool(other & 0x10)


def device_functions(cuobjdump, library, wanted):
    """{name: "device function" | "kernel" | "not found"} of these names, from the cubins that cuobjdump extracts."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run([cuobjdump, "--extract-elf", "all", os.path.abspath(library)], cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if ran.returncode != 0:
            return {}
        for file in glob.glob(os.path.join(folder, "*.cubin")):
            with open(file, "rb") as opened:
                for name, kernel in function_symbols(opened.read()):
                    if name in wanted:
                        found[name] = "kernel" if kernel or found.get(name) == "kernel" else "device function"
    return {name: found.get(name, "not found") for name in wanted}


def seconds_of(command):
    start = time.perf_counter()
    ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start, ran.returncode


def timed(commands, rounds, seconds):
    """Medians of alternating runs: as many rounds as fit into `seconds`, at least one."""
    times = [[] for _ in commands]
    start = time.perf_counter()
    for done in range(rounds):
        if done > 0 and (time.perf_counter() - start) * (done + 1) / done > seconds:
            break
        for command, each in zip(commands, times):
            each.append(seconds_of(command)[0])
    return [statistics.median(each) for each in times], len(times[0])


def read_cuobjdump(cuobjdump, library):
    """({(architecture, name): [(figures, "")]}, functions, exit status, first line of what it complains of)"""
    functions = collections.defaultdict(list)
    count = 0
    with tempfile.TemporaryFile("w+", encoding="latin-1") as complaints:
        with subprocess.Popen([cuobjdump, "--dump-resource-usage", library], stdout=subprocess.PIPE, stderr=complaints,
                              encoding="latin-1") as process:
            for architecture, name, figures in parse_cuobjdump(process.stdout):
                functions[number_of(architecture), name].append((of_cuobjdump(figures), ""))
                count += 1
        complaints.seek(0)
        return functions, count, process.returncode, complaints.readline().strip()


def read_launchbox(tool, library):
    ran = subprocess.run([tool, "inspect", library, "--before-linking", "--format", "json"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    if ran.returncode not in (0, 2) or not ran.stdout:
        raise RuntimeError(ran.stderr.decode(errors="replace").strip() or f"exit status {ran.returncode}")
    kernels = collections.defaultdict(list)
    count = as_ptx = 0
    for kernel in json.loads(ran.stdout)["kernels"]:
        if kernel["architecture"].startswith("compute_"):
            as_ptx += 1  # not compiled yet: cuobjdump reports nothing
            continue
        count += 1
        # Latin-1 on both sides, so that names with any bytes can be compared.
        name = kernel["name"].encode("utf-8").decode("latin-1")
        kernels[number_of(kernel["architecture"]), name].append(
            (of_launchbox(kernel),
             (section_of(kernel), kernel["cumulative_stack_bytes"], kernel["static_shared_bytes"])))
    return kernels, count, as_ptx


def compare(arguments, library):
    theirs, listed, status, complaint = read_cuobjdump(arguments.cuobjdump, library)
    ours, kernels, as_ptx = read_launchbox(arguments.launchbox, library)
    cumulative_stacks = collections.Counter()
    equal, differing, only_theirs, only_ours = match(theirs, ours, cumulative_stacks)
    result = {"library": os.path.basename(library), "file_bytes": os.path.getsize(library),
              "functions_of_cuobjdump": listed, "cuobjdump_status": status, "cuobjdump_complaint": complaint,
              "kernels_of_launchbox": kernels, "kernels_only_as_ptx": as_ptx, "equal": equal,
              "equal_in_the_cumulative_stack": cumulative_stacks[True],
              "differing": len(differing), "differing_by_field": {}, "only_in_cuobjdump": len(only_theirs),
              "only_in_cuobjdump_by_kind": {}, "only_in_launchbox": len(only_ours),
              "only_in_launchbox_by_section": {}, "examples": []}
    fields = collections.Counter()
    for (architecture, name), (their, _), (our, _) in differing:
        for field, a, b in zip(FIELDS, their, our):
            if a == b:
                continue
            if field == "constants":
                for bank in sorted(dict(a).keys() | dict(b).keys()):
                    if dict(a).get(bank) != dict(b).get(bank):
                        fields[f"constant bank {bank}, {architecture}"] += 1
            elif b is None:
                fields[f"{field}: launchbox does not know, {architecture}"] += 1
            else:
                fields[f"{field}, {architecture}"] += 1
        if len(result["examples"]) < EXAMPLES:
            result["examples"].append({"architecture": architecture, "name": name, "cuobjdump": dict(zip(FIELDS, their)),
                                       "launchbox": dict(zip(FIELDS, our))})
    result["differing_by_field"] = dict(sorted(fields.items()))
    if only_theirs:
        kinds = device_functions(arguments.cuobjdump, library, {name for (_, name), _ in only_theirs})
        result["only_in_cuobjdump_by_kind"] = dict(
            collections.Counter(kinds.get(name, "not found") for (_, name), _ in only_theirs))
        for (architecture, name), (their, _) in only_theirs:
            if kinds.get(name) != "device function" and len(result["examples"]) < 2 * EXAMPLES:
                result["examples"].append({"architecture": architecture, "name": name,
                                           "cuobjdump": dict(zip(FIELDS, their)), "launchbox": None})
    result["only_in_launchbox_by_section"] = dict(
        collections.Counter(section for _, (_, (section, _, _)) in only_ours))
    return result


def libraries_of(arguments):
    files = {}
    for given in arguments:
        found = [given] if os.path.isfile(given) else sorted(glob.glob(os.path.join(given, "lib*.so*")))
        if not found:
            print(f"no library there: {given}", file=sys.stderr)
        for file in found:
            # A library that appears twice, as a link or in a wheel beside the toolkit, counts once.
            name = os.path.basename(file)
            files.setdefault((name[:name.find(".so")], os.path.getsize(file)), os.path.realpath(file))
    return sorted(files.values(), key=lambda file: (order_of(file), os.path.basename(file)))


def order_of(file):
    """Puts first the three that cuobjdump can read, so that there is time for all of their rounds."""
    for place, name in enumerate(["libcublas.", "libcusparse.", "libcurand."]):
        if os.path.basename(file).startswith(name):
            return place
    return 3


def show(result):
    ratio = result["seconds_cuobjdump"] / result["seconds_launchbox"]
    print(f"{result['library'][:36]:<37}{result['functions_of_cuobjdump']:>9}{result['kernels_of_launchbox']:>9}"
          f"{result['equal']:>9}{result['differing']:>8}{result['only_in_cuobjdump']:>8}{result['only_in_launchbox']:>8}"
          f"{result['seconds_cuobjdump']:>9.3f} s{result['seconds_launchbox']:>8.3f} s{ratio:>7.1f}x ({result['rounds']})")
    for title in ["differing_by_field", "only_in_cuobjdump_by_kind", "only_in_launchbox_by_section"]:
        if result[title]:
            print(f"    {title.replace('_', ' ')}: " + "; ".join(f"{k}: {v}" for k, v in result[title].items()))
    for each in result["examples"]:
        print(f"    {each['architecture']} {each['name'][:60]}: cuobjdump {each['cuobjdump']}, "
              f"launchbox {each['launchbox']}")
    if result["cuobjdump_status"] != 0:
        print(f"    cuobjdump: exit status {result['cuobjdump_status']}: {result['cuobjdump_complaint']}")
    sys.stdout.flush()


def version_of(cuobjdump):
    text = subprocess.run([cuobjdump, "--version"], stdout=subprocess.PIPE, encoding="latin-1").stdout
    found = re.search(r"V(\d[\d.]*)", text)
    return found.group(1) if found else "unknown"


def processor():
    with open("/proc/cpuinfo", encoding="latin-1") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launchbox", default="build/release/launchbox")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=240, help="after these no further library is started")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("library", nargs="+")
    arguments = parser.parse_args()
    try:
        cuobjdump_version = version_of(arguments.cuobjdump)
    except OSError as problem:
        print(f"{arguments.cuobjdump}: {problem.strerror}; it comes with the CUDA toolkit", file=sys.stderr)
        return 2
    start = time.perf_counter()
    print(f"{'library':<37}{'cuobjdump':>9}{'kernels':>9}{'equal':>9}{'differ':>8}{'only cu':>8}{'only lb':>8}"
          f"{'cuobjdump':>11}{'launchbox':>10}{'ratio':>8} (rounds)")
    results, failed, left_out = [], 0, []
    for library in libraries_of(arguments.library):
        elapsed = time.perf_counter() - start
        if elapsed > arguments.seconds:
            left_out.append(os.path.basename(library))
            continue
        try:
            result = compare(arguments, library)  # the file is in the page cache afterwards
        except (OSError, RuntimeError, ValueError) as problem:
            print(f"{library}: {problem}")
            failed += 1
            continue
        if result["functions_of_cuobjdump"] + result["kernels_of_launchbox"] == 0:
            continue
        commands = [[arguments.cuobjdump, "--dump-resource-usage", library],
                    [arguments.launchbox, "inspect", library, "--format", "csv"]]
        (result["seconds_cuobjdump"], result["seconds_launchbox"]), result["rounds"] = timed(
            commands, arguments.rounds, max(arguments.seconds - elapsed, 1) / 4)
        show(result)
        results.append(result)
    if left_out:
        print("no time left for: " + ", ".join(left_out))
    total = {key: sum(result[key] for result in results) for key in
             ["functions_of_cuobjdump", "kernels_of_launchbox", "equal", "differing", "only_in_cuobjdump",
              "only_in_launchbox"]}
    print("in all: " + ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in total.items()))
    if arguments.json:
        record = {"schema": "launchbox.record/1", "cpu": processor(), "threads": os.cpu_count(),
                  "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
                  "commit": os.environ.get("LAUNCHBOX_COMMIT", "unknown"), "command": "bench/compare_with_cuobjdump.py",
                  "cuobjdump": cuobjdump_version,
                  "unit": "seconds: wall time of `cuobjdump --dump-resource-usage` and `launchbox inspect --format csv`, "
                          "medians of alternating rounds",
                  "total": total, "libraries": results, "not_compared_for_lack_of_time": left_out}
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
            file.write("\n")
    return 2 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
