# SPDX-License-Identifier: Apache-2.0
"""Tuning by callback, without a GPU: functions that return their own time, or work on the processor.

Each test writes a program as users write it, and runs it in a process of its own: the worker imports it, and its
faults cannot affect the tests.
"""
import json
import os
import signal
import subprocess
import sys
import textwrap

import pytest

import launchbox
from launchbox import tool

# The callbacks return their own times: nothing is measured, so that the same candidate always wins.
HEAD = """
import launchbox, os, sys
"""
CALL = """
if __name__ == "__main__":
    best = launchbox.tune(SPACE, run=run, device="cpu", database="r.db", measure={"min_samples": 3, "max_samples": 3},
                          seed=1, MORE)
    print("RESULT", best.parameters, best.median_ms, "verified" if best.verified else "not verified", best.has_winner)
    for each in best.candidates:
        print("CANDIDATE", each.parameters, each.status, "|", each.reason)
"""


def program(folder, functions, space="{'n': [1, 2, 3]}", more="", head=HEAD, call=CALL):
    text = head + textwrap.dedent(functions) + call.replace("SPACE", space).replace("MORE", more)
    (folder / "program.py").write_text(text)


def call(folder, *words, **environment):
    # A file, not a pipe: processes that a test leaves running must not block it.
    with open(folder / "out", "w") as out, open(folder / "err", "w") as err:
        status = subprocess.run([sys.executable, *(words or ["program.py"])], cwd=folder, stdout=out, stderr=err,
                                stdin=subprocess.DEVNULL, env={**os.environ, **environment}, check=False).returncode
    return status, (folder / "out").read_text(), (folder / "err").read_text()


def run_program(folder, functions, **options):
    program(folder, functions, **options)
    status, out, err = call(folder)
    assert status == 0, err
    return out


def statuses(out):
    """Status and reason, by the text of the parameters."""
    found = {}
    for line in out.splitlines():
        if line.startswith("CANDIDATE "):
            name, rest = line[len("CANDIDATE "):].split("}", 1)
            status, reason = rest.strip().split(" | ", 1)
            found[name + "}"] = (status, reason)
    return found


TIMES = "def run(n): return 4.0 - n\n"


def test_the_fastest_wins_and_the_database_is_that_of_the_tool(tmp_path):
    out = run_program(tmp_path, TIMES)
    assert "RESULT {'n': 3} 1.0 not verified True" in out
    results = tool.ask(["results", str(tmp_path / "r.db")])
    assert results["best"][0]["parameters"] == {"n": 3}
    assert results["candidates"][0]["verified"] is False
    unverified = ["emit", str(tmp_path / "r.db"), "--format", "defines"]
    with pytest.raises(launchbox.Error, match="not compared"):
        tool.run(unverified)
    assert "n=3" in tool.run([*unverified, "--allow-unverified"]).decode().lower()


def test_real_times_are_measured(tmp_path):
    functions = """
        def run(n):
            return sum(range(20_000 * n * n)) and None
    """
    out = run_program(tmp_path, functions)
    assert "RESULT {'n': 1} " in out and " not verified" in out


def test_a_later_call_continues(tmp_path):
    functions = """
        def run(n):
            with open("launches", "a") as file: file.write(f"{n}\\n")
            return 4.0 - n
    """
    program(tmp_path, functions, more="strategy='local', budget=2")
    assert call(tmp_path)[0] == 0
    first = len((tmp_path / "launches").read_text().split())
    text = (tmp_path / "program.py").read_text()
    status, out, err = call(tmp_path)
    assert status == 0, err
    assert text.count("budget=2") == 1
    assert len(statuses(out)) == 3  # the budget applies to each call
    again = len((tmp_path / "launches").read_text().split())
    assert again > first
    call(tmp_path)
    assert len((tmp_path / "launches").read_text().split()) == again, "all is known: nothing is launched"
    # If the function's source changes, earlier measurements do not count for it.
    (tmp_path / "program.py").write_text(text.replace("4.0 - n", "40.0 - n").replace("budget=2", ""))
    status, out, err = call(tmp_path)
    assert status == 0, err
    assert "RESULT {'n': 3} 37.0" in out


