#!/usr/bin/env python3
"""Validates the output of many calls of a verb against the schemas in schema/, and its CSV and markdown against its
JSON.

    validate_outputs.py TOOL REPOSITORY VERB [DRIVER CUPTI APP CUBIN]
    validate_outputs.py --verbs         prints their names, one per line

The last four are for `capture`: the folders of the doubles of the driver and of CUPTI, and the program that it runs.

Exit status: 0 all agree, 1 something does not, or a schema of the verb was not seen; 77 skipped (no python3-jsonschema).
"""

import csv
import glob
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

# What each verb prints; after the comma, what it prints only for sources, which need nvcc.
SCHEMAS = {
    "advise": ("", "advice/1"),
    "bench-search": ("search/1", ""),
    "bounds": ("register_limits/1", "bounds/1"),
    "capture": ("launches/1 capture/1", ""),
    "check": ("check/1", ""),
    "devices": ("devices/1", ""),
    "emit": ("rows/1", ""),
    "inspect": ("kernels/2 summary/1 diff/1 stack_reserve/1", "compilers/1 size/1"),
    "occupancy": ("occupancy/1 occupancies/1", ""),
    "results": ("results/1 comparison/1 convergence/1 map/1 portability/1", ""),
    "suggest": ("suggestions/2", ""),
    "tune": ("", "builds/1"),
}
if sys.argv[1:] == ["--verbs"]:
    print("\n".join(SCHEMAS))
    sys.exit(0)

try:
    import jsonschema
except ImportError:
    print("skipped: install python3-jsonschema")
    sys.exit(77)

TOOL, REPOSITORY, VERB = sys.argv[1:4]
DOUBLES = sys.argv[4:8]
LOGS = os.path.join("tests", "data", "logs")
RECORD = os.path.join("measurements", "nvidia-h200", "tune_block_sort.json")
CACHE = tempfile.TemporaryDirectory()
ENVIRONMENT = {"LAUNCHBOX_CACHE": CACHE.name, **os.environ, "COLUMNS": "100", "LC_ALL": "C.UTF-8"}

failures = 0
outputs = 0
compiles = False  # whether there is an nvcc


def fail(arguments, message):
    global failures
    failures += 1
    print(f"FAIL launchbox {' '.join(arguments)}\n     {message}")


def launchbox(arguments, status, standard_input=b""):
    ran = subprocess.run([TOOL, *arguments], cwd=REPOSITORY, env=ENVIRONMENT, input=standard_input, capture_output=True)
    if ran.returncode != status:
        fail(arguments, f"exit status {ran.returncode} instead of {status}: {ran.stderr.decode(errors='replace')}")
    return ran.stdout.decode("utf-8")  # strictly: output that is not UTF-8 is our bug


