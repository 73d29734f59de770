# SPDX-License-Identifier: Apache-2.0
"""Configurations in files of Triton, vLLM and SGLang: read, refused, and written from a store."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

import launchbox
from launchbox import Error, configs, tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/configs"
MOE = DATA / "E=8,N=1024,device_name=NVIDIA_H100.json"
TRITON = DATA / "scale_kernel.autotune.json"
NAME = "E=8,N=1024,device_name=NVIDIA_H100.json"
GOOD = {"BLOCK_SIZE_M": 16, "num_warps": 4}
FAST, SLOW = {"BLOCK_SIZE_M": 64, "num_warps": 8}, {"BLOCK_SIZE_M": 128, "num_warps": 8}


def written(folder, content, name=NAME):
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def error_of(*given, **more):
    with pytest.raises(Error) as raised:
        configs.read(written(*given, **more))
    return str(raised.value)


def command(*words, folder=ROOT):
    return subprocess.run([sys.executable, "-m", "launchbox", "configs", *map(os.fspath, words)], cwd=folder,
                          capture_output=True, text=True)


def store(folder, workloads, gpu="NVIDIA H100", verified=True, baseline=GOOD):
    """A store as a tune leaves it: for each batch size the times of candidates in milliseconds."""
    files = []
    for number, (workload, times) in enumerate(workloads):
        own = {"device_name": gpu, "kernel_name": "moe", "workload": workload}
        if baseline is not None:
            own["baseline"] = baseline
        results = [{"configuration": config, "invalidity": "correct" if time else "runtime", "times":
                    {"runtimes": [time * (1 + 0.001 * each) for each in range(8)]} if time else {},
                    "measurements": [{"name": "verified", "value": verified}]} for config, time in times]
        files.append(written(folder, {"schema_version": "1.0.0", "results": results, "metadata":
                                      {"timeunit": "milliseconds", "launchbox": own}}, f"t4_{number}.json"))
    made = folder / f"tuned{len(os.listdir(folder))}.db"
    subprocess.run([tool.path(), "results", "--import", *files, "--store", made], check=True, capture_output=True)
    return made


def test_reads_a_file_per_device():
    made = configs.read(MOE)
    assert made.kind == "per device" and made.notes == []
    assert made.facts == {"E": 8, "N": 1024, "device_name": "NVIDIA_H100"}
    assert made.others == {"triton_version": "3.6.0"}
    assert [row.size for row in made.rows] == [1, 64, 1024]
    assert made.at(1).parameters["BLOCK_SIZE_N"] == 64
    assert made.at(90).size == 64 and made.at(10 ** 6).size == 1024
    assert made.rows[0].median_ms is None and made.best is None
    with pytest.raises(Error, match="has no times"):
        made.t4()


@pytest.mark.parametrize("name", [
    "N=512,K=1024,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[128,128].json",
    "N=512,K=1024,device_name=NVIDIA_L40S,dtype=fp8_w8a8,block_shape=[128, 128].json",
    "E=8,N=7,device_name=Intel(R)_Arc(TM)_Pro_B60_Graphics.json",
    "E=8,N=7,device_name=NVIDIA_B200,dtype=fp8_w8a8,per_channel_quant=True.json",
    "E=8,N=7,device_name=NVIDIA_B200,dtype=fp8_w8a8,block_shape=[128, 128]_down.json",
    "headdim=64,dstate=16,device_name=NVIDIA_B200,cache_dtype=float32.json"])
def test_names_are_read_and_written_again(tmp_path, name):
    made = configs.read(written(tmp_path, {"1": GOOD}, name))
    assert configs.reading.name_of(made.facts, "[128, " in name) == name
    assert made.facts.get("block_shape", [128, 128]) == [128, 128]


def test_reads_triton_with_times_and_failures(tmp_path):
    made = configs.read(TRITON)
    assert made.kind == "triton autotune" and made.facts["kernel"] == "scale_kernel"
    assert [row.failed for row in made.rows] == [False, False, False, True]
    assert made.best.parameters == {"BLOCK": 512, "num_warps": 8, "num_ctas": 1, "num_stages": 3}
    file = written(tmp_path, made.t4("NVIDIA H100"), "t4.json")
    report = launchbox.results(str(file))
    assert report.environments[0].gpu == "NVIDIA H100" and report.runs[0].name == "scale_kernel"
    assert report.best[0].parameters == made.best.parameters
    assert report.best[0].median_ns == pytest.approx(17600)
    assert report.best[0].workload == {"key0": 1048576, "key1": "torch.float32"}
    assert sorted(each.status for each in report.candidates) == ["launch_error", "measured", "measured", "measured"]


def test_triton_keeps_maxnreg_if_some_configs_have_it(tmp_path):
    value = json.loads(TRITON.read_text())
    value["configs_timings"][0][0]["maxnreg"] = 64
    made = configs.read(written(tmp_path, value, "k.autotune.json"))
    assert [row.parameters["maxnreg"] for row in made.rows] == [64, "none", "none", "none"]
    assert configs.reading.config_of(made.rows[1].parameters, made.members)["maxnreg"] is None


@pytest.mark.parametrize("content, said", [
    ('{"1": {"BLOCK_SIZE_M": 16', "the file ends here"),
    ("", "the file ends here"),
    ('{"1": {"BLOCK_SIZE_M": 16},}', "line 1, column 28: not valid JSON"),
    (b"\xff\xfe{}", "is not UTF-8"),
    ("[1]", "holds a list, and no object"),
    ("null", "holds null"),
    ("{}", "has no configuration"),
    ('{"1": {"BLOCK_SIZE_M": NaN}}', "BLOCK_SIZE_M is nan"),
    ('{"1": {"BLOCK_SIZE_M": Infinity}}', "BLOCK_SIZE_M is inf"),
    ('{"1": {"BLOCK_SIZE_M": [16]}}', "BLOCK_SIZE_M is a list"),
    ('{"1": {"BLOCK_SIZE_M": 9223372036854775808}}', "BLOCK_SIZE_M is 9223372036854775808"),
    ('{"1": null}', "'1' holds null and no configuration"),
    ('{"1": {}}', "holds an empty object"),
    ('{"default": {"BLOCK_SIZE_M": 16}}', "'default' holds a object and is not a batch size"),
    ('{"-1": {"BLOCK_SIZE_M": 16}}', "is not a batch size"),
    ('{"1.5": {"BLOCK_SIZE_M": 16}}', "is not a batch size"),
    ('{"x\x1b[31m": {"BLOCK_SIZE_M": 16}}'.replace("\x1b", "\\u001b"), "is not a batch size"),
    ('{"configs_timings": 3}', "have to be lists"),
    ('{"configs_timings": []}', "has no configuration"),
    ('{"configs_timings": [[{"kwargs": {"B": 1}}, [NaN, 1, 1]]]}', "in place of its times"),
    ('{"configs_timings": [[{"kwargs": {"B": 1}}, -1]]}', "in place of its times"),
    ('{"configs_timings": [[{"kwargs": {"B": 1}}, [1, 2]]]}', "in place of its times"),
    ('{"configs_timings": [[{"kwargs": {"B": null, "C": [1]}}, 1]]}', "C is a list"),
    ('{"configs_timings": [[{"kwargs": {"num_warps": 1}, "num_warps": 4}, 1]]}', "num_warps twice"),
    ("[" * 100000, "cannot be read as JSON"),
])
def test_invalid_content_is_named(tmp_path, content, said):
    message = error_of(tmp_path, content)
    assert said in message and "\x1b" not in message and "\n" not in message


def test_an_invalid_row_only_loses_itself(tmp_path):
    made = configs.read(written(tmp_path, '{"1": {"A": NaN}, "2": {"A": 1}, "02": {"A": 2}, "2": {"A": 3}, "v": "x"}'))
    assert [(row.size, row.parameters) for row in made.rows] == [(2, {"A": 3})]
    assert made.others == {"v": "x"}
    assert len(made.notes) == 3 and "twice" in made.notes[0]


@pytest.mark.parametrize("name, said", [
    ("E=8,N=1024.json", "no device_name="), ("E=8,N=1024,device_name=.json", "no device_name="),
    ("config.json", "no device_name="), ("E=8,E=9,device_name=A.json", "E twice")])
def test_a_name_without_a_device_is_refused(tmp_path, name, said):
    assert said in error_of(tmp_path, {"1": GOOD}, name)


def test_other_paths_are_named(tmp_path):
    for path in (tmp_path, tmp_path / "nothing.json", "a\0b"):
        with pytest.raises(Error, match="cannot open"):
            configs.read(path)


def test_writes_tuned_rows_and_keeps_the_others(tmp_path):
    old = configs.read(written(tmp_path, {"triton_version": "3.6.0", "1": GOOD, "64": GOOD, "256": GOOD}))
    database = store(tmp_path, [({"M": 64, "E": 8}, [(GOOD, 2.0), (FAST, 1.0), (SLOW, 3.0)]),
                                ({"M": 128, "E": 8}, [(GOOD, 1.0), (FAST, 1.002), (SLOW, None)])])
    made = configs.from_store(database, old)
    assert made.name == NAME and made.notes == []
    value = json.loads(made.text)
    assert value == {"triton_version": "3.6.0", "1": GOOD, "64": FAST, "128": GOOD, "256": GOOD}
    assert [(each.size, each.measured) for each in made.choices] == [(1, False), (64, True), (128, False), (256, False)]
    assert "2.000 times" in made.choices[1].why and made.choices[0].why == "not measured"


@pytest.mark.parametrize("times, verified, why", [
    ([(GOOD, 1.0), (FAST, 0.5)], False, "were not compared"),
    ([(GOOD, 1.0), (FAST, 0.995)], True, "nothing is faster beyond noise"),
    ([(FAST, 0.5), (SLOW, 1.0)], True, "was not measured beside"),
    ([(GOOD, None), (FAST, 0.5)], True, "it failed"),
    ([(GOOD, None), (FAST, None)], True, "nothing could be measured"),
    ([(GOOD, 0.5), (FAST, 1.0)], True, "nothing is faster beyond noise")])
def test_a_row_is_only_replaced_by_a_better_one(tmp_path, times, verified, why):
    made = configs.from_store(store(tmp_path, [({"M": 64}, times)], verified=verified),
                              configs.read(written(tmp_path, {"64": GOOD})))
    assert json.loads(made.text) == {"64": GOOD}
    assert why in made.choices[0].why


def test_the_existing_file_counts_and_not_the_baseline_of_the_tune(tmp_path):
    database = store(tmp_path, [({"M": 64}, [(GOOD, 4.0), (FAST, 1.0), (SLOW, 1.002)])])
    made = configs.from_store(database, configs.read(written(tmp_path, {"64": SLOW})))
    assert json.loads(made.text) == {"64": SLOW}
    made = configs.from_store(database, configs.read(written(tmp_path, {"64": GOOD})))
    assert json.loads(made.text) == {"64": FAST}


def test_without_a_file_the_baseline_of_the_tune_is_kept(tmp_path):
    workloads = [({"M": 64}, [(GOOD, 2.0), (FAST, 1.0)]), ({"M": 1}, [(GOOD, 1.0), (FAST, 2.0)])]
    made = configs.from_store(store(tmp_path, workloads), name=NAME)
    assert json.loads(made.text) == {"1": GOOD, "64": FAST}
    with pytest.raises(Error, match="no configuration to keep"):
        configs.from_store(store(tmp_path, workloads, baseline=None), name=NAME)


@pytest.mark.parametrize("workload, gpu, name, size, said", [
    ({"M": 64}, "NVIDIA A100-SXM4-80GB", NAME, "M", "is for NVIDIA_H100, and was measured on NVIDIA A100"),
    ({"M": 64, "E": 9}, "NVIDIA H100", NAME, "M", "measured with E=9, and"),
    ({"m": 64}, "NVIDIA H100", NAME, "M", "no value for M"),
    ({"M": "big"}, "NVIDIA H100", NAME, "M", "'big' for M"),
    ({"M": 0}, "NVIDIA H100", NAME, "M", "0 for M"),
    ({"M": 64}, "NVIDIA H100", None, "M", "the file has no name"),
    ({"M": 64}, "NVIDIA H100", "x.json", "M", "no device_name")])
def test_a_store_of_another_problem_is_refused(tmp_path, workload, gpu, name, size, said):
    with pytest.raises(Error) as raised:
        configs.from_store(store(tmp_path, [(workload, [(GOOD, 2.0), (FAST, 1.0)])], gpu), name=name, size=size)
    assert said in str(raised.value)


def test_a_store_of_two_gpus_or_of_two_problems_is_refused(tmp_path):
    stores = []
    for gpu, times in (("NVIDIA H100", (2.0, 1.0)), ("NVIDIA A100", (1.0, 2.0))):
        (tmp_path / gpu).mkdir()
        stores.append(store(tmp_path / gpu, [({"M": 64}, list(zip((GOOD, FAST), times)))], gpu))
    both = tmp_path / "both.db"
    subprocess.run([tool.path(), "results", "--merge", *stores, "-o", both], check=True, capture_output=True)
    old = configs.read(MOE)
    with pytest.raises(Error, match="NVIDIA A100, NVIDIA H100"):
        configs.from_store(both, old)
    made = configs.from_store(both, configs.read(written(tmp_path, {"64": GOOD})), gpu="H100")
    assert json.loads(made.text) == {"64": FAST}
    # With two problems of the same batch size, one would overwrite the other.
    for xs in ((1, 2), (2, 1)):
        folder = tmp_path / str(xs)
        folder.mkdir()
        database = store(folder, [({"M": 64, "x": x}, [(GOOD, 2.0), (FAST, 1.0 if x == 1 else 4.0)]) for x in xs])
        with pytest.raises(Error, match="two workloads with M=64"):
            configs.from_store(database, configs.read(tmp_path / NAME))


def test_a_parameter_that_was_not_tuned_is_not_guessed(tmp_path):
    old = configs.read(written(tmp_path, {"64": {**GOOD, "num_stages": 3}}))
    with pytest.raises(Error, match="no num_stages"):
        configs.from_store(store(tmp_path, [({"M": 64}, [(GOOD, 2.0), (FAST, 1.0)])]), old)


def test_vllm_has_one_name_for_all_h200(tmp_path):
    database = store(tmp_path, [({"M": 64}, [(GOOD, 2.0), (FAST, 1.0)])], "NVIDIA H200 NVL")
    for device in ("NVIDIA_H200", "NVIDIA_H200_NVL"):
        configs.from_store(database, name=f"E=8,N=1,device_name={device}.json")
    made = configs.from_store(database, configs.read(written(tmp_path, {"64": GOOD})))
    assert made.name == "E=8,N=1024,device_name=NVIDIA_H200_NVL.json" and "is for NVIDIA_H100" in made.notes[0]


def test_writes_for_triton(tmp_path):
    old = configs.read(TRITON)
    there = old.best.parameters
    better = {**there, "BLOCK": 1024}
    database = store(tmp_path, [({"n": 1}, [(there, 1.0), (better, 0.5), ({**there, "BLOCK": 64}, 2.0)])],
                     baseline=there)
    made = configs.from_store(database, old)
    value = json.loads(made.text)
    assert value["key"] == [1048576, "torch.float32"]
    # As Triton reads it: the fastest is used, and each must be valid arguments of a Config.
    config = min(value["configs_timings"], key=lambda pair: pair[1])[0]
    assert config == {"kwargs": {"BLOCK": 1024}, "num_warps": 8, "num_ctas": 1, "num_stages": 3, "maxnreg": None,
                      "pre_hook": None, "ir_override": None}
    assert len(value["configs_timings"]) == 3 and made.choices[0].measured
    # An older Triton has no ir_override, and rejects an argument of that name.
    older = json.loads(TRITON.read_text())
    for pair in older["configs_timings"]:
        del pair[0]["ir_override"]
    value = json.loads(configs.from_store(database, configs.read(written(tmp_path, older, "k.autotune.json"))).text)
    assert all("ir_override" not in pair[0] for pair in value["configs_timings"])
    made = configs.from_store(store(tmp_path, [({"n": 1}, [(there, 1.0), (better, 0.999)])], baseline=there), old)
    value = json.loads(made.text)
    assert min(value["configs_timings"], key=lambda pair: pair[1])[0]["kwargs"] == {"BLOCK": 512}
    assert not made.choices[0].measured
    with pytest.raises(Error, match="2 workloads"):
        configs.from_store(store(tmp_path, [({"n": 1}, [(there, 1.0)]), ({"n": 2}, [(there, 1.0)])]), old)


def test_the_command_lists_and_refuses(tmp_path):
    done = command(MOE)
    assert done.returncode == 0 and "64: BLOCK_SIZE_M=64" in done.stdout and "triton_version: 3.6.0" in done.stdout
    written(tmp_path, {"1": GOOD})
    written(tmp_path, {"a": {}}, "E=1,N=1,device_name=X.json")
    done = command(tmp_path)
    assert done.returncode == 2 and "1 of 2 files read" in done.stdout and "is not a batch size" in done.stderr
    for words in (["--t4", MOE], ["--t4", TRITON, MOE], ["-o", "x", TRITON], ["--from", "x.db", "--t4", TRITON],
                  ["--from", tmp_path / "none.db", MOE], [tmp_path / "none.json"], []):
        done = command(*words)
        assert done.returncode == 2 and done.stderr.startswith("launchbox: ") and "Traceback" not in done.stderr, words


def test_the_command_writes_from_a_store(tmp_path):
    old = written(tmp_path, {"1": GOOD, "64": GOOD})
    database = store(tmp_path, [({"M": 64}, [(GOOD, 2.0), (FAST, 1.0)])])
    done = command("--from", database, old)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["64"] == FAST and "M=64: tuned, 2.000 times" in done.stderr
    assert json.loads(old.read_text())["64"] == GOOD
    done = command("--from", database, old, "-o", old)
    assert done.returncode == 2 and json.loads(old.read_text())["64"] == GOOD
    done = command("--from", database, old, "-o", old, "--overwrite")
    assert done.returncode == 0 and json.loads(old.read_text())["64"] == FAST
    (tmp_path / "out").mkdir()
    done = command("--from", database, "E=1,N=1,device_name=NVIDIA_H100.json", "-o", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    made = tmp_path / "out" / "E=1,N=1,device_name=NVIDIA_H100.json"
    assert configs.read(made).at(64).parameters == FAST