def test_results_only_count_for_the_same_functions(tmp_path):
    functions = """
        import functools
        def work(scale, n): return scale * n
        run = functools.partial(work, float(sys.argv[1]))
    """
    program(tmp_path, functions)
    for scale in ("2.0", "3.0", "2.0"):
        status, out, err = call(tmp_path, "program.py", scale)
        assert f"RESULT {{'n': 1}} {scale}" in out, err
    assert "2 measured" not in err and "0 measured" not in err
    runs = tool.ask(["results", str(tmp_path / "r.db")])["environments"]
    assert len(runs) == 2, "the third call found the results of the first"


NUMBERS = TIMES + """
def quantities(n): return {"tokens_per_s": 10.0 * n, "p99_ms": 7.0 * n}
"""


def test_an_objective_ranks_by_the_users_own_numbers(tmp_path):
    out = run_program(tmp_path, NUMBERS, more="quantities=quantities, objective='max tokens_per_s where p99_ms <= 20'")
    assert "RESULT {'n': 2} 2.0 " in out
    report = launchbox.results(str(tmp_path / "r.db"))
    allowed = {each.parameters["n"]: (each.quantities["tokens_per_s"][0], each.allowed) for each in report.candidates}
    assert allowed == {1: (10.0, True), 2: (20.0, True), 3: (30.0, False)}


@pytest.mark.parametrize("returned, reason", [
    ("5", "quantities returned a int: give a dict of numbers"),
    ("{'p99_ms': float('nan')}", "quantities says p99_ms = nan: numbers have to be above 0"),
    ("{'p99_ms': '3'}", "quantities says p99_ms = '3': numbers have to be above 0"),
    ("{'other': 1.0}", "it answered without p99_ms, which the objective names"),
    ("1 / 0", "quantities raised ZeroDivisionError")])
def test_an_invalid_number_fails_the_candidate(tmp_path, returned, reason):
    functions = TIMES + f"""
def quantities(n): return {{'p99_ms': 1.0 * n}} if n != 2 else {returned}
"""
    found = statuses(run_program(tmp_path, functions, more="quantities=quantities, objective='p99_ms'"))
    assert found["{'n': 2}"][0] == "launch error" or found["{'n': 2}"][0] == "launch_error"
    assert reason in found["{'n': 2}"][1]
    assert found["{'n': 1}"][0] == "measured"


def test_constraints_exclude_candidates(tmp_path):
    out = run_program(tmp_path, "def run(n, m): return 10.0 - n * m\n", space="{'n': [1, 2, 3], 'm': [1, 2]}",
                      more="constraints=['n * m <= 3']")
    assert len(statuses(out)) == 4
    assert "RESULT {'n': 3, 'm': 1} 7.0" in out


def test_setup_workloads_and_any_objects(tmp_path):
    functions = """
        class Kind:
            def __init__(self, cost): self.cost = cost
            def __repr__(self): return f"kind {self.cost}"
        kinds = [Kind(2), Kind(1)]
        def fast(): return 1
        def slow(): return 2
        def setup(size): return {"size": size, "out": [0] * 4}
        def run(data, chosen, kind, none):
            data["out"][:] = [data["size"]] * 4
            return data["out"]
        def verify(data, kind):
            assert kind.cost in (1, 2) and data["out"] == [data["size"]] * 4
    """
    out = run_program(tmp_path, functions, space="{'chosen': [fast, slow], 'kind': kinds, 'none': [None, 64]}",
                      more="setup=setup, verify=verify, workloads=[{'size': 3}, {'size': 5}]")
    assert len(statuses(out)) == 8
    assert "'chosen': <function " in out and "'none': None" in out and "kind 1" in out
    assert {status for status, _ in statuses(out).values()} == {"measured"}
    assert " verified" in out