def schema_named(name):
    with open(os.path.join(REPOSITORY, "schema", name + ".json"), encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def strictly(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"a name stands twice in {names}")
    return dict(pairs)


VALIDATORS = {}


def check_json(arguments, text):
    """The document, if it is one of ours and valid by its schema."""
    global outputs
    outputs += 1
    try:
        found = json.loads(text, object_pairs_hook=strictly)
    except ValueError as problem:
        fail(arguments, f"no JSON: {problem}")
        return None
    if next(iter(found)) != "schema":
        fail(arguments, "schema is not the first name")
    name = found["schema"].replace("/", "-")
    if name not in VALIDATORS:
        VALIDATORS[name] = schema_named(name)
    for problem in sorted(VALIDATORS[name].iter_errors(found), key=str)[:3]:
        fail(arguments, f"{problem.json_path}: {problem.message[:300]}")
    return found


def rows_of(found):
    """The records that make one CSV row each."""
    kind = found["schema"]
    if kind == "launchbox.kernels/2":
        if any("lines" in each for each in found["kernels"]):
            return [{**line, "kernel": each["name"]} for each in found["kernels"] if each.get("lines")
                    for line in each["lines"]["lines"] if line["spill_stores"] + line["spill_loads"] > 0]
        return found["kernels"]
    if kind == "launchbox.size/1":
        return [row for each in found["files"] for row in
                [{"file": each["file"], "bytes": one["stored_bytes"], "images": one["images"], "kernels": one["kernels"]}
                 for one in each["architectures"]] +
                [{"file": each["file"], "what": one["name"], "bytes": one["code_bytes"], "kernels": one["kernels"]}
                 for one in each["templates"]]]
    if kind == "launchbox.stack_reserve/1":
        return found["gpus"]
    if kind == "launchbox.compilers/1":
        return [{**made, "kernel": each["name"]} for each in found["kernels"] for made in each["made"] if made]
    if kind == "launchbox.summary/1":
        return [{"file": each["file"], "kind": each["kind"], **row}
                for each in found["inputs"] for row in each["architectures"]]
    if kind == "launchbox.diff/1":
        def sides(kernel, before, after):
            return {**kernel, **{name + "_before": value for name, value in before.items()},
                    **{name + "_after": value for name, value in after.items()}}
        return ([sides(each, each["before"], each["after"]) for each in found["changes"]]
                + [sides({**each, "verdict": "new"}, {}, each["figures"]) for each in found["appeared"]]
                + [sides({**each, "verdict": "gone"}, each["figures"], {}) for each in found["vanished"]])
    if kind == "launchbox.suggestions/2":
        return [each for result in found["results"] for each in result["candidates"]]
    if kind == "launchbox.check/1":
        return found["findings"]
    if kind == "launchbox.advice/1":
        return [{**kernel, **each} for kernel in found["kernels"] for each in kernel["architectures"]]
    if kind == "launchbox.bounds/1":
        return [{**{name: value for name, value in kernel.items() if name != "threads"}, **row}
                for kernel in found["kernels"] for row in kernel["rows"]]
    if kind == "launchbox.register_limits/1":
        return [{**chip, **bound} for chip in found["results"] for bound in chip["bounds"]]
    if kind == "launchbox.devices/1":
        return found.get("compute_capabilities", found["gpus"])
    if kind == "launchbox.convergence/1":
        return [{**series, **each} for series in found["series"] for each in series["improvements"]]
    if kind in ("launchbox.results/1", "launchbox.builds/1", "launchbox.comparison/1"):
        return found["candidates"]
    if kind == "launchbox.map/1":
        return found["cells"]
    if kind == "launchbox.portability/1":
        return [{**row, **{"share." + gpu["name"]: share for gpu, share in zip(found["gpus"], row["shares"])}}
                for row in found["rows"]]
    if kind == "launchbox.occupancies/1":
        columns = found["columns"]
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    if kind == "launchbox.search/1":
        return [{**problem, **strategy} for problem in found["problems"] for strategy in problem["strategies"]]
    if kind == "launchbox.launches/1":
        return [{**each, **{f"{name}_{axis}": (each[name] or [0, 0, 0])[i] for name in ("grid", "block", "cluster")
                            for i, axis in enumerate("xyz")}, "kernel": each["demangled"],
                 "waves": each["waves"] and each["waves"]["waves"], "occupancy": each["occupancy"] and
                 each["occupancy"]["occupancy"]} for each in found["kernels"]]
    return found["results"]


def check_captures():
    """What `capture` writes to a file; standard output is the program's."""
    driver, cupti, app, cubin = DOUBLES
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as plan:
            json.dump({"kernels": [{"effect": "nothing"}], "cupti": {"in_graph": "shared"}}, plan)
        ENVIRONMENT.update(FAKE_GPU_PLAN=plan.name, LD_LIBRARY_PATH=driver + ":" + cupti, LAUNCHBOX_CUPTI="")
        launches = ["init", "load=" + cubin, "launch=plain,8x2,64,0,300", "launch=spilling,5000,1024,0,1",
                    "carveout=plain,50", "cluster=2,plain,8,64,0,1", "cooperative=plain,2000,100,0,3",
                    "launch=shared_by_launch,300,33,20000,1", "signal=9"]
        for words in ([], ["init"], launches[:-1], launches):
            command = ["--", app, *words]
            for following in ([], ["--follow-children"]):
                status = 137 if words == launches else 0
                forms = {}
                for output_format in ("json", "csv", "markdown"):
                    file = os.path.join(folder, "report." + output_format)
                    launchbox(["capture", *following, "--all", "--format", output_format, "-o", file, *command], status)
                    with open(file, newline="", encoding="utf-8") as written:
                        forms[output_format] = written.read()
                found = check_json(["capture", *command], forms["json"])
                if found is None:
                    continue
                if (len(found["kernels"]) > 0) != (words == launches[:-1]):
                    fail(["capture", *command], f"{len(found['kernels'])} rows")
                check_csv(["capture", *command], forms["csv"], found)
                check_markdown(["capture", *command], forms["markdown"], found)
        kept = os.path.join(folder, "kept")
        launchbox(["capture", "-k", "plain", "-o", kept, "--", app, *launches[:-1]], 0)
        with open(os.path.join(kept, "capture.json"), encoding="utf-8") as written:
            check_json(["capture", "-k", "plain"], written.read())
        for name in ("FAKE_GPU_PLAN", "LD_LIBRARY_PATH", "LAUNCHBOX_CUPTI"):
            del ENVIRONMENT[name]


def check_csv(arguments, text, found):
    if not text.endswith("\r\n"):
        fail(arguments, "a CSV line does not end with CR LF")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    header, records = rows[0], rows[1:]
    expected = rows_of(found)
    if len(records) != len(expected):
        fail(arguments, f"{len(records)} CSV rows for {len(expected)} records")
        return
    for record, object_ in zip(records, expected):
        if len(record) != len(header):
            fail(arguments, f"a CSV row has {len(record)} fields, the header {len(header)}")
            return
        for title, field in zip(header, record):
            value = object_.get(title)
            if isinstance(value, bool) or not isinstance(value, (int, str)):
                continue  # null, lists and objects have another format
            if field != str(value):
                fail(arguments, f"{title} is {field!r} in CSV and {value!r} in JSON")


def check_sarif(arguments, text, found):
    sarif = json.loads(text, object_pairs_hook=strictly)
    for problem in sorted(schema_named("sarif-subset").iter_errors(sarif), key=str)[:3]:
        fail(arguments, f"SARIF: {problem.json_path}: {problem.message[:300]}")
    run = sarif["runs"][0]
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    wanted = [each["check"] for each in found["findings"] if each["status"] != "better"]
    wanted += ["unchecked"] * len(found["unchecked"]) + ["unused_rule"] * len(found["unused_rules"])
    if [each["ruleId"] for each in run["results"]] != wanted:
        fail(arguments, "SARIF has other results than JSON")
    if any(rules[each["ruleIndex"]] != each["ruleId"] for each in run["results"]):
        fail(arguments, "SARIF: a ruleIndex is another rule's")
    prints = [each["partialFingerprints"]["primaryLocationLineHash"] for each in run["results"]
              if "partialFingerprints" in each]
    if len(prints) != len(set(prints)):
        fail(arguments, "SARIF: two results with the same fingerprint")


def check_junit(arguments, text, found):
    suites = ElementTree.fromstring(text.encode())  # throws if it is not well-formed
    cases = suites.findall("./testsuite/testcase")
    kernels = [each for each in cases if each.get("classname") not in ("budget", "input")]
    if len(kernels) != found["counts"]["kernels"]:
        fail(arguments, f"JUnit: {len(kernels)} test cases for {found['counts']['kernels']} kernels")
    for counted, tag in [("failures", "failure"), ("errors", "error")]:
        there = sum(each.find(tag) is not None for each in cases)
        for suite in [suites, *suites]:
            if int(suite.get("tests")) != len(cases) or int(suite.get(counted)) != there:
                fail(arguments, f"JUnit: {counted} or tests are miscounted")
    if any(suites.find(f".//{kind}") is not None for kind in ("failure", "error")) == found["passed"]:
        fail(arguments, "JUnit and JSON do not agree whether the check passed")


def check_annotations(arguments, text, found):
    commands = [line for line in text.splitlines() if line.startswith("::")]
    shape = re.compile(r"::(error|warning|notice) (file=([^:,%]|%[0-9A-F]{2})+,line=[1-9][0-9]*,)?title=[^:,]+::.+")
    for line in commands:
        if not shape.fullmatch(line):
            fail(arguments, f"an annotation is out of shape: {line}")
    # One result covers all architectures of a kernel, and there are at most ten of each level.
    told = {(each["fails"], each["check"], each["identity"], str(each["written_at"] or each["input"].strip("-") or
                                                                 each["set_by"]))
            for each in found["findings"] if each["status"] != "better"}
    levels = [fails for fails, *_ in told] + [each["fails"] for each in found["unused_rules"] + found["unchecked"]]
    levels += [True] * sum(len(each["errors"]) for each in found["inputs"])
    if any(each["fails"] for each in found["gone_kernels"]):
        return  # one for each lost architecture or kernel
    for level, fails in (("error", True), ("warning", False)):
        wanted = min(10, levels.count(fails))
        shown = sum(line.startswith(f"::{level} ") for line in commands)
        if shown != wanted:
            fail(arguments, f"{shown} annotations of level {level} instead of {wanted}")


def check_markdown(arguments, text, found):
    cells = re.compile(r"(?<!\\)\|")
    lines = text.split("\n")
    tables = 0
    fenced = False
    width = 0
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and line.startswith("|"):
            count = len(cells.findall(line))
            if width == 0:
                width = count
                tables += 1
                if not re.fullmatch(r"(\| (---|--:) )+\|", lines[number + 1]):
                    fail(arguments, f"line {number + 2} does not rule off the header of a table")
            if count != width:
                fail(arguments, f"line {number + 1} has {count - 1} cells, its table {width - 1}")
        else:
            width = 0
    if fenced:
        fail(arguments, "a code block does not end")
    if rows_of(found) and tables == 0:
        fail(arguments, "no table in the markdown")


def toolkit_library(pattern):
    """A library of every toolkit with several hundred kernels for each architecture; empty if it is missing."""
    nvcc = shutil.which("nvcc")
    toolkits = [os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))] if nvcc else []
    for toolkit in toolkits + sorted(glob.glob("/usr/local/cuda*")):
        for folder in ["lib64", "lib", os.path.join("targets", "x86_64-linux", "lib")]:
            found = glob.glob(os.path.join(toolkit, folder, pattern))
            if found:
                return found[0]
    return ""


