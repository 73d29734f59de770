# SPDX-License-Identifier: Apache-2.0
"""T1 problems as specs: each candidate of the spaces compared with Python and other tuners, each part of the kernel, the
notes about what has no equivalent, and the command."""
import copy
import gzip
import itertools
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys

import pytest

from candidates import candidates_of
from launchbox import Error, tool
from launchbox.t1 import kernel, translate

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests/data/t1/blur.json"
RECORDED = ROOT / "tests/data/recorded"
OTHERS = ROOT.parent / "shared/reference/data"  # larger spaces, if they are in a folder next to the repository
PROGRAM = '[program]\nrun = ["true"]\n'


def blur():
    return json.loads(SAMPLE.read_text())


def made_of(problem, file="x.json", folder=""):
    return translate(file, json.dumps(problem).encode(), folder)


def notes_of(made):
    return "".join(f"{note.place}: {note.what}\n" for note in made.notes)


def whole(made):
    return made.spec + ("" if made.has_kernel else PROGRAM)


def spec_of(problem, file="x.json", folder=""):
    """The spec's lines: {key: text after " = "}, and lists."""
    lines = made_of(problem, file, folder).spec.splitlines()
    keys = dict(line.split(" = ", 1) for line in lines if re.match(r"[a-z_]+ = ", line))
    for key in ("all", "flags", "arguments", "variables"):
        if f"{key} = [" in lines:
            begin = lines.index(f"{key} = [") + 1
            keys[key] = [line.strip().rstrip(",") for line in lines[begin:lines.index("]", begin)]]
        else:
            keys.pop(key, None)
    return keys


def error_of(problem, file="x.json"):
    with pytest.raises(Error) as raised:
        translate(file, problem if isinstance(problem, bytes) else json.dumps(problem).encode())
    assert raised.value.hint and raised.value.status == 2
    assert "\n" not in str(raised.value)
    return raised.value.what


# The space.


def space_of(problem):
    """The candidates by Python's eval: only for files in the repository or next to it."""
    space = problem["ConfigurationSpace"]
    names = [one["Name"] for one in space["TuningParameters"]]
    lists = [eval(one["Values"]) for one in space["TuningParameters"]]  # pylint: disable=eval-used
    conditions = [compile(one["Expression"], "", "eval") for one in space.get("Conditions", [])]
    return [list(values) for values in itertools.product(*lists)
            if all(eval(one, dict(zip(names, values))) for one in conditions)]  # pylint: disable=eval-used


def recorded(file):
    return json.loads(gzip.decompress(file.read_bytes()))


def kernel_tuner_s(cache):
    return {tuple(entry[name] for name in cache["tune_params_keys"]) for entry in cache["cache"].values()}


def ktt_s(results, names):
    return {tuple({one["Name"]: one["Value"] for one in result["Configuration"]}[name] for name in names)
            for result in results["Results"]}


@pytest.mark.parametrize("problem, record", [
    (RECORDED / "t1_convolution.json", RECORDED / "kt_convolution.json.gz"),
    (RECORDED / "t1_pnpoly.json", RECORDED / "ktt_pnpoly.json.gz"),
    (OTHERS / "formats/t1_convolution_milo.json", OTHERS / "kt_convolution_milo_A4000.json.gz"),
    (OTHERS / "formats/t1_pnpoly.json", OTHERS / "ktt_pnpoly_RTX_3090.json.gz"),
], ids=lambda one: one.name)
def test_the_space_equals_that_of_other_tuners_and_of_python(problem, record):
    if not problem.exists():
        pytest.skip("the larger records do not lie beside the repository")
    made = translate(str(problem), problem.read_bytes())
    answer = candidates_of([whole(made)])[0]
    space = json.loads(problem.read_text())
    assert answer["candidates"] == space_of(space)
    results = recorded(record)
    # KTT's parameters have the names in its own kernel.
    names = [one["Name"].upper() for one in space["ConfigurationSpace"]["TuningParameters"]]
    theirs = kernel_tuner_s(results) if "cache" in results else ktt_s(results, names)
    assert {tuple(one) for one in answer["candidates"]} == theirs
    assert len(answer["candidates"]) > 400