# ---- a callback that misbehaves fails only one candidate

HOSTILE = {
    "raises": ("raise ValueError('no such block')", "launch_error", "run raised ValueError: no such block (program.py:"),
    "has no text": ("raise Odd", "launch_error", "run raised Odd (program.py:"),
    "exits": ("sys.exit(3)", "launch_error", "SystemExit: 3"),
    "interrupts": ("raise KeyboardInterrupt", "launch_error", "KeyboardInterrupt"),
    "dies": ("os._exit(3)", "worker_died", "exit status 3"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "worker_died", "signal 11"),
    "aborts": ("os.abort()", "worker_died", "signal 6"),
    "is killed": ("os.kill(os.getpid(), 9)", "worker_died", "signal 9"),
    "stops": ("os.kill(os.getpid(), 19)", "hang", "no answer within"),
    "hangs": ("while True: pass", "hang", "no answer within"),
    "sleeps": ("import time; time.sleep(1000)", "hang", "no answer within"),
    "recurses": ("return run(kind)", "launch_error", "RecursionError"),
    "leaks": ("keep = []\nwhile True: keep.append(bytearray(b'x') * (1 << 24))", "out_of_memory", "memory"),
    "has no memory": ("raise MemoryError", "out_of_memory", "MemoryError"),
    "closes descriptors": ("os.closerange(0, 2000)", "worker_died", "the worker died"),
    "reuses descriptors": ("os.closerange(0, 2000)\n"
                           "for _ in range(1100): os.open('junk', os.O_RDWR | os.O_CREAT)",
                           "worker_died", "the worker died"),
    "returns nonsense": ("return -1.0", "launch_error", "not a time in milliseconds"),
    "returns no number": ("return float('nan')", "launch_error", "not a time in milliseconds"),
    "returns too much": ("return 1e300", "launch_error", "30 years"),
    "writes to the tool": ("to_the_tool(b'{\"phase\": 7}\\n')", "worker_died", "a message of another process"),
    "writes garbage": ("to_the_tool(b'\\xff\\0[[[[\\n')", "worker_died", "a message of another process"),
    "writes a long line": ("for _ in range(80): to_the_tool(b'x' * (1 << 20))", "worker_died", "the worker died"),
    "answers itself": ("to_the_tool(b'{\"samples_ns\": [0.001, 0.001]}\\n')", "worker_died",
                       "a message of another process"),
    "answers too much": ("to_the_tool(b'{\"samples_ns\": [1, 1, 1, 1, 1, 1], \"verified\": true, \"failure\": \"\", "
                         "\"reason\": \"\", \"restart\": false, \"warnings\": []}\\n')", "worker_died",
                         "invalid samples_ns"),
}
HARMLESS = {
    "prints": "print('x' * 1000)\nprint('y', file=sys.stderr)\nos.write(1, b'{\"phase\": \"ready\"}\\n')",
    "prints a lot": "for _ in range(300): print('x' * 5000)",
    "goes elsewhere": "os.chdir('/')",
    "starts threads": "import threading, time\n"
                      "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
    "forks": "os.fork() or os._exit(0)",
    "forks and comes back": "os.fork()",
    "reads its input": "assert sys.stdin.read() == ''",
    "closes the first descriptors": "os.closerange(3, 100)",
    "takes signals": "import signal\nfor number in (2, 13, 15): signal.signal(number, signal.SIG_IGN)",
    "changes its environment": "os.environ.clear()",
    "looks at its arguments": "assert 'program.py' in sys.argv[0]",
    "closes what it prints to": "sys.stdout = sys.stderr = None; os.closerange(1, 3)",
    "returns an object": "return (object(), 'launched')",
    "returns a flag": "return True",
}
FUNCTIONS = """
    class Odd(Exception):
        def __str__(self): raise RuntimeError
    def to_the_tool(text):
        import stat
        for number in os.listdir("/proc/self/fd"):
            try:
                if int(number) > 2 and stat.S_ISFIFO(os.fstat(int(number)).st_mode): os.write(int(number), text)
            except OSError: pass
    def run(kind):
        if kind == "good": return 1.0
"""


