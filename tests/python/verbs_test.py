# SPDX-License-Identifier: Apache-2.0
"""All verbs through one mechanism; types that agree with the schemas; documentation that is right."""
import copy
import doctest
import importlib
import inspect as reflection
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys

import pytest

import launchbox
from launchbox import frames, tool, types, verbs

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.chdir(ROOT)
LOG = "tests/data/logs/basic_sm_90.log"
RESULTS = "tests/data/results/example.json"


def options_of(verb):
    """The options in --help, with what they take."""
    text = subprocess.run([tool.path(), verb, "--help"], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "400"}).stdout
    return dict(re.findall(r"^\s+(?:-\w,)?--([a-z-]+)(.*)$", text, re.M))


def test_types_agree_with_the_schemas():
    done = subprocess.run([sys.executable, "-B", ROOT / "python" / "make_types.py", "--check"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    schemas = {json.loads(path.read_text())["title"] for path in (ROOT / "schema").glob("launchbox.*.json")}
    assert set(types.REPORTS) == schemas
    assert {title.split(".")[1].split("/")[0] for title in schemas} <= set(frames.ROWS)


def test_every_member_of_an_answer_has_the_declared_type():
    seen = set()

    def walk(record):
        declared = set(type(record)._members)
        for member, value in record._json.items():
            attribute = next((name for name, of in type(record)._renamed.items() if of == member), member)
            assert attribute in declared, (type(record).__name__, member)
            found = getattr(record, attribute)
            inner = found if isinstance(found, list) else [found]
            while inner and isinstance(inner[0], list):
                inner = inner[0]
            for each in inner:
                if isinstance(each, launchbox.Record):
                    seen.add(type(each).__name__)
                    walk(each)

    for report in (launchbox.inspect(LOG, threads=128), launchbox.inspect(LOG, summary=True), launchbox.results(RESULTS),
                   launchbox.results(RESULTS, map="threads,items"), launchbox.devices(), launchbox.suggest(
                       arch="sm_90", registers=40), launchbox.bounds(arch="sm_90", threads=128), launchbox.call(
                           "occupancy", arch="all", threads=256, registers=63)):
        walk(report)
    assert "KernelsKernel" in seen and "ResultsCandidate" in seen and len(seen) > 30


def test_records_are_values():
    report = launchbox.inspect(LOG, threads=128)
    again = launchbox.inspect(LOG, threads=128)
    assert report == again and report.kernels[0] == again.kernels[0] and report.kernels[0] != report.kernels[1]
    assert report != report.to_dict()
    assert pickle.loads(pickle.dumps(report)) == copy.deepcopy(report) == copy.copy(report) == report
    assert pickle.loads(pickle.dumps(report)).messages == report.messages
    assert report.kernels is report.kernels
    changed = report.to_dict()
    changed["kernels"].clear()
    assert len(report.kernels) == 8
    for change in (lambda: setattr(report, "kernels", []), lambda: delattr(report, "kernels"), lambda: hash(report)):
        with pytest.raises((AttributeError, TypeError)):
            change()
    with pytest.raises(AttributeError, match="no 'kernel'; is 'kernels' meant"):
        report.kernel
    assert not hasattr(report.kernels[0], "__array__")
    assert repr(report.kernels[0]).startswith("KernelsKernel(name='_Z9templatedIdEvPT_'")
    assert "registers" in dir(report.kernels[0])


def test_keyword_arguments_are_the_tools_options():
    words = verbs.option_words({"arch": ["sm_80", "sm_90"], "kernel": "a*", "summary": True, "spilling": False, "top": None,
                                "dynamic_shared": "4*threads", "workload": ["n=1", "n=2"], "threads": 256.0, "map": ("a", "b"),
                                "diff": pathlib.Path("-x.so")})
    assert words == ["--arch=sm_80,sm_90", "--kernel=a*", "--summary", "--dynamic-shared=4*threads", "--workload=n=1",
                     "--workload=n=2", "--threads=256", "--map=a,b", "--diff=-x.so"]
    with pytest.raises(launchbox.Error, match="no kernel matches '-x\\*'"):
        launchbox.inspect(LOG, kernel="-x*")
    for wrong, message in (({"formt": "x"}, "did you mean --format"), ({"format": "csv"}, "format cannot be chosen"),
                           ({"kernel": ""}, "kernel is empty"), ({"arch": []}, "arch is empty"),
                           ({"spillin": True}, "did you mean --spilling"), ({"sort": "spils"}, "'spils' is not one of"),
                           ({"lines": "a\0"}, "null byte"), ({"nvcc_flags": "-O3"}, "nvcc_flags is one text")):
        with pytest.raises(launchbox.Error, match=message):
            launchbox.inspect(LOG, **wrong)
    for verb, message in (("inspct", "did you mean"), ("", "unknown command"), ("--version", "unknown command")):
        with pytest.raises(launchbox.Error, match=message):
            launchbox.call(verb, LOG)
    with pytest.raises(launchbox.Error, match="advise reads files"):
        launchbox.call("advise", b"abc")


# Options that take a list in one word are joined: all others are repeated for each value.
@pytest.mark.parametrize("verb", ["inspect", "occupancy", "advise", "results", "bounds", "suggest", "check", "devices", "emit"])
def test_lists_are_passed_in_the_form_of_the_option(verb):
    for name, takes in options_of(verb).items():
        joined = re.match(r" (LIST|[A-Z]+(\[,|,)\S*)", takes) is not None
        if joined:
            assert name in verbs._JOINED, (verb, name, takes)


# The tool has the options that signatures name.
@pytest.mark.parametrize("verb", ["inspect", "results", "occupancy", "advise", "bounds", "check", "devices"])
def test_signatures_name_existing_options(verb):
    text = reflection.getsource(importlib.import_module(getattr(launchbox, verb).__module__))
    named = set()
    for signature in re.findall(rf"^def {verb}\((.*?)\) ->", text, re.M | re.S):
        named |= set(re.findall(r"(\w+):", signature))
    there = {name.replace("-", "_") for name in options_of(verb)}
    assert named - there <= {"sources", "source", "stores", "nvcc_flags", "options"}


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = launchbox.inspect(LOG, threads=128).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 8
    assert frame["occupancy.resident_blocks"].max() == 16
    assert launchbox.results(RESULTS).to_frame()["parameters.threads"].notna().all()
    report = launchbox.results(RESULTS)
    assert len(launchbox.frame(report.best)) == len(report.best)
    assert len(launchbox.occupancy("sm_90", threads=[32, 64]).to_frame()) == 2
    assert len(launchbox.frame(launchbox.occupancy("sm_90", threads=32))) == 1
    assert len(launchbox.frame([])) == 0
    for wrong in (3, [3], ["a"]):
        with pytest.raises(launchbox.Error, match="a frame is made of a report"):
            launchbox.frame(wrong)


def test_a_frame_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(launchbox.Error, match="pip install pandas") as raised:
        launchbox.inspect(LOG).to_frame()
    assert raised.value.status == 3


def test_a_failed_check_is_not_an_error(tmp_path):
    budget = tmp_path / "budget.toml"
    budget.write_text("[defaults]\nmax_registers = 4\n")
    report = launchbox.check(LOG, budget=budget)
    assert not report.passed and report.exit_status == 1 and report.complete and report.findings
    assert launchbox.call("check", LOG, write_baseline=True, baseline=tmp_path / "b").exit_status == 0
    assert (tmp_path / "b").exists()
    assert launchbox.check(LOG, baseline=tmp_path / "b").passed


def test_optional_packages_are_not_imported():
    code = "import sys, launchbox; launchbox.occupancy('sm_90', threads=[32]); " \
           "print([name for name in ('pandas', 'numpy', 'torch', 'triton', 'cupy', 'numba') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("module", ["verbs", "occupancies", "frames", "records", "tool"])
def test_examples_of_docstrings(module):
    found = doctest.testmod(importlib.import_module("launchbox." + module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0
    assert module not in ("verbs", "occupancies") or found.attempted > 2


@pytest.mark.parametrize("name, count", [("python.md", 10), ("configs.md", 2)])
def test_the_page_shows_the_real_output(name, count):
    """All Python blocks of the page, run as one session."""
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^(<!-- needs (\w+) -->\n)?```python\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) >= count
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    names = {}
    for number, (_, needed, text) in enumerate(blocks, 1):
        if needed == "gpu" or needed == "nvcc" and shutil.which("nvcc") is None:
            compile("\n".join(re.sub(r"^(>>>|\.\.\.) ?", "", line) for line in text.splitlines()
                              if line.startswith((">>>", "..."))) or text, name, "exec")
            continue
        if needed == "pandas":
            try:
                import pandas  # noqa: F401
            except ImportError:
                continue
        test = doctest.DocTestParser().get_doctest(text, names, f"{name}, block {number}", None, None)
        test.globs = names
        assert test.examples, text
        runner.run(test, clear_globs=False)
    assert runner.failures == 0


def test_types_are_right_for_mypy():
    mypy = shutil.which("mypy")
    if not mypy:
        pytest.skip("there is no mypy")
    done = subprocess.run([mypy, "--strict", "--ignore-missing-imports", "--cache-dir=/dev/null", "--python-version=3.9",
                           ROOT / "python" / "launchbox", ROOT / "tests" / "python" / "typed_use.py"],
                          capture_output=True, text=True, check=False, env={**os.environ, "MYPYPATH": str(ROOT / "python")})
    assert done.returncode == 0, done.stdout