def test_the_example_as_a_spec():
    made = made_of(blur())
    assert made.has_kernel
    spec = spec_of(blur())
    assert spec["baseline"] == "{ threads_x = 128, per_thread = 1, unroll_by = 1, blur_width = 3, image_size = 1048576 }"
    assert spec["threads_x"] == "{ from = 32, to = 384, step = 32 }"
    assert spec["all"][:3] == ['"64 <= threads_x * per_thread and threads_x * per_thread <= 1024"',
                               '"per_thread % unroll_by == 0"', '"not (threads_x == 96 or threads_x == 160)"']
    assert (spec["source"], spec["name"]) == ('"blur.cu"', '"blur"')
    assert (spec["threads"], spec["blocks"]) == ('"threads_x"', '"ceil_div(1048576 // per_thread, threads_x)"')
    assert (spec["flags"][0], spec["flags"][-1]) == ('"-std=c++17"', '"-Dimage_size={image_size}"')
    weights = '{ name = "weights", type = "float", count = "3", fill = "random", low = 0, high = 1.0 }'
    assert spec["arguments"] == [
        '{ name = "out", type = "float", count = "1048576", role = "output" }',
        '{ name = "in", type = "float", count = "1048578", fill = "random", low = 0, high = 1.0, seed = 5 }', weights,
        '{ name = "scale", type = "float", value = "0.25" }']
    assert spec["variables"] == [weights]
    assert spec["relative"] == "0.0001"
    assert notes_of(made) == (
        "ConfigurationSpace.Conditions[2].Expression: LEFT OUT, so the space is larger than the problem's: modules and "
        "methods are not supported (column 5 of 'math.log2(threads_x) < 9')\n"
        "Search: not translated (Random): --strategy chooses it\n"
        "Budget[0]: not translated: --budget 50 does it\n"
        "KernelSpecification.ReferenceArguments[0]: the reference itself (BinaryRaw) is not translated: outputs are "
        "compared with the baseline's; [verify] against takes a .npy or a command\n")
    # Each is also a comment at its place.
    assert "\n  # ConfigurationSpace.Conditions[2].Expression: LEFT OUT" in made.spec


def test_the_grid_is_the_problem_size_divided_or_blocks_or_threads():
    problem = blur()
    specification = problem["KernelSpecification"]
    specification["GlobalSizeType"] = "CUDA"
    assert spec_of(problem)["blocks"] == '"1048576 // per_thread"'
    specification.update(ProblemSize=[4096, 2048], GridDivX=["threads_x", "per_thread"], GridDivY=[])
    assert spec_of(problem)["blocks"] == '["ceil_div(x, threads_x * per_thread)", "y"]'
    specification["GridDivY"] = None
    specification["LocalSize"]["Y"] = "per_thread"
    assert spec_of(problem)["blocks"] == '["ceil_div(x, threads_x * per_thread)", "ceil_div(y, per_thread)"]'
    assert "[[workload]]\nx = 4096\ny = 2048\n" in made_of(problem).spec
    specification["Arguments"][0]["Size"] = "ProblemSize[0] * ProblemSize[1] * per_thread"
    assert 'count = "x * y * per_thread"' in spec_of(problem)["arguments"][0]
    specification["LocalSize"] = None
    none = made_of(problem)
    assert not none.has_kernel
    assert "KernelSpecification.LocalSize.X: missing\n" in notes_of(none)


@pytest.mark.parametrize("values, toml, name", [
    ("[1, 2.5]", "v = [1.0, 2.5]", "v"), ("[True, False]", "v = [true, false]", "v"), ("[0, True]", "v = [0, 1]", "v"),
    ("['float', \"a\\\\b\"]", 'v = ["float", "a\\\\b"]', "v"), ("[3, 3, 1]", "v = [3, 1]", "v"), ("16", "v = [16]", "v"),
    ("range(5, 50, 4)", "v = { from = 5, to = 49, step = 4 }", "v"), ("[1e20, 1e-7]", "v = [1e+20, 1e-07]", "v"),
    ([1, 2], "v = [1, 2]", "v"), (["a", "it's"], 'v = ["a", "it\'s"]', "v"), ("[-0.0, 0.0]", "v = [-0.0]", "v"),
    ("'a', 'b'", 'v = ["a", "b"]', "v"), (True, "v = [true]", "v"),
    # A keyword of our expressions is renamed; the macro keeps its name.
    ("[1, 2]", "end_ = [1, 2]", "end"), ("[1, 2]", "min_ = [1, 2]", "min"), ("[1, 2]", "sm_ = [1, 2]", "sm"),
])
def test_values_of_every_type(values, toml, name):
    problem = blur()
    problem["ConfigurationSpace"]["Conditions"] = []
    problem["ConfigurationSpace"]["TuningParameters"][3] = {"Name": name, "Type": "any", "Values": values}
    problem["KernelSpecification"]["Arguments"][1]["Size"] = 1
    made = made_of(problem)
    assert f"\n{toml}\n" in made.spec
    assert f'"-D{name}={{{toml.split()[0]}}}"' in spec_of(problem)["flags"]
    assert "candidates" in candidates_of([whole(made)])[0]