def kinds(codes):
    text = textwrap.dedent(FUNCTIONS)
    for kind, code in codes.items():
        text += f"    if kind == {kind!r}:\n" + textwrap.indent(code, 8 * " ") + "\n"
    return text + "    return 2.0\n"


@pytest.fixture(scope="module")
def of_hostile(tmp_path_factory):
    """One call with all of them: the search continues after each."""
    folder = tmp_path_factory.mktemp("hostile")
    out = run_program(folder, kinds({kind: code for kind, (code, _, _) in HOSTILE.items()}),
                      space=f"{{'kind': {['good', *HOSTILE]!r}}}",
                      more="compile_seconds=1, memory=1 << 28, baseline={'kind': 'good'}")
    assert "RESULT {'kind': 'good'} 1.0" in out
    return statuses(out)


@pytest.mark.parametrize("kind", HOSTILE)
def test_one_candidate_fails(of_hostile, kind):
    found = of_hostile[str({"kind": kind})]
    assert (found[0], HOSTILE[kind][2] in found[1]) == (HOSTILE[kind][1], True), found


@pytest.fixture(scope="module")
def of_harmless(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harmless")
    out = run_program(folder, kinds(HARMLESS), space=f"{{'kind': {['good', *HARMLESS]!r}}}")
    assert out.count("RESULT") == 1
    return statuses(out)


@pytest.mark.parametrize("kind", HARMLESS)
def test_no_candidate_fails(of_harmless, kind):
    assert of_harmless[str({"kind": kind})] == ("measured", "None")


# ---- a time only counts if the output of that launch was right

CHEATS = {
    "is right": ("", "measured", ""),
    "is wrong": ("out[1] += 1", "wrong_result", "element 1"),
    "does nothing from its second launch on": ("if calls[kind] > 1: out[:] = before", "wrong_result", "elements differ"),
    "does nothing at all": ("out[:] = before", "wrong_result", "elements differ"),
    "is wrong at every third launch": ("out[2] += calls[kind] % 3 == 0", "wrong_result", "element 2"),
    "returns nothing": ("return None", "wrong_result", "outputs"),
    "returns less": ("return out[:3]", "wrong_result", "elements"),
    "returns other values": ("return ['a'] * 8", "wrong_result", "elements differ"),
}
OF_RETURNED = {"returns nothing", "returns less", "returns other values"}  # verify examines the array itself


def cheats(folder, more, left_out=frozenset()):
    codes = {kind: code for kind, (code, _, _) in CHEATS.items() if kind not in left_out}
    functions = """
import collections
calls = collections.Counter()
out = [0.0] * 8
def run(kind):
    calls[kind] += 1
    before = out[:]
    out[:] = [float(i) for i in range(8)]
    if kind == 'good': return sum(range(20000)) and out
"""
    for kind, code in codes.items():
        functions += f"    if kind == {kind!r}:\n        {code or 'pass'}\n"
    functions += """    return out
def reference(): return [float(i) for i in range(8)]
def verify():
    assert out == reference(), "element 1, element 2, elements differ, or outputs"
"""
    out = run_program(folder, functions, space=f"{{'kind': {['good', *codes]!r}}}", more=more,
                      call=CALL.replace('"max_samples": 3', '"max_samples": 8'))
    assert "RESULT {'kind': 'is right'} " in out and " verified" in out and "not verified" not in out
    return statuses(out)


@pytest.mark.parametrize("more", ["baseline={'kind': 'good'}", "reference=reference", "verify=verify"])
def test_only_correct_launches_count(tmp_path, more):
    left_out = OF_RETURNED if "verify" in more else set()
    found = cheats(tmp_path, more, left_out)
    for kind, (_, status, reason) in CHEATS.items():
        if kind not in left_out:
            told = found[str({"kind": kind})]
            assert (told[0], reason in told[1]) == (status, True), (kind, told)


def test_a_tolerance_permits_rounding(tmp_path):
    functions = """
        out = [0.0]
        def run(n):
            out[0] = 1.0 + n * 1e-4
            return out
    """
    assert statuses(run_program(tmp_path, functions))["{'n': 3}"][0] == "wrong_result"
    (tmp_path / "r.db").unlink()
    assert statuses(run_program(tmp_path, functions, more="rtol=1e-3"))["{'n': 3}"][0] == "measured"


def test_memory_changed_by_launches_is_reset(tmp_path):
    functions = """
        import array
        out, count = array.array("d", [0.0] * 4), array.array("i", [0])
        def run(n):
            count[0] += 1
            for i in range(4): out[i] += i
        def outputs(): return {"out": out, "count": count}
        def reset():
            for i in range(4): out[i] = 1.0
            count[0] = 5
        def reference(): return {"count": [6], "out": [1.0, 2.0, 3.0, 4.0]}  # in another order
    """
    out = run_program(tmp_path, functions, more="outputs=outputs, reset=reset, reference=reference")
    assert {status for status, _ in statuses(out).values()} == {"measured"}, out
    assert " verified" in out


def test_candidates_are_compiled_by_other_processes_before_they_are_measured(tmp_path):
    functions = """
        def setup(): open(f"setup_{os.getpid()}", "w").close()
        def compile(n):
            if n == 2: raise ValueError("only who measures it tells")
            if n == 3: os._exit(1)
            with open(f"compiled_{n}", "w") as file: file.write(str(os.getpid()))
        def run(data, n):
            if n < 2:
                with open(f"compiled_{n}") as file: assert int(file.read()) != os.getpid()
            return 9.0 - n
    """
    out = run_program(tmp_path, functions, space="{'n': list(range(6))}",
                      more="setup=setup, compile=compile, compilers=2")
    assert {status for status, _ in statuses(out).values()} == {"measured"}, out
    assert len(list(tmp_path.glob("setup_*"))) == 1, "who compiles needs no data"


def test_a_slow_reset_does_not_count_as_a_hang(tmp_path):
    functions = """
        import time
        def reset(): time.sleep(0.15)
        def run(n): return 4.0 - n
    """
    out = run_program(tmp_path, functions, space="{'n': [1]}", more="reset=reset",
                      call=CALL.replace('"max_samples": 3', '"max_samples": 3, "hang_seconds": 0.1, "hang_ratio": 1'))
    assert {status for status, _ in statuses(out).values()} == {"measured"}, out


def test_output_of_callbacks_goes_to_the_log(tmp_path):
    run_program(tmp_path, "def run(n):\n    print('n is', n, flush=True)\n    return 4.0 - n\n", more="log='log'")
    assert "n is 2\n" in (tmp_path / "log").read_text()


def test_verify_without_outputs_causes_a_warning(tmp_path):
    program(tmp_path, "def run(n): return 4.0 - n\ndef verify(): pass\n", more="verify=verify")
    status, out, err = call(tmp_path)
    assert status == 0 and " verified" in out
    assert "the outputs are not known" in err


# ---- how functions are passed to the worker

def test_a_program_without_a_main_guard_is_reported(tmp_path):
    program(tmp_path, TIMES, call=CALL.replace('if __name__ == "__main__":', "if True:"))
    status, out, err = call(tmp_path)
    assert status == 1
    assert 'put the call below if __name__ == "__main__":' in err.splitlines()[-1]
    assert err.splitlines()[-1].startswith("launchbox.tool.Error: ")
    assert "program.py:" in err.splitlines()[-1]


@pytest.mark.parametrize("words", [["-m", "program"], ["program.py"], ["./program.py"]])
def test_programs_can_be_started_in_any_way(tmp_path, words):
    program(tmp_path, TIMES)
    status, out, err = call(tmp_path, *words)
    assert status == 0, err
    assert "RESULT {'n': 3} 1.0" in out


def test_functions_of_other_modules(tmp_path):
    (tmp_path / "kernels.py").write_text("import functools\ndef work(scale, n): return scale * n\n"
                                         "run = functools.partial(work, 2.0)\n")
    out = run_program(tmp_path, "from kernels import run\n")
    assert "RESULT {'n': 1} 2.0" in out


LAMBDA = "run = lambda n: 4.0 - n\n"
NO_CLOUDPICKLE = "import sys; sys.modules['cloudpickle'] = None\n"


@pytest.mark.parametrize("functions", [LAMBDA, "def made():\n    def run(n): return 4.0 - n\n    return run\n"
                                               "run = made()\n"])
def test_functions_that_cannot_be_sent_are_reported(tmp_path, functions):
    program(tmp_path, functions, head=NO_CLOUDPICKLE + HEAD)
    status, out, err = call(tmp_path)
    assert status == 1
    assert "define it with def at the top level of a file, or install cloudpickle" in err.splitlines()[-1]


def test_an_interactive_prompt_is_reported(tmp_path):
    code = NO_CLOUDPICKLE + "import launchbox\ndef run(n): return 1.0\n" \
        "launchbox.tune({'n': [1]}, run=run, device='cpu', database='r.db')\n"
    status, out, err = call(tmp_path, "-c", code)
    assert status == 1
    assert "a notebook, a prompt, standard input" in err.splitlines()[-1]


def test_the_main_module_of_a_package_is_reported(tmp_path):
    (tmp_path / "packed").mkdir()
    program(tmp_path / "packed", TIMES, head=NO_CLOUDPICKLE + HEAD)
    (tmp_path / "packed" / "program.py").rename(tmp_path / "packed" / "__main__.py")
    for words in (["-m", "packed"], ["packed"]):
        status, out, err = call(tmp_path, *words)
        assert status == 1
        assert "the __main__ of a package" in err.splitlines()[-1]


def test_a_removed_folder_is_reported(tmp_path):
    program(tmp_path, TIMES)
    code = "import os, runpy, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); " \
           f"sys.argv[0] = {str(tmp_path / 'program.py')!r}; runpy.run_path(sys.argv[0], run_name='__main__')"
    status, out, err = call(tmp_path, "-c", code)
    assert status == 1
    assert "the current folder is gone" in err.splitlines()[-1]


def test_cloudpickle_sends_all_other_functions(tmp_path):
    pytest.importorskip("cloudpickle")
    program(tmp_path, LAMBDA)
    status, out, err = call(tmp_path)
    assert status == 0, err
    assert "RESULT {'n': 3} 1.0" in out


# ---- mistakes in the call

WRONG = {
    "no list": ("run=run", "{'n': 5}", "give a list: [5]"),
    "no space": ("run=run", "{}", "space has no parameter"),
    "another keyword": ("run=run", "{'m': [1]}", "run(n) cannot be called with m"),
    "no function": ("run=3", "{'n': [1]}", "run is a int, which cannot be called"),
    "no run": ("", "{'n': [1]}", "run is missing"),
    "a constraint": ("run=run, constraints=['n >', 'n > 0']", "{'n': [1]}", "constraints[0]: "),
    "an unknown name": ("run=run, constraints=['n > 0', 'threads > 5']", "{'n': [1]}", "constraints[1]: "),
    "constraints that nothing meets": ("run=run, constraints=['n > 5']", "{'n': [1]}", "none of the 1 points"),
    "a baseline": ("run=run, baseline={'n': 7}", "{'n': [1]}", "baseline"),
    "a device": ("run=run, device='tpu'", "{'n': [1]}", "give \"gpu\" or \"cpu\""),
    "a setting": ("run=run, measure={'samples': 3}", "{'n': [1]}", "samples"),
    "a source": ("run=run, sources=['nowhere.py']", "{'n': [1]}", "nowhere.py"),
    "half a character": ("run=run", "{'n': ['\\ud800']}", "half a character"),
    "one name for two": ("run=run", "{'n': [lambda: 1, lambda: 2]}", "two values that are called"),
    "a log": ("run=run, log='/nowhere/log'", "{'n': [1]}", "/nowhere/log"),
    "compilers": ("run=run, compilers=3", "{'n': [1]}", "compile is not"),
    "a database": ("run=run, database='/nowhere/r.db'", "{'n': [1]}", "/nowhere/r.db"),
    "setup fails": ("run=with_data, setup=setup", "{'n': [1]}", "setup raised ZeroDivisionError"),
    "reference fails": ("run=run, reference=setup", "{'n': [1]}", "reference raised ZeroDivisionError"),
    "no GPU": ("run=run, device='gpu'", "{'n': [1]}", "GPU"),
}


@pytest.fixture(scope="module")
def of_wrong(tmp_path_factory):
    """The error message of each call, all from one program."""
    calls = "".join(f"""
    try:
        launchbox.tune({space}, {"" if "device=" in arguments else "device='cpu', "}progress=False,
                       {"" if "database=" in arguments else "database='r.db', "}{arguments})
    except launchbox.Error as failure:
        print({kind!r}, "|", failure)
""" for kind, (arguments, space, _) in WRONG.items())
    out = run_program(tmp_path_factory.mktemp("wrong"), "def run(n): return 1.0\ndef with_data(data, n): return 1.0\n"
                      "def setup(): return 1 / 0\n", call=f"if __name__ == '__main__':{calls}")
    return dict(line.split(" | ", 1) for line in out.splitlines())


@pytest.mark.parametrize("kind", WRONG)
def test_a_mistake_is_reported_in_one_line(of_wrong, kind):
    if kind == "no GPU" and os.path.exists("/dev/nvidiactl"):
        pytest.skip("there is a GPU")
    assert WRONG[kind][2] in of_wrong[kind]
    assert "-:" not in of_wrong[kind]


def test_if_everything_fails_the_first_reason_is_given(tmp_path):
    program(tmp_path, "def run(n): raise ValueError('never')\n")
    status, out, err = call(tmp_path)
    assert status == 1
    assert "no candidate was measured" in err.splitlines()[-1] and "never" in err.splitlines()[-1]


def test_a_baseline_that_fails_ends_the_run(tmp_path):
    program(tmp_path, "def run(n):\n    if n == 1: raise ValueError('never')\n    return 1.0\n", more="baseline={'n': 1}")
    status, out, err = call(tmp_path)
    assert status == 1
    assert "the baseline (n=1) cannot be measured" in err.splitlines()[-1]


# ---- the rest

def test_two_workers_share_the_candidates(tmp_path):
    functions = """
        out = [0]
        def run(n):
            with open(f"process_{os.getpid()}", "a") as file: file.write(f"{n}\\n")
            # Until the other has begun, too; the first one is measured alone.
            while n > 0 and len([name for name in os.listdir() if name.startswith("process_")]) < 2: pass
            out[0] = 7
            return out
    """
    out = run_program(tmp_path, functions, space="{'n': list(range(8))}", more="workers=2, baseline={'n': 0}",
                      call=CALL.replace('"max_samples": 3', '"max_samples": 3, "hang_seconds": 60'))
    assert len(list(tmp_path.glob("process_*"))) == 2
    assert {status for status, _ in statuses(out).values()} == {"measured"}, out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupt_keeps_finished_results(tmp_path, number):
    functions = """
        import time
        def run(n):
            if n == 2:
                open("begun", "w").close()
                time.sleep(1000)
            return 4.0 - n
    """
    # In a fixed order, so that something is finished by then.
    program(tmp_path, functions, more="baseline={'n': 1}")
    with open(tmp_path / "err", "w") as err:
        child = subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=err)
    while not (tmp_path / "begun").exists():
        assert child.poll() is None, (tmp_path / "err").read_text()
        os.sched_yield()
    child.send_signal(number)
    status = child.wait()
    assert status != 0
    if number == signal.SIGINT:
        assert "KeyboardInterrupt" in (tmp_path / "err").read_text()
    results = tool.ask(["results", str(tmp_path / "r.db")])
    finished = [each["parameters"]["n"] for each in results["candidates"]]
    assert 1 in finished and 2 not in finished
    # Nothing is left running: the tool and its worker end soon, and this loop waits for that.
    while any(b"program.py" in read(f"/proc/{process}/cmdline") or str(tmp_path).encode() == link(process)
              for process in os.listdir("/proc") if process.isdigit() and int(process) != os.getpid()):
        os.sched_yield()


