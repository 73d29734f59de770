# SPDX-License-Identifier: Apache-2.0
"""launchbox.occupancy: one launch, and columns of launches."""
import csv
import io
import json
import os
import pathlib
import random
import subprocess
import tempfile

import pytest

import launchbox
from launchbox import tool

os.chdir(pathlib.Path(__file__).resolve().parents[2])
ARCHITECTURES = ["sm_35", "sm_52", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90a", "sm_100", "sm_120", "H100", "T4"]
# The figure of a single launch for each column.
FIGURES = {"limit_warps": "warps", "limit_blocks": "blocks", "limit_registers": "registers", "limit_shared": "shared",
           "limit_barriers": "barriers"}


def of_one(account):
    """The figures of one account, by column."""
    found = {name: getattr(account, name) for name in ("architecture", "resident_blocks", "resident_warps", "warp_slots",
                                                       "occupancy", "obstacle")}
    found.update({column: getattr(account.limits, name).blocks for column, name in FIGURES.items()})
    return {**found, "limiters": " ".join(account.limiters) or None}


def random_launches(count, seed):
    source = random.Random(seed)
    columns = {"arch": [], "threads": [], "registers": [], "shared": [], "dynamic_shared": [], "barriers": [],
               "max_threads": [], "carveout": []}
    for _ in range(count):
        columns["arch"].append(source.choice(ARCHITECTURES))
        columns["threads"].append(source.randint(1, 1100))
        columns["registers"].append(source.choice([None, source.randint(0, 63), source.randint(0, 63)]))
        columns["shared"].append(source.choice([None, source.randint(0, 60000), "12K"]))
        columns["dynamic_shared"].append(source.choice([None, source.randint(0, 150000), "4*threads", "max(threads, 64) * 2"]))
        columns["barriers"].append(source.choice([None, source.randint(0, 20)]))
        columns["max_threads"].append(source.choice([None, source.randint(1, 1024)]))
        columns["carveout"].append(source.choice([None, source.randint(-1, 100)]))
    return columns


def test_a_hundred_thousand_launches_have_the_tools_answers():
    columns = random_launches(100_000, 44)
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(name.replace("_", "-") for name in columns)
    writer.writerows(zip(*columns.values()))
    printed = subprocess.run([tool.path(), "occupancy", "--questions", "-", "--format", "csv"], check=True,
                             input=table.getvalue().encode(), stdout=subprocess.PIPE).stdout.decode()
    expected = {name: [] for name in next(csv.reader([printed.split("\r\n", 1)[0]]))}
    for row in csv.DictReader(io.StringIO(printed)):
        for name, cell in row.items():
            expected[name].append(cell)
    arch = columns.pop("arch")
    answer = launchbox.occupancy(arch, **columns)
    assert answer.launches == 100_000
    found = answer.columns.to_dict()
    assert list(found) == list(expected)
    for name, values in found.items():
        assert ["" if value is None else str(value) for value in values] == expected[name], name
    assert sum(blocks > 0 for blocks in found["resident_blocks"]) > 20_000


def test_hundreds_of_launches_have_the_same_answers_as_alone():
    columns = random_launches(200, 45)
    arch = columns.pop("arch")
    together = launchbox.occupancy(arch, **columns).columns.to_dict()
    for i, name in enumerate(arch):
        alone = launchbox.occupancy(name, **{option: values[i] for option, values in columns.items()})
        assert of_one(alone) == {column: values[i] for column, values in together.items()}, i


def test_one_launch_has_the_whole_account():
    account = launchbox.occupancy("sm_90", threads=256, registers=63, shared=11264, grid=1000, sms=132)
    assert (account.resident_blocks, account.limiters) == (4, ["registers"])
    assert account.limits.registers.steps[-1].name == "blocks"
    assert account.next_step.changes[0].from_ == 63
    assert account.waves.full_waves == 1
    printed = tool.ask(["occupancy", "--arch=sm_90", "--threads=256", "--registers=63", "--shared=11264", "--grid=1000",
                        "--sms=132"])
    assert account.to_dict() == printed["results"][0]
    assert launchbox.occupancy("H100", threads=[256], registers=63).columns.architecture == ["sm_90"]


@pytest.mark.parametrize("column", [[32, 64], (32, 64), range(32, 65, 32), [32.0, 64.0], ["32", "64"]])
def test_a_column_can_be_any_sequence(column):
    expected = launchbox.occupancy("sm_90", threads=[32, 64], registers=40).columns
    assert launchbox.occupancy("sm_90", threads=column, registers=40).columns == expected
    assert launchbox.occupancy("sm_90", threads=[32, 64], registers=[40, 40]).columns == expected


def test_an_unknown_value_in_a_column_is_like_a_missing_one():
    answer = launchbox.occupancy("sm_90", threads=[256] * 3, registers=[None, float("nan"), 63]).columns
    assert answer.limit_registers == [None, None, 4]
    assert launchbox.occupancy("sm_90", threads=[]).launches == 0
    assert launchbox.occupancy("sm_90", threads=[64, 64], shared=[None, None]).columns.limit_shared == [
        launchbox.occupancy("sm_90", threads=64).limits.shared.blocks] * 2


def test_arrays_of_numpy_and_columns_of_pandas():
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    threads = numpy.arange(32, 1056, 32, dtype=numpy.int16)
    answer = launchbox.occupancy("sm_90", threads=threads, registers=40)
    assert isinstance(answer.columns.resident_blocks, numpy.ndarray)
    assert answer.columns.resident_blocks.dtype == int
    lists = launchbox.occupancy("sm_90", threads=threads.tolist(), registers=40)
    assert answer.columns.resident_blocks.tolist() == lists.columns.resident_blocks
    assert numpy.isnan(answer.columns.limit_barriers).all()
    assert answer == lists and answer.columns == lists.columns
    assert json.loads(json.dumps(answer.to_dict())) == lists.to_dict()
    frame = pandas.DataFrame({"threads": [128, 256, 512], "registers": [32, None, 168]})
    frame["arch"] = "sm_80"
    found = launchbox.occupancy(**frame).to_frame()
    assert found.resident_blocks.tolist() == [
        launchbox.occupancy("sm_80", threads=128, registers=32).resident_blocks,
        launchbox.occupancy("sm_80", threads=256).resident_blocks, 0]
    assert launchbox.occupancy("sm_90", threads=pandas.array([32, None, 64], dtype="Int64")[[0, 2]]).launches == 2
    for one in (numpy.int64(256), numpy.float32(256), numpy.float64(256)):
        assert launchbox.occupancy("sm_90", threads=one).shape.threads == 256
    with pytest.raises(launchbox.Error, match="threads has 2 dimensions"):
        launchbox.occupancy("sm_90", threads=numpy.ones((2, 2)))


@pytest.mark.parametrize("call, message", [
    (lambda: launchbox.occupancy("sm_90", threads=[1, 2, 0]), r"^threads\[2\]: '0' is not a whole number from 1 to"),
    (lambda: launchbox.occupancy("sm_90", threads=[1, 2], registers=[1, 256]), r"^registers\[1\]: --registers 256"),
    (lambda: launchbox.occupancy("sm_90", threads=[1, 2], dynamic_shared=[1, "threads+"]), r"^dynamic_shared\[1\]: "),
    (lambda: launchbox.occupancy("sm_90", threads=[1, 2.5]), r"^threads\[1\] is 2.5"),
    (lambda: launchbox.occupancy("sm_90", threads=[1, True]), r"^threads\[1\] is True"),
    (lambda: launchbox.occupancy("sm_90", threads=[1, b"2"]), r"^threads\[1\] is a bytes"),
    (lambda: launchbox.occupancy("sm_90", threads=[[1], [2]]), r"^threads\[0\] is a list"),
    (lambda: launchbox.occupancy("sm_90", threads={1, 2}), "threads is a set"),
    (lambda: launchbox.occupancy("sm_90", threads=[1], registers=[1, 2]), "threads has 1, registers has 2"),
    (lambda: launchbox.occupancy("sm_90", threads=[1, 2], regsters=[1, 2]), "regsters cannot be a column"),
    (lambda: launchbox.occupancy("sm_90", threads=[1, 2], regsters=1), "did you mean --registers"),
    (lambda: launchbox.occupancy("sm_90", threads=[1, 2], grid=1), "--grid"),
    (lambda: launchbox.occupancy("sm_90", threads=1, regsters=1), "did you mean --registers"),
    (lambda: launchbox.occupancy("sm_90,sm_80", threads=1), "names 2 architectures"),
    (lambda: launchbox.occupancy("sm_90", threads=1, svg=tempfile.mkdtemp()), "written to files"),
    (lambda: launchbox.occupancy("sm_91", threads=1), "sm_91"),
    (lambda: launchbox.occupancy("", threads=1), "arch is empty"),
    (lambda: launchbox.occupancy(["sm_90", "sm_91"], threads=1), r"^arch\[1\]: "),
    (lambda: launchbox.occupancy("sm_90", threads=["1\n2"]), r"^threads\[0\]: "),
    (lambda: launchbox.occupancy("sm_90", threads=['1"']), r"^threads\[0\]: "),
    (lambda: launchbox.occupancy("sm_90", threads=["1\x002"]), r"^threads\[0\]: "),
])
def test_a_mistake_is_one_error_with_its_place(call, message):
    with pytest.raises(launchbox.Error, match=message) as raised:
        call()
    assert "\n" not in str(raised.value)
    assert "standard input" not in str(raised.value)


def test_answers_for_columns_equal_the_tools_output():
    answer = launchbox.occupancy("sm_90", threads=[64, 128])
    printed = subprocess.run([tool.path(), "occupancy", "--arch", "sm_90", "--questions", "-", "--format", "json"],
                             input=b"threads\n64\n128\n", stdout=subprocess.PIPE, check=True).stdout
    assert answer.to_dict() == json.loads(printed)