def test_no_baseline_if_the_defaults_are_not_a_candidate():
    problem = blur()
    parameters = problem["ConfigurationSpace"]["TuningParameters"]
    parameters[2]["Default"] = [2]
    assert "baseline" not in spec_of(problem)
    assert "there is no baseline: the Defaults break Conditions[1]" in notes_of(made_of(problem))
    parameters[1]["Default"] = "4"
    assert spec_of(problem)["baseline"].startswith("{ threads_x = 128, per_thread = 4, unroll_by = 2, ")
    parameters[1]["Default"] = 3
    assert "the Default of per_thread, 3, is not one of its values" in notes_of(made_of(problem))
    del parameters[1]["Default"]
    assert "per_thread has no Default" in notes_of(made_of(problem))


VECTOR = {"Name": "v", "Type": "uint16", "MemoryType": "Vector", "AccessType": "ReadWrite", "Size": "per_thread * 2"}


@pytest.mark.parametrize("change, line", [
    ({}, '{ name = "v", type = "uint16_t", count = "per_thread * 2", role = "in_out" }'),
    ({"FillType": "Constant", "FillValue": 7}, 'count = "per_thread * 2", fill = "constant", value = "7"'),
    ({"FillType": "BinaryRaw", "DataSource": "data/{in}.bin"}, 'fill = "file", file = "../kernels/data/{{in}}.bin"'),
    ({"FillType": "BinaryRaw", "DataSource": "/data/in.bin"}, 'fill = "file", file = "/data/in.bin"'),
    ({"FillType": "Generator"}, 'count = "per_thread * 2", role = "in_out" }'),
    ({"Type": "custom", "TypeSize": 12}, 'type = "unsigned char", count = "per_thread * 2 * 12"'),
    ({"Type": "float4"}, 'type = "float4"'), ({"Type": "std::uint8_t"}, 'type = "std::uint8_t"'),
    ({"Size": "a.b"}, 'count = "1"'),
    ({"AccessType": None, "Output": 1}, 'count = "per_thread * 2", role = "output" }'),
    ({"MemoryType": "Scalar", "FillValue": 2.5}, '{ name = "v", type = "uint16_t", value = "2.5" }'),
])
def test_arguments_of_every_type(change, line):
    problem = blur()
    problem["KernelSpecification"]["Arguments"] = [{**VECTOR, **change}]
    assert any(line in one for one in spec_of(problem, folder="../kernels/")["arguments"])
    assert "candidates" in candidates_of([made_of(problem).spec])[0]


def test_arguments_with_the_same_name():
    problem = blur()
    problem["KernelSpecification"]["Arguments"] = [VECTOR, VECTOR, {**VECTOR, "MemoryType": "Symbol"}] * 2
    made = made_of(problem)
    assert [line.split(",")[0] for line in spec_of(problem)["arguments"] if "name" in line] == [
        '{ name = "v"', '{ name = "v_2"', '{ name = "v_3"', '{ name = "v_4"']
    assert "Arguments[1].Name: called v_2 here, since v appears twice" in notes_of(made)
    assert "candidates" in candidates_of([made.spec])[0]


def test_the_types_are_those_of_the_tool():
    text = (ROOT / "src/tune/spec/element_type.cpp").read_text()
    assert kernel._KNOWN_TYPES == set(re.findall(r'\{"([a-z_0-9 ]+)", \{element_kind::', text))  # pylint: disable=protected-access
    for element in re.findall(r'\{"([a-z]+)", [1248]\}', text):
        assert kernel._VECTOR.fullmatch(element + "3")  # pylint: disable=protected-access


