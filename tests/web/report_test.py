#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports in a browser, against the tool's JSON:  report_test.py TOOL REPOSITORY [PICTURES]"""
import copy
import json
import os
import pathlib
import random
import sys
import tempfile

import browser
from browser import Keys, check, check_equal

TOOL, REPOSITORY = sys.argv[1], pathlib.Path(sys.argv[2])
PICTURES = sys.argv[3] if len(sys.argv) > 3 else None
HOSTILE = "</script><script>window.caught = 1</script><img src=x onerror='window.caught = 2'>"
MAX_BYTES = 15 << 20

# Draws every chart of the page, and returns Chart.js's data.
DRAW_ALL = """
(async () => {
    for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = false;
    for (const canvas of document.querySelectorAll("canvas")) {
        canvas.scrollIntoView();
        for (let tries = 0; !Chart.getChart(canvas) && tries < 200; ++tries) await new Promise((next) => setTimeout(next, 5));
    }
    const charts = {};
    for (const canvas of document.querySelectorAll("canvas")) {
        const chart = Chart.getChart(canvas);
        charts[canvas.id] = chart ? chart.data.datasets.map((data) => ({label: data.label, x: data.series.x, y: data.series.y,
            drawn: chart.getDatasetMeta(chart.data.datasets.indexOf(data)).data.length})) : null;
    }
    done(charts);
})();
"""


def write(page, folder, name, *inputs, status=0):
    file = f"{folder}/{name}.html"
    browser.tool_output(TOOL, "report", *map(str, inputs), "-o", file, status=status)
    check(pathlib.Path(file).stat().st_size < MAX_BYTES, f"{name}: {pathlib.Path(file).stat().st_size} bytes")
    page.open(file)
    return file


def results_of(*inputs):
    return json.loads(browser.tool_output(TOOL, "results", *map(str, inputs), "--format", "json", "--samples"))


def close_to(found, wanted):
    return abs(found - wanted) <= 1e-5 * abs(wanted)


def charts_equal_the_json(page, folder):
    """Every point in the charts of a real run is a candidate in the JSON, with its numbers."""
    record = REPOSITORY / "measurements/nvidia-h200/tune_block_sort.json"
    write(page, folder, "block_sort", record)
    charts = page.wait_for(DRAW_ALL)
    check(len(charts) > 20 and all(charts.values()), f"{sum(map(bool, charts.values()))} of {len(charts)} charts are drawn")
    for name, series in charts.items():
        for one in series or []:
            check_equal(one["drawn"], len(one["x"]), f"points drawn of {name}")
    results = results_of(record)
    workloads = []
    for candidate in results["candidates"]:
        if candidate["workload"] not in workloads:
            workloads.append(candidate["workload"])
    for number, workload in enumerate(workloads, 1):
        mine = [one for one in results["candidates"] if one["workload"] == workload]
        measured = [one for one in mine if one["status"] == "measured" and one["same_as"] is None]
        times = sorted(time for one in charts[f"run1-w{number}-occupancy-chart0"] for time in one["y"])
        wanted = sorted(one["median_ns"] / 1e6 for one in measured)
        check_equal(len(times), len(wanted), f"points of occupancy against time, workload {number}")
        check(all(map(close_to, times, wanted)), f"times of occupancy against time, workload {number}")
        best = min(charts[f"run1-w{number}-convergence-chart0"][0]["y"])
        check(close_to(best, min(wanted)), f"the best of the convergence, workload {number}: {best}")
        failed = {}
        for one in mine:
            if one["status"] != "measured":
                failed[one["status"]] = failed.get(one["status"], 0) + 1
        bars = charts[f"run1-w{number}-failures-chart0"][0]["x"]
        check_equal(sorted(bars), sorted(map(float, failed.values())), f"failures, workload {number}")
        race = [one for one in results["races"] if one["workload"] == workload]
        samples = sorted(x for x in charts[f"run1-w{number}-samples-chart0"][0]["x"])
        wanted = sorted(x / 1e6 for entry in race[0]["entries"] for x in entry["samples_ns"])
        check(len(samples) == len(wanted) and all(map(close_to, samples, wanted)), f"samples, workload {number}")
        # The surface is an SVG in the page: the winner's time is in its cell.
        cells = page.run("return [...document.querySelectorAll(`#run1-w${arguments[0]}-surface-panel0 .cell`)].map((one) => "
                         "Number(one.dataset.value))", number)
        won = [one["median_ns"] / 1e6 for one in measured if one["is_winner"]]
        check(len(won) == 1 and any(close_to(one, won[0]) for one in cells), f"the surface, workload {number}")
    speed_ups = page.run("return [...document.querySelectorAll('#run1 ~ .scroll table')][0].innerText")
    for winner in (one for one in results["candidates"] if one["is_winner"]):
        text = " ".join(f"{name}={value}" for name, value in winner["parameters"].items())
        check(text in speed_ups, f"the winner {text} in the table of the best")
    command = results["runs"][0]["command"]
    check(command in page.run("return document.body.textContent"), "the command that repeats it")
    if PICTURES:
        page.size(1400, 3000)
        page.driver.save_screenshot(f"{PICTURES}/report_long.png")
        page.size(1400)