def read(file):
    try:
        with open(file, "rb") as opened:
            return opened.read()
    except OSError:
        return b""


def link(process):
    try:
        return os.readlink(f"/proc/{process}/cwd").encode()
    except OSError:
        return b""


def test_a_spec_can_be_tuned_by_the_tool(tmp_path):
    (tmp_path / "s.toml").write_text("""
[tunable]
name = "sleep"
[parameters]
n = [1, 2]
[program]
run = ["sh", "-c", "echo time: {n} ms"]
metric = 'time: ([0-9.]+) ms'
[verify]
against = "nothing"
""")
    best = launchbox.tune(tmp_path / "s.toml", database=tmp_path / "s.db", progress=False)
    assert best.parameters == {"n": 1} and best.median_ms == 1 and not best.verified
    with pytest.raises(launchbox.Error, match="run cannot be combined with a spec"):
        launchbox.tune(tmp_path / "s.toml", run=print)
    with pytest.raises(launchbox.Error, match="nowhere.toml"):
        launchbox.tune(tmp_path / "nowhere.toml", progress=False)


ANSWER = '{"samples_ns": [5], "verified": true, "failure": "", "reason": "", "restart": false, "warnings": []}'
PROCESSES = {
    "exit 3": "exit status 3",
    "yes": "a message of another process",
    "yes | tr -d '\\n'": "killed by signal 9",
    "sleep 100": "was not ready within 0.5 s",
    "kill -11 $$": "killed by signal 11",
    "ready": "died before it took up the task",
    "ready; while read l; do yes '{\"phase\": \"load\"}'; done": "never answers",
    "ready; while read l; do echo '{\"samples_ns\": []' ; done": "a message of another process",
    f"ready; while read l; do echo '{ANSWER.replace('[5]', '[5, 5]')}'; done": "invalid samples_ns",
    f"ready; while read l; do echo '{ANSWER.replace('[5]', '[]')}'; done": "no time",
    f"ready; while read l; do echo '{ANSWER}'; done": "",
    f"printf 'hello\\nthere\\n'; ready; while read l; do echo '{ANSWER}'; done": "",
}