def test_more_conditions_than_a_spec_may_have():
    problem = blur()
    problem["ConfigurationSpace"]["Conditions"] = [{"Expression": "threads_x > 0"}] * 1001
    assert "Conditions[1000]: LEFT OUT with all behind it" in notes_of(made_of(problem))
    assert spec_of(problem)["all"].count('"threads_x > 0"') == 1000
    problem["ConfigurationSpace"]["Conditions"] = [{"Expression": "threads_x > 0 and per_thread > 0"}] * 999
    assert "Conditions[500].Expression: LEFT OUT" in notes_of(made_of(problem))
    assert "candidates" in candidates_of([made_of(problem).spec])[0]


def test_long_lists_and_texts_are_lines_that_the_tool_reads():
    problem = blur()
    problem["ConfigurationSpace"]["TuningParameters"][3]["Values"] = "[i / 7 for i in range(999)]"
    problem["KernelSpecification"]["Arguments"][1]["Size"] = 3
    problem["KernelSpecification"]["Language"] = "." * 100_000
    made = made_of(problem)
    assert max(map(len, made.spec.splitlines())) < 1200
    assert len(candidates_of([whole(made)])[0]["candidates"]) == 56 * 999


def test_variables_of_the_module():
    problem = blur()
    arguments = problem["KernelSpecification"]["Arguments"]
    arguments[:] = [{**VECTOR, "MemoryType": "Symbol"}]
    assert (spec_of(problem)["arguments"], len(spec_of(problem)["variables"])) == ([], 1)
    arguments[:] = [{**VECTOR, "MemType": "Constant"}]
    assert (len(spec_of(problem)["arguments"]), len(spec_of(problem)["variables"])) == (1, 1)
    # Some of Kernel Tuner's own problems mark arguments that no variable is named after.
    arguments[0]["Name"] = "not_in_the_source"
    assert "variables" not in spec_of(problem, file=str(SAMPLE))
    assert "not_in_the_source: a parameter only" in notes_of(made_of(problem, file=str(SAMPLE)))
    arguments[0]["Name"] = "weights"
    assert len(spec_of(problem, file=str(SAMPLE))["variables"]) == 1
    arguments[:] = [{**VECTOR, "Type": "custom"}, {"Type": "int"}, {**VECTOR, "MemoryType": "Local"}]
    for what in ("v: left out: unknown type 'custom'", "it has no Name", "v: left out: CUDA has no"):
        assert what in notes_of(made_of(problem))
    assert "candidates" in candidates_of([made_of(problem).spec])[0]


def test_without_a_supported_kernel_only_the_space_is_converted():
    problem = blur()
    problem.update(Whatever=1, Budget={"Type": "TuningDuration", "BudgetValue": 60})
    problem["KernelSpecification"].update(Language="OpenCL", Wild={"a": 1})
    made = made_of(problem)
    assert not made.has_kernel
    for what in ("Whatever: not translated", "KernelSpecification.Wild: not translated",
                 "the kernel is OpenCL, so there is no [kernel]", "--budget 60s does it"):
        assert what in notes_of(made)
    assert candidates_of([whole(made)]) == candidates_of([made_of(blur()).spec])


# Mistakes.