def tabs_and_tables(page, folder):
    write(page, folder, "tabs", REPOSITORY / "measurements/nvidia-h200/tune_block_sort.json")
    tabs = page.driver.find_elements("css selector", "#run1-w1-surface [role=tab]")
    check(len(tabs) >= 3, "tabs of the surface")
    tabs[0].click()
    tabs[0].send_keys(Keys.ARROW_RIGHT)
    check_equal(page.run("return document.activeElement.id"), "run1-w1-surface-tab1", "the tab to the right")
    check_equal(page.run("return [document.getElementById('run1-w1-surface-panel0').hidden, "
                         "document.getElementById('run1-w1-surface-panel1').hidden]"), [True, False], "the panels")
    page.run("const one = document.querySelector('#run1-w1-importance details'); one.open = true; one.scrollIntoView()")
    page.until("return document.querySelectorAll('#run1-w1-importance details tr').length > 2", "the table of a chart")
    rows = page.run("return [...document.querySelectorAll('#run1-w1-importance details tr')].map((one) => one.innerText)")
    check(any("threads" in row for row in rows), f"the table of a chart: {rows}")


def spoiled(value):
    """A copy with hostile text in the names of parameters."""
    if isinstance(value, dict):
        return {spoiled_name(name): spoiled(one) for name, one in value.items()}
    if isinstance(value, list):
        return [spoiled(one) for one in value]
    return value


def spoiled_name(name):
    return name + HOSTILE if name in ("threads", "items", "n", "type") else name