def log_of(name):
    return (
        b"ptxas info    : Compiling entry function '" + name + b"' for 'sm_90'\n"
        b"ptxas info    : Function properties for " + name + b"\n"
        b"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        b"ptxas info    : Used 33 registers, 352 bytes cmem[0]\n"
    )


def calls():
    """(arguments, expected exit status, standard input)"""
    for architecture in ["all", "sm_20", "sm_52,sm_61", "sm_90a,10.3,compute_120"]:
        for threads in ["1", "33", "256", "1024", "1025"]:
            yield ["occupancy", "--arch", architecture, "--threads", threads, "--registers", "63"], 0, b""
    figures = ["occupancy", "--arch", "sm_90", "--threads", "256"]
    for more in [
        [],
        ["--registers", "255", "--threads", "1024"],
        ["--registers", "224", "--threads", "288"],
        ["--shared", "48K", "--dynamic-shared", "threads*512"],
        ["--shared", "1M", "--curves"],
        ["--barriers", "16", "--registers", "255"],
        ["--barriers", "17"],
        ["--max-threads", "128"],
        ["--carveout", "0", "--dynamic-shared", "20000"],
        ["--carveout", "37", "--cache", "l1"],
        ["--grid", "70368744177664", "--sms", "132"],
        ["--grid", "1", "--sms", "1", "--cluster", "16", "--curves"],
        ["--cluster", "3", "--gpcs", "18,18,16,2"],
        ["--max-dynamic-shared", "default", "--dynamic-shared", "100000"],
        ["--max-dynamic-shared", "max", "--dynamic-shared", "100000"],
        ["--rules"],
        ["--threads", "250", "--registers", "40", "--rules"],
    ]:
        yield [*figures[:3], *(more if "--threads" in more else figures[3:] + more)], 0, b""
    for capability in ["sm_37", "sm_52", "sm_62", "sm_86"]:
        yield ["occupancy", "--arch", capability, "--threads", "96", "--registers", "45", "--mode", "spreadsheet"], 0, b""
    for caching in ["preferred", "strict"]:
        yield ["occupancy", "--arch", "sm_52", "--threads", "640", "--registers", "60", "--caching", caching], 0, b""
    yield ["occupancy", "--arch", "sm_120", "--threads", "256", "--cluster", "4", "--sms", "170"], 0, b""
    for questions in (b"threads\n", b"threads,registers,shared\n256,63,11264\n2048,,\n",
                      b"arch,threads,max_threads\nsm_35,96,64\nH100,96,\n"):
        given = [] if questions.startswith(b"arch") else ["--arch", "sm_90a"]
        yield ["occupancy", *given, "--questions", "-"], 0, questions

    for ties in ["balanced", "largest", "smallest"]:
        yield ["suggest", "--arch", "all", "--registers", "64", "--ties", ties], 0, b""
    yield ["suggest", "--arch", "sm_90", "--registers", "40", "--dynamic-shared", "4*threads", "--top", "99"], 0, b""
    yield ["suggest", "--arch", "sm_90", "--registers", "40", "--shared", "1M"], 0, b""
    yield ["suggest", "--arch", "sm_90,sm_120", "--registers", "0", "--multiple", "96", "--limit", "500"], 0, b""

    yield ["bounds", "--arch", "all", "--threads", "65,128,1024"], 0, b""
    yield ["bounds", "--arch", "all,H100", "--threads", "256", "--min-blocks", "1,8,33"], 0, b""

    yield ["devices"], 0, b""

    for log in sorted(os.listdir(os.path.join(REPOSITORY, LOGS))):
        if log.endswith(".log"):
            for threads in [[], ["--threads", "256"]]:
                yield ["inspect", os.path.join(LOGS, log), *threads], None, b""
    for log in ["basic_sm_90.log", "historical_cuda8.log", "spills.log", "relocatable.log", "compiled_and_linked.log",
                "linked_without_architecture.log", "historical_truncated.log"]:
        file = os.path.join(LOGS, log)
        yield ["inspect", file, "--summary"], None, b""
        yield ["inspect", file, "--sort", "occupancy", "--threads", "256"], None, b""
        yield ["inspect", file, "--spilling", "--sort", "spills", "--top", "1"], None, b""
        yield ["inspect", file, "--diff", os.path.join(LOGS, "several_architectures.log"), "--threads", "128"], None, b""
    yield ["inspect", os.path.join(LOGS, "spills.log"), "--diff", os.path.join(LOGS, "spills.log"), "--top", "1"], 0, b""
    whole = os.path.join(LOGS, "basic_sm_90.log")
    yield ["inspect", whole, "--stack-reserve"], 0, b""
    yield ["check", os.path.join(LOGS, "spills.log"), "--stack-reserve", "1M"], None, b""
    yield ["inspect", whole, os.path.join(LOGS, "spills.log"), "--summary"], 0, b""
    yield ["inspect", whole, "missing.log"], 2, b""
    yield ["occupancy", whole, "--threads", "256"], 0, b""
    yield ["suggest", whole], 0, b""
    hostile = b"k\x1b[2J\"'<b>|,\\\xff\xc2\x9b\x01`"
    log = log_of(hostile)
    yield ["inspect", "-", "--threads", "256"], None, log
    yield ["occupancy", "-", "--threads", "256"], None, log
    yield ["suggest", "-"], None, log
    changed = log.replace(b"Used 32", b"Used 64").replace(b"0 bytes spill stores", b"8 bytes spill stores")
    with tempfile.NamedTemporaryFile(suffix=".log") as other:
        other.write(changed)
        other.flush()
        yield ["inspect", "-", "--diff", other.name], None, log
    yield ["inspect", "-", "--summary"], None, log
    yield ["inspect", "-"], 2, b"nothing of interest\n"

    recorded = os.path.join("tests", "data", "results", "example.json")
    hostile_results = os.path.join("tests", "data", "results", "hostile.json")
    for more in [[], ["--samples"], ["--top", "all", "--failures"], ["--workload", "n=134217728"]]:
        yield ["results", recorded, *more], 0, b""
    yield ["results", hostile_results, recorded], 0, b""
    # The rows of two GPUs.
    with open(os.path.join(REPOSITORY, recorded)) as file, tempfile.NamedTemporaryFile("w", suffix=".json") as other:
        other.write(file.read().replace("Example GPU", "Other GPU"))
        other.flush()
        yield ["results", recorded, other.name], 0, b""
    yield ["results", recorded, hostile_results, "--convergence"], 0, b""
    yield ["results", recorded, "--convergence", "--workload", "n=134217728"], 0, b""
    yield ["results", recorded, recorded, hostile_results, "--compare"], 0, b""
    yield ["results", hostile_results, hostile_results, "--compare"], 0, b""
    with_work = os.path.join("tests", "data", "results", "throughput.json")
    yield ["results", with_work], 0, b""
    with_energy = os.path.join("measurements", "nvidia-h100", "tune_energy.json.gz")
    yield ["results", with_energy], 0, b""
    yield ["results", with_energy, "--objective", "time,power where power <= 500"], 0, b""
    yield ["results", with_energy, "--run", "3", "--map", "tile_m,tile_n"], 0, b""
    yield ["results", with_work, "--samples"], 0, b""
    yield ["results", with_work, with_work, "--compare"], 0, b""
    for view in [["--map", "threads,items"], ["--map", "items", "--by", "gpu"], ["--map", "n,threads", "--unit", "share"],
                 ["--by", "type,n,gpu"], ["--by", "kernel"]]:
        yield ["results", with_work, recorded, *view], 0, b""
    yield ["results", hostile_results, "--by", "kernel,gpu,run"], 0, b""
    tuned = [os.path.join("measurements", gpu, "landscape_block_sort.json.gz") for gpu in ("nvidia-h100", "nvidia-h200")]
    yield ["results", *tuned, "--portable", "--within", "0.5%"], 0, b""
    yield ["results", recorded, "missing.db"], 2, b""
    yield ["results", recorded, "--workload", "n=5"], 2, b""

    yield ["bench-search", RECORD, "--repeats", "2", "--most", "20", "--strategy", "auto,random"], 0, b""

    library = toolkit_library("libcurand.so*")
    if library:
        yield ["inspect", library, "--before-linking", "--arch", "sm_80,sm_120"], 0, b""
    else:
        print("without a toolkit's libcurand: no library is inspected")

    budgets = os.path.join("tests", "fuzz", "corpus", "budget")
    everything = ["--budget", os.path.join(budgets, "everything.toml")]
    baseline = ["--baseline", os.path.join("tests", "fuzz", "corpus", "baseline", "basic_sm_90")]
    for log in sorted(os.listdir(os.path.join(REPOSITORY, LOGS))):
        if log.endswith(".log"):
            yield ["check", os.path.join(LOGS, log), *everything], None, b""
    yield ["check", whole, "--budget", os.path.join("examples", "launchbox.budget.toml")], 0, b""
    yield ["check", whole, *baseline], 0, b""
    yield ["check", os.path.join(LOGS, "spills.log"), *baseline], 2, b""
    yield ["check", os.path.join(LOGS, "basic_sm_80.log"), whole, *baseline, *everything], 1, b""
    yield ["check", whole, "missing.log", *everything, *baseline], 2, b""
    yield ["check", "-", *everything], 1, b".version 8.0\n.target sm_80\n.visible .entry k() { ret; }\n"
    yield ["check", whole, "--arch", "sm_75,sm_90", *everything], 1, b""
    yield ["check", "-", *everything], 1, log_of(hostile.replace(b"'", b""))
    yield ["check", "-", "--budget", os.path.join(budgets, "mistakes.toml")], 2, log_of(hostile)

    if "\nnvcc: " not in launchbox(["--version"], 0):
        global compiles
        compiles = True
        spills = os.path.join("tests", "data", "kernels", "spills.cu")  # compiles quickly
        bounds = ["bounds", spills, "--arch", "sm_90,sm_120"]
        timed = ["bounds", spills, "--arch", "sm_90", "--runs", "1", "--measure", "echo time: 5 ms"]
        advise = ["advise", spills, "--arch", "sm_90,H100 PCIe,sm_120"]
        for each in {"bounds": [bounds, bounds + ["--all"], timed], "advise": [advise]}.get(VERB, []):
            launchbox(each, 0)  # fills the cache, so that every form reports the same compiles
            yield each, 0, b""
        tune = ["tune", os.path.join("tests", "data", "tune", "faults.toml"), "--build-only", "--arch", "sm_90"]
        if VERB == "tune":
            launchbox(tune, 0)  # the same
            yield tune, 0, b""
        merge = merge_source()
        yield ["check", merge, "--arch", "sm_80,sm_90", *everything, "--", "-lineinfo"], 1, b""
        source = os.path.join("tests", "data", "kernels", "bounds.cu")
        yield ["inspect", source, "--arch", "sm_80,sm_90,sm_120"], 0, b""
        yield ["inspect", source, "--arch", "sm_80,sm_90", "--summary"], 0, b""
        nvcc = re.search(r"\nnvcc \S+ \((\S+),", launchbox(["--version"], 0))[1]
        for more in [["--lines"], ["--size"], ["--stack-reserve"], ["--nvcc", nvcc + "," + nvcc]]:
            yield ["inspect", spills, "--arch", "sm_80,sm_90", *more], 0, b""
        launches = os.path.join("tests", "data", "kernels", "launches.cu")
        yield ["inspect", launches, "--arch", "sm_80,sm_90", "--", "-maxrregcount=32"], 0, b""
        yield ["inspect", source, "--arch", "sm_90", "--diff", source], 0, b""
        yield ["occupancy", source, "--arch", "sm_90", "--threads", "64"], 0, b""
        yield ["suggest", source, "--arch", "sm_90"], 0, b""
        yield ["inspect", os.path.join("tests", "data", "kernels", "syntax_error.cu"), "--arch", "sm_90"], 2, b""
    else:
        print("without nvcc: sources are skipped")