@pytest.mark.parametrize("change, what", [
    ({"Values": "[0]*10**9"}, ".Values: it needs more than 1,000,000 steps or elements (column 1 of '[0]*10**9')"),
    ({"Values": "[]"}, ".Values: the list is empty"),
    ({"Values": None}, ".Values: the values are missing"), ({"Values": {"a": 1}}, ".Values: the values are missing"),
    ({"Values": "[1, 'a']"}, ".Values: the values are not all numbers, strings or booleans"),
    ({"Values": "[[1]]"}, ".Values: the values are not all numbers, strings or booleans"),
    ({"Values": "[None]"}, ".Values: the values are not all numbers, strings or booleans"),
    ({"Values": "[1e308 * 10]"}, ".Values: a value is not finite"),
    ({"Values": "os.listdir()"}, ".Values: modules and methods are not supported (column 3 of 'os.listdir()')"),
    ({"Values": "range(200000)"}, ".Values: there are 200000 values"),
    ({"Values": "[1,\n\x1b[31m"}, ".Values: a character is not allowed in an expression (column 5 of '[1,\\n\\x1b[31m')"),
    ({"Name": "a-b"}, ".Name: 'a-b' cannot be a macro"), ({"Name": ""}, ".Name: '' cannot be a macro"),
    ({"Name": "a\n"}, ".Name: 'a\\n' cannot be a macro"), ({"Name": "é"}, ".Name: 'é' cannot be a macro"),
    ({"Name": "a" * 91}, f".Name: '{'a' * 80}' cannot be a macro"), ({"Name": 3}, ": Name is missing"),
    ({"Name": "threads_x"}, ".Name: threads_x appears twice"),
])
def test_an_invalid_parameter_is_named_with_its_place(change, what):
    problem = blur()
    problem["ConfigurationSpace"]["TuningParameters"][1].update(change)
    assert error_of(problem) == "x.json: ConfigurationSpace.TuningParameters[1]" + what


@pytest.mark.parametrize("text, what", [
    (b'{"a": ', "x.json is not valid JSON: "), (b"", "x.json is not valid JSON: "), (b"\xff\xfe\xff", "x.json is not valid"),
    (b'{"a": NaN}', "x.json is not valid JSON: NaN is not a number"), (b'{"a": "\\ud800"}', "x.json is not valid JSON: a string"),
    (b"[" * 200_000, "x.json is nested too deeply"), (b'{"a":' * 100_000, "x.json is nested too deeply"),
    (b"[1]", "x.json is JSON, but not a T1 problem"), (b"{}", "x.json is JSON, but not a T1 problem: it has no Config"),
    (b'{"ConfigurationSpace": {"TuningParameters": []}}', "x.json is JSON, but not a T1 problem"),
    (b'{"ConfigurationSpace": {"TuningParameters": {"a": 1}}}', "x.json is JSON, but not a T1 problem"),
    (b'{"ConfigurationSpace": {"TuningParameters": [1]}}', "x.json: ConfigurationSpace.TuningParameters[0]: Name is missing"),
    (b'{"ConfigurationSpace": {"TuningParameters": [' + b"1," * 64 + b"1]}}", "x.json: ConfigurationSpace.TuningParameters: "
                                                                           "there are 65 parameters"),
    (b'{"a": ' + b"9" * 300_000 + b"}", "x.json is JSON, but not a T1 problem"), (b"\x00" * 99, "x.json is"),
])
def test_other_text_is_one_error(text, what):
    assert error_of(text).startswith(what)


def test_every_encoding_of_json_is_read():
    text = SAMPLE.read_text()
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32"):
        assert translate("x.json", text.encode(encoding)).spec == translate("x.json", text.encode()).spec


ANYTHING = [None, 0, 1, -1, 2.5, True, False, "", "a", "[1,2]", "per_thread", "x // 2", "[]", [], {}, [1, 2], ["a"], {"X": "1"},
            "CUDA", "OpenCL", "Vulkan", "Vector", "Scalar", "Symbol", "Constant", "Random", "BinaryRaw", "ReadWrite", "uint16",
            "custom", 12, 1e20, 1e-7, 10**25, "end", "ProblemSize[0]", "a.b", "1/0", "2**70", "range(0,99,3)", "[True,False]",
            "x > 1 and y < 2", "max(threads_x)", "{", "}", "é\n\x1b", "-I a 'b", "a\\b", "[[[0]*999]*999]*999", "9**9**9", "(" * 999,
            [[]], [None], {"Expression": 3}, "\x7f", "-D'a b'", "per_thread // (per_thread - 1)", "'", "\u202e"]


def mutated(problem, chance):
    problem = copy.deepcopy(problem)
    for _ in range(chance.choice([1, 1, 2, 3, 5])):
        part, key = problem, chance.choice(list(problem))
        while isinstance(part[key], (dict, list)) and part[key] and chance.random() < 0.8:
            part = part[key]
            key = chance.choice(list(part) if isinstance(part, dict) else range(len(part)))
        if chance.random() < 0.3:
            del part[key]
        else:
            part[key] = copy.deepcopy(chance.choice(ANYTHING))
        if not problem:
            break
    return problem