def hostile_names(page, folder):
    results = spoiled(json.loads((REPOSITORY / "tests/data/results/example.json").read_text()))
    for run in results["runs"]:
        run.update(name=HOSTILE, command=HOSTILE, version=HOSTILE, host=HOSTILE, spec=HOSTILE + "\n" + HOSTILE, file=HOSTILE)
    for where in results["environments"]:
        where.update(gpu=HOSTILE, driver=HOSTILE, toolkit=HOSTILE)
    for one in results["candidates"]:
        if one["reason"]:
            one["reason"] = HOSTILE
        if one.get("resources"):
            one["resources"]["name"] = HOSTILE
    file = pathlib.Path(folder) / "hostile.json"
    file.write_text(json.dumps(results))
    for inputs in ([file], [REPOSITORY / "tests/data/results/hostile.json"]):
        write(page, folder, "hostile", *inputs)
        page.wait_for(DRAW_ALL)
        check_equal(page.run("return window.caught === undefined"), True, "a script in a name ran")
        check_equal(page.run("return document.images.length"), 0, "images in the page")
        check_equal(page.run("return document.querySelectorAll('script').length"), 4, "scripts in the page")
    write(page, folder, "hostile", file)
    check(HOSTILE in page.run("return document.querySelector('main').textContent"), "the hostile name is shown as text")
    log = pathlib.Path(folder) / "hostile.log"
    log.write_text("ptxas info    : Compiling entry function '<script>alert(1)</script>' for 'sm_80'\n"
                   "ptxas info    : Function properties for <script>alert(1)</script>\n"
                   "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                   "ptxas info    : Used 40 registers, used 1 barriers, 352 bytes cmem[0]\n")
    write(page, folder, "hostile_kernel", log)
    check("<script>alert(1)</script>" in page.run("return document.querySelector('main').textContent"), "the hostile kernel as text")
    # The page's content security policy is effective, even against the page's own scripts.
    refused = page.wait_for("fetch('https://example.invalid/').then(() => done('loaded'), (failure) => done('refused'))")
    check_equal(refused, "refused", "a request of the page")
    check_equal(page.run("const one = document.createElement('script'); one.textContent = 'window.caught = 3'; document.body.append(one);"
                         "return window.caught === undefined"), True, "an added script is not run")
    page.driver.get_log("browser")  # of the refused requests


def what_is_missing(page, folder):
    example = json.loads((REPOSITORY / "tests/data/results/example.json").read_text())
    empty, failed = copy.deepcopy(example), copy.deepcopy(example)
    empty.update(candidates=[], races=[], best=[])
    failed.update(candidates=[one for one in example["candidates"] if one["status"] != "measured"], races=[], best=[])
    for name, results, words in (("empty", empty, "no results"), ("failed", failed, "Nothing was measured")):
        file = pathlib.Path(folder) / f"{name}.json"
        file.write_text(json.dumps(results))
        write(page, folder, name, file)
        check(words in page.run("return document.querySelector('main').textContent"), f"{name}: says that there is nothing")
        page.wait_for(DRAW_ALL)
    check(page.run("return document.querySelectorAll('canvas').length") > 0, "failures are drawn where there is nothing else")


def many_candidates(page, folder):
    example = json.loads((REPOSITORY / "tests/data/results/example.json").read_text())
    source, like = random.Random(int(os.environ.get("LAUNCHBOX_SEED", "3"))), example["candidates"][0]
    candidates = []
    for i in range(20000):
        one = copy.deepcopy(like)
        one["parameters"] = {"threads": 32 * (1 + i % 32), "items": 1 + i // 32 % 25, "vector": 1 << i // 800 % 5, "unroll": i // 4000}
        median = 1e5 * (1 + source.random())
        one.update(median_ns=median, low_ns=median, high_ns=median, samples_ns=[median * (1 + source.random() / 100) for _ in range(7)],
                   samples=7, is_winner=False, is_baseline=False, rank=i + 1)
        one["resources"]["registers"] = 16 + i % 200
        one["device"] = {"sm_clock_mhz": 1980 - i % 40, "memory_clock_mhz": 2619, "temperature_celsius": 30 + i % 50, "power_milliwatts": 300000,
                         "throttling": ""}
        candidates.append(one)
    example.update(candidates=candidates, races=[], best=[], overall=[])
    example["runs"][0]["baseline"] = None
    file = pathlib.Path(folder) / "many.json"
    file.write_text(json.dumps(example))
    write(page, folder, "many", file)
    times = page.run("const t = performance.getEntriesByType('navigation')[0]; return [t.domContentLoadedEventEnd, t.loadEventEnd]")
    print(f"20,000 candidates: {pathlib.Path(folder, 'many.html').stat().st_size / 1e6:.1f} MB, open after {max(times) / 1e3:.2f} s")
    charts = page.wait_for(DRAW_ALL)
    points = {name: sum(len(one["x"]) for one in series) for name, series in charts.items()}
    check_equal(points.get("run1-w1-occupancy-chart0"), 20000, f"points of occupancy against time, of {points}")


def two_runs(page, folder):
    record = REPOSITORY / "tests/data/results/example.json"
    write(page, folder, "two", record, REPOSITORY / "tests/data/results/example_13_1.json")
    text = page.run("return document.querySelector('main').textContent")
    comparison = json.loads(browser.tool_output(TOOL, "results", str(record), str(REPOSITORY / "tests/data/results/example_13_1.json"),
                                                "--compare", "--format", "json"))
    check("The runs side by side" in text and "A: block_sort" in text and "B: block_sort" in text, "both runs and the comparison")
    charts = page.wait_for(DRAW_ALL)
    drawn = sum(len(one["x"]) for name, series in charts.items() if name.startswith("c1-") for one in series)
    moved = [one["ratio"] for one in comparison["candidates"] if one["ratio"] is not None]
    check_equal(drawn, len(moved), "candidates in the comparison's charts")
    ratios = sorted(y for name, series in charts.items() if name.startswith("c1-") for one in series for y in one["y"])
    check(all(map(close_to, ratios, sorted(moved))), "the ratios of the comparison's charts")


# The order of the sections, and the positions of the first table and the first chart.
ORDER = """
const place = (element) => element ? element.getBoundingClientRect().top : Infinity, main = document.querySelector("#report main");
return {sections: [...main.querySelectorAll("h2")].map((one) => one.textContent), findings: place(document.getElementById("findings")),
        table: place(main.querySelector("table")), chart: place(main.querySelector("figure")), text: main.textContent};
"""

LINKS = "return [...document.querySelectorAll('#report a.to-calculator')].map((one) => one.getAttribute('href'))"


def findings_come_first(page, folder):
    """A source for three architectures: the advice comes before every table and chart, and equals that of inspect."""
    source = REPOSITORY / "examples/merge.cu"
    if not has_compiler():
        print("not checked: findings of a source; there is no nvcc")
        return
    write(page, folder, "merge", source, "--arch", "sm_80,sm_90,sm_120")
    found = page.run(ORDER)
    check_equal(found["sections"][0], "Findings", f"the first section of {found['sections']}")
    check(found["findings"] < found["table"] and found["findings"] < found["chart"], f"findings first: {found}")
    check("2 kernels, 3 architectures, 6 compiled" in found["text"], "kernels as people count them")
    kernels = json.loads(browser.tool_output(TOOL, "inspect", str(source), "--arch", "sm_80,sm_90,sm_120", "--format", "json"))["kernels"]
    findings = page.run("let text = ''; for (let at = document.getElementById('findings').nextElementSibling; at && at.tagName !== 'H2';"
                        "at = at.nextElementSibling) text += at.textContent + '\\n'; return text")
    for kernel in kernels:
        for diagnosis in kernel["diagnoses"]:
            check(diagnosis["message"] in findings and diagnosis["fix"] in findings, f"{diagnosis['id']} among the findings")
    check("launchbox advise " in findings, "the command that says what to write")
    opens_the_calculator(page, kernels)
    page.run("location.hash = '#kernel-figures'")
    page.until("return !document.getElementById('report').hidden", "the way back to the report")
    check(page.run("return document.getElementById('calculator').hidden"), "the calculator is hidden again")


def opens_the_calculator(page, kernels):
    """Each row's link opens the calculator with the figures of that kernel."""
    links = page.run(LINKS)
    check(len(links) >= len(kernels), f"{len(links)} links of {len(kernels)} rows")
    states = set()
    for link in sorted(set(links)):
        page.run("location.hash = arguments[0]", link)
        page.until("return document.documentElement.dataset.calculator === 'yes' && !document.getElementById('calculator').hidden && "
                   "document.documentElement.dataset.answered === document.documentElement.dataset.asked", "the calculator to open")
        shown = page.run("const value = (id) => document.getElementById(id).value; return {kernel: document.getElementById('kernel-name').textContent,"
                         "architecture: value('architecture'), threads: value('threads'), registers: value('registers'),"
                         "shared: value('static_shared_bytes'), barriers: value('barriers'), blocks: document.getElementById('blocks').textContent,"
                         "unknown: document.getElementById('unknown').textContent, said: document.getElementById('address-said').textContent}")
        check_equal(shown["said"], "", f"an address that is not understood: {link}")
        match = [one for one in kernels if one["short_name"] == shown["kernel"] and one["architecture"] == shown["architecture"]]
        check_equal(len(match), 1, f"the kernel of {shown}")
        for kernel in match:
            states.add((kernel["name"], kernel["architecture"]))
            check_equal((shown["registers"], shown["shared"], shown["barriers"]),
                        tuple(str(kernel[name]) for name in ("registers", "static_shared_bytes", "barriers")), f"figures of {shown}")
            if kernel["occupancy"]:
                check_equal((shown["threads"], shown["blocks"]),
                            (str(kernel["occupancy"]["shape"]["threads"]), str(kernel["occupancy"]["resident_blocks"])), f"the launch of {shown}")
            else:
                check("threads per block" in shown["unknown"], f"a block size that nobody told: {shown}")
    check_equal(len(states), len(kernels), "kernels and architectures that a link leads to")


def kernels_of_a_log(page, folder):
    """Without a compiler: a log has no launch bounds, so the block size is unknown."""
    log = REPOSITORY / "tests/data/logs/basic_sm_90.log"
    write(page, folder, "log", log)
    kernels = json.loads(browser.tool_output(TOOL, "inspect", str(log), "--format", "json"))["kernels"]
    check_equal(page.run(ORDER)["sections"][0], "Findings", "the first section")
    opens_the_calculator(page, kernels)
    names = {kernel["demangled"] for kernel in kernels}
    check(f"{len(names)} kernels" in page.text("report") or "instances" in page.text("report"), "kernels of the log, counted")


def has_compiler():
    done = browser.subprocess.run([TOOL, "inspect", str(REPOSITORY / "examples/merge.cu"), "--arch", "sm_90"], capture_output=True)
    return done.returncode == 0


def main():
    browser.programs()
    with tempfile.TemporaryDirectory() as folder:
        page = browser.Page()
        try:
            charts_equal_the_json(page, folder)
            tabs_and_tables(page, folder)
            if browser.can_calculate(TOOL, folder):
                findings_come_first(page, folder)
                kernels_of_a_log(page, folder)
            what_is_missing(page, folder)
            two_runs(page, folder)
            many_candidates(page, folder)
            browser.check_silent(page, "reports")
            write(page, folder, "looks", REPOSITORY / "measurements/nvidia-h200/tune_block_sort.json")
            page.run("for (const one of document.querySelectorAll('details')) one.open = true")
            page.wait_for(DRAW_ALL)
            browser.check_looks(page, "report", PICTURES)
            browser.check_paper(page, "report")
            write(page, folder, "kernels", REPOSITORY / "tests/data/logs/basic_sm_90.log", REPOSITORY / "tests/data/logs/basic_sm_80.log")
            page.run("for (const one of document.querySelectorAll('details')) one.open = true")
            browser.check_looks(page, "kernels", PICTURES)
            browser.check_paper(page, "kernels")
            browser.check_silent(page, "pages of kernels")
            hostile_names(page, folder)
        finally:
            page.close()
    browser.finish()


main()