def merge_source():
    return os.path.join("examples", "merge.cu")


def with_options(arguments, *options):
    """Inserts the options before "--", after which everything is for the compiler."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return [*arguments[:at], *options, *arguments[at:]]


def main():
    global compiles
    for arguments, status, standard_input in calls():
        if arguments[0] != VERB:
            continue
        text = {}
        for output_format in ["json", "csv", "markdown"]:
            if status is None:  # the log decides, the same for every form
                ran = subprocess.run([TOOL, *arguments], cwd=REPOSITORY, env=ENVIRONMENT, input=standard_input,
                                     capture_output=True)
                status = ran.returncode
                if status not in (0, 1, 2):
                    fail(arguments, f"exit status {status}")
            text[output_format] = launchbox(with_options(arguments, "--format", output_format), status, standard_input)
        if not text["json"] and status == 2:
            continue  # refused as a whole
        found = check_json(arguments, text["json"])
        if found is not None:
            check_csv(arguments, text["csv"], found)
            check_markdown(arguments, text["markdown"], found)
            if arguments[0] == "check":
                for form, check in [("sarif", check_sarif), ("junit", check_junit), ("github", check_annotations)]:
                    check(arguments, launchbox(with_options(arguments, "--format", form), status, standard_input), found)
        # A file gets the same output as the terminal.
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "report")
            launchbox(with_options(arguments, "--format", "json", "-o", file), status, standard_input)
            with open(file, encoding="utf-8") as written:
                if written.read() != text["json"]:
                    fail(arguments, "-o writes something else")
    if VERB == "emit":
        for record in [RECORD, os.path.join("tests", "data", "results", "throughput.json")]:
            check_json(["emit", record], launchbox(["emit", record, "--format", "json"], 0))
    if VERB == "capture":
        check_captures()
    always, of_sources = SCHEMAS[VERB]
    expected = set((always + " " + (of_sources if compiles else "")).split())
    seen = {name.removeprefix("launchbox.").replace("-", "/") for name in VALIDATORS}
    print(f"{outputs} outputs validated against {', '.join(sorted(seen)) or 'no schema'}; {failures} failures")
    if not expected:
        print(f"skipped: {VERB} has no outputs without nvcc")
        return 77
    if seen != expected:
        print(f"expected outputs of {', '.join(sorted(expected))}")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