def problems():
    return [json.loads(file.read_text()) for file in (SAMPLE, RECORDED / "t1_convolution.json", RECORDED / "t1_pnpoly.json")]


def test_any_json_gives_a_valid_spec_or_one_error():
    chance, specs = random.Random(20261126), []
    for _ in range(600):
        problem = mutated(chance.choice(problems()), chance)
        try:
            made = made_of(problem)
        except Error as error:
            assert "\n" not in str(error) and error.hint
            continue
        assert all(note.place and note.what for note in made.notes)
        specs.append(whole(made))
    assert len(specs) > 300
    for spec, answer in zip(specs, candidates_of(specs)):
        # Other errors, for example a division by zero, come from the problem.
        assert "candidates" in answer or "[constraints]" in answer["error"] or "is not a whole" in answer["error"] or (
            "no candidate" in answer["error"]), f"{spec}\n{answer}"


def test_any_bytes_give_a_spec_or_one_error():
    chance, text = random.Random(1), SAMPLE.read_bytes()
    for _ in range(1000):
        changed = bytearray(text)
        for _ in range(chance.choice([1, 2, 8, 64])):
            at = chance.randrange(len(changed))
            changed[at:at + chance.choice([0, 1, 1, 9])] = bytes([chance.choice(b'[](){}",:*0129+-.\\ \n\x00\xff'
                                                                                b"abx")] * chance.choice([0, 1, 1, 3]))
        try:
            translate("x.json", bytes(changed[:chance.choice([len(changed)] * 9 + [chance.randrange(len(changed))])]))
        except Error as error:
            assert error.what.startswith("x.json") and error.hint


# The command.


def t1(*words, cwd=None, **options):
    return subprocess.run([sys.executable, "-m", "launchbox", "t1", *map(str, words)], capture_output=True, text=True, cwd=cwd,
                          check=False, **options)


def tune(*words, cwd=None, **options):
    return subprocess.run([tool.path(), "tune", *map(str, words)], capture_output=True, text=True, cwd=cwd, check=False, **options)


@pytest.fixture(name="folder")
def a_folder(tmp_path):
    (tmp_path / "kernels").mkdir()
    for name in ("blur.json", "blur.cu"):
        (tmp_path / "kernels" / name).write_bytes((SAMPLE.parent / name).read_bytes())
    return tmp_path


def refused(done, what, status=2):
    assert (done.returncode, done.stdout) == (status, "")
    assert what in done.stderr and done.stderr.count("\n") <= 2 and done.stderr.startswith("launchbox: ")


def test_the_spec_is_complete_wherever_it_is_written(folder):
    """The kernel is found without the JSON next to the spec, and from another folder."""
    (folder / "specs").mkdir()
    assert t1("kernels/blur.json", "-o", "specs/a.toml", cwd=folder).returncode == 0
    with open(folder / "specs/b.toml", "w", encoding="utf-8") as file:
        subprocess.run([sys.executable, "-m", "launchbox", "t1", "kernels/blur.json"], stdout=file, stderr=subprocess.DEVNULL,
                       cwd=folder, check=True)
    assert 'source = "../kernels/blur.cu"' in (folder / "specs/b.toml").read_text()
    assert (folder / "specs/a.toml").read_text() == (folder / "specs/b.toml").read_text()
    through_a_pipe = t1("kernels/blur.json", cwd=folder).stdout
    assert 'source = "kernels/blur.cu"' in through_a_pipe
    assert 'source = "blur.cu"' in t1("-", cwd=folder / "kernels", input=SAMPLE.read_text()).stdout
    (folder / "kernels/blur.json").unlink()
    for done in (tune("specs/a.toml", "--check", "--arch", "sm_90", cwd=folder),
                 tune("-", "--check", "--arch", "sm_90", cwd=folder, input=through_a_pipe)):
        assert done.returncode == 0, done.stderr
        assert "56 candidates × 1 workload" in done.stderr and "expressions, files and arguments are correct" in done.stderr


