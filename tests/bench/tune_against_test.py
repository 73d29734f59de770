#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/tune_against with programs and modules that stand in for the tools and the GPU: which winners it calls wrong.

    tune_against_test.py REPOSITORY
"""

import array
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

REPOSITORY = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", ".."))
SCRIPT = str(REPOSITORY.resolve() / "bench" / "tune_against")
sys.dont_write_bytecode = True  # so that bench/ stays clean
loader = importlib.machinery.SourceFileLoader("tune_against", SCRIPT)
against = importlib.util.module_from_spec(importlib.util.spec_from_loader("tune_against", loader))
loader.exec_module(against)

# The expected result is 2 * input: factor = 2 is right, 3 is wrong, 0 writes nothing, 1 changes its input, and after 9
# the process can launch nothing more.
PROBLEM = '''
import array
import reference
source, kernel, spec = "scale.cu", "scale", "scale.toml"
parameters = {"factor": [0, 1, 2, 3], "block_size_x": [32, 64]}
restrictions = ["block_size_x * c <= 128"]
problem_size, divisors, block = ["100"], [["block_size_x", "c"]], ["block_size_x"]
workloads = [{"c": 1}, {"c": 2}]
shared = "4 * block_size_x"
absolute = 1e-3

def arguments(workload):
    return [array.array("f", [0] * 100), array.array("f", [float(i + 1) for i in range(100)])]

def answer(workload, given):
    return [reference.compute(given[1]), None]
'''
REFERENCE = '''
import array
NAME = "a"
def compute(values):
    return array.array("f", [2 * each for each in values])
'''
LAUNCHBOX = '''#!{python}
import json, os, sys
said = json.loads(os.environ["SAID_BY_LAUNCHBOX"])
if sys.argv[1] == "--version":
    print("launchbox 0")
elif sys.argv[1] == "tune":
    assert sys.argv[2] == "scale.toml" and "--no-cache" in sys.argv and os.path.exists("scale.toml")
    if "fails" in said:
        print(said["fails"], file=sys.stderr)
        sys.exit(2)
    open(sys.argv[sys.argv.index("--store") + 1], "w").close()
elif sys.argv[1] == "results":
    assert os.path.exists(sys.argv[2])
    best, candidates = [], []
    for c in (1, 2):
        best.append(dict(run=0, workload=dict(c=c), parameters=said["winner"], median_ns=2000.0))
        for status in ("measured", "measured", "wrong_result", "rejected"):
            candidates.append(dict(run=0, workload=dict(c=c), status=status))
    print(json.dumps(dict(best=best, candidates=candidates)))
'''
KERNEL_TUNER = '''
import json, os
def tune_kernel(kernel, source, size, arguments, parameters, grid_div_x, restrictions, answer, atol, smem_args, **more):
    assert (kernel, source, size, atol, answer[1]) == ("scale", "// scale", (100,), 1e-3, None)
    assert grid_div_x in (["block_size_x", "1"], ["block_size_x", "2"]), grid_div_x
    assert restrictions == ["block_size_x * %s <= 128" % grid_div_x[1]] and smem_args["size"](dict(
        factor=2, block_size_x=64, other=1)) == 256
    winner = json.loads(os.environ["SAID_BY_KERNEL_TUNER"])
    if "fails" in winner:
        raise RuntimeError(winner["fails"])
    return [dict(winner, time=0.25), dict(factor=1, block_size_x=32, time=0.5),
            dict(factor=1, block_size_x=64, time="failed", __error__="x")], {}
'''
# The part that the driver uses, with the names of KTT's Python module.
PYKTT = '''
import enum, itertools, types
ComputeApi = enum.Enum("ComputeApi", "CUDA")
TimeUnit = enum.Enum("TimeUnit", "Nanoseconds")
GlobalSizeType = enum.Enum("GlobalSizeType", "CUDA")
ArgumentAccessType = enum.Enum("ArgumentAccessType", "ReadOnly ReadWrite")
ArgumentDataType = enum.Enum("ArgumentDataType", "Float Int")
ModifierType = enum.Enum("ModifierType", "Global Local")
ModifierDimension = enum.Enum("ModifierDimension", "X Y Z")
ValidationMethod = enum.Enum("ValidationMethod", "SideBySideComparison")
DimensionVector = tuple
class ConfigurationCount(int): pass
def pairs(configuration):
    return types.SimpleNamespace(GetPairs=lambda: [types.SimpleNamespace(
        GetName=lambda n=name: n, GetValueUint=lambda v=value: v) for name, value in configuration.items()])
class Tuner:
    def __init__(self, platform, device, api):
        self.vectors, self.parameters, self.constraints, self.sizes = [], {}, [], {}
    SetTimeUnit = staticmethod(lambda unit: None)
    def SetGlobalSizeType(self, kind): pass
    def SetCompilerOptions(self, options): assert options == "-std=c++17"
    def AddKernelDefinitionFromFile(self, name, path, blocks, threads):
        assert name == "scale" and open(path).read() == "// scale"
        return 1
    def AddArgumentVectorFromFile(self, path, kind, size, access):
        assert kind == ArgumentDataType.Float and size == 4
        self.vectors.append((open(path, "rb").read(), access))
        return f"v{len(self.vectors)}"
    def AddArgumentLocalChar(self, size): return "local"
    def SetArguments(self, definition, arguments): assert arguments == ["v1", "v2", "local"]
    def CreateSimpleKernel(self, name, definition): return 2
    def SetLauncher(self, kernel, launcher): self.launcher = launcher
    def AddParameter(self, kernel, name, values): self.parameters[name] = values
    def AddThreadModifier(self, kernel, definitions, kind, dimension, names, function):
        self.sizes[kind.name + dimension.name] = lambda c: function(1, [c[name] for name in names])
    def AddConstraint(self, kernel, names, function):
        self.constraints.append(lambda c: function([c[name] for name in names]))
    def SetValidationMethod(self, method, threshold): assert threshold == 1e-3
    def SetReferenceComputation(self, vector, size, function):
        assert vector == "v1" and size == 400
        self.reference = bytearray(size)
        function(memoryview(self.reference))
    def Tune(self, kernel, stop=8):
        assert self.reference[:8] == b"\\0\\0\\0@\\0\\0\\x80@", self.reference[:8]
        assert [access.name for _, access in self.vectors] == ["ReadWrite", "ReadOnly"]
        results = []
        for values in itertools.product(*self.parameters.values()):
            c = dict(zip(self.parameters, values))
            if not all(each(c) for each in self.constraints) or len(results) == stop:
                continue
            local = []
            self.launcher(types.SimpleNamespace(
                GetCurrentConfiguration=lambda: pairs(c), RunKernel=local.append,
                UpdateLocalArgument=lambda which, size: local.append((which, size))))
            assert local == [("local", 4 * c["block_size_x"]), 1]
            assert [self.sizes["Local" + each](c) for each in "XYZ"] == [c["block_size_x"], 1, 1]
            assert [self.sizes["Global" + each](c) for each in "YZ"] == [1, 1] and self.sizes["GlobalX"](c) in (1, 2, 4)
            results.append(types.SimpleNamespace(
                IsValid=lambda c=c: c["factor"] == 2, GetConfiguration=lambda c=c: pairs(c),
                GetKernelDuration=lambda c=c: 1000 * c["block_size_x"]))
        return results
'''
CUPY = '''
import array, types
broken = False
class Array:
    def __init__(self, values):
        self.values = array.array("f", values)
        self.nbytes = 4 * len(values)
        self.data = types.SimpleNamespace(memset=self.memset)
    def memset(self, byte, size):
        self.values = array.array("f", bytes([byte]) * size)
    def get(self):
        return self.values
asarray = Array
class RawModule:
    def __init__(self, code, options, name_expressions):
        assert code == "// scale" and name_expressions == ["scale"], (code, name_expressions)
        macros = dict(each[2:].split("=") for each in options if each.startswith("-D"))
        self.factor, self.threads = int(macros["factor"]), int(macros["block_size_x"])
    def get_function(self, name):
        def launch(blocks, threads, arguments, shared_mem):
            assert threads == (self.threads, 1, 1) and shared_mem == 4 * self.threads
            global broken
            broken = broken or self.factor == 9
            if broken:
                raise RuntimeError("illegal address")
            out, given = arguments
            if self.factor == 0:
                return
            factor = 2 if self.factor == 1 else self.factor
            out.values = array.array("f", [factor * each for each in given.values])
            if self.factor == 1:
                given.values[7] = 5
        return launch
class Event:
    def record(self): pass
    def synchronize(self): pass
class Device:
    def synchronize(self): pass
cuda = types.SimpleNamespace(Event=Event, Device=Device, get_elapsed_time=lambda start, end: 0.125,
                             alloc=lambda size: types.SimpleNamespace(memset_async=lambda byte, size: None))
'''


class Against(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.problem = self.folder / "scale"
        for name, text in (("scale/problem.py", PROBLEM), ("scale/reference.py", REFERENCE),
                           ("scale/scale.cu", "// scale"), ("scale/scale.toml", ""),
                           ("modules/kernel_tuner.py", KERNEL_TUNER),
                           ("modules/cupy.py", CUPY), ("modules/numpy.py", ""),
                           ("launchbox", LAUNCHBOX.replace("{python}", sys.executable))):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text)
        (self.folder / "launchbox").chmod(0o755)

    def against(self, *arguments, launchbox=None, kernel_tuner=None):
        right = {"winner": {"factor": 2, "block_size_x": 64}}
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "modules"), "KTT_BUILD": "",
                       "SAID_BY_LAUNCHBOX": json.dumps(launchbox or right),
                       "SAID_BY_KERNEL_TUNER": json.dumps(kernel_tuner or {"factor": 2, "block_size_x": 32})}
        done = subprocess.run([sys.executable, SCRIPT, *map(str, arguments or [self.problem]), "--tool",
                               self.folder / "launchbox", "--record", self.folder / "record.json"], cwd=self.folder,
                              env=environment, capture_output=True, text=True)
        record = self.folder / "record.json"
        self.rows = json.loads(record.read_text())["rows"] if record.exists() else None
        return done

    def by_tool(self, key):
        return [(row["tool"], row["workload"]["c"], row[key]) for row in self.rows]

    def test_right_winners_are_compared_and_timed(self):
        done = self.against()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.by_tool("right"), [("launchbox", 1, True), ("kernel_tuner", 1, True),
                                                 ("launchbox", 2, True), ("kernel_tuner", 2, True)])
        self.assertIn("skipped: KTT: no module pyktt", done.stdout)
        first, second = self.rows[:2]
        self.assertEqual(first["winner"], {"factor": 2, "block_size_x": 64})
        self.assertEqual((first["measured"], first["tried"], first["said_ms"]), (2, 3, 0.002))  # rejected: not tried
        self.assertEqual((second["measured"], second["tried"], second["said_ms"]), (2, 3, 0.25))
        self.assertEqual((first["cold_ms"], first["hot_ms"], first["samples"]), (0.125, 0.125, against.ROUNDS))
        self.assertGreater(first["wall_seconds"], 0)
        self.assertRegex(done.stdout, r"launchbox +scale c=1 +2 of 3 +\d+\.\d +0\.002 +0\.125 +0\.125 +right +factor=2")

    def test_ktt_is_driven_by_its_python_module(self):
        (self.folder / "modules" / "pyktt.py").write_text(PYKTT)
        done = self.against(self.problem, "--only", "launchbox,ktt")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + str(self.rows))
        self.assertEqual(self.by_tool("winner")[1], ("ktt", 1, {"factor": 2, "block_size_x": 32}))
        self.assertEqual([(row["tried"], row["measured"], row["said_ms"], row["right"])
                          for row in self.rows if row["tool"] == "ktt"], [(8, 2, 0.032, True)] * 2)

    def test_a_wrong_winner_is_reported_as_wrong(self):
        done = self.against(kernel_tuner={"factor": 3, "block_size_x": 32})
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.by_tool("right"), [("launchbox", 1, True), ("kernel_tuner", 1, False),
                                                 ("launchbox", 2, True), ("kernel_tuner", 2, False)])
        self.assertIn("WRONG   factor=3 block_size_x=32; argument 0: value 0 is 3 instead of 2; 100 of 100 differ",
                      done.stdout)

    def test_a_winner_of_launchbox_is_not_trusted_either(self):
        done = self.against(launchbox={"winner": {"factor": 3, "block_size_x": 64}})
        self.assertEqual(done.returncode, 1)
        self.assertIs(self.rows[0]["right"], False)

    def test_a_winner_that_writes_nothing_is_wrong(self):
        self.against(kernel_tuner={"factor": 0, "block_size_x": 32})
        self.assertIn("value 0 is nan instead of 2; 100 of 100 differ", self.rows[1]["wrong"])

    def test_a_winner_that_changes_its_input_is_wrong(self):
        self.against(kernel_tuner={"factor": 1, "block_size_x": 32})
        self.assertIs(self.rows[1]["right"], False)
        self.assertEqual(self.rows[1]["wrong"], "argument 1: an input, and was changed")

    def test_a_winner_that_crashes_does_not_affect_the_others(self):
        for first, second in ((2, 9), (9, 2)):
            self.against(launchbox={"winner": {"factor": first, "block_size_x": 64}},
                         kernel_tuner={"factor": second, "block_size_x": 64})
            self.assertEqual([(row["winner"]["factor"], row["right"], row["wrong"], row["cold_ms"])
                              for row in self.rows],
                             [(each, each == 2, None if each == 2 else "does not run: illegal address",
                               0.125 if each == 2 else None) for each in (first, second) * 2])

    def test_a_tool_that_fails_has_a_row_that_says_so_and_nothing_is_compared(self):
        done = self.against(kernel_tuner={"fails": "Kernel result verification failed for: x"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing could be compared", done.stderr)
        self.assertEqual(self.rows[1]["failed"], "RuntimeError: Kernel result verification failed for: x")
        self.assertIs(self.rows[0]["right"], True)
        done = self.against(launchbox={"fails": "error: no GPU"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rows[0]["failed"], "exit status 2: error: no GPU")

    def test_a_winner_outside_the_space_is_rejected(self):
        self.against(launchbox={"winner": {"factor": 2}})
        self.assertIn("has no block_size_x", self.rows[0]["failed"])

    def test_one_tool_alone_is_not_compared(self):
        done = self.against(self.problem, "--only", "launchbox")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing could be compared", done.stderr)

    def test_a_check_that_does_not_run_counts_as_no_check(self):
        (self.folder / "modules" / "cupy.py").write_text("raise RuntimeError('no driver')\n")
        done = self.against()
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing could be compared", done.stderr)
        self.assertEqual([row["right"] for row in self.rows], [None] * 4)
        self.assertIn("no driver", self.rows[0]["wrong"])

    def test_bad_problems_and_command_lines(self):
        self.assertEqual(self.against(self.folder).returncode, 2)
        (self.problem / "scale.cu").unlink()
        done = self.against()
        self.assertEqual((done.returncode, "there is no scale.cu" in done.stderr), (2, True), done.stderr)
        (self.problem / "problem.py").write_text("1 / 0\n")
        done = self.against()
        self.assertEqual((done.returncode, "ZeroDivisionError" in done.stderr), (2, True), done.stderr)
        self.assertEqual(self.against(self.problem, "--only", "cltune").returncode, 2)

    def test_each_folder_has_its_own_modules(self):
        other = self.folder / "other"
        other.mkdir()
        for name, text in (("problem.py", PROBLEM.replace("absolute = 1e-3", "absolute = reference.NAME")),
                           ("reference.py", REFERENCE.replace('"a"', '"b"')), ("scale.cu", ""), ("scale.toml", "")):
            (other / name).write_text(text)
        against.Problem(self.problem)
        self.assertEqual(against.Problem(other).absolute, "b")

    def test_the_blocks_of_a_problem(self):
        problem = against.Problem(self.problem)
        self.assertEqual(problem.blocks({"factor": 2, "block_size_x": 32}, {"c": 1}), (4, 1, 1))
        self.assertEqual(problem.blocks({"factor": 2, "block_size_x": 64}, {"c": 2}), (1, 1, 1))
        self.assertEqual(problem.options({"factor": 2}), ["-std=c++17", "-Dfactor=2"])

    def test_differences(self):
        def floats(*values):
            return array.array("f", values)
        nan = float("nan")
        self.assertIsNone(against.first_difference(floats(1, 2), floats(1, 2.5), 0.5, 0))
        self.assertIsNone(against.first_difference(floats(100), floats(101), 0, 0.01))
        self.assertEqual(against.first_difference(floats(1, 2, 4), floats(1, 2.5, 3), 0.25, 0),
                         "value 1 is 2 instead of 2.5; 2 of 3 differ")
        self.assertIn("1 of 1 differ", against.first_difference(floats(nan), floats(1), 10, 10))
        self.assertIn("instead of 2", against.first_difference(floats(1), floats(1, 1), 1, 1))
        many = floats(*[0] * ((1 << 20) + 3))
        other = floats(*many)
        other[-1] = 1
        self.assertEqual(against.first_difference(other, many, 0, 0),
                         f"value {(1 << 20) + 2} is 1 instead of 0; 1 of {(1 << 20) + 3} differ")

    def test_results_of_launchbox_are_parsed(self):
        recorded = json.loads((REPOSITORY / "tests/data/results/example.json").read_text())
        declared = against.declared_by_launchbox(recorded)
        self.assertEqual(len(declared), len(recorded["best"]))
        for each, best in zip(declared, recorded["best"]):
            self.assertEqual((each["winner"], each["measured"]), (best["parameters"], best["measured"]))
            self.assertGreaterEqual(each["tried"], each["measured"])
            self.assertGreater(each["measured"], 0)

    def test_the_problem_in_the_help_is_valid(self):
        lines = against.__doc__.splitlines()
        start = lines.index("    import numpy")
        end = next(index for index in range(start, len(lines)) if lines[index].startswith("Optional"))
        (self.problem / "problem.py").write_text(textwrap.dedent("\n".join(lines[start:end])))
        for name in ("matmul.cu", "matmul.toml"):
            (self.problem / name).write_text("")
        sys.path.insert(0, str(self.folder / "modules"))
        self.addCleanup(sys.path.remove, str(self.folder / "modules"))
        problem = against.Problem(self.problem)
        parameters = {"block_size_x": 32, "block_size_y": 16, "tile_size_x": 4, "tile_size_y": 2}
        self.assertEqual(problem.blocks(parameters, {}), (16, 64, 1))
        self.assertEqual(problem.threads(parameters, {}), (32, 16, 1))
        self.assertTrue(all(against.value(each, parameters) for each in problem.restrictions))

    def test_help_says_how_to_get_problems_and_other_tuners(self):
        done = subprocess.run([sys.executable, SCRIPT, "--help"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        for each in ("git clone https://github.com/KernelTuner/kernel_tuner", "pip install kernel_tuner", "KTT_BUILD",
                     "cupy-cuda13x"):
            self.assertIn(each, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
