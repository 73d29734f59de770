# SPDX-License-Identifier: Apache-2.0
"""The tool as a process: interrupted, in unusual environments, of another version, called from several threads."""
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys

import pytest

import launchbox
from launchbox import tool

LOG = str(pathlib.Path(__file__).resolve().parents[1] / "data/logs/basic_sm_90.log")


def program(folder, text, name="launchbox"):
    file = pathlib.Path(folder) / name
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)
    return str(file)


def python(code, **options):
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run([sys.executable, "-B", "-c", code], env=environment, capture_output=True, text=True, check=False,
                          **options)


@pytest.mark.parametrize("stops, ending", [
    ("trap 'kill $!; echo stopped > stopped; exit 4' INT", "stopped"),  # like the tool
    ("trap '' INT", "killed"),
])
def test_an_interrupt_ends_the_tool_and_leaves_no_process(tmp_path, stops, ending):
    chosen = program(tmp_path, f"{stops}\nsleep 600 &\necho $$ $! > pids\nkill -INT $PPID\nwait\nwait\n")
    code = """
import launchbox, launchbox.tool
launchbox.tool.PATIENCE = 0.2
try:
    launchbox.inspect("x")
except KeyboardInterrupt:
    print("interrupted")
"""
    done = python(code, cwd=tmp_path, env={"LAUNCHBOX_TOOL": chosen})
    assert done.stdout == "interrupted\n", done.stderr
    shell, child = (tmp_path / "pids").read_text().split()
    assert not os.path.exists(f"/proc/{shell}")
    if ending == "stopped":
        assert (tmp_path / "stopped").exists()
    else:
        os.kill(int(child), signal.SIGKILL)  # the double's own children; the real tool ends its own


def test_a_tool_that_crashes_is_an_error(tmp_path, monkeypatch):
    for text, message in (("kill -SEGV $$", "ended by signal 11"), ("exit 3", "ended with status 3"),
                          ("echo no JSON", "launchbox printed something other than its JSON: 'no JSON"),
                          ("echo '{\"schema\": 3'", "other than its JSON"),
                          ("echo '[1]'", "other than its JSON"), ("echo '{}'", "other than its JSON"),
                          ("echo 'launchbox: no GPU' >&2; echo '  install a driver' >&2; exit 3", "no GPU; install a driver")):
        monkeypatch.setenv("LAUNCHBOX_TOOL", program(tmp_path, text + "\n"))
        with pytest.raises(launchbox.Error, match=message) as raised:
            launchbox.inspect(LOG)
        assert "\n" not in str(raised.value)
    pathlib.Path(os.environ["LAUNCHBOX_TOOL"]).write_bytes(b"\x7fELF is no program of this machine")
    with pytest.raises(launchbox.Error, match="cannot be started: Exec format error"):
        launchbox.inspect(LOG)


def test_a_tool_of_another_version_is_named(tmp_path, monkeypatch):
    chosen = program(tmp_path, 'if [ "$1" = --version ]; then echo launchbox 9.1.0; else '
                     'echo \'{"schema": "launchbox.kernels/9", "kernels": []}\'; fi\n')
    monkeypatch.setenv("LAUNCHBOX_TOOL", chosen)
    with pytest.raises(launchbox.Error) as raised:
        launchbox.inspect(LOG)
    assert chosen in str(raised.value)
    assert "launchbox 9.1.0" in str(raised.value) and "launchbox.kernels/9" in str(raised.value)


def test_members_of_later_versions_are_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("LAUNCHBOX_TOOL", program(
        tmp_path, 'echo \'{"schema": "launchbox.kernels/2", "kernels": [{"name": "a", "warmth": {"k": [1]}}], "from": 1}\'\n'))
    report = launchbox.inspect(LOG)
    assert report.kernels[0].warmth == {"k": [1]}
    assert report.kernels[0].registers is None  # missing in an earlier version
    assert report.to_dict()["from"] == 1
    assert "warmth" in dir(report.kernels[0])


def test_calls_from_several_threads_are_independent():
    expected = {threads: launchbox.occupancy("sm_90", threads=threads) for threads in range(32, 353, 32)}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda threads: launchbox.occupancy("sm_90", threads=threads), expected)
        inspected = pool.map(lambda _: launchbox.inspect(LOG), range(4))
        assert list(found) == list(expected.values())
        assert len({len(each.kernels) for each in inspected}) == 1


def test_without_home_environment_or_folder(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"""
import os, sys
sys.path.insert(0, {os.environ["PYTHONPATH"]!r})
os.rmdir(os.getcwd())
import launchbox
print(len(launchbox.inspect({LOG!r}).kernels), launchbox.occupancy("sm_90", threads=[64]).launches)
try:
    launchbox.inspect("here.so")
except launchbox.Error as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=gone, env={"LAUNCHBOX_TOOL": tool.path()},
                          capture_output=True, text=True, check=False)
    assert done.stdout.startswith("8 1\ncannot open here.so: "), done.stderr


def test_output_larger_than_a_pipe_and_many_inputs(tmp_path):
    files = []
    for i in range(300):
        file = tmp_path / f"{i}.log"
        os.symlink(LOG, file)
        files.append(file)
    report = launchbox.inspect(files, threads=256)
    assert len(report.kernels) == 8 * 300
    with pytest.raises(launchbox.Error, match="too many or too long"):
        launchbox.inspect([f"{'x' * 1000}{i}" for i in range(3000)])


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8", "tr_TR.UTF-8"])
def test_names_in_any_locale(tmp_path, locale):
    name = os.path.join(os.fsencode(tmp_path), b"bad\xff-\xc3\xbc.log")
    os.symlink(LOG, name)
    code = f"import os, launchbox; r = launchbox.inspect(os.fsdecode({name!r})); print(len(r.kernels), ascii(r.inputs[0].file))"
    done = python(code, env={"LC_ALL": locale})
    assert done.stdout.startswith("8 ") and "xff" in done.stdout, done.stderr


@pytest.mark.parametrize("prints", ["printf 'a\\377b\\n'", "head -c 3000000 /dev/zero | tr '\\0' x"])
def test_messages_of_any_bytes(tmp_path, monkeypatch, prints):
    monkeypatch.setenv("LAUNCHBOX_TOOL", program(tmp_path, f"({prints}) >&2; exit 2\n"))
    with pytest.raises(launchbox.Error):
        launchbox.inspect(LOG)