def test_links_in_the_path_are_resolved(folder):
    (folder / "far/away").mkdir(parents=True)
    (folder / "specs").symlink_to("far/away")
    (folder / "problems").symlink_to("kernels")
    for problem, output in (("kernels/blur.json", "specs/a.toml"), ("problems/blur.json", "far/b.toml"),
                            ("problems/blur.json", "c.toml"), ("problems/blur.json", "specs/d.toml")):
        assert t1(problem, "-o", output, cwd=folder).returncode == 0
        assert tune(output, "--check", "--arch", "sm_90", cwd=folder).returncode == 0
    assert 'source = "problems/blur.cu"' in (folder / "c.toml").read_text()


def test_notes_are_printed_and_the_exit_status_is_0(folder):
    done = t1("kernels/blur.json", cwd=folder)
    assert done.returncode == 0
    assert done.stderr.splitlines()[0].startswith(
        "launchbox: kernels/blur.json: ConfigurationSpace.Conditions[2].Expression: LEFT OUT")
    assert len(done.stderr.splitlines()) == 4
    problem = blur()
    problem["KernelSpecification"]["Language"] = "a\nb\x1b[31m"
    (folder / "x.json").write_text(json.dumps(problem))
    assert "\x1b" not in t1("x.json", cwd=folder).stderr


def test_an_existing_file_is_kept(folder):
    out = folder / "spec.toml"
    assert t1("kernels/blur.json", "-o", out, cwd=folder).returncode == 0
    made = out.read_text()
    mask = os.umask(0)
    os.umask(mask)
    assert out.stat().st_mode & 0o777 == 0o666 & ~mask
    assert t1("kernels/blur.json", "-o", out, cwd=folder).returncode == 0  # equal content
    out.write_text(made + "# mine\n")
    refused_once = t1("kernels/blur.json", "-o", out, cwd=folder)
    assert refused_once.returncode == 2 and f"{out} already exists and contains something else" in refused_once.stderr
    assert out.read_text() == made + "# mine\n"
    out.chmod(0o640)
    assert t1("kernels/blur.json", "-o", out, "--overwrite", cwd=folder).returncode == 0
    assert (out.read_text(), out.stat().st_mode & 0o777) == (made, 0o640)
    (folder / "link.toml").symlink_to("spec.toml")
    out.write_text("")
    assert t1("kernels/blur.json", "-o", folder / "link.toml", cwd=folder).returncode == 0
    assert (folder / "link.toml").is_symlink() and out.read_text() == made
    for name in ("kernels/blur.json", "kernels/../kernels/blur.json"):
        done = t1("kernels/blur.json", "-o", name, "--overwrite", cwd=folder)
        assert done.returncode == 2 and "is also an input" in done.stderr
    assert (folder / "kernels/blur.json").read_bytes() == SAMPLE.read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["kernels", "link.toml", "spec.toml"]


def test_refusals_are_one_sentence_with_a_fix(folder):
    refused(t1(cwd=folder), "FILE")
    refused(t1("a", "b", cwd=folder), "unrecognized arguments: b")
    refused(t1("--output", cwd=folder), "expected one argument")
    refused(t1("nowhere.json", cwd=folder), "cannot open nowhere.json: No such file or directory")
    refused(t1("kernels", cwd=folder), "cannot open kernels: Is a directory")
    refused(t1("a\nb\x1b", cwd=folder), "cannot open a\\nb\\x1b: ")
    refused(t1("", cwd=folder), "cannot open ")
    (folder / "spec.toml").write_text("[tunable]\n")
    refused(t1("spec.toml", cwd=folder), "spec.toml is not valid JSON")
    (folder / "large.json").write_text(" " * (1 << 20) + "{}")
    refused(t1("large.json", cwd=folder), "large.json is larger than 1 MiB")
    for output in ("nowhere/x.toml", "kernels", "x" * 300, ""):
        done = t1("kernels/blur.json", "-o", output, cwd=folder)
        assert done.returncode == 2 and "cannot write" in done.stderr.splitlines()[-2], done.stderr
    assert t1("--help").returncode == 0
    (folder / "gone").mkdir()
    done = subprocess.run(["bash", "-c", f"rmdir ../gone; {sys.executable} -m launchbox t1 x.json"], capture_output=True, text=True,
                          cwd=folder / "gone", check=False)
    refused(done, "launchbox: ")


