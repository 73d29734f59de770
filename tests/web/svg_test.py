#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SVG files written by --svg: well-formed, and the positions in them, converted back into numbers, equal the JSON's.

    svg_test.py TOOL REPOSITORY
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

TOOL, REPOSITORY = sys.argv[1], pathlib.Path(sys.argv[2])
SVG = "{http://www.w3.org/2000/svg}"
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def run(*arguments):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == 0, f"{arguments}: {done.stderr}")
    return done.stdout


class Picture:
    def __init__(self, file):
        text = file.read_text()
        self.root = tree.fromstring(text)
        check(self.root.tag == SVG + "svg" and self.root.find(SVG + "title").text, f"{file.name}: a title")
        check("href" not in text and "url(" not in text and "<script" not in text, f"{file.name}: nothing is loaded or run")
        check("var(" not in text, f"{file.name}: colours without variables, which few programs know")
        style = self.root.find(SVG + "style").text
        plain = style[:style.index("@media")]  # what is left for a program that reads no further
        for name in ("paper", "faint", "grid", "axis", "mark", "c0", "c5"):
            check(f".{name}{{" in plain.replace(",", "{"), f"{file.name}: a colour for {name}")
        check(self.root.find(SVG + "rect").get("fill") == "#ffffff", f"{file.name}: white paper even without styles")
        for element in self.root.iter():
            for name in ("x", "y", "cx", "cy", "width", "height", "x1", "x2", "y1", "y2", "r"):
                if name in element.attrib:
                    check(math.isfinite(float(element.attrib[name])), f"{file.name}: {name}")
        self.plot = self.root.find(f".//{SVG}g[@class='plot']")

    def series(self, name):
        return next(one for one in self.plot.iter(SVG + "g") if one.get("data-name") == name)

    def value(self, axis, place):
        at = {name: float(self.plot.get("data-" + name)) for name in
              ("x", "y", "width", "height", f"{axis}-low", f"{axis}-high", f"{axis}-logarithmic")}
        part = (place - at["x"]) / at["width"] if axis == "x" else 1 - (place - at["y"]) / at["height"]
        low, high = at[f"{axis}-low"], at[f"{axis}-high"]
        return low * (high / low) ** part if at[f"{axis}-logarithmic"] else low + part * (high - low)

    def tolerance(self, axis):
        low, high = float(self.plot.get(f"data-{axis}-low")), float(self.plot.get(f"data-{axis}-high"))
        return 2e-4 * (high - low)

    def dots(self, name):
        return [(self.value("x", float(one.get("cx"))), self.value("y", float(one.get("cy"))))
                for one in self.series(name).iter(SVG + "circle")]

    def corners(self, name):
        path = self.series(name).find(SVG + "path").get("d").replace("M", "L").split("L")[1:]
        return [(self.value("x", float(x)), self.value("y", float(y))) for x, y in (part.split() for part in path)]

    def bars(self, name):
        return [self.value("x", float(one.get("x")) + float(one.get("width")))
                for one in self.series(name).iter(SVG + "rect")]


def occupancy(folder):
    words = ["--arch", "sm_50,sm_80,sm_90", "--threads", 224, "--registers", 52, "--shared", 9000]
    run("occupancy", *words, "--svg", folder)
    results = json.loads(run("occupancy", *words, "--format", "json", "--curves"))["results"]
    for result in results:
        prefix = result["architecture"].replace("_", "-")
        for name, points in result["curves"].items():
            picture = Picture(folder / f"{prefix}-{name}.svg")
            corners = picture.corners("resident warps")
            near = lambda one, other: (abs(one[0] - other[0]) <= picture.tolerance("x") and abs(one[1] - other[1]) <= picture.tolerance("y"))
            check(all(any(near(point, corner) for corner in corners) for point in points), f"{prefix} {name}: the curve")
            check(len(corners) == (len(points) if name == "threads" else 2 * len(points) - 1), f"{prefix} {name}: corners")
            here = picture.dots("here")
            check(len(here) == 1 and abs(here[0][1] - result["resident_warps"]) <= picture.tolerance("y"), f"{prefix} {name}: the point")
    cells = [float(one.get("data-value")) for one in tree.parse(folder / "architectures.svg").iter(SVG + "g") if one.get("class") == "cell"]
    wanted = [100 * warps / result["warp_slots"] for result in results for _, warps in result["curves"]["threads"]]
    check(len(cells) == 96 and all(abs(one - other) < 1e-3 for one, other in zip(cells, wanted)), "the map of architectures")


def measured(folder):
    record = REPOSITORY / "measurements/nvidia-h200/tune_block_sort.json"
    run("results", record, "--svg", folder)
    results = json.loads(run("results", record, "--format", "json", "--samples"))
    pictures = {file.stem: Picture(file) for file in sorted(folder.glob("*.svg"))}
    check(len(pictures) > 40, f"{len(pictures)} pictures")
    first = results["candidates"][0]["workload"]
    prefix = "type-int-bytes-4-row-1024-n-" + str(first["n"]) + "-"
    mine = [one for one in results["candidates"] if one["workload"] == first]
    times = sorted(one["median_ns"] / 1e6 for one in mine if one["status"] == "measured" and one["same_as"] is None)
    picture = pictures[prefix + "occupancy"]
    dots = sorted(y for name in ("candidates", "winner") for _, y in picture.dots(name))
    # A logarithmic axis: positions are rounded, so values are compared by their ratio.
    check(len(dots) == len(times) and all(abs(math.log(one / other)) < 1e-3 for one, other in zip(dots, times)), "occupancy against time")
    failed = sum(1 for one in mine if one["status"] != "measured")
    bars = pictures[prefix + "failures"].bars("not measured")
    check(abs(sum(bars) - failed) < 0.5, f"failures: {bars} for {failed}")
    winners = [one for one in results["candidates"] if one["is_winner"]]
    bars = pictures["speed-up"].bars("winner")
    check(len(bars) == len(winners), "winners against the baseline")
    cells = [float(one.get("data-value")) for one in pictures[prefix + "surface"].root.iter(SVG + "g") if one.get("class") == "cell"]
    best = {}
    for one in mine:
        if one["status"] == "measured":
            key = (one["parameters"]["threads"], one["parameters"]["items"])
            # The winner is in its cell, even where a race decided against a lower median; only a candidate that may win
            # is.
            order = (not one["is_winner"], one["stopped_early"] or not (one["verified"] or one["is_baseline"]), one["median_ns"])
            best[key] = min(best.get(key, (True, True, 1e30)), order)
    shown = sorted(order[2] / 1e6 for order in best.values())
    check(len(cells) == len(best) and all(abs(a / b - 1) < 1e-9 for a, b in zip(sorted(cells), shown)), "the surface")


def hostile(folder):
    run("results", REPOSITORY / "tests/data/results/hostile.json", "--svg", folder)
    names = sorted(file.name for file in folder.iterdir())
    check(names and all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.") for name in names), f"names of files: {names}")
    for file in folder.iterdir():
        Picture(file)


def main():
    with tempfile.TemporaryDirectory() as name:
        folders = [pathlib.Path(name) / part for part in ("occupancy", "measured", "hostile")]
        for test, folder in zip((occupancy, measured, hostile), folders):
            test(folder)
    sys.exit(1 if failures else 0)


main()