@pytest.mark.parametrize("command", PROCESSES)
def test_other_processes_get_an_error_message(tmp_path, command):
    command_text = json.dumps("ready() { echo '{\"phase\": \"ready\"}'; }; " + command)
    (tmp_path / "s.toml").write_text(f"""
[tunable]
name = "x"
[parameters]
n = [1, 2]
[callback]
device = "processor"
command = ["sh", "-c", {command_text}]
start_seconds = {0.5 if command.startswith("sleep") else 60}
""")
    if not PROCESSES[command]:
        best = launchbox.tune(tmp_path / "s.toml", database=tmp_path / "s.db", progress=False)
        assert best.median_ms == 5e-6 and best.verified
        return
    with pytest.raises(launchbox.Error) as raised:
        launchbox.tune(tmp_path / "s.toml", database=tmp_path / "s.db", progress=False)
    assert PROCESSES[command] in str(raised.value)


def test_results_are_json_and_csv(tmp_path):
    run_program(tmp_path, TIMES, space="{'n': [1, 3]}")
    whole = json.loads(tool.run(["results", str(tmp_path / "r.db"), "--format", "json"]))
    assert "CPython" in whole["environments"][0]["toolkit"]
    assert b"n" in tool.run(["results", str(tmp_path / "r.db"), "--format", "csv"])