def test_the_examples_of_help_run(folder):
    examples = t1("--help").stdout.split("examples:\n")[1].splitlines()
    assert len(examples) == 2
    (folder / "tests").symlink_to(ROOT / "tests")
    for example in examples:
        subprocess.run(example.strip().replace("python3", sys.executable), shell=True, cwd=folder, check=True,
                       stderr=subprocess.DEVNULL)
        assert tune("blur.toml", "--check", "--arch", "sm_90", cwd=folder).returncode == 0


def test_a_full_disk_and_a_closed_pipe_are_reported(folder):
    for where in (">/dev/full", ">&-", "| true", "2>&1 >&-"):
        done = subprocess.run(["bash", "-c", f"set -o pipefail; {sys.executable} -m launchbox t1 kernels/blur.json {where}"],
                              capture_output=True, text=True, cwd=folder, check=False)
        told = done.stderr + done.stdout
        if "true" not in where or done.returncode != 0:  # `true` may end after the output was written
            assert done.returncode == 2 and "cannot write to standard output\n" in told and "Traceback" not in told
    done = subprocess.run(["bash", "-c", f"{sys.executable} -m launchbox t1 kernels/blur.json 2>&-"], capture_output=True, text=True,
                          cwd=folder, check=False)
    assert done.returncode == 0 and done.stdout.startswith("# Made by launchbox") and "LEFT OUT, so" in done.stdout
    assert "\nlaunchbox: " not in done.stdout
    done = t1("kernels/blur.json", "-o", "/dev/full", cwd=folder)
    assert done.returncode == 2 and "cannot write /dev/full: No space left" in done.stderr


def test_the_hardest_problem_needs_little_time_and_memory(folder):
    problem = blur()
    problem["ConfigurationSpace"]["TuningParameters"] = [
        {"Name": f"p{i}", "Values": "[i for i in list(range(90000)) if i < 2]"} for i in range(64)]
    (folder / "x.json").write_text(json.dumps(problem))

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (120, 120))

    refused(t1("x.json", cwd=folder, preexec_fn=limit), "need more than 5,000,000 steps")  # pylint: disable=subprocess-popen-preexec-fn


@pytest.mark.parametrize("name", ["x.json", "my problem.json", "a'b.json", "é.json"])
def test_tune_names_the_command_which_then_works(folder, name):
    (folder / "kernels" / name).write_bytes(SAMPLE.read_bytes())
    done = tune(f"kernels/{name}", "--check", cwd=folder)
    refused(done, f"launchbox: kernels/{name} is a T1 problem, not a spec\n")
    command = done.stderr.splitlines()[1].strip()
    assert command.startswith("python3 -m launchbox t1 ") and command.endswith(" writes it as a spec")
    command = command[:-len(" writes it as a spec")].replace("python3", sys.executable, 1)
    subprocess.run(command, shell=True, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    checked = tune(pathlib.Path(name).stem + ".toml", "--check", "--arch", "sm_90", cwd=folder)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("text", ["\n \t{", "\ufeff{", '{"ConfigurationSpace": {"TuningParameters": ['])
def test_every_reader_of_specs_recognises_json(folder, text):
    (folder / "x.json").write_text(text + SAMPLE.read_text().lstrip("{"))
    refused(tune("x.json", cwd=folder), "x.json is a T1 problem")
    refused(tune("-", cwd=folder, input=text + SAMPLE.read_text().lstrip("{")),
            "python3 -m launchbox t1 - > spec.toml writes it as a spec")
    done = subprocess.run([tool.path(), "emit", ROOT / "measurements/nvidia-h200/tune_block_sort.json", "--spec", "x.json"],
                          capture_output=True, text=True, cwd=folder, check=False)
    refused(done, "x.json is a T1 problem")


def test_other_json_is_distinguished_from_a_problem(folder):
    (folder / "x.json").write_text('{"schema": "launchbox.results/1"}')
    refused(tune("x.json", cwd=folder), "x.json is JSON, and a spec is TOML")


def test_the_tool_alone_says_where_to_get_t1():
    done = subprocess.run([tool.path(), "t1", "x.json"], capture_output=True, text=True, check=False)
    refused(done, "unknown command 't1'\n  python3 -m launchbox t1 ")
